package vade

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

// ownSkills returns definitions to use in place of the bundled ones.
func ownSkills() fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return fstest.MapFS{
		"plain/SKILL.md":         file("---\nname: plain\ndescription: Plain\n---\nplain text\n"),
		"rich/SKILL.md":          file("---\nname: rich\ndescription: Rich\n---\nSee reference/more.md.\n"),
		"rich/reference/more.md": file("more\n"),
		"new/SKILL.md":           file("---\nname: new\ndescription: New\nmetadata:\n  vade-when: experimental\n  vade-argument-hint: \"[what]\"\n---\nnew text\n"),
		"tool/SKILL.md":          file("---\nname: tool\ndescription: Tool\nmetadata:\n  vade-when: program vade-test-tool\n---\nx\n"),
		"there/SKILL.md":         file("---\nname: there\ndescription: There\nmetadata:\n  vade-when: exists ~/.there\n---\nx\n"),
		"var/SKILL.md":           file("---\nname: var\ndescription: Var\nmetadata:\n  vade-when: variable VADE_TEST_FACT\n---\nx\n"),
		"loop/SKILL.md":          file("---\nname: loop\ndescription: Loop\n---\nfallback $ARGUMENTS\n"),
		"full/SKILL.md": file("---\nname: full\ndescription: Full\naliases: [whole, entire]\nwhen_to_use: When all is wanted\nargument-hint: \"[a] [b]\"\n" +
			"arguments: [a, b]\nallowed-tools: Read, Bash(git log:*)\nmodel: small\ndisable-model-invocation: true\nuser-invocable: true\n" +
			"context: fork\nagent: reviewer\nhooks:\n  PreToolUse: []\n---\nfull $a\n"),
	}
}

// bundledWorld writes files to a home directory and a project, and returns options for opening
// them.
func bundledWorld(t *testing.T, files map[string]string) catalog.Options {
	t.Helper()
	top := t.TempDir()
	for _, dir := range []string{"proj/.git", "home"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		p := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"PATH": filepath.Join(top, "bin")}
	return catalog.Options{
		Dir: filepath.Join(top, "proj"), Home: filepath.Join(top, "home"), ManagedDir: filepath.Join(top, "managed"), Bundled: ownSkills(),
		Getenv: func(name string) string { return env[name] },
	}
}

func openBundled(t *testing.T, o catalog.Options) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// inForce returns the names of the active bundled definitions and the reason why each of the others
// is inactive.
func inForce(t *testing.T, c *catalog.Catalog) (on []string, off map[string]string) {
	t.Helper()
	list, err := c.List(t.Context(), catalog.Query{All: true, Layers: []definition.Layer{definition.Bundled}})
	if err != nil {
		t.Fatal(err)
	}
	off = map[string]string{}
	for _, d := range list {
		if !strings.HasPrefix(d.Path(), "vade:") {
			if d.ComesWithVade() {
				t.Errorf("%s is taken for one that comes with Vade", d.Path())
			}
			continue
		}
		// Loading a definition by name reads only a few directories, but the result must be the
		// same.
		_, err := c.Get(t.Context(), definition.Skill, d.Name())
		if d.State() == definition.Loaded != (err == nil) && d.State() != definition.Shadowed {
			t.Errorf("%s is %s, and by its name: %v", d.Name(), d.State(), err)
		}
		if !d.ComesWithVade() {
			t.Errorf("%s does not come with Vade", d.Path())
		}
		if d.State() == definition.Loaded {
			on = append(on, d.Name())
		} else {
			off[d.Name()] = d.Reason()
		}
	}
	return on, off
}

