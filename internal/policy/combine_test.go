package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"

	"github.com/vadehq/vade/internal/testenv"
)

func TestCombineDefault(t *testing.T) {
	p, diags := Combine()
	if len(diags) > 0 || p.Shell != Readonly || p.Timeout != 5*time.Second || p.Output != 65536 || p.Network || p.Sandbox != SandboxDefault || !p.UserGrants {
		t.Errorf("%+v %v", p, diags)
	}
	for _, layer := range []definition.Layer{definition.Managed, definition.Project, definition.User, definition.Plugin, definition.Bundled} {
		if r := p.Source(layer, "", ""); r != (SourceRules{Shell: Readonly, Files: true}) {
			t.Errorf("%s: %+v", layer, r)
		}
	}
	if r := p.Source(definition.MCP, "", "docs"); r != (SourceRules{}) {
		t.Errorf("mcp: %+v", r)
	}
	if r := (&Policy{}).Source(definition.Project, "", ""); r.Shell != Off {
		t.Errorf("the zero policy: %+v", r)
	}
}

// in combines policies, given as alternating layers and file contents.
func in(t testing.TB, pairs ...string) (*Policy, []diag.Diagnostic) {
	t.Helper()
	var files []*File
	for i := 0; i < len(pairs); i += 2 {
		layer := map[string]definition.Layer{"m": definition.Managed, "u": definition.User, "p": definition.Project}[pairs[i]]
		files = append(files, clean(t, layer, pairs[i+1]))
	}
	return Combine(files...)
}

func codesOf(diags []diag.Diagnostic) string {
	var list []string
	for _, d := range diags {
		list = append(list, fmt.Sprintf("%s:%d %s", d.File, d.Line, d.Code))
	}
	return strings.Join(list, ", ")
}

func TestCombineShell(t *testing.T) {
	const grant = "shell: granted\nallow: [Bash(npm test)]"
	tests := []struct {
		files  []string
		shell  Mode
		grants int
		codes  string
	}{
		{[]string{"u", grant}, Granted, 1, ""},
		{[]string{"m", grant, "u", grant}, Granted, 2, ""},
		{[]string{"p", grant}, Readonly, 0, "project.yaml:1 POLICY_WIDENS, project.yaml:2 POLICY_WIDENS"},
		{[]string{"u", grant, "p", grant}, Granted, 1, "project.yaml:2 POLICY_WIDENS"},
		{[]string{"p", "shell: off", "u", grant}, Off, 0, "user.yaml:2 POLICY_NO_EFFECT"},
		{[]string{"m", "shell: readonly", "u", grant}, Readonly, 0, "user.yaml:2 POLICY_NO_EFFECT"},
		{[]string{"m", "shell: off", "u", "shell: readonly"}, Off, 0, ""},
		{[]string{"u", "allow: [Bash(npm test)]"}, Readonly, 0, "user.yaml:1 POLICY_NO_EFFECT"},
		{[]string{"m", grant, "u", "allow: [Bash(a)]"}, Granted, 1, "user.yaml:1 POLICY_NO_EFFECT"},
		{[]string{"m", "allow-user-grants: false", "u", grant}, Readonly, 0, "user.yaml:1 POLICY_WIDENS, user.yaml:2 POLICY_WIDENS"},
		{[]string{"m", grant + "\nallow-user-grants: false", "u", grant}, Granted, 1, "user.yaml:2 POLICY_WIDENS"},
		{[]string{"u", "allow-user-grants: false\n" + grant}, Granted, 1, "user.yaml:1 POLICY_NO_EFFECT"},
		{[]string{"p", "shell: readonly"}, Readonly, 0, ""},
	}
	for _, tt := range tests {
		p, diags := in(t, tt.files...)
		if p.Shell != tt.shell || len(p.Allow) != tt.grants || codesOf(diags) != tt.codes {
			t.Errorf("%q: %s, %d grants, %s", tt.files, p.Shell, len(p.Allow), codesOf(diags))
		}
	}
}

