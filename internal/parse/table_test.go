package parse_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host/registry"
)

const shared = ".agents/skills/s/SKILL.md"

func skillText(fields string) string { return "---\n" + fields + "\n---\nbody\n" }

func long(n int) string { return strings.Repeat("x", n) }

// TestFieldTables tests names, descriptions and invalid values. The rows come from recordings where
// available; see the tables.
func TestFieldTables(t *testing.T) {
	for _, tc := range []struct {
		what, view, path, text string
		state                  definition.State
		codes                  string
		name, description      string
	}{
		{"no name", "codex", shared, skillText("description: d"), definition.Loaded, "", "s", "d"},
		{"no name", "copilot-cli", shared, skillText("description: d"), definition.Loaded, "", "s", "d"},
		{"no name", "copilot-vscode", shared, skillText("description: d"), definition.Loaded, "", "s", "d"},
		{"no name", "pi", shared, skillText("description: d"), definition.Loaded, "", "s", "d"},
		{"no name", "gemini", shared, skillText("description: d"), definition.Dropped, "FIELD_MISSING", "s", ""},
		{"no name", "opencode", shared, skillText("description: d"), definition.Dropped, "FIELD_MISSING", "s", ""},
		{"no name", "qwen", shared, skillText("description: d"), definition.Dropped, "FIELD_MISSING", "s", ""},
		{"no name", "agentskills", shared, skillText("description: d"), definition.Dropped, "FIELD_MISSING", "s", ""},
		{"no name", "cursor", shared, skillText("description: d"), definition.Dropped, "FIELD_MISSING", "s", ""},
		{"an empty name", "codex", shared, skillText("name: \"\"\ndescription: d"), definition.Loaded, "", "s", "d"},
		{"an empty name", "copilot-cli", shared, skillText("name: \"\"\ndescription: d"), definition.Dropped, "FIELD_TYPE", "s", ""},
		{"an empty name", "gemini", shared, skillText("name: \"\"\ndescription: d"), definition.Loaded, "", "", "d"},
		{"an empty name", "opencode", shared, skillText("name: \"\"\ndescription: d"), definition.Loaded, "", "", "d"},
		{"an empty name", "qwen", shared, skillText("name: \"\"\ndescription: d"), definition.Dropped, "FIELD_MISSING", "s", ""},
		{"an empty name", "pi", shared, skillText("name: \"\"\ndescription: d"), definition.Loaded, "", "s", "d"},
		{"a number", "codex", shared, skillText("name: 3000\ndescription: d"), definition.Loaded, "", "3000", "d"},
		{"a number", "copilot-cli", shared, skillText("name: 3000\ndescription: d"), definition.Dropped, "FIELD_TYPE", "s", ""},
		{"a number", "gemini", shared, skillText("name: 3000\ndescription: d"), definition.Loaded, "-", "3000", "d"},
		{"a number", "opencode", shared, skillText("name: 3000\ndescription: d"), definition.Dropped, "FIELD_TYPE", "s", ""},
		{"a date", "opencode", shared, skillText("name: s\ndescription: 2024-05-06"), definition.Dropped, "FIELD_TYPE", "s", ""},
		{"a time", "opencode", shared, skillText("name: s\ndescription: 2024-05-06 10:00:00"), definition.Dropped, "FIELD_TYPE", "s", ""},
		{"a quoted date", "opencode", shared, skillText("name: s\ndescription: '2024-05-06'"), definition.Loaded, "", "s", "2024-05-06"},
		{"a date elsewhere", "gemini", shared, skillText("name: s\ndescription: 2024-05-06"), definition.Loaded, "", "s", "2024-05-06"},
		{"a number", "pi", shared, skillText("name: 3000\ndescription: d"), definition.Dropped, "FIELD_TYPE", "s", ""},
		{"a number", "qwen", shared, skillText("name: 3000\ndescription: d"), definition.Loaded, "", "3000", "d"},
		{"a number", "agentskills", shared, skillText("name: 3000\ndescription: d"), definition.Dropped, "NAME_DIR_MISMATCH", "3000", ""},
		{"blanks", "codex", shared, skillText("name: Space  Name\ndescription: d"), definition.Loaded, "", "Space Name", "d"},
		{"blanks", "copilot-cli", shared, skillText("name: Space Name\ndescription: d"), definition.Loaded, "", "Space-Name", "d"},
		{"blanks", "gemini", shared, skillText("name: Space Name\ndescription: d"), definition.Loaded, "", "Space Name", "d"},
		{"blanks", "qwen", shared, skillText("name: Space Name\ndescription: d"), definition.Dropped, "NAME_CHARS", "s", ""},
		{"blanks", "pi", shared, skillText("name: Space Name\ndescription: d"), definition.Loaded, "NAME_CHARS NAME_DIR_MISMATCH", "Space Name", "d"},
		{"odd characters", "copilot-cli", shared, skillText("name: Bad Name!\ndescription: d"), definition.Dropped, "NAME_CHARS", "s", ""},
		{"odd characters", "opencode", shared, skillText("name: Bad Name!\ndescription: d"), definition.Loaded, "", "Bad Name!", "d"},
		{"what a file name may not hold", "gemini", shared, skillText("name: 'a:b/c\\d?'\ndescription: d"), definition.Loaded, "", "a-b-c-d-", "d"},
		{"upper case", "agentskills", shared, skillText("name: Ab\ndescription: d"), definition.Dropped, "NAME_CHARS", "s", ""},
		{"two hyphens", "agentskills", shared, skillText("name: a--b\ndescription: d"), definition.Dropped, "NAME_CHARS", "s", ""},
		{"other letters", "agentskills", ".agents/skills/é漢1-ß/SKILL.md", skillText("name: é漢1-ß\ndescription: d"), definition.Loaded, "", "é漢1-ß", "d"},
		{"another directory", "agentskills", shared, skillText("name: other\ndescription: d"), definition.Dropped, "NAME_DIR_MISMATCH", "other", ""},
		{"another directory", "copilot-vscode", shared, skillText("name: other\ndescription: d"), definition.Loaded, "NAME_DIR_MISMATCH", "s", "d"},
		{"tags", "copilot-vscode", shared, skillText("name: <b>s</b>\ndescription: use <i>it</i> <> a > b < c"), definition.Loaded, "", "s", "use it <> a > b < c"},
		{"64", "codex", shared, skillText("name: " + long(64) + "\ndescription: d"), definition.Loaded, "", long(64), "d"},
		{"65", "codex", shared, skillText("name: " + long(65) + "\ndescription: d"), definition.Dropped, "NAME_LEN", "s", ""},
		{"65", "copilot-cli", shared, skillText("name: " + long(65) + "\ndescription: d"), definition.Dropped, "NAME_LEN", "s", ""},
		{"65", "agentskills", shared, skillText("name: " + long(65) + "\ndescription: d"), definition.Dropped, "NAME_LEN", "s", ""},
		{"65", "gemini", shared, skillText("name: " + long(65) + "\ndescription: d"), definition.Loaded, "", long(65), "d"},
		{"65 from the directory", "codex", ".agents/skills/" + long(65) + "/SKILL.md", skillText("description: d"), definition.Dropped, "NAME_LEN", long(65), ""},

		{"none", "codex", shared, "---\nname: s\n---\n# Head\nline\n", definition.Dropped, "FIELD_MISSING", "s", ""},
		{"none", "copilot-cli", shared, "---\nname: s\n---\n# Head\n\nline\n", definition.Loaded, "", "s", "line"},
		{"none, a heading alone", "copilot-cli", shared, "---\nname: s\n---\n# Head\n", definition.Loaded, "", "s", ""},
		{"none", "gemini", shared, "---\nname: s\n---\nline\n", definition.Dropped, "FIELD_MISSING", "s", ""},
		{"none", "opencode", shared, "---\nname: s\n---\nline\n", definition.Loaded, "", "s", ""},
		{"none", "pi", shared, "---\nname: s\n---\nline\n", definition.Dropped, "FIELD_MISSING", "s", ""},
		{"none", "qwen", shared, "---\nname: s\n---\nline\n", definition.Dropped, "FIELD_MISSING", "s", ""},
		{"null", "opencode", shared, skillText("name: s\ndescription:"), definition.Dropped, "FIELD_TYPE", "s", ""},
		{"null", "codex", shared, skillText("name: s\ndescription:"), definition.Dropped, "FIELD_MISSING", "s", ""},
		{"a number", "codex", shared, skillText("name: s\ndescription: 42"), definition.Loaded, "", "s", "42"},
		{"a number", "pi", shared, skillText("name: s\ndescription: 42"), definition.Dropped, "FIELD_TYPE", "s", ""},
		{"a list", "codex", shared, skillText("name: s\ndescription: [a, b]"), definition.Dropped, "FIELD_TYPE", "s", ""},
		{"a list", "copilot-cli", shared, skillText("name: s\ndescription: [a, b]"), definition.Dropped, "FIELD_TYPE", "s", ""},
		{"a list", "copilot-vscode", shared, skillText("name: s\ndescription: [a, b]"), definition.Loaded, "FIELD_TYPE", "s", ""},
		{"a list", "gemini", shared, skillText("name: s\ndescription: [a, b]"), definition.Loaded, "-", "s", "[a, b]"},
		{"a list", "opencode", shared, skillText("name: s\ndescription: [a, b]"), definition.Dropped, "FIELD_TYPE", "s", ""},
		{"a list", "qwen", shared, skillText("name: s\ndescription: [a, b]"), definition.Loaded, "FIELD_TYPE", "s", "a,b"},
		{"1024", "copilot-cli", shared, skillText("name: s\ndescription: " + long(1024)), definition.Loaded, "", "s", long(1024)},
		{"1025", "copilot-cli", shared, skillText("name: s\ndescription: " + long(1025)), definition.Dropped, "DESC_LEN", "s", ""},
		{"1025", "agentskills", shared, skillText("name: s\ndescription: " + long(1025)), definition.Dropped, "DESC_LEN", "s", ""},
		{"1025", "codex", shared, skillText("name: s\ndescription: " + long(1025)), definition.Loaded, "DESC_LEN", "s", long(1021) + "..."},
		{"1025", "copilot-vscode", shared, skillText("name: s\ndescription: " + long(1025)), definition.Loaded, "DESC_LEN", "s", long(1024)},
		{"1025", "pi", shared, skillText("name: s\ndescription: " + long(1025)), definition.Loaded, "DESC_LEN", "s", long(1025)},
		{"1025", "opencode", shared, skillText("name: s\ndescription: " + long(1025)), definition.Loaded, "", "s", long(1025)},
		{"lines", "codex", shared, skillText("name: s\ndescription: |\n  one\n  two"), definition.Loaded, "", "s", "one two"},
		{"lines", "opencode", shared, skillText("name: s\ndescription: |\n  one\n  two"), definition.Loaded, "", "s", "one\ntwo\n"},

		{"yes", "copilot-cli", shared, skillText("name: s\ndescription: d\nuser-invocable: yes"), definition.Dropped, "FIELD_TYPE", "s", "d"},
		{"yes", "copilot-vscode", shared, skillText("name: s\ndescription: d\nuser-invocable: yes"), definition.Loaded, "FIELD_TYPE", "s", "d"},
		{"yes", "codex", shared, skillText("name: s\ndescription: d\nuser-invocable: yes"), definition.Loaded, "", "s", "d"},
		{"a hint in brackets", "copilot-cli", shared, skillText("name: s\ndescription: d\nargument-hint: [file]"), definition.Dropped, "FIELD_TYPE", "s", "d"},
		{"a map among the tools", "copilot-cli", shared, skillText("name: s\ndescription: d\nallowed-tools: [a, {b: c}]"), definition.Dropped, "FIELD_TYPE", "s", "d"},
		{"tools as a list", "copilot-cli", shared, skillText("name: s\ndescription: d\nallowed-tools: [a, b]"), definition.Loaded, "", "s", "d"},
		{"metadata that is text", "codex", shared, skillText("name: s\ndescription: d\nmetadata: hello"), definition.Dropped, "FIELD_TYPE", "s", "d"},
		{"metadata that is text", "copilot-cli", shared, skillText("name: s\ndescription: d\nmetadata: hello"), definition.Loaded, "", "s", "d"},
		{"metadata that is text", "agentskills", shared, skillText("name: s\ndescription: d\nmetadata: hello"), definition.Loaded, "", "s", "d"},
		{"an unknown key", "agentskills", shared, skillText("name: s\ndescription: d\nmodel: m"), definition.Dropped, "FIELD_UNKNOWN", "s", "d"},
		{"an unknown key", "codex", shared, skillText("name: s\ndescription: d\nmodel: m"), definition.Loaded, "", "s", "d"},
		{"patterns in a string", "qwen", shared, skillText("name: s\ndescription: d\npaths: a/*.go"), definition.Dropped, "FIELD_TYPE", "s", "d"},

		{"an agent", "gemini", ".gemini/agents/a.md", "---\nname: a-b\ndescription: d\ntools: [glob]\nmax_turns: 3\n---\np\n", definition.Loaded, "", "a-b", "d"},
		{"an unknown key", "gemini", ".gemini/agents/a.md", "---\nname: a\ndescription: d\ncolor: red\n---\np\n", definition.Dropped, "FIELD_UNKNOWN", "a", "d"},
		{"an uppercase name", "gemini", ".gemini/agents/a.md", "---\nname: A\ndescription: d\n---\np\n", definition.Dropped, "NAME_CHARS", "a", "d"},
		{"half a turn", "gemini", ".gemini/agents/a.md", "---\nname: a\ndescription: d\nmax_turns: 0.5\n---\np\n", definition.Dropped, "FIELD_TYPE", "a", "d"},
		{"no description", "gemini", ".gemini/agents/a.md", "---\nname: a\n---\np\n", definition.Dropped, "FIELD_MISSING", "a", ""},
		{"a remote agent without one", "gemini", ".gemini/agents/a.md", "---\nname: a\nkind: remote\nagent_card_url: https://example.com/card\n---\np\n", definition.Loaded, "", "a", ""},
		{"a command", "gemini", ".gemini/commands/g it/a b.toml", "prompt = 'p'\n", definition.Loaded, "", "g_it:a_b", "Custom command from a b.toml"},
		{"a long name", "gemini", ".gemini/commands/" + long(51) + ".toml", "prompt = 'p'\n", definition.Loaded, "", long(47) + "...", "Custom command from " + long(51) + ".toml"},
		{"no prompt", "gemini", ".gemini/commands/a.toml", "description = 'd'\n", definition.Dropped, "FIELD_MISSING", "a", "d"},
		{"a command", "opencode", ".opencode/command/ns/c.md", "---\ndescription: d\n---\np\n", definition.Loaded, "", "ns/c", "d"},
		{"an agent with invalid YAML", "opencode", ".opencode/agent/a.md", "---\nname: b\ndescription: \"x\"\n  - a\n---\np\n", definition.Loaded, "", "a", ""},
		{"an agent with invalid YAML after changes", "opencode", ".opencode/agent/a.md", "---\ndescription: a: b\n  - a\n\"\n---\np\n", definition.Dropped, "", "a", ""},
		{"a command with invalid YAML", "opencode", ".opencode/command/a.md", "---\nname: b\ndescription: \"x\"\n  - a\n---\np\n", definition.Loaded, "", "a", ""},
		{"a colour", "opencode", ".opencode/agent/a.md", "---\ndescription: d\ncolor: mauve\n---\np\n", definition.Dropped, "FIELD_VALUE", "a", "d"},
		{"a command", "qwen", ".qwen/commands/c.md", "---\ndescription: d\n---\np\n", definition.Loaded, "", "c", "d"},
		{"a command in TOML without a prompt", "qwen", ".qwen/commands/c.toml", "description = 'd'\n", definition.Dropped, "FIELD_MISSING", "c", "d"},
		{"a name that is kept", "qwen", ".qwen/agents/a.md", "---\nname: System\ndescription: d\n---\nprompt of it\n", definition.Dropped, "", "System", "d"},
		{"nine characters", "qwen", ".qwen/agents/a.md", "---\nname: ab\ndescription: d\n---\n\n123456789 \n", definition.Dropped, "SIZE_LIMIT", "ab", "d"},
		{"ten characters", "qwen", ".qwen/agents/a.md", "---\nname: ab\ndescription: d\n---\n1234567890\n", definition.Loaded, "", "ab", "d"},
		{"a letter", "qwen", ".qwen/agents/a.md", "---\nname: x\ndescription: d\n---\nprompt of it\n", definition.Dropped, "NAME_CHARS", "a", "d"},
		{"an agent", "codex", ".codex/agents/a.toml", "name = 'n'\ndescription = 'd'\ndeveloper_instructions = 'i'\n", definition.Loaded, "", "n", "d"},
		{"an agent without a description", "codex", ".codex/agents/a.toml", "name = 'n'\ndeveloper_instructions = 'i'\n", definition.Dropped, "FIELD_MISSING", "n", ""},
		{"an odd directory", "copilot-cli", ".agents/skills/bad!dir/SKILL.md", skillText("description: d"), definition.Dropped, "NAME_CHARS", "bad!dir", "d"},
		{"a directory that begins oddly", "copilot-cli", ".agents/skills/_dir/SKILL.md", skillText("description: d"), definition.Dropped, "NAME_CHARS", "_dir", "d"},
		{"a long directory", "copilot-cli", ".agents/skills/" + long(65) + "/SKILL.md", skillText("description: d"), definition.Dropped, "NAME_LEN", long(65), "d"},
		{"a directory with blanks", "copilot-cli", ".agents/skills/a dir/SKILL.md", skillText("description: d"), definition.Loaded, "", "a-dir", "d"},
		{"an odd directory and a name", "copilot-cli", ".agents/skills/bad!dir/SKILL.md", skillText("name: s\ndescription: d"), definition.Loaded, "", "s", "d"},
		{"a short description that is a list", "codex", shared, skillText("name: s\ndescription: d\nmetadata:\n  short-description: [a]"), definition.Dropped, "FIELD_TYPE", "s", "d"},
		{"a list of another key", "codex", shared, skillText("name: s\ndescription: d\nmetadata:\n  tags: [a]\n  short-description: b"), definition.Loaded, "", "s", "d"},
		{"an empty compatibility", "agentskills", shared, skillText("name: s\ndescription: d\ncompatibility: \"\""), definition.Dropped, "FIELD_TYPE", "s", "d"},
		{"a compatibility", "agentskills", shared, skillText("name: s\ndescription: d\ncompatibility: git"), definition.Loaded, "", "s", "d"},
		{"a key on the line of the dashes", "agentskills", shared, "---name: s\ndescription: d\n---\nbody\n", definition.Loaded, "", "s", "d"},
		{"a key on the line of the dashes", "pi", shared, "---name: s\ndescription: d\n---\nbody\n", definition.Loaded, "", "s", "d"},
		{"for the editor", "copilot-cli", ".github/agents/a.agent.md", "---\ndescription: d\ntarget: vscode\n---\np\n", definition.Loaded, "", "a", "d"},
		{"for the editor", "copilot-vscode", ".github/agents/a.agent.md", "---\ndescription: d\ntarget: vscode\n---\np\n", definition.Loaded, "", "a", "d"},
		{"for the others", "copilot-vscode", ".github/agents/a.agent.md", "---\ndescription: d\ntarget: github-copilot\n---\np\n", definition.Dropped, "", "a", "d"},
		{"for the others", "copilot-cli", ".github/agents/a.agent.md", "---\ndescription: d\ntarget: github-copilot\n---\np\n", definition.Loaded, "", "a", "d"},
		{"a long body", "copilot-cli", ".github/agents/a.agent.md", "---\ndescription: d\n---\n" + strings.Repeat("é", 30_001), definition.Loaded, "SIZE_LIMIT", "a", "d"},
		{"a body of many bytes", "copilot-cli", ".github/agents/a.agent.md", "---\ndescription: d\n---\n" + strings.Repeat("é", 30_000), definition.Loaded, "", "a", "d"},
		{"switched off", "opencode", ".opencode/agent/a.md", "---\ndescription: d\ndisable: true\n---\np\n", definition.Disabled, "", "a", "d"},
		{"not switched off", "opencode", ".opencode/agent/a.md", "---\ndescription: d\ndisable: false\n---\np\n", definition.Loaded, "", "a", "d"},
		{"an open block with a body", "copilot-vscode", shared, "---\nname: s\ndescription: d\n\n# Head\n\nSome text.\n- a: b\n```\n[x\n", definition.Loaded, "-", "s", "d"},
		{"an agent without a description", "copilot-cli", ".github/agents/a.agent.md", "---\nname: n\n---\np\n", definition.Dropped, "FIELD_MISSING", "a", ""},
	} {
		t.Run(tc.view+"/"+tc.what, func(t *testing.T) {
			d := definitionOf(t, tc.view, tc.path, tc.text)
			if d.State != tc.state {
				t.Errorf("it is %v: %s", d.State, d.Reason)
			}
			if d.Name != tc.name {
				t.Errorf("the name is %q, not %q", d.Name, tc.name)
			}
			if tc.state == definition.Loaded && d.Description != tc.description {
				t.Errorf("the description is %q, not %q", d.Description, tc.description)
			}
			var codes []string
			for _, one := range d.Diagnostics {
				if about(one.Code) {
					codes = append(codes, string(one.Code))
					if one.Message == "" || one.Fix == "" {
						t.Errorf("%s says too little: %q, %q", one.Code, one.Message, one.Fix)
					}
				}
			}
			if got := strings.Join(codes, " "); tc.codes != "-" && got != tc.codes {
				t.Errorf("the codes are %q, not %q", got, tc.codes)
			}
			if tc.state == definition.Dropped && (d.Reason == "" || d.ReasonCode == "") {
				t.Error("it is dropped without a reason")
			}
		})
	}
}

