package config

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host/registry"
)

func TestParse(t *testing.T) {
	p, diags := Parse(File, []byte(`version: 1
source: [.agents/, .github, AGENTS.md]
hosts: [claude-code, gemini, gemini]
sync:
  links: never
  mcp: true
  exclude:
    gemini: [commands, agent]
mcp:
  allow: [git*, docs]
  deny: gitlab
`))
	if len(diags) > 0 || p.Invalid {
		t.Fatalf("%v", diags)
	}
	if !slices.Equal(p.Source, []string{".agents", ".github", "AGENTS.md"}) || !slices.Equal(p.Hosts, []string{"claude-code", "gemini"}) || !p.Sync.NoLinks || !p.Sync.Servers {
		t.Errorf("%+v", p)
	}
	if !p.Excludes("gemini", definition.Command) || !p.Excludes("gemini", definition.Agent) || p.Excludes("gemini", definition.Skill) || p.Excludes("codex", definition.Command) {
		t.Errorf("%+v", p.Sync.Exclude)
	}
	for name, held := range map[string]bool{"git": false, "github": false, "docs": false, "gitlab": true, "else": true} {
		if (why(p, name) != "") != held {
			t.Errorf("%s: blocked: %q", name, why(p, name))
		}
	}
}

func TestNothingSaid(t *testing.T) {
	var none *Project
	empty, diags := Parse(File, nil)
	if len(diags) > 0 || empty.Invalid {
		t.Errorf("%v", diags)
	}
	for _, p := range []*Project{none, {}, empty} {
		if !slices.Equal(p.Sources(), []string{".agents", ".github", "assets"}) || p.Excludes("gemini", definition.Skill) || why(p, "x") != "" {
			t.Errorf("%+v", p)
		}
	}
}

func TestInvalid(t *testing.T) {
	for text, want := range map[string]string{
		"version: 2":                            "1:10 CONFIG_INVALID",
		"hots: [gemini]":                        "1:1 CONFIG_UNKNOWN_KEY did you mean hosts?",
		"hosts: [gemin]":                        "1:8 CONFIG_INVALID did you mean gemini?",
		"hosts: {a: b}":                         "1:8 CONFIG_INVALID",
		"source: []":                            "1:9 CONFIG_INVALID",
		"source: [/etc]":                        "1:9 CONFIG_INVALID",
		"source: [..]":                          "1:9 CONFIG_INVALID",
		"source: [a/../../b]":                   "1:9 CONFIG_INVALID",
		"source: [.]":                           "1:9 CONFIG_INVALID",
		"source: [.git/hooks]":                  "1:9 CONFIG_INVALID",
		"source: ['a\\b']":                      "1:9 CONFIG_INVALID",
		"source: [\"a\\u202eb\"]":               "1:9 CONFIG_INVALID",
		"source: [.vade]":                       "1:9 CONFIG_INVALID",
		"source: [.Vade/skills]":                "1:9 CONFIG_INVALID",
		"source: [NUL]":                         "1:9 CONFIG_INVALID",
		"source: [[a]]":                         "1:10 CONFIG_INVALID",
		"sync: never":                           "1:7 CONFIG_INVALID",
		"sync: {links: maybe}":                  "1:15 CONFIG_INVALID",
		"sync: {mcp: perhaps}":                  "1:13 CONFIG_INVALID",
		"sync: {link: auto}":                    "1:8 CONFIG_UNKNOWN_KEY did you mean links?",
		"sync: {exclude: {gemini: [thing]}}":    "1:26 CONFIG_INVALID",
		"sync: {exclude: {gemni: [skills]}}":    "1:18 CONFIG_INVALID did you mean gemini?",
		"mcp: {dency: [x]}":                     "1:7 CONFIG_UNKNOWN_KEY did you mean deny?",
		"mcp: {allow: []}":                      "1:14 CONFIG_INVALID",
		"hosts: [gemini]\nhosts: [codex]":       "2:1 YAML_DUP_KEY",
		"hosts: [gemini":                        "1:8 YAML_INVALID",
		"a: &x 1\nhosts: *x":                    "",
		"# " + strings.Repeat("x", MaxFile):     "1:1 CONFIG_INVALID",
		"mcp: {deny: [" + many(300) + "]}":      "1:13 CONFIG_INVALID",
		"run: touch made":                       "1:1 CONFIG_UNKNOWN_KEY",
		"hosts: [gemini]\nsync: {links: never}": "ok",
	} {
		p, diags := Parse(File, []byte(text))
		if want == "ok" {
			if p.Invalid || len(diags) > 0 {
				t.Errorf("%q: %v", text, diags)
			}
			continue
		}
		if !p.Invalid || len(diags) == 0 {
			t.Errorf("%.60q is accepted: %v", text, diags)
			continue
		}
		place, fix, _ := strings.Cut(want, " did")
		parts := strings.Fields(place)
		if len(parts) == 2 && !slices.ContainsFunc(diags, func(d diag.Diagnostic) bool {
			return strings.HasPrefix(d.String(), File+":"+parts[0]+":") && string(d.Code) == parts[1] && (fix == "" || d.Fix == "did"+fix)
		}) {
			t.Errorf("%.60q: %v, want %s", text, diags, want)
		}
		// A server that the file may deny must be blocked.
		if why(p, "x") == "" {
			t.Errorf("%.60q allows a server", text)
		}
	}
}

