package policy

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

func parsePolicy(t testing.TB, layer definition.Layer, text string) (*File, []diag.Diagnostic) {
	t.Helper()
	f, diags := ParseFile(layer.String()+".yaml", layer, []byte(text))
	if f == nil {
		t.Fatalf("%q: no file", text)
	}
	for _, d := range diags {
		if d.Line < 1 || d.Column < 1 || d.Message == "" || d.File == "" {
			t.Fatalf("%q: diagnostic without position or message: %v", text, d)
		}
	}
	return f, diags
}

// clean parses a policy and fails the test if it is not valid.
func clean(t testing.TB, layer definition.Layer, text string) *File {
	t.Helper()
	f, diags := parsePolicy(t, layer, text)
	if len(diags) > 0 {
		t.Fatalf("%q: %v", text, diags)
	}
	return f
}

func TestParseFile(t *testing.T) {
	f := clean(t, definition.User, `
version: 1
shell: granted # a comment
allow:
  - Bash(npm test)
  - rule: "Bash(npm run build:*)"
    network: true
    write: [./dist]
    read: ["~/.npm"]
    env: [NODE_ENV]
    timeout: 60s
deny: [ "Bash(git push:*)" ]
timeout: 1m30s
output: 128KiB
protected: [ "a/**", "!.env.test" ]
network: false
write: []
env: HOME
sandbox: required
trust:
  - mcp: docs
    files: true
  - layer: project
    shell: off
`)
	if f.shell.value != Granted || f.timeout.value != 90*time.Second || f.output.value != 128<<10 || f.sandbox.value != SandboxRequired {
		t.Errorf("%+v", f)
	}
	g := f.allow.value
	if len(g) != 2 || !g[1].network.value || g[1].timeout.value != time.Minute || g[1].access.write.value[0].text != "./dist" {
		t.Errorf("allow %+v", g)
	}
	if len(f.deny) != 1 || f.deny[0].Origin.String() != "user.yaml:12" {
		t.Errorf("deny %+v", f.deny)
	}
	if !f.access.write.ok || f.access.read.ok || f.access.env.value[0].text != "HOME" {
		t.Errorf("access %+v", f.access)
	}
	if len(f.trust) != 2 || f.trust[0].Shell != nil || !*f.trust[0].Files || *f.trust[1].Shell != Off {
		t.Errorf("trust %+v", f.trust)
	}
}

