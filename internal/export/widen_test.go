package export

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
)

// TestWidens checks which losses make a host allow more than the definition
// does, and that the suggested fixes are correct.
func TestWidens(t *testing.T) {
	const skill, agent = definition.Skill, definition.Agent
	for _, c := range []struct {
		host, in, message, fix string
		kind                   definition.Kind
		widens                 bool
	}{
		{"gemini", "allowed-tools: Bash(git:*)", "the tools are not preapproved", "allow the tools in the host's settings if it asks", skill, false},
		{"codex", "tools: Read, Bash", "the agent may use all tools", "deny the other tools in the host's settings", agent, true},
		{"codex", "disallowedTools: Bash", "the agent is omitted", "by hand", agent, false},
		{"codex", "tools: Read, Edit", "the agent is omitted", "by hand", agent, false},
		{"cursor", "permissionMode: plan\ntools: Read, Bash", "readonly is set instead", "", agent, false},
		{"opencode", "disallowedTools: Bash(rm:*)", "the whole tool is denied instead of Bash(rm:*)", "", agent, false},
		{"copilot-cli", "tools: Bash(git:*)", "would grant too much", "allow it in the host's settings", agent, false},
		{"gemini", "disable-model-invocation: true", "the model can also use", "only users should use it", skill, true},
		{"gemini", "permissionMode: plan", "only read-only tools", "", agent, false},
		{"gemini", "permissionMode: dontAsk", "the host's default mode applies", "in the host's settings", agent, true},
		{"gemini", "permissionMode: bypassPermissions", "is not exported", "add the field to the exported file", agent, false},
	} {
		made := Make(lookup(t, c.host), item(t, c.kind, "x", "---\ndescription: d\n"+c.in+"\n---\nBody\n"))
		found := false
		for _, l := range made.Losses {
			if strings.Contains(l.Message, c.message) {
				found = true
				if l.Widens != c.widens || !strings.Contains(l.Fix, c.fix) {
					t.Errorf("%s: %s: %+v", c.host, c.in, l)
				}
			}
		}
		if !found {
			t.Errorf("%s: %s: %+v", c.host, c.in, made.Losses)
		}
	}
}

// TestTypedArguments checks that a copy names the arguments that it expects.
func TestTypedArguments(t *testing.T) {
	for in, want := range map[string]string{
		"---\ndescription: d\n---\nReview $0 for $1.\n":                                                      "argument-hint: \"argument1=… argument2=…\"\n",
		"---\ndescription: d\nargument-hint: \"[pr]\"\n---\nReview $ARGUMENTS.\n":                            "argument-hint: \"arguments=… ([pr])\"\n",
		"---\ndescription: d\nargument-hint: \"[pr]\"\n---\nReview.\n":                                       "argument-hint: \"[pr]\"\n",
		"---\ndescription: d\narguments: [pr]\nargument-hint: \"[pr]\"\n---\nReview $pr.\n":                  "argument-hint: \"pr=…\"\n",
		"---\ndescription: d\nargument-hint: \"[number] <the-rank>\"\n---\nFix $0 ($1) for $5. $ARGUMENTS\n": "argument-hint: \"number=… the_rank=…\"\n---\nFix ${input:number} (${input:the_rank}) for $5. ${input:arguments}\n",
		"---\ndescription: d\nargument-hint: \"number or rank\"\n---\nFix $0 $1\n":                           "argument-hint: \"argument1=… argument2=… (number or rank)\"\n",
	} {
		it := item(t, definition.Command, "x", in)
		if strings.Contains(in, "arguments:") {
			it.Names = []string{"pr"}
		}
		got := string(Make(lookup(t, "copilot-vscode"), it).Files[0].Data)
		if !strings.Contains(got, want) {
			t.Errorf("%q is %q, want %q in it", in, got, want)
		}
	}
}