func TestCombineLimits(t *testing.T) {
	tests := []struct {
		files   []string
		timeout string
		output  string
		sandbox string
		network bool
		widens  int
	}{
		{[]string{"u", "timeout: 60s\noutput: 1MiB"}, "1m", "1MiB", "default", false, 0},
		{[]string{"m", "timeout: 10s", "u", "timeout: 60s"}, "10s", "64KiB", "default", false, 0},
		{[]string{"m", "timeout: 60s", "u", "timeout: 10s"}, "10s", "64KiB", "default", false, 0},
		{[]string{"p", "timeout: 60s\noutput: 1MiB"}, "5s", "64KiB", "default", false, 2},
		{[]string{"p", "timeout: 2s\noutput: 1KiB"}, "2s", "1KiB", "default", false, 0},
		{[]string{"p", "timeout: 20s", "u", "timeout: 60s"}, "20s", "64KiB", "default", false, 0},
		{[]string{"u", "sandbox: best-effort"}, "5s", "64KiB", "best-effort", false, 0},
		{[]string{"u", "sandbox: best-effort", "m", "sandbox: default"}, "5s", "64KiB", "default", false, 0},
		{[]string{"p", "sandbox: best-effort\nnetwork: true"}, "5s", "64KiB", "default", false, 2},
		{[]string{"p", "sandbox: required", "u", "sandbox: best-effort"}, "5s", "64KiB", "required", false, 0},
		{[]string{"u", "network: true"}, "5s", "64KiB", "default", true, 0},
		{[]string{"u", "network: true", "p", "network: false"}, "5s", "64KiB", "default", false, 0},
		{[]string{"u", "network: true", "m", "network: false"}, "5s", "64KiB", "default", false, 0},
		{[]string{"u", "network: false", "m", "network: true"}, "5s", "64KiB", "default", false, 0},
		{[]string{"m", "allow-user-grants: false", "u", "network: true\ntimeout: 9s\nsandbox: best-effort"}, "5s", "64KiB", "default", false, 3},
	}
	for _, tt := range tests {
		p, diags := in(t, tt.files...)
		if durationText(p.Timeout) != tt.timeout || sizeText(p.Output) != tt.output || p.Sandbox.String() != tt.sandbox || p.Network != tt.network {
			t.Errorf("%q: %v %v %v %v", tt.files, p.Timeout, p.Output, p.Sandbox, p.Network)
		}
		if len(diags) != tt.widens {
			t.Errorf("%q: %v", tt.files, diags)
		}
	}
}

func TestCombineGrants(t *testing.T) {
	const long = `
shell: granted
network: false
timeout: 5s
write: [./out]
allow:
  - rule: Bash(a)
    network: true
    timeout: 60s
    write: [./dist, ./out]
    env: [X]
`
	tests := []struct {
		files []string
		want  string
	}{
		{[]string{"u", long}, "Bash(a) timeout=1m network write=./out,./dist env=X"},
		{[]string{"u", long, "p", "timeout: 2s"}, "Bash(a) timeout=2s network write=./out,./dist env=X"},
		{[]string{"u", long, "p", "network: false"}, "Bash(a) timeout=1m write=./out,./dist env=X"},
		{[]string{"u", long, "p", "write: []\nenv: []"}, "Bash(a) timeout=1m network"},
		{[]string{"u", long, "m", "timeout: 20s\nread: [/data]"}, "Bash(a) timeout=20s network write=./out,./dist read=/data env=X"},
		{[]string{"u", "shell: granted\nallow: [Bash(a)]", "m", "network: true\nenv: [Y]"}, "Bash(a) timeout=5s network env=Y"},
		{[]string{"u", "shell: granted\nwrite: []\nallow: [{rule: Bash(a), write: [x]}]"}, "Bash(a) timeout=5s write=x"},
	}
	for _, tt := range tests {
		p, _ := in(t, tt.files...)
		if len(p.Allow) != 1 || p.Allow[0].String() != tt.want {
			t.Errorf("%q: %v, want %s", tt.files, p.Allow, tt.want)
		}
	}
	p, diags := in(t, "p", "write: [a]\nread: [b]\nenv: [C]")
	if len(p.Write)+len(p.Read)+len(p.Env) != 0 || len(diags) != 3 {
		t.Errorf("the project added %v %v %v: %v", p.Write, p.Read, p.Env, diags)
	}
}