func TestBundledConditions(t *testing.T) {
	const policy = "home/.config/vade/policy.yaml"
	const how = "; to enable it, set bundled: {enable: [%]} in ~/.config/vade/policy.yaml"
	always := []string{"full", "loop", "plain", "rich"}
	for _, x := range []struct {
		name   string
		files  map[string]string
		on     []string
		reason map[string]string
	}{
		{name: "by themselves", on: always, reason: map[string]string{
			"new": "the definition is experimental" + how, "tool": "program not found: vade-test-tool" + how,
			"there": "path not found: ~/.there" + how, "var": "VADE_TEST_FACT is not set" + how,
		}},
		{name: "facts", files: map[string]string{"bin/vade-test-tool": "", "home/.there/x": ""}, on: []string{"full", "loop", "plain", "rich", "there", "tool"}},
		{name: "switched on", files: map[string]string{policy: "bundled: {enable: [new, var]}"}, on: []string{"full", "loop", "new", "plain", "rich", "var"}},
		{name: "all switched on but one", files: map[string]string{policy: "bundled: {enable: '*', disable: rich}"},
			on: []string{"full", "loop", "new", "plain", "there", "tool", "var"}, reason: map[string]string{"rich": "disabled by the policy: "}},
		{name: "a project's policy switches nothing on", files: map[string]string{"proj/.vade/policy.yaml": "bundled: {enable: [new]}"}, on: always},
		{name: "a project's policy switches off", files: map[string]string{policy: "bundled: {enable: [new]}", "proj/.vade/policy.yaml": "bundled: {disable: [new, plain]}"},
			on: []string{"full", "loop", "rich"}, reason: map[string]string{"new": "disabled by the policy: .vade/policy.yaml:1"}},
		{name: "a project switches off", files: map[string]string{policy: "bundled: {enable: [new]}", "proj/vade.yaml": "bundled: {disable: [new, 'p*']}"},
			on: []string{"full", "loop", "rich"}, reason: map[string]string{"plain": "vade.yaml:1 disables it"}},
		{name: "a project switches nothing on", files: map[string]string{"proj/vade.yaml": "bundled: {enable: [new]}"}, on: nil,
			reason: map[string]string{"new": "vade.yaml has errors and may disable it"}},
		{name: "all off", files: map[string]string{"proj/vade.yaml": "bundled: false"}, on: nil, reason: map[string]string{"rich": "vade.yaml:1 disables it"}},
		{name: "all off for the user", files: map[string]string{policy: "bundled: false"}, on: nil, reason: map[string]string{"rich": "the policy disables all bundled definitions: "}},
		{name: "twice the key", files: map[string]string{policy: "bundled: {enable: [new]}\nbundled: {enable: [var]}"}, on: nil,
			reason: map[string]string{"rich": "~/.config/vade/policy.yaml is invalid and might disable this definition; to see the errors, run: vade policy show"}},
		{name: "a key that is none", files: map[string]string{policy: "bundled: {enabled: [new]}"}, on: nil,
			reason: map[string]string{"new": "~/.config/vade/policy.yaml is invalid and might disable this definition"}},
		{name: "another is on already", files: map[string]string{policy: "bundled: {enable: [var]}"}, on: []string{"full", "loop", "plain", "rich", "var"},
			reason: map[string]string{"new": "the definition is experimental; to enable it, add new to bundled.enable in ~/.config/vade/policy.yaml"}},
		{name: "the key is there", files: map[string]string{policy: "bundled: true"}, on: always,
			reason: map[string]string{"new": "the definition is experimental; to enable it, change bundled to {enable: [new]} in ~/.config/vade/policy.yaml"}},
		{name: "users may not", files: map[string]string{"managed/policy.yaml": "allow-user-grants: false"}, on: always,
			reason: map[string]string{"new": "the definition is experimental; only an administrator can enable it: "}},
		{name: "all off for everybody", files: map[string]string{"managed/policy.yaml": "bundled: false", policy: "bundled: {enable: '*'}"}, on: nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := openBundled(t, bundledWorld(t, x.files))
			on, off := inForce(t, c)
			if !slices.Equal(on, x.on) {
				t.Errorf("active are %v, want %v", on, x.on)
			}
			for name, want := range x.reason {
				if want = strings.ReplaceAll(want, "%", name); !strings.HasPrefix(off[name], want) {
					t.Errorf("%s is off because %q, want %q", name, off[name], want)
				}
			}
			found, err := c.Overview(t.Context(), catalog.Query{})
			if err != nil {
				t.Fatal(err)
			}
			if n := found.Counts; n.BundledOff != len(off) || n.Disabled != len(off) {
				t.Errorf("%+v", n)
			}
		})
	}
}

