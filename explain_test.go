package vade_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/explain"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/testenv"
)

// laid writes files into a project or, if a name starts with "~/", into a home
// directory. Content that starts with "-> " creates a symlink.
func laid(t *testing.T, files map[string]string) catalog.Options {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := catalog.Options{Dir: filepath.Join(top, "p"), Home: filepath.Join(top, "h"), Getenv: func(string) string { return "" }}
	for _, dir := range []string{filepath.Join(o.Dir, ".git"), o.Home} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		at := filepath.Join(o.Dir, name)
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			at = filepath.Join(o.Home, rest)
		}
		err := os.MkdirAll(filepath.Dir(at), 0o755)
		if to, ok := strings.CutPrefix(text, "-> "); ok && err == nil {
			err = os.Symlink(to, at)
		} else if err == nil {
			err = os.WriteFile(at, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func aSkill(name string) string {
	return "---\nname: " + name + "\ndescription: Does " + name + ".\n---\nDo it.\n"
}

func explained(t *testing.T, o catalog.Options, r explain.Request) *explain.Explanation {
	t.Helper()
	x, err := explain.Run(context.Background(), o, r)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// verdictOf returns a host's verdict on the file at a path.
func verdictOf(t *testing.T, x *explain.Explanation, path, host string) explain.Verdict {
	t.Helper()
	for _, d := range x.Definitions {
		if d.Path != path {
			continue
		}
		for _, v := range d.Verdicts {
			if v.Host == host {
				return v
			}
		}
	}
	t.Fatalf("no verdict of %s on %s", host, path)
	return explain.Verdict{}
}

// TestExplainAgreesWithRecordings checks skills in 26 directories. Each host must load exactly
// those skills that reached its model in the recording.
func TestExplainAgreesWithRecordings(t *testing.T) {
	for host, dir := range map[string]string{
		"codex": "codex", "copilot-cli": "copilot", "gemini": "gemini-cli", "opencode": "opencode", "pi": "pi", "qwen": "qwen-code",
	} {
		data, err := os.ReadFile(filepath.Join("..", "shared", "conformance", dir, "n01-layers.json"))
		if err != nil {
			t.Skipf("the recordings are not here: %v", err)
		}
		var r struct {
			Files  map[string]string
			Expect struct {
				Reached map[string]json.RawMessage `json:"reached_model"`
			}
		}
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatal(err)
		}
		o := laid(t, r.Files)
		for path := range r.Files {
			name := filepath.Base(filepath.Dir(path))
			_, want := r.Expect.Reached["SENT:"+name]
			x, err := explain.Run(context.Background(), o, explain.Request{Name: name, Hosts: []string{host}})
			if err != nil {
				if want || !errors.Is(err, definition.ErrNotFound) {
					t.Errorf("%s: %s: %v", host, path, err)
				}
				continue
			}
			v := x.Definitions[0].Verdicts[0]
			if (v.State == "loaded") != want || want && v.Listed != explain.ListedWhole {
				t.Errorf("%s: %s: %s, %s (%s); recorded: %v", host, path, v.State, v.Listed, v.Reason, want)
			}
			if v.State != "loaded" && v.Reason == "" {
				t.Errorf("%s: %s: not loaded without a reason", host, path)
			}
		}
	}
}

// TestFixesWork checks that a fix makes the host load the file. Hosts that loaded the file before
// must still load it.
func TestFixesWork(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	files := map[string]string{
		".claude/skills/one/SKILL.md":           aSkill("one"),
		".agents/skills/two/SKILL.md":           aSkill("two"),
		".github/skills/three/SKILL.md":         aSkill("three"),
		".claude/skills/group/four/SKILL.md":    aSkill("four"),
		".claude/skills/five/skill.md":          aSkill("five"),
		"skills/six/SKILL.md":                   aSkill("six"),
		".claude/skills/seven.md":               aSkill("seven"),
		"~/.claude/skills/eight/SKILL.md":       aSkill("eight"),
		"~/.codex/skills/nine/SKILL.md":         aSkill("nine"),
		".opencode/skill/ten/SKILL.md":          aSkill("ten"),
		"team/it's here/eleven/SKILL.md":        aSkill("eleven"),
		".claude/agents/twelve.md":              aSkill("twelve") + "Then say so.\n",
		".agents/skills/deep/thirteen/SKILL.md": aSkill("thirteen"),
		"CLAUDE.md":                             "Mine.\n",
	}
	loaded := func(x *explain.Explanation) map[string]bool {
		m := map[string]bool{}
		for _, v := range x.Definitions[0].Verdicts {
			m[v.Host] = v.State == "loaded"
		}
		return m
	}
	tried := 0
	for path := range files {
		name := path
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			name = "~/" + rest
		}
		before := explained(t, laid(t, files), explain.Request{Name: name})
		had := loaded(before)
		done := map[string]bool{}
		for _, v := range before.Definitions[0].Verdicts {
			command := strings.HasPrefix(v.Fix, "ln ") || strings.HasPrefix(v.Fix, "mkdir ") || strings.HasPrefix(v.Fix, "mv ") || strings.HasPrefix(v.Fix, "cp ")
			if v.State != explain.StateNotRead || !command || done[v.Host+v.Fix] {
				continue
			}
			done[v.Host+v.Fix] = true
			tried++
			o := laid(t, files)
			run := exec.Command(sh, "-c", v.Fix)
			run.Dir, run.Env = o.Dir, append(os.Environ(), "HOME="+o.Home)
			if out, err := run.CombinedOutput(); err != nil {
				t.Errorf("%s, %s: %s: %v: %s", path, v.Host, v.Fix, err, out)
				continue
			}
			word := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
			if strings.EqualFold(word, "skill") {
				word = filepath.Base(filepath.Dir(path))
			}
			if path == "CLAUDE.md" {
				word = strings.Fields(v.Fix)[len(strings.Fields(v.Fix))-1]
			}
			after := explained(t, o, explain.Request{Name: word})
			now := map[string]bool{}
			for _, d := range after.Definitions {
				for _, w := range d.Verdicts {
					now[w.Host] = now[w.Host] || w.State == "loaded"
				}
			}
			if !now[v.Host] {
				t.Errorf("%s: %s still does not load it after %s: %s", path, v.Host, v.Fix, after.Definitions[0].Verdicts[slices.IndexFunc(before.Hosts, func(h explain.Host) bool { return h.Host == v.Host })].Reason)
			}
			for host, was := range had {
				if was && !now[host] {
					t.Errorf("%s: %s does not load it any more after %s", path, host, v.Fix)
				}
			}
		}
	}
	if tried < 20 {
		t.Errorf("only %d commands were tried: the test has lost its subject", tried)
	}
}

func TestExplainClaude(t *testing.T) {
	o := laid(t, map[string]string{
		".claude/skills/deploy/SKILL.md":   aSkill("deploy"),
		"~/.claude/skills/deploy/SKILL.md": aSkill("deploy"),
		".claude/skills/group/x/SKILL.md":  aSkill("x"),
		".claude/skills/y/skill.md":        aSkill("y"),
		".claude/skills/flat.md":           aSkill("flat"),
		"skills/z/SKILL.md":                aSkill("z"),
		".agents/skills/a/SKILL.md":        aSkill("a"),
		".claude/skills/l/SKILL.md":        aSkill("l"),
		".agents/skills/l":                 "-> ../../.claude/skills/l",
		".agents/skills/n\nl/SKILL.md":     aSkill("odd"),
	})
	for _, tc := range []struct{ name, path, state, reason, fix string }{
		{"deploy", "~/.claude/skills/deploy/SKILL.md", "loaded", "", ""},
		{"deploy", ".claude/skills/deploy/SKILL.md", "shadowed", "is active: the user layer takes precedence over the project layer", "rename or remove one"},
		{"skill:x", ".claude/skills/group/x/SKILL.md", "not read", "the file is at the wrong directory depth; only files named <name>/SKILL.md are read in .claude/skills", "ln -s group/x .claude/skills/x"},
		{"y", ".claude/skills/y/skill.md", "not read", "only files named <name>/SKILL.md are read in .claude/skills", "mv .claude/skills/y/skill.md .claude/skills/y/SKILL.md"},
		{"flat", ".claude/skills/flat.md", "not read", "only files named <name>/SKILL.md are read in .claude/skills", "mkdir -p .claude/skills/flat && mv .claude/skills/flat.md .claude/skills/flat/SKILL.md"},
		{"z", "skills/z/SKILL.md", "not read", "claude-code reads .claude/skills, not skills", "ln -s ../../skills/z .claude/skills/z"},
		{"skills/z", "skills/z/SKILL.md", "not read", "claude-code reads .claude/skills, not skills", "ln -s ../../skills/z .claude/skills/z"},
		{".agents/skills/a", ".agents/skills/a/SKILL.md", "not read", "claude-code reads .claude/skills, not .agents/skills", "ln -s ../../.agents/skills/a .claude/skills/a"},
		{"odd", ".agents/skills/n\nl/SKILL.md", "not read", "claude-code reads", "remove the control characters from the file name"},
		{"l", ".claude/skills/l/SKILL.md", "loaded", "", ""},
	} {
		x := explained(t, o, explain.Request{Name: tc.name, Hosts: []string{"claude-code"}})
		path := tc.path
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(o.Home, rest)
		}
		v := verdictOf(t, x, path, "claude-code")
		if v.State != tc.state || !strings.Contains(v.Reason, tc.reason) || !strings.HasPrefix(v.Fix, tc.fix) || tc.fix == "" && v.Fix != "" {
			t.Errorf("%s: %s, %q, fix %q", tc.name, v.State, v.Reason, v.Fix)
		}
		if v.State == "loaded" && (v.UserCall == "" || v.Listed != explain.ListedWhole || v.Basis == "") {
			t.Errorf("%s: %+v", tc.name, v)
		}
	}
	x := explained(t, o, explain.Request{Name: "l", Hosts: []string{"claude-code"}})
	if len(x.Definitions) != 1 || !slices.Equal(x.Definitions[0].OtherPaths, []string{".agents/skills/l/SKILL.md"}) {
		t.Errorf("one file by two paths: %+v", x.Definitions)
	}
}