func TestCombineDeny(t *testing.T) {
	p, diags := in(t, "p", "deny: [Bash(c)]", "m", "deny: [Bash(a)]", "u", "deny: [Bash(b)]")
	var got []string
	for _, d := range p.Deny {
		got = append(got, d.String()+" "+d.Origin.String())
	}
	if strings.Join(got, ",") != "Bash(a) managed.yaml:1,Bash(b) user.yaml:1,Bash(c) project.yaml:1" || len(diags) > 0 {
		t.Errorf("%q %v", got, diags)
	}
}

func TestCombineProtected(t *testing.T) {
	tests := []struct {
		files   []string
		yes, no string
		codes   string
	}{
		{[]string{"u", `protected: ["!.env.test"]`}, ".env .env.local", ".env.test", ""},
		{[]string{"p", `protected: ["!.env.test", "x/**"]`}, ".env.test x/y", "x", "project.yaml:1 POLICY_WIDENS"},
		{[]string{"m", `protected: ["s/**"]`, "u", `protected: ["!s/**"]`}, "s/a", "t/a", ""},
		{[]string{"m", `protected: [".env"]`, "u", `protected: ["!.env"]`}, ".env", "", ""},
		{[]string{"u", `protected: ["*.csv", "!a.csv"]`}, "b.csv", "a.csv", ""},
		{[]string{"u", `protected: ["!*.csv"]`, "p", `protected: ["*.csv"]`}, "a.csv", "", ""},
		{[]string{"m", "allow-user-grants: false", "u", `protected: ["!.env"]`}, ".env", "", "user.yaml:1 POLICY_WIDENS"},
		{[]string{"u", `protected: ["!**"]`}, "", ".env .git/config", ""},
	}
	for _, tt := range tests {
		p, diags := in(t, tt.files...)
		for name := range strings.FieldsSeq(tt.yes) {
			if _, ok := p.Protected.Match(name); !ok {
				t.Errorf("%q: %s is not protected", tt.files, name)
			}
		}
		for name := range strings.FieldsSeq(tt.no) {
			if pattern, ok := p.Protected.Match(name); ok {
				t.Errorf("%q: %s is protected by %s", tt.files, name, pattern)
			}
		}
		if codesOf(diags) != tt.codes {
			t.Errorf("%q: %s", tt.files, codesOf(diags))
		}
	}
}