// TestBundledInvalidPolicyIsReported checks that listing definitions reports a
// policy error that disables all bundled ones.
func TestBundledInvalidPolicyIsReported(t *testing.T) {
	const policy = "home/.config/vade/policy.yaml"
	for text, want := range map[string]string{
		"bundled: {enabled: [new]}":                          "POLICY_UNKNOWN_KEY",
		"bundled: {enable: [new]}\nbundled: {enable: [var]}": "POLICY_INVALID",
		"bundled: false":                                     "",
		"shel: off":                                          "",
	} {
		o := bundledWorld(t, map[string]string{policy: text})
		c := openBundled(t, o)
		diags, err := c.Diagnostics(t.Context())
		var codes []string
		for _, d := range diags {
			codes = append(codes, string(d.Code))
		}
		if err != nil || slices.Contains(codes, want) != (want != "") || want == "" && len(diags) > 0 {
			t.Errorf("%s: %v, %v", text, codes, err)
		}
		var b strings.Builder
		found, err := c.Overview(t.Context(), catalog.Query{})
		if err != nil {
			t.Fatal(err)
		}
		if err := found.WriteJSON(&b); err != nil || want != "" && !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v, %s", text, err, b.String())
		}
		o.As = "claude-code"
		if diags, err := openBundled(t, o).Diagnostics(t.Context()); err != nil || len(diags) > 0 {
			t.Errorf("a host that has none: %v, %v", diags, err)
		}
	}
}

// TestBundledDisabledIsNotLoaded checks that no kind of request loads a disabled definition.
func TestBundledDisabledIsNotLoaded(t *testing.T) {
	for _, request := range []string{"skill:new", "/new", "new", "vade:bundled/new/SKILL.md", "skills: new, plain"} {
		for _, all := range []bool{false, true} {
			c := openBundled(t, bundledWorld(t, nil))
			if all {
				inForce(t, c)
			}
			r, err := c.Load(t.Context(), request)
			if err == nil || r.Success {
				t.Errorf("%s was loaded", request)
			} else if !strings.Contains(err.Error(), "experimental") {
				t.Errorf("%s: %v", request, err)
			}
		}
	}
}

func TestBundledUnknownNames(t *testing.T) {
	c := openBundled(t, bundledWorld(t, map[string]string{"proj/.vade/policy.yaml": "version: 1\nbundled: {disable: [plane, 'zz*', 'p*']}"}))
	_, diags, err := c.Policy(t.Context())
	if err != nil || len(diags) != 2 || diags[0].Code != "POLICY_NO_EFFECT" || diags[0].Line != 2 || !strings.Contains(diags[0].Fix, "plain") {
		t.Errorf("%v, %v", diags, err)
	}
}

// TestBundledIsShadowed adds a definition with the same name to every other
// layer and queries every view.
func TestBundledIsShadowed(t *testing.T) {
	const skill = "---\ndescription: Mine\n---\nmine\n"
	for name, files := range map[string]map[string]string{
		"project":        {"proj/.agents/skills/plain/SKILL.md": skill},
		"another host's": {"proj/.cursor/skills/plain/SKILL.md": skill},
		"user":           {"home/.claude/skills/plain/SKILL.md": skill},
		"managed":        {"managed/.claude/skills/plain/SKILL.md": skill},
		"assets":         {"proj/assets/skills/plain.skill.md": skill},
		"own source":     {"proj/vade.yaml": "source: ai", "proj/ai/skills/plain/SKILL.md": skill},
	} {
		t.Run(name, func(t *testing.T) {
			o := bundledWorld(t, files)
			c := openBundled(t, o)
			r, err := c.Load(t.Context(), "skill:plain")
			if err != nil || !strings.Contains(r.Skills[0].Text, "mine") || !slices.Contains(r.Skills[0].Shadowed, "vade:bundled/plain/SKILL.md") {
				t.Errorf("%v, %+v", err, r)
			}
			s, err := c.LoadSkill(t.Context(), "", "plain")
			if err != nil || !strings.Contains(s.Content, "mine") {
				t.Errorf("%v, %+v", err, s)
			}
			_, off := inForce(t, c)
			if !strings.Contains(off["plain"], " is active: ") {
				t.Errorf("it is not shadowed: %q", off["plain"])
			}
		})
	}
}

