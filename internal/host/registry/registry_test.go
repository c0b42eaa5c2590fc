package registry

import (
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// TestWith checks that at least one host has each capability.
func TestWith(t *testing.T) {
	for a := host.CanExport; a <= host.CanConnect; a++ {
		if len(With(a)) == 0 {
			t.Errorf("no host has the capability %d", a)
		}
	}
}

// TestConfigsAreAgentFiles checks that the files in which hosts configure hooks, servers and
// instructions are classified as agent files.
func TestConfigsAreAgentFiles(t *testing.T) {
	for _, c := range neutralConfigs() {
		if c.Path == "mcp.json" || c.Path == "hooks/hooks.json" {
			continue
		}
		if kind, _ := host.ReadAgentFile(c.Path); kind != host.AgentSettings {
			t.Errorf("%s: %d", c.Path, kind)
		}
	}
}

// TestConnectFiles checks that, on every operating system, each path in a Connect table is a row in
// its profile, and that every profile with a server file has a Connect table.
func TestConnectFiles(t *testing.T) {
	for _, p := range Profiles() {
		for _, goos := range []string{"linux", "darwin", "windows"} {
			var table host.Connect
			if p.Connect != nil {
				table = p.Connect(goos)
			}
			for layer, want := range map[definition.Layer][]string{definition.Project: table.Project, definition.User: table.User} {
				got := p.ConnectFiles(layer, goos)
				if len(got) != len(want) {
					t.Errorf("%s %s %s: %d files, the table has %d", p.Name, goos, layer, len(got), len(want))
				}
				for _, c := range got {
					if c.Words.Key == "" || !slices.Contains(c.Servers, c.Words.Key) {
						t.Errorf("%s: %s is written under a key that is not read", p.Name, c.Path)
					}
				}
			}
		}
		has := p.Servers != nil && p.Servers.Path != "" && p.Name != "neutral"
		if has != slices.Contains(Connectable(), p.Name) {
			t.Errorf("%s: has a server file: %v, has connect files: %v", p.Name, has, !has)
		}
	}
}

func TestOfMCPClient(t *testing.T) {
	for _, c := range []struct{ name, version, want string }{
		{"claude-code", "2.1.329", "claude-code@2.1.329"},
		{"claude-code", "2.1.88", "claude-code@2.1.88"},
		{"claude-code", "9.9.9", "claude-code"},
		{"codex-mcp-client", "0.1", "codex"},
		{"gemini-cli-mcp-client-vade", "0.0.1", "gemini"},
		{"qwen-cli-mcp-client-vade", "", "qwen"},
		{"Visual Studio Code", "1.110", "copilot-vscode"},
		{"github-copilot-developer", "", "copilot-cli"},
		{"cursor-vscode", "", "cursor"},
		{"opencode", "", "opencode"},
		{"claude-ai", "", ""},
		{"", "", ""},
	} {
		got, ok := OfMCPClient(c.name, c.version)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s %s is %q, not %q", c.name, c.version, got, c.want)
		}
		if ok {
			if _, there := Lookup(got); !there {
				t.Errorf("%s: no profile %s", c.name, got)
			}
		}
	}
}