// about reports whether the field tables use the diagnostic code c.
func about(c diag.Code) bool {
	for _, begin := range [...]string{"FIELD_", "NAME_", "DESC_", "SIZE_"} {
		if strings.HasPrefix(string(c), begin) {
			return true
		}
	}
	return false
}

// TestEdits checks that a suggested edit turns a file into one that the host loads.
func TestEdits(t *testing.T) {
	for _, tc := range []struct{ view, text, want string }{
		{"copilot-cli", skillText("name: 3000\ndescription: d"), skillText("name: \"3000\"\ndescription: d")},
		{"copilot-cli", skillText("name: s\ndescription: d\nuser-invocable: yes"), skillText("name: s\ndescription: d\nuser-invocable: true")},
		{"copilot-cli", skillText("name: s\ndescription: d\nuser-invocable: \"no\""), skillText("name: s\ndescription: d\nuser-invocable: false")},
		{"agentskills", skillText("name: other\ndescription: d"), skillText("name: s\ndescription: d")},
		{"agentskills", skillText("name: s\nmodel: m\ndescription: d"), skillText("name: s\ndescription: d")},
		{"opencode", skillText("name: s\ndescription: true"), skillText("name: s\ndescription: \"true\"")},
	} {
		d := definitionOf(t, tc.view, shared, tc.text)
		if d.State != definition.Dropped {
			t.Errorf("%s: %q is %v", tc.view, tc.text, d.State)
			continue
		}
		got := tc.text
		for _, one := range d.Diagnostics {
			if one.Code == d.ReasonCode && one.Edit != nil {
				got = tc.text[:one.Edit.Start] + one.Edit.New + tc.text[one.Edit.End:]
			}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", tc.view, diff)
		}
		if d := definitionOf(t, tc.view, shared, got); d.State != definition.Loaded {
			t.Errorf("%s: %q is still %v: %s", tc.view, got, d.State, d.Reason)
		}
	}
}