// TestParseFileInvalid checks that each mistake is reported at its position and has the strictest
// effect.
func TestParseFileInvalid(t *testing.T) {
	tests := []struct {
		text  string
		place string
		code  diag.Code
		off   bool
	}{
		{"shell: on", "1:8", diag.PolicyInvalid, true},
		{"shell:", "1:7", diag.PolicyInvalid, true},
		{"shell: [off]", "1:8", diag.PolicyInvalid, true},
		{"shell: Granted", "1:8", diag.PolicyInvalid, true},
		{"denny: [Bash(x)]", "1:1", diag.PolicyUnknownKey, true},
		{"shell: granted\ndeny: [bash(x)]", "2:8", diag.PolicyInvalid, true},
		{"deny: [Bash(x]\nshell: granted", "1:12", diag.PolicyInvalid, true},
		{"deny: {a: b}", "1:7", diag.PolicyInvalid, true},
		{"deny: [Read]", "1:8", diag.PolicyInvalid, true},
		{"deny: [[]]", "1:8", diag.PolicyInvalid, true},
		{"version: 2", "1:10", diag.PolicyInvalid, true},
		{"version:", "1:9", diag.PolicyInvalid, true},
		{"- a", "1:1", diag.YAMLInvalid, true},
		{"shell: granted\nshell: granted", "2:1", diag.YAMLDuplicateKey, true},
		{"shell: &a granted", "1:8", diag.YAMLForbidden, true},
		{"shell: granted\nx: [", "", "", true},
		{"trust: x", "1:8", diag.PolicyInvalid, true},
		{"trust: [{shell: off}]", "1:9", diag.PolicyInvalid, true},
		{"trust: [{mcp: a, plugin: b}]", "1:9", diag.PolicyInvalid, true},
		{"trust: [{layer: mcp}]", "1:9", diag.PolicyInvalid, true},
		{"trust: [{mcp: ''}]", "1:9", diag.PolicyInvalid, true},
		{"trust: [x]", "1:9", diag.PolicyInvalid, true},
		{"trust: [{mcp: a, shell: granted}]", "1:25", diag.PolicyInvalid, false},
		{"trust: [{plugin: a, shel: off}]", "1:21", diag.PolicyUnknownKey, false},
		{"allow: [Bash(x]", "1:13", diag.PolicyInvalid, false},
		{"allow: [\"*\"]", "1:9", diag.PolicyInvalid, false},
		{"allow: [Read]", "1:9", diag.PolicyInvalid, false},
		{"allow: {a: b}", "1:8", diag.PolicyInvalid, false},
		{"allow: [{network: true}]", "1:9", diag.PolicyInvalid, false},
		{"allow: [{rule: Bash(x), netwrok: false}]", "1:25", diag.PolicyUnknownKey, false},
		{"timeout: 5", "1:10", diag.PolicyInvalid, false},
		{"timeout: 10m", "1:10", diag.PolicyInvalid, false},
		{"timeout: 5ms", "1:10", diag.PolicyInvalid, false},
		{"output: 2GiB", "1:9", diag.PolicyInvalid, false},
		{"output: 2MiB", "1:9", diag.PolicyInvalid, false},
		{"output: 1", "1:9", diag.PolicyInvalid, false},
		{"output: -5", "1:9", diag.PolicyInvalid, false},
		{"network: yes", "1:10", diag.PolicyInvalid, false},
		{"sandbox: none", "1:10", diag.PolicyInvalid, false},
		{"protected: [\"a[\"]", "1:13", diag.PolicyInvalid, false},
		{"protected: {a: b}", "1:12", diag.PolicyInvalid, false},
		{"protected: [\"#x\"]", "1:13", diag.PolicyInvalid, false},
		{"write: [/]", "1:9", diag.PolicyInvalid, false},
		{"write: [\"~\"]", "1:9", diag.PolicyInvalid, false},
		{"write: [../x]", "1:9", diag.PolicyInvalid, false},
		{"write: ['C:\\x']", "1:9", diag.PolicyInvalid, false},
		{"write: [~root/x]", "1:9", diag.PolicyInvalid, false},
		{"write: [a/*]", "1:9", diag.PolicyInvalid, false},
		{"read: [$HOME/x]", "1:8", diag.PolicyInvalid, false},
		{"read: [//]", "1:8", diag.PolicyInvalid, false},
		{"read: ['C:/']", "1:8", diag.PolicyInvalid, false},
		{"read: {a: b}", "1:7", diag.PolicyInvalid, false},
		{"env: [PATH]", "1:7", diag.PolicyInvalid, false},
		{"env: [ld_preload]", "1:7", diag.PolicyInvalid, false},
		{"env: [GIT_DIR]", "1:7", diag.PolicyInvalid, false},
		{"env: [A=B]", "1:7", diag.PolicyInvalid, false},
		{"env: [1A]", "1:7", diag.PolicyInvalid, false},
		{"allow-user-grants: no", "1:20", diag.PolicyInvalid, false},
	}
	for _, tt := range tests {
		f, diags := parsePolicy(t, definition.User, tt.text)
		if off := f.shell.ok && f.shell.value == Off; off != tt.off {
			t.Errorf("%q: off %v, want %v", tt.text, off, tt.off)
		}
		found := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool {
			return d.Severity == diag.Error && (tt.place == "" || d.Code == tt.code && fmt.Sprintf("%d:%d", d.Line, d.Column) == tt.place)
		})
		if !found {
			t.Errorf("%q: no %s at %s: %v", tt.text, tt.code, tt.place, diags)
		}
		if p, _ := Combine(f); tt.off && p.Shell != Off {
			t.Errorf("%q: the shell is %s", tt.text, p.Shell)
		}
	}
}

// TestInvalidIsStrictest checks what replaces each kind of invalid value.
func TestInvalidIsStrictest(t *testing.T) {
	f, _ := parsePolicy(t, definition.User, `
timeout: soon
output: much
network: perhaps
sandbox: maybe
allow-user-grants: maybe
write: [/, ..]
protected: ["a["]
trust: [{plugin: p, files: maybe}, {plugin: q, shel: granted}]
read: {a: b}
env: {a: b}
roots: {a: b}
`)
	m, _ := parsePolicy(t, definition.Managed, "read: [/data]\nenv: [A]\nroots: [/data]")
	p, _ := Combine(m, f)
	if len(p.Read)+len(p.Env)+len(p.Roots) != 0 || !p.NoRoots {
		t.Errorf("a map is not an empty list: %+v", p)
	}
	if p.Timeout != MinTimeout || p.Output != MinOutput || p.Network || p.Sandbox != SandboxRequired || len(p.Write) != 0 {
		t.Errorf("%+v", p)
	}
	if _, ok := p.Protected.Match("any/thing"); !ok {
		t.Error("an invalid pattern protects nothing")
	}
	if r := p.Source(definition.Plugin, "p", ""); r.Files {
		t.Errorf("p: %+v", r)
	}
	if r := p.Source(definition.Plugin, "q", ""); r.Files || r.Shell != Off {
		t.Errorf("q: %+v", r)
	}
}