// TestPlacesAreSound checks that each root's path is valid, that its layer has
// a precedence, and that its rules can match.
func TestPlacesAreSound(t *testing.T) {
	for _, p := range Profiles() {
		for i := range p.Roots {
			r := &p.Roots[i]
			switch {
			case len(r.Rules) == 0 || r.Base == 0 || r.Layer == 0:
				t.Errorf("%s: root %q is incomplete", p.Name, r.Dir)
			case strings.HasPrefix(r.Dir, "/"), strings.HasSuffix(r.Dir, "/"), strings.Contains(r.Dir, ".."):
				t.Errorf("%s: root %q is not a path below its base", p.Name, r.Dir)
			case r.Base == host.InManaged && r.Managed == nil, r.Base == host.InEnv && r.Env == "":
				t.Errorf("%s: root %q has no location", p.Name, r.Dir)
			case r.EnvDepth > strings.Count(r.Dir, "/")+1:
				t.Errorf("%s: root %q does not have %d elements", p.Name, r.Dir, r.EnvDepth)
			}
			for _, rule := range r.Rules {
				if (rule.File == "") == (rule.Suffix == "") || rule.Min > rule.Max || rule.Exclusive && rule.Min > 0 {
					t.Errorf("%s: %s: the rule %+v is invalid", p.Name, r.Dir, rule)
				}
				if rule.Kind != definition.Instruction && !slices.Contains(p.Precedence(rule.Kind), r.Layer) {
					t.Errorf("%s: %s: layer %s is not in the order for a %s", p.Name, r.Dir, r.Layer, rule.Kind)
				}
			}
		}
		if p.Name != "neutral" && p.Trust.Needed && (p.Trust.How == "" || p.Trust.Basis == 0) {
			t.Errorf("%s: trust is needed, but How is empty", p.Name)
		}
	}
}

// TestFacts checks that every host has facts on every topic, each with a source.
func TestFacts(t *testing.T) {
	for _, p := range Hosts() {
		for _, c := range host.Cells() {
			if !slices.ContainsFunc(p.Facts, func(f host.Fact) bool { return f.Cell == c }) {
				t.Errorf("%s has no facts about %s", p.Name, c)
			}
		}
		for _, f := range p.Facts {
			if !strings.HasSuffix(f.Text, ".") || f.From == "" && f.Basis != host.Inferred {
				t.Errorf("%s: %s: %q from %q", p.Name, f.Cell, f.Text, f.From)
			}
		}
	}
}

// TestCallsAgree checks that a user's call starts with the call prefix and that
// every host except the neutral one defines how to call a skill.
func TestCallsAgree(t *testing.T) {
	for _, p := range Profiles() {
		if p.Prompt == nil {
			continue
		}
		if p.Prompt.UserCall == nil || p.Prompt.ModelCall == nil {
			t.Errorf("%s does not say how its definitions are called", p.Name)
			continue
		}
		if p.Prompt.ModelCall(definition.Skill, "x") == "" {
			t.Errorf("%s: no model can call a skill", p.Name)
		}
		calls := p.Prompt.Calls
		if calls == nil {
			continue
		}
		for _, k := range calls.Kinds {
			prefix, typed := calls.Prefix(k), p.Prompt.UserCall(k, "x")
			if calls.User != nil && calls.User(k) != nil && typed != prefix+"x" {
				t.Errorf("%s: a user types %q, a call of a %s begins with %q", p.Name, typed, k, prefix)
			}
		}
		for _, k := range definition.Kinds {
			if calls.Model(k) != nil && p.Prompt.ModelCall(k, "x") == "" {
				t.Errorf("%s: a model can call a %s, but ModelCall is empty", p.Name, k)
			}
		}
	}
}

// TestPlacesHaveLabels checks that every root has a label, and that different
// roots in a profile with the same kind and base have different labels.
func TestPlacesHaveLabels(t *testing.T) {
	for _, p := range Profiles() {
		type place struct {
			base host.Base
			dir  string
			file string
		}
		seen := map[string]place{}
		for i := range p.Roots {
			r := &p.Roots[i]
			label := r.Label()
			if label == "" {
				t.Errorf("%s: the root %d has no label", p.Name, i)
			}
			at := place{r.Base, r.Dir, ""}
			if r.Single() {
				at.file = r.Rules[0].File
			}
			if other, ok := seen[label]; ok && other.base == at.base && r.Base != host.InManaged && (other.dir != at.dir || other.file != at.file) {
				t.Errorf("%s: %q is both %v and %v", p.Name, label, other, at)
			}
			seen[label] = at
		}
	}
}