// TestBundledIsInNoHost checks that a host does not have bundled definitions unless an export or a
// server provides them.
func TestBundledIsInNoHost(t *testing.T) {
	for _, as := range catalog.Hosts() {
		if as == "neutral" || strings.HasPrefix(as, "neutral@") {
			continue
		}
		o := bundledWorld(t, nil)
		o.As = as
		c := openBundled(t, o)
		list, err := c.List(t.Context(), catalog.Query{All: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			if d.ComesWithVade() || strings.HasPrefix(d.Path(), "vade:") {
				t.Errorf("%s has %s", as, d.Path())
			}
		}
	}
}

// TestBundledFields checks that the catalog and its JSON contain every field.
func TestBundledFields(t *testing.T) {
	c := openBundled(t, bundledWorld(t, map[string]string{"home/.config/vade/policy.yaml": "bundled: {enable: new}"}))
	d, err := c.Get(t.Context(), definition.Skill, "entire")
	if err != nil {
		t.Fatal(err)
	}
	text := string(catalog.AppendDefinition(nil, d.Record(), false))
	for _, want := range []string{
		`"name":"full"`, `"layer":"bundled"`, `"source":"builtin"`, `"path":"vade:bundled/full/SKILL.md"`, `"aliases":["whole","entire"]`,
		`"whenToUse":"When all is wanted"`, `"argumentHint":"[a] [b]"`, `"arguments":["a","b"]`, `"allowedTools":["Read","Bash(git log:*)"]`,
		`"model":"small"`, `"disableModelInvocation":true`, `"userInvocable":true`, `"context":"fork"`, `"agent":"reviewer"`, `"hooks":[]`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in %s", want, text)
		}
	}
	if d, err = c.Get(t.Context(), definition.Skill, "new"); err != nil || d.ArgumentHint() != "[what]" {
		t.Errorf("what its metadata says is not there: %v", err)
	}
}

// TestBundledComputed checks definitions whose text is computed from the arguments. References and
// commands in that text are not expanded.
func TestBundledComputed(t *testing.T) {
	c := openBundled(t, bundledWorld(t, map[string]string{"proj/secret.md": "do not read"}))
	for _, request := range [][]string{{"/loop 5m look at @secret.md !`date` $ARGUMENTS"}, {"loop", "5m", "look at @secret.md !`date` $ARGUMENTS"}} {
		r, err := c.Load(t.Context(), request...)
		if err != nil {
			t.Fatal(err)
		}
		content := r.Command
		if content == nil {
			content = &r.Skills[0]
		}
		if !strings.Contains(content.Text, "*/5 * * * *") || !strings.Contains(content.Text, "look at @secret.md !`date` $ARGUMENTS") || strings.Contains(content.Text, "fallback") {
			t.Errorf("%q", content.Text)
		}
		if len(r.Expansions.Files)+len(r.Expansions.Bash) > 0 || strings.Contains(content.Text, "do not read") {
			t.Errorf("%+v", r.Expansions)
		}
	}
	s, err := c.LoadSkill(t.Context(), "", "loop")
	if err != nil || strings.Contains(s.Content, "fallback") || s.Content == "" {
		t.Errorf("%v, %+v", err, s)
	}
}

func filesBelow(t *testing.T, dir string) (list []string) {
	t.Helper()
	_ = filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			list = append(list, p)
		}
		return nil
	})
	return list
}

