package toggle_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/toggle"
)

const skill = "---\nname: review\ndescription: Review a change.\n---\nRead it.\n"

// world is a project and a home directory.
type world struct {
	*testing.T
	top string
}

func newWorld(t *testing.T, files map[string]string) world {
	w := world{t, t.TempDir()}
	t.Setenv("HOME", filepath.Join(w.top, "home"))
	for _, env := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "QWEN_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(env, "")
	}
	for _, dir := range []string{"home", "project/.git"} {
		if err := os.MkdirAll(filepath.Join(w.top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{".agents", ".claude", ".qwen"} {
		w.write("project/"+dir+"/skills/review/SKILL.md", skill)
	}
	for name, text := range files {
		w.write(name, text)
	}
	return w
}

func (w world) write(name, text string) {
	w.Helper()
	at := filepath.Join(w.top, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// files returns the contents of all files.
func (w world) files() map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(w.top, func(at string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(at)
		all[at] = string(data)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return all
}

func (w world) options(as string) catalog.Options {
	return catalog.Options{Dir: filepath.Join(w.top, "project"), As: as}
}

func (w world) change(r toggle.Request) *toggle.Change {
	w.Helper()
	changes, err := toggle.Plan(context.Background(), w.options(""), r)
	if err != nil {
		w.Fatal(err)
	}
	for _, c := range changes {
		if err := c.Write(); err != nil {
			w.Fatal(err)
		}
	}
	return changes[0]
}

// loaded reports whether a host's view has the skill.
func (w world) loaded(as string) bool {
	w.Helper()
	c, err := catalog.Open(context.Background(), w.options(as))
	if err != nil {
		w.Fatal(err)
	}
	defer c.Close()
	all, err := c.Scan(context.Background())
	if err != nil {
		w.Fatal(err)
	}
	for _, d := range all.All {
		if d.Name == "review" && d.State == definition.Loaded {
			return true
		}
	}
	return false
}

// TestEveryHost disables and enables a skill in every host that has a setting for it, in each scope
// and with several file layouts. After each step, the host's view must show the desired state. At
// the end, the file must have its original bytes.
func TestEveryHost(t *testing.T) {
	layouts := map[definition.Format][]string{
		definition.TOML: {"", "\n", "model = \"x\"", "model = \"x\"\n\n[a]\nb = 1 # c\n", "a = 1\r\n",
			"[[skills.config]]\npath = \"/other/SKILL.md\"\nenabled = false\n", "[[skills.config]]\npath = '/p' # mine\nenabled = true\n[x]\ny = 1\n"},
		0: {"{}", "{}\n", "{\"a\":1}", "{ \"a\": 1 }\n", "{\n  \"a\": 1\n}\n", "{\r\n\t\"a\": [\r\n\t\t1\r\n\t]\r\n}\r\n", "{\n  \"KEY\": EMPTY,\n  \"a\": 1\n}\n",
			"// c\n{\n  \"a\": 1, // one\n  /* two */\n}\n"},
	}
	for _, p := range registry.Hosts() {
		x := p.Toggles.Skills
		if x == nil || !p.Program() {
			if p.Program() && p.Toggles.Alternative == "" {
				t.Errorf("%s: no setting, and nothing to do instead", p.Name)
			}
			continue
		}
		for _, s := range x.Settings {
			if strings.HasSuffix(s.Path, ".jsonc") || strings.HasPrefix(s.Path, ".opencode/") {
				continue // they are used only if they exist
			}
			texts := layouts[s.Format]
			if s.Format != definition.TOML {
				texts = layouts[0]
			}
			for _, text := range append(texts, "missing") {
				if p.Settings != nil && p.Settings.Strict && strings.Contains(text, "//") {
					continue
				}
				t.Run(p.Name+"/"+s.Path+"/"+text, func(t *testing.T) {
					w := newWorld(t, nil)
					empty := "{}"
					if x.Off.Kind == definition.Null && len(s.Key) == 1 {
						empty = "[]"
					}
					text := strings.NewReplacer("KEY", s.Key[0], "EMPTY", empty).Replace(text)
					name := "project/" + s.Path
					if s.Base == host.InHome {
						name = "home/" + s.Path
					}
					if text != "missing" {
						w.write(name, text)
					}
					before := w.files()
					r := toggle.Request{Name: "review", Hosts: []string{p.Name}, User: s.Base == host.InHome}
					for _, enable := range []bool{false, true} {
						if r.Enable = enable; w.loaded(p.Name) == enable {
							t.Fatal("already done")
						}
						if c := w.change(r); c.Problem != "" || w.loaded(p.Name) != enable {
							t.Fatalf("enable %v: %+v\n%s", enable, c, w.files()[filepath.Join(w.top, name)])
						}
						if c := w.change(r); c.Action != "none" || c.Problem != "" {
							t.Fatalf("again: %+v", c)
						}
					}
					after := w.files()
					for at, data := range after {
						if before[at] != data {
							t.Errorf("%s: %q, was %q", at, data, before[at])
						}
					}
					if len(after) != len(before) {
						t.Error("there are other files")
					}
				})
			}
		}
	}
}

// TestOtherSettings checks cases in which other files or other patterns decide.
func TestOtherSettings(t *testing.T) {
	for _, c := range []struct {
		name, host, file, text string
		enable                 bool
		want, problem          string
	}{
		{"the user's setting is overridden", "claude-code", "home/.claude/settings.json", `{"skillOverrides":{"review":"off"}}`, true, "", ""},
		{"a pattern that comes later", "opencode", "project/opencode.json", `{"permission":{"skill":{"review":"deny","*":"allow"}}}`, false, `{"permission":{"skill":{"*":"allow", "review": "deny"}}}`, ""},
		{"a pattern for all", "opencode", "project/opencode.json", `{"permission":{"skill":{"*":"deny"}}}`, true, `{"permission":{"skill":{"*":"deny", "review": "allow"}}}`, ""},
		{"another file of a list", "gemini", "home/.gemini/settings.json", `{"skills":{"disabled":["review"]}}`, true, "", "/home/.gemini/settings.json"},
		{"an entry of the user", "codex", "home/.codex/config.toml", "[[skills.config]]\nenabled = true # yes\npath = \"TOP/project/.agents/skills/review/SKILL.md\"\n", false, "[[skills.config]]\nenabled = false # yes\npath = \"TOP/project/.agents/skills/review/SKILL.md\"\n", ""},
		{"another value", "claude-code", "project/.claude/settings.local.json", `{"skillOverrides":{"review":"name-only"}}`, false, `{"skillOverrides":{"review":"off"}}`, ""},
		{"a word for all", "opencode", "project/opencode.json", "{\n\"permission\":{\"skill\": \"allow\"}}", false, "", "line 2, column 24: skill is not an object"},
		{"a list that is none", "qwen", "project/.qwen/settings.json", `{"skills":{"disabled":"review"}}`, false, "", "disabled is not a list"},
		{"invalid JSON", "gemini", "project/.gemini/settings.json", "{\n  \"a\" 1\n}", false, "", "line 2, column 7: invalid JSON"},
		{"invalid TOML", "codex", "home/.codex/config.toml", "a = \n", false, "", "line 1, column"},
		{"a comment in a strict file", "claude-code", "project/.claude/settings.local.json", "{} // c", false, "", "line 1, column"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, nil)
			fill := func(text string) string { return strings.ReplaceAll(text, "TOP", filepath.ToSlash(w.top)) }
			w.write(c.file, fill(c.text))
			got := w.change(toggle.Request{Name: "review", Hosts: []string{c.host}, Enable: c.enable})
			if !strings.Contains(got.Problem, c.problem) || (got.Problem == "") != (c.problem == "") {
				t.Fatalf("%+v", got)
			}
			if c.want == "" {
				c.want = c.text
			}
			if text := w.files()[filepath.Join(w.top, c.file)]; text != fill(c.want) {
				t.Errorf("%q", text)
			}
			if c.problem == "" && w.loaded(c.host) != c.enable {
				t.Error("the view does not agree")
			}
		})
	}
}

func TestUnsafeFiles(t *testing.T) {
	w := newWorld(t, map[string]string{"outside.json": "{}"})
	r := toggle.Request{Name: "review", Hosts: []string{"gemini"}}
	if err := os.Mkdir(filepath.Join(w.top, "project/.gemini"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../outside.json", filepath.Join(w.top, "project/.gemini/settings.json")); err != nil {
		t.Skip(err)
	}
	before := w.files()
	if c := w.change(r); !strings.Contains(c.Problem, "symlink") || w.files()[filepath.Join(w.top, "outside.json")] != before[filepath.Join(w.top, "outside.json")] {
		t.Errorf("%+v", c)
	}

	w = newWorld(t, map[string]string{"project/.gemini/settings.json": "{}"})
	changes, err := toggle.Plan(context.Background(), w.options(""), r)
	if err != nil {
		t.Fatal(err)
	}
	w.write("project/.gemini/settings.json", "{ }")
	if err := changes[0].Write(); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("concurrent change: %v", err)
	}
}

func TestMissing(t *testing.T) {
	w := newWorld(t, nil)
	for name, want := range map[string]string{"revew": "the host does not load a skill named revew", "x@y": "the host has no plugin x@y installed"} {
		if c := w.change(toggle.Request{Name: name, Hosts: []string{"claude-code"}}); !c.Missing || c.Problem != want {
			t.Errorf("%+v", c)
		}
	}
	for _, name := range []string{"cursor", "pi", "copilot-vscode", "claude-code@2.1.88"} {
		if c := w.change(toggle.Request{Name: "review", Hosts: []string{name}}); c.Missing || !strings.Contains(c.Problem, "no setting") || c.Fix == "" {
			t.Errorf("%+v", c)
		}
	}
}

// TestPlugin checks that a plugin that the user installed can be disabled in a single project.
func TestPlugin(t *testing.T) {
	w := newWorld(t, nil)
	plugin := filepath.ToSlash(filepath.Join(w.top, "home/.claude/plugins/cache/acme/tools/1"))
	w.write("home/.claude/plugins/cache/acme/tools/1/.claude-plugin/plugin.json", `{"name":"tools"}`)
	w.write("home/.claude/plugins/cache/acme/tools/1/skills/review/SKILL.md", skill)
	w.write("home/.claude/plugins/installed_plugins.json", `{"version":2,"plugins":{"tools@acme":[{"scope":"user","installPath":"`+plugin+`"}]}}`)
	market := filepath.ToSlash(filepath.Join(w.top, "home/market"))
	w.write("home/market/.claude-plugin/marketplace.json", `{"name":"acme","owner":{"name":"a"},"plugins":[{"name":"tools","source":{"source":"github","repo":"a/b"}}]}`)
	w.write("home/.claude/plugins/known_marketplaces.json", `{"acme":{"source":{"source":"github","repo":"a/m"},"installLocation":"`+market+`"}}`)
	w.write("home/.claude/settings.json", `{"enabledPlugins":{"tools@acme":true}}`)
	before := w.files()
	r := toggle.Request{Name: "tools@acme", Hosts: []string{"claude-code"}}
	c := w.change(r)
	local := filepath.Join(w.top, "project/.claude/settings.local.json")
	if c.Problem != "" || c.Action != "create" || w.files()[local] != "{\n  \"enabledPlugins\": {\n    \"tools@acme\": false\n  }\n}\n" {
		t.Fatalf("%+v", c)
	}
	r.Enable = true
	if c := w.change(r); c.Action != "delete" || len(w.files()) != len(before) {
		t.Errorf("%+v", c)
	}
	if c := w.change(toggle.Request{Name: "tools:review", Hosts: []string{"claude-code"}}); !strings.Contains(c.Problem, "part of the plugin tools") {
		t.Errorf("%+v", c)
	}
}