// TestIgnored tests which keys a host ignores.
func TestIgnored(t *testing.T) {
	text := skillText("name: s\ndescription: d\nallowed-tools: Read\ndisable-model-invocation: true\nwhenToUse: w\nfoo: 1\nlicense: MIT")
	for view, want := range map[string]string{
		"codex":       "allowed-tools disable-model-invocation whenToUse foo license",
		"copilot-cli": "whenToUse foo license",
		"gemini":      "allowed-tools disable-model-invocation whenToUse foo license",
		"pi":          "allowed-tools whenToUse foo license",
		"qwen":        "whenToUse foo license",
	} {
		d := definitionOf(t, view, shared, text)
		var keys []string
		for _, i := range d.Fields.Ignored() {
			keys = append(keys, i.Key)
			if i.Reason == "" {
				t.Errorf("%s: no reason for %s", view, i.Key)
			}
		}
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("%s ignores %q, not %q", view, got, want)
		}
		manual := view == "copilot-cli" || view == "pi" || view == "qwen"
		if d.Fields.DisableModelInvocation != manual {
			t.Errorf("%s: disable-model-invocation is %v", view, d.Fields.DisableModelInvocation)
		}
		if diff := cmp.Diff([]string{"foo"}, d.Fields.Unknown()); diff != "" {
			t.Errorf("%s: %s", view, diff)
		}
	}
	d := definitionOf(t, "qwen", shared, text)
	if got, want := d.Fields.Ignored()[0].Reason, "qwen spells it when_to_use"; got != want {
		t.Errorf("the reason is %q, not %q", got, want)
	}
	if d := definitionOf(t, "claude-code", skill, text); len(d.Fields.Ignored()) == 0 || d.Fields.Ignored()[0].Key != "whenToUse" {
		t.Errorf("claude-code ignores %v", d.Fields.Ignored())
	}
	if d := definitionOf(t, "neutral", skill, text); d.Fields.Ignored() != nil {
		t.Errorf("the neutral view ignores %v", d.Fields.Ignored())
	}
}