func TestBundledCompanions(t *testing.T) {
	o := bundledWorld(t, nil)
	c := openBundled(t, o)
	if _, err := c.LoadSkill(t.Context(), "", "plain"); err != nil || len(filesBelow(t, o.Home)) > 0 {
		t.Errorf("a skill without files writes %v, %v", filesBelow(t, o.Home), err)
	}
	if _, _ = inForce(t, c); len(filesBelow(t, o.Home)) > 0 {
		t.Errorf("listing writes %v", filesBelow(t, o.Home))
	}
	const callers = 64
	texts := make([]string, callers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			s, err := c.LoadSkill(t.Context(), "", "rich")
			if err != nil {
				t.Error(err)
				return
			}
			texts[i] = s.Content
		})
	}
	wg.Wait()
	line, rest, _ := strings.Cut(texts[0], "\n")
	dir, ok := strings.CutPrefix(line, "Base directory for this skill: ")
	if !ok || rest != "\nSee reference/more.md.\n" || !strings.HasPrefix(dir, filepath.ToSlash(o.Home)+"/.cache/vade/companions/vade-") {
		t.Errorf("%q", texts[0])
	}
	for _, text := range texts {
		if text != texts[0] {
			t.Fatalf("%q and %q", text, texts[0])
		}
	}
	if files := filesBelow(t, o.Home); len(files) != 1 {
		t.Errorf("%v", files)
	}
	r, err := c.Load(t.Context(), "/rich a")
	if err != nil || !strings.HasPrefix(r.Command.Text, line+"\n\nSee reference/more.md.") || strings.Contains(r.Command.Raw, "Base directory") {
		t.Errorf("%v, %+v", err, r.Command)
	}
	// Another catalog in this process uses the same files and does not remove them.
	shared := &catalog.Companions{}
	o.Companions = shared
	one, two := openBundled(t, o), openBundled(t, o)
	a, _ := one.LoadSkill(t.Context(), "", "rich")
	one.Close()
	b, _ := two.LoadSkill(t.Context(), "", "rich")
	if a == nil || b == nil || a.Content != b.Content || a.Content == texts[0] {
		t.Errorf("%+v, %+v", a, b)
	}
	two.Close()
	if len(filesBelow(t, o.Home)) != 2 {
		t.Errorf("%v", filesBelow(t, o.Home))
	}
	if err := shared.Close(); err != nil {
		t.Error(err)
	}
	c.Close()
	if files := filesBelow(t, o.Home); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
}

// TestBundledWithoutCompanions checks that the text is returned even if the
// companion files cannot or must not be written.
func TestBundledWithoutCompanions(t *testing.T) {
	elsewhere := t.TempDir()
	for name, change := range map[string]func(o *catalog.Options){
		"a link": func(o *catalog.Options) {
			_ = os.MkdirAll(filepath.Join(o.Home, ".cache", "vade"), 0o700)
			_ = os.Symlink(elsewhere, filepath.Join(o.Home, ".cache", "vade", "companions"))
		},
		"a file": func(o *catalog.Options) { _ = os.WriteFile(filepath.Join(o.Home, ".cache"), nil, 0o600) },
		"a stranger": func(o *catalog.Options) {
			_ = os.MkdirAll(filepath.Join(o.Home, ".cache"), 0o777)
			_ = os.Chmod(filepath.Join(o.Home, ".cache"), 0o777)
		},
		"no home": func(o *catalog.Options) {
			o.Home = filepath.Join(o.Dir, "none")
			o.Getenv = func(string) string { return "" }
		},
		"line ends": func(o *catalog.Options) {
			getenv, cache := o.Getenv, filepath.Join(o.Home, "a\nb")
			_ = os.Mkdir(cache, 0o700)
			o.Getenv = func(name string) string {
				if name == "XDG_CACHE_HOME" {
					return cache
				}
				return getenv(name)
			}
		},
		"ended": func(o *catalog.Options) { o.Companions = &catalog.Companions{}; o.Companions.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			o := bundledWorld(t, nil)
			change(&o)
			c := openBundled(t, o)
			s, err := c.LoadSkill(t.Context(), "", "rich")
			if err != nil || s.Content != "Other files in this skill: reference/more.md. To print one, run: vade show skill:rich --file reference/more.md\n\nSee reference/more.md.\n" {
				t.Errorf("%v, %+v", err, s)
			}
			if len(s.Diagnostics) != 1 || s.Diagnostics[0].Code != "COMPANIONS_MISSING" {
				t.Errorf("%v", s.Diagnostics)
			}
			if files := filesBelow(t, o.Dir); len(files) > 0 {
				t.Errorf("%v", files)
			}
		})
	}
	if files := filesBelow(t, elsewhere); len(files) > 0 {
		t.Errorf("written through a link: %v", files)
	}
	t.Run("one command", func(t *testing.T) {
		o := bundledWorld(t, nil)
		o.NoCompanions = true
		c := openBundled(t, o)
		s, err := c.LoadSkill(t.Context(), "", "rich")
		want := "Other files in this skill: reference/more.md. To print one, run: vade show skill:rich --file reference/more.md\n\nSee reference/more.md.\n"
		if err != nil || s.Content != want || len(s.Diagnostics) > 0 || len(filesBelow(t, o.Home)) > 0 {
			t.Errorf("%v, %+v", err, s)
		}
	})
	t.Run("over a network", func(t *testing.T) {
		o := bundledWorld(t, nil)
		o.Shell.Remote = true
		s, err := openBundled(t, o).LoadSkill(t.Context(), "", "rich")
		if err != nil || s.Content != "See reference/more.md.\n" || len(s.Diagnostics) > 0 || len(filesBelow(t, o.Home)) > 0 {
			t.Errorf("%v, %+v", err, s)
		}
	})
}