func TestSource(t *testing.T) {
	off, read, all := SourceRules{Off, true}, SourceRules{Readonly, true}, SourceRules{Granted, true}
	none := SourceRules{}
	const granted = "shell: granted\n"
	tests := []struct {
		files          []string
		layer          definition.Layer
		plugin, server string
		want           SourceRules
	}{
		{[]string{"u", granted}, definition.Project, "", "", all},
		{[]string{"u", granted + "trust: [{layer: project, shell: off}]"}, definition.Project, "", "", off},
		{[]string{"u", granted + "trust: [{layer: project, shell: off}]"}, definition.User, "", "", all},
		{[]string{"u", "trust: [{layer: project, shell: granted}]"}, definition.Project, "", "", read},
		{[]string{"u", granted + "trust: [{layer: plugin, shell: off}, {plugin: a, shell: readonly}]"}, definition.Plugin, "a", "", read},
		{[]string{"u", granted + "trust: [{layer: plugin, shell: off}, {plugin: a, shell: readonly}]"}, definition.Plugin, "b", "", off},
		{[]string{"u", granted + "trust: [{plugin: a, shell: readonly}, {layer: plugin, shell: off}]"}, definition.Plugin, "a", "", off},
		{[]string{"u", granted + "trust: [{plugin: a@m, shell: off}]"}, definition.Plugin, "a@m", "", off},
		{[]string{"u", granted + "trust: [{plugin: a@m, shell: off}]"}, definition.Plugin, "a@n", "", all},
		{[]string{"u", granted + "trust: [{plugin: a@m, shell: off}]"}, definition.Plugin, "a", "", off},
		{[]string{"u", granted + "trust: [{plugin: a, shell: off}, {plugin: a@m, shell: granted}]"}, definition.Plugin, "a", "", off},
		{[]string{"u", granted + "trust: [{plugin: a, shell: off}, {plugin: a@m, shell: granted}]"}, definition.Plugin, "a@m", "", all},
		{[]string{"u", granted + "trust: [{plugin: a, files: false}]"}, definition.Plugin, "a", "", SourceRules{Granted, false}},
		{[]string{"u", granted, "p", "trust: [{plugin: a, shell: off}]"}, definition.Plugin, "a", "", off},
		{[]string{"u", "trust: [{mcp: d, shell: readonly, files: true}]"}, definition.MCP, "", "d", read},
		{[]string{"u", "trust: [{mcp: d, shell: readonly}]"}, definition.MCP, "", "d", SourceRules{Readonly, false}},
		{[]string{"u", "trust: [{mcp: d, shell: readonly, files: true}]"}, definition.MCP, "", "e", none},
		{[]string{"u", "trust: [{mcp: d, shell: readonly, files: true}]"}, definition.MCP, "", "", none},
		{[]string{"p", "trust: [{mcp: d, shell: readonly, files: true}]"}, definition.MCP, "", "d", none},
		{[]string{"u", "trust: [{mcp: d, shell: readonly, files: true}]", "p", "trust: [{mcp: d}]"}, definition.MCP, "", "d", none},
		{[]string{"u", "trust: [{mcp: d, files: true}]", "m", "trust: [{mcp: d, shell: readonly}]"}, definition.MCP, "", "d", none},
		{[]string{"u", "shell: off\ntrust: [{mcp: d, shell: readonly, files: true}]"}, definition.MCP, "", "d", SourceRules{Off, true}},
		{[]string{"m", "allow-user-grants: false", "u", "trust: [{mcp: d, files: true}]"}, definition.MCP, "", "d", none},
	}
	for _, tt := range tests {
		p, _ := in(t, tt.files...)
		if got := p.Source(tt.layer, tt.plugin, tt.server); got != tt.want {
			t.Errorf("%q: %s %s%s: %+v, want %+v", tt.files, tt.layer, tt.plugin, tt.server, got, tt.want)
		}
	}
	_, diags := in(t, "p", "trust: [{mcp: d, files: true}, {plugin: a, shell: granted}, {plugin: a, shell: off}]")
	if codesOf(diags) != "project.yaml:1 POLICY_WIDENS, project.yaml:1 POLICY_WIDENS" {
		t.Errorf("%v", diags)
	}
}

// wider returns the name of a setting for which p allows more than the other policy, or "".
func wider(p, than *Policy) string {
	switch {
	case p.Shell > than.Shell:
		return "shell"
	case p.Timeout > than.Timeout:
		return "timeout"
	case p.Output > than.Output:
		return "output"
	case p.Network && !than.Network:
		return "network"
	case p.Sandbox > than.Sandbox:
		return "sandbox"
	case !subset(texts(p.Read), texts(than.Read)), !subset(texts(p.Write), texts(than.Write)), !subset(texts(p.Env), texts(than.Env)):
		return "a list"
	}
	for _, d := range than.Deny {
		if !slices.ContainsFunc(p.Deny, func(x Denial) bool { return x.String() == d.String() }) {
			return "deny"
		}
	}
	for _, g := range p.Allow {
		if !slices.ContainsFunc(than.Allow, func(x Grant) bool { return grantWithin(g, x) }) {
			return "allow " + g.String()
		}
	}
	for _, name := range []string{".env", ".env.example", "a.csv", "x/a.csv", "x/y/z", ".git/config", "id_rsa", "main.go"} {
		_, mine := p.Protected.Match(name)
		if _, other := than.Protected.Match(name); other && !mine {
			return "protected " + name
		}
	}
	for _, q := range []subject{
		{layer: definition.Managed}, {layer: definition.Project}, {layer: definition.User}, {layer: definition.Bundled},
		{layer: definition.Plugin, plugin: "a"}, {layer: definition.Plugin, plugin: "a@m"}, {layer: definition.Plugin, plugin: "b"},
		{layer: definition.MCP, server: "d"}, {layer: definition.MCP, server: "e"},
	} {
		mine, other := p.Source(q.layer, q.plugin, q.server), than.Source(q.layer, q.plugin, q.server)
		if mine.Shell > other.Shell || mine.Files && !other.Files {
			return fmt.Sprintf("source %+v", q)
		}
	}
	return ""
}