func many(n int) string { return strings.TrimSuffix(strings.Repeat("a, ", n), ", ") }

// TestKeysAgree checks that the parser, the schema and the document have the
// same keys, and parses the document's examples.
func TestKeysAgree(t *testing.T) {
	data, err := os.ReadFile("../../docs/vade-yaml.md")
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Properties map[string]struct {
			Properties map[string]any
		}
	}
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	same := func(where string, keys []string, props int, has func(string) bool) {
		if props != len(keys) {
			t.Errorf("%s: the schema has %d keys, the parser %d", where, props, len(keys))
		}
		for _, k := range keys {
			if !has(k) || !strings.Contains(string(data), "`"+where+k+"`") {
				t.Errorf("%s%s is missing in the schema or the document", where, k)
			}
		}
	}
	same("", topKeys(), len(s.Properties), func(k string) bool { _, ok := s.Properties[k]; return ok })
	same("sync.", syncKeys(), len(s.Properties["sync"].Properties), func(k string) bool { return s.Properties["sync"].Properties[k] != nil })
	same("mcp.", mcpKeys(), len(s.Properties["mcp"].Properties), func(k string) bool { return s.Properties["mcp"].Properties[k] != nil })
	blocks := strings.Split(string(data), "```yaml\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("no examples")
	}
	for _, b := range blocks {
		text, _, _ := strings.Cut(b, "```")
		if p, diags := Parse(File, []byte(text)); p.Invalid {
			t.Errorf("%s\n%v", text, diags)
		}
	}
}

// TestHostsAgree checks that the parser accepts the hosts in the schema and no others.
func TestHostsAgree(t *testing.T) {
	var s struct {
		Defs struct {
			Host struct{ Enum []string }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Defs.Host.Enum, Hosts()) || len(Hosts()) < 8 {
		t.Errorf("the schema has %q, the parser %q", s.Defs.Host.Enum, Hosts())
	}
	for _, name := range append(registry.Names(), "all", "claude-code@2.1.88") {
		for _, text := range []string{"hosts: [" + name + "]", "sync: {exclude: {" + name + ": [skills]}}"} {
			p, diags := Parse(File, []byte(text))
			if want := slices.Contains(s.Defs.Host.Enum, name); p.Invalid == want || want == (len(diags) > 0) {
				t.Errorf("%s: %v", text, diags)
			}
		}
	}
	_, diags := Parse(File, []byte("hosts: [claude-sdk]"))
	if len(diags) != 1 || !strings.Contains(diags[0].Fix, "vade export claude-sdk") {
		t.Errorf("%+v", diags)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"version: 1\nsource: [.agents]\n", "sync: {links: never, exclude: {gemini: [skills]}}", "mcp:\n  deny: ['*']\n", "hosts: [gemini\n", "\xff", "a: *b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, diags := Parse(File, data)
		for _, s := range p.Sources() {
			if why := BadPath(s); why != "" {
				t.Errorf("the source %q %s", s, why)
			}
		}
		for _, h := range p.Hosts {
			if !slices.Contains(Hosts(), h) {
				t.Errorf("the host %q", h)
			}
		}
		if p.Invalid && len(diags) == 0 {
			t.Error("invalid without a diagnostic")
		}
	})
}

func why(p *Project, server string) string {
	why, _ := p.WithheldReason(server)
	return why
}