func TestExplainRequests(t *testing.T) {
	o := laid(t, map[string]string{".claude/skills/deploy/SKILL.md": aSkill("deploy"), ".claude/commands/deploy.md": "Do.\n"})
	for _, tc := range []struct {
		r    explain.Request
		code string
		fix  string
	}{
		{explain.Request{Name: "deplot"}, "COMMAND_NOT_FOUND", "did you mean deploy?"},
		{explain.Request{Name: "skill:deplot"}, "SKILL_NOT_FOUND", "did you mean deploy?"},
		{explain.Request{Name: "zzzzzz"}, "COMMAND_NOT_FOUND", "to list definitions, run: vade explain --all"},
		{explain.Request{Name: "main.go"}, "COMMAND_NOT_FOUND", ""},
		{explain.Request{Name: "../../etc/passwd"}, "COMMAND_NOT_FOUND", ""},
		{explain.Request{Name: ""}, "COMMAND_NOT_FOUND", ""},
	} {
		_, err := explain.Run(context.Background(), o, tc.r)
		var e *definition.Error
		if !errors.As(err, &e) || !errors.Is(err, definition.ErrNotFound) || string(e.Code) != tc.code || !strings.HasPrefix(e.Fix, tc.fix) {
			t.Errorf("%+v: %v", tc.r, err)
		}
	}
	for _, r := range []explain.Request{
		{Name: "deploy", Hosts: []string{"nobody"}}, {Name: "deploy", Hosts: []string{"neutral"}},
		{Name: "agent:x", Kinds: []definition.Kind{definition.Skill}},
	} {
		if _, err := explain.Run(context.Background(), o, r); err == nil || errors.Is(err, definition.ErrNotFound) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if x := explained(t, o, explain.Request{Name: "command:deploy", Hosts: []string{"claude-code@2.1.88"}}); len(x.Definitions) != 1 ||
		x.Definitions[0].Kind != definition.Command || x.Hosts[0].Version != "2.1.88" {
		t.Errorf("%+v", x)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := explain.Run(stopped, o, explain.Request{All: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// TestExplainAll checks that every definition in every view has a verdict for
// each host, with a basis and, if the definition is not loaded, a reason.
func TestExplainAll(t *testing.T) {
	o := laid(t, map[string]string{
		".claude/skills/a/SKILL.md": aSkill("a"), ".qwen/skills/b/SKILL.md": aSkill("b"), ".gemini/commands/c.toml": "prompt = \"x\"\n",
		".claude/agents/d.md": aSkill("d"), "AGENTS.md": "x\n", ".cursor/rules/r.mdc": "---\nalwaysApply: true\n---\nx\n",
		".claude/skills/bad/SKILL.md": "---\nname: [\n---\n", ".claude/skills/README.md": "x\n", "package.json": `{"contributes": {"chatParticipants": [{"commands": [{"name": "e"}]}]}}`,
	})
	x := explained(t, o, explain.Request{All: true})
	if len(x.Definitions) < 7 || len(x.Hosts) != len(registry.Hosts()) {
		t.Fatalf("%d definitions, %d hosts", len(x.Definitions), len(x.Hosts))
	}
	for _, d := range x.Definitions {
		if strings.Contains(d.Path, "README") || len(d.Verdicts) != len(x.Hosts) {
			t.Errorf("%s: %d verdicts", d.Path, len(d.Verdicts))
		}
		for i, v := range d.Verdicts {
			if v.Host != x.Hosts[i].Host || v.Basis == "" || v.State == "" || v.State != "loaded" && v.Reason == "" {
				t.Errorf("%s: %+v", d.Path, v)
			}
		}
	}
	data, err := json.Marshal(x)
	if err != nil || strings.Contains(string(data), "null") {
		t.Errorf("%v: %s", err, data)
	}
}

func TestKnown(t *testing.T) {
	if _, err := explain.KnownFacts("neutral"); err == nil {
		t.Error("the neutral view is no host")
	}
	k, err := explain.KnownFacts("claude-code@2.1.88")
	if err != nil || k.Version != "2.1.88" {
		t.Errorf("%+v, %v", k, err)
	}
}

// TestExplainOneAsAll checks that the fast path for one name gives the same answer as explaining
// everything.
func TestExplainOneAsAll(t *testing.T) {
	t.Parallel()
	testenv.SkipUnlessSlow(t)
	testenv.Check(t, func(t *rapid.T) {
		o := catalog.Options{Layers: world(t), Isolated: true}
		ctx := context.Background()
		all, err := explain.Run(ctx, o, explain.Request{All: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(all.Definitions) == 0 {
			return
		}
		want := rapid.SampledFrom(all.Definitions).Draw(t, "definition")
		request := rapid.SampledFrom([]string{want.Name, want.Path, want.Kind.String() + ":" + want.Name}).Draw(t, "request")
		one, err := explain.Run(ctx, o, explain.Request{Name: request})
		if err != nil {
			t.Fatalf("%s: %v", request, err)
		}
		at := slices.IndexFunc(one.Definitions, func(d explain.ExplainedFile) bool { return d.Path == want.Path })
		if at < 0 {
			t.Fatalf("%s: %s is not among what has the name", request, want.Path)
		}
		got := one.Definitions[at]
		for i := range want.Verdicts {
			a, _ := json.Marshal(want.Verdicts[i])
			b, _ := json.Marshal(got.Verdicts[i])
			if string(a) != string(b) {
				t.Fatalf("%s (%s):\nof all: %s\nof one: %s", want.Path, request, a, b)
			}
		}
	})
}