func TestSuggestion(t *testing.T) {
	for key, want := range map[string]string{
		"denny": "deny", "Shell": "shell", "time_out": "timeout", "allowUserGrants": "allow-user-grants", "protect": "protected", "netwrok": "network",
	} {
		_, diags := parsePolicy(t, definition.User, key+": x")
		if len(diags) == 0 || !strings.Contains(diags[0].Fix, fmt.Sprintf("%q", want)) {
			t.Errorf("%s: %v", key, diags)
		}
	}
	if _, diags := parsePolicy(t, definition.User, "zebra: x"); strings.Contains(diags[0].Fix, `"`) {
		t.Errorf("zebra: %q", diags[0].Fix)
	}
}

func TestParseFileBounds(t *testing.T) {
	for name, text := range map[string]string{
		"long":  strings.Repeat("# x\n", MaxFile/3),
		"keys":  strings.Repeat("k: 1\n", 4000),
		"flow":  "allow: " + strings.Repeat("[", 5000),
		"rules": "deny: [" + strings.Repeat("bash, ", 5000) + "]",
	} {
		f, diags := ParseFile("p.yaml", definition.Managed, []byte(text))
		if f.shell.value != Off || !f.shell.ok || len(diags) == 0 || len(diags) > 400 {
			t.Errorf("%s: shell %v, %d diagnostics", name, f.shell, len(diags))
		}
	}
}

func TestParseFileLayers(t *testing.T) {
	for layer, want := range map[definition.Layer]definition.Layer{
		definition.Managed: definition.Managed, definition.User: definition.User, definition.Project: definition.Project,
		definition.Plugin: definition.Project, definition.Bundled: definition.Project, 0: definition.Project, definition.MCP: definition.Project,
	} {
		if f, _ := ParseFile("p", layer, nil); f.Layer != want {
			t.Errorf("%d is %v", layer, f.Layer)
		}
	}
}

func FuzzParseFile(f *testing.F) {
	if doc, err := os.ReadFile("../../docs/policy.md"); err == nil {
		for _, text := range yamlBlocks(string(doc)) {
			f.Add(text)
		}
	}
	for _, s := range []string{"", "shell: granted\nallow: [Bash]", "deny:\n- Bash(x", "trust: [{mcp: a}]", "\xef\xbb\xbfshell: off", "? [a]\n: b", "shell: !!str granted", "a: *b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		user, diags := parsePolicy(t, definition.User, text)
		broken := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool {
			return d.Severity == diag.Error && d.Code != diag.PolicyInvalid && d.Code != diag.PolicyUnknownKey
		})
		p, _ := Combine(user)
		if broken && p.Shell != Off {
			t.Fatalf("%q is broken, and the shell is %s: %v", text, p.Shell, diags)
		}
		if p.Timeout < MinTimeout || p.Timeout > MaxTimeout || p.Output < MinOutput || p.Output > MaxOutput {
			t.Fatalf("%q: %v, %d", text, p.Timeout, p.Output)
		}
		p.Settings()
		project, _ := parsePolicy(t, definition.Project, text)
		q, _ := Combine(project)
		base, _ := Combine()
		if why := wider(q, base); why != "" {
			t.Fatalf("%q in a project widens the default: %s", text, why)
		}
	})
}

func BenchmarkParseFile(b *testing.B) {
	text := []byte("version: 1\nshell: granted\nallow:\n  - Bash(npm test)\n  - rule: Bash(npm run build:*)\n    write: [./dist]\ndeny: [Bash(git push:*)]\ntimeout: 10s\n")
	b.ReportAllocs()
	for b.Loop() {
		if _, diags := ParseFile("p.yaml", definition.User, text); len(diags) > 0 {
			b.Fatal(diags)
		}
	}
}