func texts(list []Value) []string {
	var out []string
	for _, v := range list {
		out = append(out, v.Text)
	}
	return out
}

func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

func grantWithin(g, x Grant) bool {
	return g.Rule.String() == x.Rule.String() && g.Timeout <= x.Timeout && (x.Network || !g.Network) &&
		subset(g.Read, x.Read) && subset(g.Write, x.Write) && subset(g.Env, x.Env)
}

// someFile generates a policy file, sometimes with an error.
func someFile() *rapid.Generator[string] {
	line := rapid.SampledFrom([]string{
		"shell: off", "shell: readonly", "shell: granted", "shell: granted", "shell: maybe", "timeout: 2s", "timeout: 60s", "timeout: soon", "output: 1KiB",
		"output: 1MiB", "network: true", "network: false", "remote-shell: true", "remote-shell: false", "run-tool: true", "run-tool: false", "worktree-files: [.env]", "sandbox: required", "sandbox: best-effort", "write: [w]", "write: []", "read: [r]", "env: [E]", "env: []",
		"allow: [Bash(a), Bash(b:*)]", "allow: [{rule: Bash(a), network: true, timeout: 60s, write: [x], env: [F]}]", "allow: [{rule: Bash(a), timeout: 1s}]",
		"deny: [Bash(c)]", "deny: [bash(c)]", `protected: ["*.csv", "!.env"]`, `protected: ["x/**", "!*.csv"]`, `protected: ["a["]`,
		"trust: [{mcp: d, shell: readonly, files: true}]", "trust: [{mcp: d}]", "trust: [{plugin: a, shell: off}, {plugin: a@m, shell: granted}]",
		"trust: [{layer: plugin, files: false}, {layer: project, shell: readonly}]", "allow-user-grants: false", "allow-user-grants: true", "denny: [x]",
	})
	return rapid.Custom(func(t *rapid.T) string {
		seen := map[string]bool{}
		var b strings.Builder
		for _, l := range rapid.SliceOfN(line, 0, 6).Draw(t, "lines") {
			key, _, _ := strings.Cut(l, ":")
			if !seen[key] {
				seen[key] = true
				b.WriteString(l + "\n")
			}
		}
		return b.String()
	})
}

// TestTighten checks that neither a project file nor a restricted user file allows more than the
// other files, and that the combined policy never allows more than any file that sets a value.
func TestTighten(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		file := func(layer definition.Layer) *File {
			f, _ := ParseFile(layer.String(), layer, []byte(someFile().Draw(t, layer.String())))
			return f
		}
		managed, user, project := file(definition.Managed), file(definition.User), file(definition.Project)
		all, _ := Combine(project, managed, user)
		without, _ := Combine(managed, user)
		if why := wider(all, without); why != "" {
			t.Fatalf("the project allows more: %s", why)
		}
		only, _ := Combine(managed)
		if !all.UserGrants {
			if why := wider(without, only); why != "" {
				t.Fatalf("the user allows more: %s", why)
			}
		}
		for _, f := range []*File{managed, user, project} {
			if why := beyond(all, f); why != "" {
				t.Fatalf("%s is stricter: %s", f.Name, why)
			}
		}
		again, _ := Combine(user, project, managed)
		if fmt.Sprint(again.Settings()) != fmt.Sprint(all.Settings()) {
			t.Fatal("the order of the files changes the result")
		}
	})
}

// beyond returns the name of a setting for which the policy allows more than the file, or "".
func beyond(p *Policy, f *File) string {
	switch {
	case f.shell.ok && p.Shell > f.shell.value:
		return "shell"
	case f.timeout.ok && p.Timeout > f.timeout.value:
		return "timeout"
	case f.output.ok && p.Output > f.output.value:
		return "output"
	case f.network.ok && p.Network && !f.network.value:
		return "network"
	case f.sandbox.ok && p.Sandbox > f.sandbox.value:
		return "sandbox"
	case f.remote.ok && p.RemoteShell && !f.remote.value:
		return "remote-shell"
	case f.runTool.ok && p.RunTool && !f.runTool.value:
		return "run-tool"
	case f.access.write.ok && len(f.access.write.value) == 0 && len(p.Write) > 0:
		return "write"
	}
	for _, d := range f.deny {
		if !slices.ContainsFunc(p.Deny, func(x Denial) bool { return x.String() == d.String() }) {
			return "deny"
		}
	}
	for _, g := range p.Allow {
		if g.Origin.Layer == definition.Project || p.Shell != Granted {
			return "allow"
		}
		if f.timeout.ok && g.Timeout > f.timeout.value && g.Origin.File != f.Name {
			return "the timeout of " + g.String()
		}
	}
	return ""
}