// TestBundledRuntimeDir checks that the session's runtime directory takes
// precedence over the cache.
func TestBundledRuntimeDir(t *testing.T) {
	o := bundledWorld(t, map[string]string{"run/x": ""})
	runtime := filepath.Join(filepath.Dir(o.Home), "run")
	o.Getenv = func(name string) string {
		if name == "XDG_RUNTIME_DIR" {
			return runtime
		}
		return ""
	}
	c := openBundled(t, o)
	s, err := c.LoadSkill(t.Context(), "", "rich")
	if err != nil || !strings.HasPrefix(s.Content, "Base directory for this skill: "+filepath.ToSlash(runtime)+"/vade/companions/vade-") {
		t.Errorf("%v, %+v", err, s)
	}
	if c.SweepCompanions(t.Context()) != 0 {
		t.Error("a living process's were removed")
	}
	c.Close()
	if files := filesBelow(t, runtime); len(files) != 1 {
		t.Errorf("%v", files)
	}
}

// BenchmarkBundledList measures listing with and without bundled definitions.
func BenchmarkBundledList(b *testing.B) {
	for name, text := range map[string]string{"with": "version: 1\n", "without": "bundled: false\n", "no file system": ""} {
		b.Run(name, func(b *testing.B) {
			o := catalog.Options{Isolated: true, Layers: []catalog.LayerFS{{Layer: definition.Project, Name: "project", FS: fstest.MapFS{"vade.yaml": {Data: []byte(text)}}}}}
			if text == "" {
				o.Bundled = fstest.MapFS{}
			}
			b.ReportAllocs()
			for b.Loop() {
				c, err := catalog.Open(b.Context(), o)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := c.List(b.Context(), catalog.Query{}); err != nil {
					b.Fatal(err)
				}
				c.Close()
			}
		})
	}
}

// watchedFS records the bundled skills whose files are opened.
type watchedFS struct {
	fs.FS
	mu     sync.Mutex
	opened []string
}

func (w *watchedFS) Open(name string) (fs.File, error) {
	f, err := w.FS.Open(name)
	if err == nil && strings.HasSuffix(name, ".md") {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.opened = append(w.opened, name)
	}
	return f, err
}

// TestBundledIsNotReadForOthers checks that loading a project's skill does not read bundled skills.
func TestBundledIsNotReadForOthers(t *testing.T) {
	o := bundledWorld(t, map[string]string{"proj/.agents/skills/mine/SKILL.md": "---\ndescription: D\n---\nmine\n"})
	watched := &watchedFS{FS: ownSkills()}
	o.Bundled = watched
	c := openBundled(t, o)
	if _, err := c.Load(t.Context(), "skill:mine"); err != nil || len(watched.opened) > 0 {
		t.Errorf("%v, read: %v", err, watched.opened)
	}
	if _, err := c.Load(t.Context(), "skill:plain"); err != nil || len(watched.opened) == 0 || slices.ContainsFunc(watched.opened, func(n string) bool { return n != "plain/SKILL.md" }) {
		t.Errorf("%v, read: %v", err, watched.opened)
	}
}
