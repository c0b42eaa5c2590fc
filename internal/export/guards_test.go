package export

import (
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// guardRow is a field that restricts a definition in some host.
type guardRow struct {
	kind definition.Kind
	in   string
	// without lists the tools, by neutral name, that the definition must not use without approval.
	without string
	// who is the caller that must not invoke the definition: "model" or "user".
	who string
	// key is a field that must be in the copy unchanged, unless the row's other fields say
	// otherwise.
	key string
}

func guardRows() []guardRow {
	const skill, command, agent = definition.Skill, definition.Command, definition.Agent
	const changes = "Edit Write MultiEdit NotebookEdit Bash Agent"
	return []guardRow{
		// Tool lists in every host's format.
		{kind: agent, in: "tools: Read, Grep", without: changes},
		{kind: agent, in: "tools: []", without: changes},
		{kind: agent, in: "tools: [read, search]", without: changes},
		{kind: agent, in: "tools: [read_file, glob]", without: changes},
		{kind: agent, in: "tools: Read, Bash(git:*)", without: changes},
		{kind: agent, in: "tools: Read, Bash", without: "Agent"},
		{kind: agent, in: "tools: Read, Edit", without: "Bash Agent"},
		{kind: agent, in: "tools: {'*': false, read: true}", without: changes},
		{kind: agent, in: "tools: {write: false, bash: false}", without: "Edit Write MultiEdit NotebookEdit Bash"},
		{kind: agent, in: "tools: {bash: false}", without: "Bash"},
		{kind: agent, in: "disallowedTools: Bash, Write", without: "Bash Write"},
		{kind: agent, in: "disallowedTools: Edit, Write, NotebookEdit, Bash", without: "Edit Write NotebookEdit Bash"},
		{kind: agent, in: "disallowedTools: Bash(rm:*)", without: "Bash(rm:*)"},
		{kind: command, in: "tools: [read]", key: "tools"},
		{kind: skill, in: "disallowed-tools: Bash", key: "disallowed-tools"},
		{kind: command, in: "disallowed-tools: Bash", key: "disallowed-tools"},
		// Fields that make an agent read-only.
		{kind: agent, in: "readonly: true", without: changes},
		{kind: agent, in: "readonly: true\ntools: Read, Edit, Bash", without: changes},
		{kind: agent, in: "sandbox_mode: read-only", without: changes},
		{kind: agent, in: "sandbox_mode: workspace-write", key: "sandbox_mode"},
		{kind: agent, in: "permissionMode: plan", without: changes},
		{kind: agent, in: "permissionMode: plan\ntools: Read, Bash", without: changes},
		{kind: agent, in: "approvalMode: plan", without: changes},
		// Permission modes and rules.
		{kind: agent, in: "permissionMode: dontAsk", key: "permissionMode"},
		{kind: agent, in: "approval_policy: untrusted", key: "approval_policy"},
		{kind: agent, in: "permission: deny", without: changes},
		{kind: agent, in: "permission: {edit: deny}", without: "Edit Write MultiEdit NotebookEdit"},
		{kind: agent, in: "permission: {edit: deny, bash: allow}", without: "Edit Write MultiEdit NotebookEdit"},
		{kind: agent, in: "permission: {bash: {'*': allow, 'rm *': deny}}", without: "Bash"},
		{kind: agent, in: "permission: {'*': deny, read: allow}", without: changes},
		{kind: agent, in: "permission: {edit: deny}\ntools: Read, Edit", without: changes},
		{kind: agent, in: "permission: {bash: ask}", key: "permission"},
		{kind: agent, in: "policy: {rules: [{toolName: write_file, decision: deny}]}", key: "policy"},
		// Fields that limit what an agent can access.
		{kind: agent, in: "mcpServers: [github]", key: "mcpServers"},
		{kind: agent, in: "agents: [reviewer]", key: "agents"},
		{kind: agent, in: "isolation: worktree", key: "isolation"},
		{kind: agent, in: "disable: true", key: "disable"},
		// Hooks that can refuse an action.
		{kind: agent, in: "hooks: {PreToolUse: [{matcher: Bash, hooks: [{type: command, command: ./guard}]}]}", key: "hooks"},
		{kind: skill, in: "hooks: {PermissionRequest: [{hooks: [{type: command, command: ./guard}]}]}", key: "hooks"},
		{kind: command, in: "hooks: {PreToolUse: [{hooks: [{type: command, command: ./guard}]}]}", key: "hooks"},
		// Fields that select the agent that runs a definition.
		{kind: skill, in: "context: fork\nagent: Explore", key: "agent"},
		{kind: command, in: "agent: plan", key: "agent"},
		{kind: command, in: "mode: ask", key: "mode"},
		// Fields that limit who may invoke the definition.
		{kind: skill, in: "disable-model-invocation: true", who: "model"},
		{kind: command, in: "disable-model-invocation: true", who: "model"},
		{kind: agent, in: "disable-model-invocation: true", who: "model"},
		{kind: agent, in: "infer: false", who: "model"},
		{kind: agent, in: "mode: primary", who: "model"},
		{kind: skill, in: "user-invocable: false", who: "user"},
		{kind: command, in: "user-invocable: false", who: "user"},
		{kind: agent, in: "user-invocable: false", who: "user"},
	}
}

// TestGuards exports each restricting field to each host. It checks that the copy is at least as
// restricted as the source, or that a loss reports the missing restriction.
func TestGuards(t *testing.T) {
	for _, row := range guardRows() {
		for _, p := range registry.Hosts() {
			if p.Export == nil {
				continue
			}
			made := Make(p, item(t, row.kind, "x", "---\ndescription: d\n"+row.in+"\n---\nBody\n"))
			if len(made.Files) == 0 || slices.ContainsFunc(made.Losses, func(l HostLoss) bool { return l.Widens }) {
				continue
			}
			if why := unguarded(t, p, &row, &made); why != "" {
				t.Errorf("%s: %s %q: %s, and no loss says so:\n%s%v", p.Name, row.kind, row.in, why, made.Files[0].Data, made.Losses)
			}
		}
	}
}

// TestGuardsOfNoHost checks that no loss has Widens set if the lost field does not restrict
// anything.
func TestGuardsOfNoHost(t *testing.T) {
	for _, in := range []string{
		"tools: '*'", "permissionMode: default", "permission: allow", "sandbox_mode: danger-full-access", "readonly: false", "infer: true", "mode: subagent",
		"disable-model-invocation: false", "user-invocable: true", "model: x", "hooks: {Stop: []}", "maxTurns: 3", "color: red",
	} {
		for _, p := range registry.Hosts() {
			if p.Export == nil {
				continue
			}
			for _, l := range Make(p, item(t, definition.Agent, "x", "---\ndescription: d\n"+in+"\n---\nBody\n")).Losses {
				if l.Widens {
					t.Errorf("%s: %q: %+v", p.Name, in, l)
				}
			}
		}
	}
}

// TestPolicyBeside exports a skill that a policy file next to it hides from the model in one host.
// It checks that the copy for every other host is also hidden from the model, or that a loss
// reports that it is not.
func TestPolicyBeside(t *testing.T) {
	row := guardRow{kind: definition.Skill, who: "model"}
	for _, p := range registry.Hosts() {
		if p.Export == nil {
			continue
		}
		it := item(t, definition.Skill, "x", "---\ndescription: d\n---\nBody\n")
		it.Companions = []Companion{{Path: "agents/openai.yaml", Data: []byte("policy:\n  allow_implicit_invocation: false\n")}}
		made := Make(p, it)
		if slices.ContainsFunc(made.Losses, func(l HostLoss) bool { return l.Widens }) {
			continue
		}
		if why := unguarded(t, p, &row, &made); why != "" {
			t.Errorf("%s: %s:\n%s", p.Name, why, made.Files[0].Data)
		}
	}
}

// unguarded describes what a host allows a copy to do although the row forbids it.
func unguarded(t *testing.T, p *host.Profile, row *guardRow, made *Result) string {
	t.Helper()
	kind, entries := made.Files[0].Kind, readBack(t, p, &made.Files[0])
	value := func(key string) string {
		for i := range entries {
			if entries[i].Key == key {
				if r, ok := p.Rule(kind, key); ok && !r.Inert {
					return entries[i].Value.Text
				}
			}
		}
		return ""
	}
	for _, tool := range strings.Fields(row.without) {
		if mayUse(p, kind, entries, tool) {
			return "it may use " + tool
		}
	}
	switch row.who {
	case "model":
		beside := slices.ContainsFunc(made.Files, func(f ExportedFile) bool { return strings.HasSuffix(f.Path, "/agents/openai.yaml") })
		if value("disable-model-invocation") != "true" && value("mode") != "primary" && value("infer") != "false" && !(beside && p.Export.Manual != nil) &&
			!(kind == definition.Command && p.Listing != nil && !p.Listing.Commands) {
			return "the model may call it"
		}
	case "user":
		if value("user-invocable") != "false" {
			return "people may call it"
		}
	}
	if row.key == "agent" || row.key == "mode" {
		if _, forks := p.Rule(kind, "context"); forks && value("context") != "fork" || value("agent") == "" {
			return "it runs in the conversation"
		}
	} else if row.key != "" {
		field := definition.LookupField(row.key)
		if !slices.ContainsFunc(entries, func(e definition.Entry) bool {
			r, ok := p.Rule(kind, e.Key)
			return ok && !r.Inert && (e.Key == row.key || field != 0 && definition.LookupField(e.Key) == field)
		}) {
			return row.key + " is not in it"
		}
	}
	return ""
}

func readBack(t *testing.T, p *host.Profile, f *ExportedFile) []definition.Entry {
	t.Helper()
	file := diag.NewFile(f.Path, f.Data)
	doc, diags := frontmatter.Parse(file, false, p.Dialect)
	if strings.HasSuffix(f.Path, ".toml") {
		doc, diags = frontmatter.ParseTOML(file)
	}
	if !doc.Valid {
		t.Fatalf("%s: %v\n%s", f.Path, diags, f.Data)
	}
	return doc.Entries
}

// mayUse reports whether an agent with the given fields may use a tool in a host. tool is the
// tool's neutral name. To be independent of the export code, mayUse implements the rules in the
// hosts' documentation.
func mayUse(p *host.Profile, kind definition.Kind, entries []definition.Entry, tool string) bool {
	base, _, _ := strings.Cut(tool, "(")
	name := base
	if p.Export.Tools != nil && p.Export.Tools.Name != nil {
		name = p.Export.Tools.Name(base)
	}
	means := func(word string) bool { return word == name || word == tool }
	for i := range entries {
		e := &entries[i]
		if r, ok := p.Rule(kind, e.Key); !ok || r.Inert {
			continue
		}
		var words []string
		for _, item := range e.Value.Items {
			words = append(words, item.Text)
		}
		if e.Value.Kind == definition.String {
			words, _ = frontmatter.Rules(e.Value)
		}
		switch {
		case e.Key == "sandbox_mode" && e.Value.Text == "read-only", e.Key == "readonly" && e.Value.Text == "true",
			(e.Key == "permissionMode" || e.Key == "approvalMode") && e.Value.Text == "plan":
			if host.Writes(base) {
				return false
			}
		case e.Key == "permission" && (contains(e.Value, "deny", 0) && !contains(e.Value, "allow", 0)):
			// The copy keeps the field as written by the author.
			return false
		case e.Key == "tools" && e.Value.Kind == definition.Map:
			for _, pair := range e.Value.Pairs {
				if pair.Key == name && pair.Value.Text == "false" {
					return false
				}
			}
			if slices.ContainsFunc(e.Value.Pairs, func(pair definition.Entry) bool { return pair.Key == "*" && pair.Value.Text == "false" }) {
				if !slices.ContainsFunc(e.Value.Pairs, func(pair definition.Entry) bool { return means(pair.Key) && pair.Value.Text == "true" }) {
					return false
				}
			}
		case e.Key == "tools":
			if !slices.ContainsFunc(words, means) {
				return false
			}
		case e.Key == "disallowedTools" && slices.ContainsFunc(words, means):
			return false
		}
	}
	return name != ""
}