// TestSwitches checks the boolean keys. Each is on only if a user or managed policy turns it on and
// no policy turns it off.
func TestSwitches(t *testing.T) {
	for _, tt := range []struct {
		files  []string
		want   bool
		widens int
	}{
		{nil, false, 0},
		{[]string{"u", "shell: granted"}, false, 0},
		{[]string{"u", "KEY: true"}, true, 0},
		{[]string{"m", "KEY: true"}, true, 0},
		{[]string{"p", "KEY: true"}, false, 1},
		{[]string{"u", "KEY: true", "p", "KEY: false"}, false, 0},
		{[]string{"u", "KEY: true", "m", "KEY: false"}, false, 0},
		{[]string{"u", "KEY: true", "m", "allow-user-grants: false"}, false, 1},
	} {
		for key, get := range map[string]func(*Policy) bool{
			"remote-shell": func(p *Policy) bool { return p.RemoteShell },
			"run-tool":     func(p *Policy) bool { return p.RunTool },
		} {
			var files []string
			for _, f := range tt.files {
				files = append(files, strings.ReplaceAll(f, "KEY", key))
			}
			p, diags := in(t, files...)
			if get(p) != tt.want || len(diags) != tt.widens {
				t.Errorf("%q: %v %v", files, get(p), diags)
			}
		}
	}
}

// TestWorktreeFiles checks that a project cannot cause ignored files to be copied.
func TestWorktreeFiles(t *testing.T) {
	for _, tt := range []struct {
		files []string
		want  int
	}{
		{[]string{"u", "worktree-files: [.env, 'config/*.local']"}, 2},
		{[]string{"p", "worktree-files: [.env]"}, 0},
		{[]string{"u", "worktree-files: [.env]", "p", "worktree-files: []"}, 0},
	} {
		if p, diags := in(t, tt.files...); len(p.WorktreeFiles) != tt.want {
			t.Errorf("%q: %v %v", tt.files, p.WorktreeFiles, diags)
		}
	}
}

func TestSettings(t *testing.T) {
	p, _ := in(t, "u", "shell: granted\nallow:\n- Bash(a)\ntimeout: 10s\ntrust: [{mcp: d, files: true}]", "p", "deny: [Bash(c)]\nprotected: [x]")
	got := map[string]string{}
	var order []string
	for _, s := range p.Settings() {
		if key, _, _ := strings.Cut(s.Key, "."); !slices.Contains(order, key) {
			order = append(order, key)
		}
		got[s.Key] += s.Value + " (" + s.Origin.String() + ") "
	}
	for key, want := range map[string]string{
		"shell": "granted (user.yaml:1) ", "allow": "Bash(a) timeout=10s (user.yaml:3) ", "deny": "Bash(c) (project.yaml:1) ",
		"timeout": "10s (user.yaml:4) ", "output": "64KiB (default) ", "write": " (default) ", "trust": "mcp=d files=true (user.yaml:5) ",
		"allow-user-grants": "true (default) ",
	} {
		if got[key] != want {
			t.Errorf("%s: %q, want %q", key, got[key], want)
		}
	}
	if !strings.HasPrefix(got["protected"], ".env (default) ") || !strings.HasSuffix(got["protected"], " x (project.yaml:2) ") {
		t.Errorf("protected: %q", got["protected"])
	}
	if want := keys()[1:]; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
}

func BenchmarkCombine(b *testing.B) {
	user := clean(b, definition.User, "shell: granted\nallow: [Bash(a)]\n")
	project := clean(b, definition.Project, "deny: [Bash(c)]\n")
	b.ReportAllocs()
	for b.Loop() {
		if p, _ := Combine(user, project); p.Shell != Granted {
			b.Fatal(p)
		}
	}
}