// TestClaudeTable checks that Claude Code's table and parser accept the same fields.
func TestClaudeTable(t *testing.T) {
	for _, view := range []string{"claude-code", "claude-code@2.1.88", "claude-sdk"} {
		p, _ := registry.Lookup(view)
		for _, k := range definition.Kinds {
			for _, r := range p.Table(k) {
				if r.Field == 0 || !p.Accepts(k, r.Field, r.Key) {
					t.Errorf("%s: the parser does not accept %s in a %s", view, r.Key, k)
				}
				if definition.LookupField(r.Key) != r.Field {
					t.Errorf("%s: %s is not the field of the table in a %s", view, r.Key, k)
				}
			}
		}
		// Fields for other hosts are also accepted and stored. They have no effect, because the
		// table lists every field that has an effect.
		for _, f := range []definition.Field{
			definition.FieldDescription, definition.FieldWhenToUse, definition.FieldArgumentHint, definition.FieldArguments,
			definition.FieldAllowedTools, definition.FieldDisallowedTools, definition.FieldModel, definition.FieldEffort,
			definition.FieldContext, definition.FieldAgent, definition.FieldShell, definition.FieldUserInvocable,
			definition.FieldDisableModelInvocation, definition.FieldHooks, definition.FieldName, definition.FieldPaths,
		} {
			for _, k := range []definition.Kind{definition.Skill, definition.Command} {
				if _, in := p.Rule(k, f.Key()); in != p.Accepts(k, f, f.Key()) {
					t.Errorf("%s: %s of a %s: the table says %v", view, f.Key(), k, in)
				}
			}
		}
	}
}
