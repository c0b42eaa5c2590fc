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

// item parses a file into an item to export.
func item(t *testing.T, k definition.Kind, name, text string) *Item {
	t.Helper()
	f := diag.NewFile(name+".md", []byte(text))
	doc, diags := frontmatter.Parse(f, false, registry.Neutral().Dialect)
	if !doc.Valid {
		t.Fatalf("%q: %v", text, diags)
	}
	return &Item{
		Kind: k, Name: name, Source: ".agents/" + name + ".md", Entries: doc.Entries, Body: string(f.Data[doc.Body:]), BodyAt: doc.Body,
		Line: func(at int) int { return f.Pos(at).Line }, Syntax: registry.SyntaxAt(k, definition.Markdown, ".agents/x.md"),
	}
}

func lookup(t *testing.T, name string) *host.Profile {
	t.Helper()
	p, ok := registry.Lookup(name)
	if !ok {
		t.Fatalf("no host is named %s", name)
	}
	return p
}

func TestFields(t *testing.T) {
	const skill, command, agent = definition.Skill, definition.Command, definition.Agent
	for _, c := range []struct {
		host string
		kind definition.Kind
		in   string
		want string
		lost string
	}{
		{"copilot-cli", agent, "tools: Read, Grep, Glob, Bash(git:*), Nope, mcp__gh__get", "tools:\n  - read\n  - search\n  - gh/get\n", "tool"},
		{"copilot-vscode", agent, "tools: [read, edit]\nmodel: [Claude, GPT]", "tools:\n  - read\n  - edit\n", "model"},
		{"claude-code", agent, "tools: [read, edit, search, github/*]", "tools:\n  - Read\n  - Edit\n  - Write\n  - Grep\n  - Glob\n  - mcp__github\n", ""},
		{"claude-code", agent, "tools: Read, Bash(git:*)", "tools: \"Read, Bash(git:*)\"\n", ""},
		{"claude-code", agent, "tools:\n  read: true\n  bash: false", "disallowedTools:\n  - Bash\n", ""},
		{"claude-code", agent, "tools:\n  \"*\": false\n  read: true\n  bash: false", "tools:\n  - Read\n", ""},
		{"claude-code", agent, "tools:\n  \"*\": false\n  bash: false", "tools: []\n", ""},
		{"claude-code", agent, "tools:\n  read: true", "", ""},
		{"claude-code", agent, "tools:\n  bash: false", "disallowedTools:\n  - Bash\n", ""},
		{"gemini", agent, "tools: Read, Agent, mcp__gh", "tools:\n  - read_file\n  - \"mcp_gh_*\"\n", "tool"},
		{"agentskills", skill, "allowed-tools: Read, Grep, Bash(git add:*)", "allowed-tools: \"Read Grep Bash(git add:*)\"\n", ""},
		{"agentskills", skill, "allowed-tools: [Read, Grep]", "allowed-tools: Read Grep\n", ""},
		{"claude-code", skill, "allowed-tools: Read, Grep", "allowed-tools: Read, Grep\n", ""},
		{"copilot-cli", agent, "mcp-servers:\n  x:\n    command: y\n", "", "field"},
		{"gemini", agent, "tools: Agent", "tools: []\n", "tool"},
		{"opencode", agent, "disallowedTools: Bash\ntools: Read, Bash", "tools:\n  \"*\": false\n  read: true\n", ""},
		{"claude-code", agent, "disallowedTools: Bash\ntools: Read, Bash", "tools:\n  - Read\ndisallowedTools: Bash\n", ""},
		{"gemini", agent, "disallowedTools: Bash, mcp__gh\ntools: Read, Bash, mcp__gh__get", "tools:\n  - read_file\n", ""},
		{"copilot-cli", agent, "disallowedTools: Write\ntools: [read, edit]", "tools:\n  - read\n", "tool"},
		{"gemini", agent, "permissionMode: plan\ntools: Read, Edit, Bash", "tools:\n  - read_file\n", "tool"},
		{"gemini", agent, "disallowedTools: Bash(rm:*)\ntools: Read, Bash", "tools:\n  - read_file\n", "tool"},
		{"opencode", agent, "disallowedTools: Bash(rm:*), Edit", "tools:\n  bash: false\n  edit: false\n", "tool"},
		{"cursor", agent, "disallowedTools: Bash, Edit, Write", "readonly: true\n", "tool"},
		{"cursor", agent, "permissionMode: plan", "readonly: true\n", "tool"},
		{"copilot-cli", agent, "disallowedTools: Bash, Edit, Write", "tools:\n  - read\n  - search\n  - web\n  - agent\n  - todo\n", "tool"},
		{"claude-code", agent, "tools: [edit/editFiles, search/codebase, web/fetch, execute/runInTerminal]", "tools:\n  - Edit\n  - Grep\n  - WebFetch\n  - Bash\n", ""},
		{"claude-code", agent, "tools: [read/problems]", "tools:\n  - read/problems\n", ""},
		{"gemini", agent, "tools: [read/problems, vscode/askQuestions]", "tools:\n  - ask_user\n", "tool"},
		{"claude-code", agent, "hooks:\n  Stop: x", "", "field"},
		{"claude-code", agent, "permissionMode: bypassPermissions", "", "field"},
		{"claude-code", agent, "permissionMode: plan", "permissionMode: plan\n", ""},
		{"claude-code", agent, "mcpServers:\n  - x:\n      command: sh", "", "field"},
		{"opencode", agent, "permission:\n  bash: allow", "", "field"},
		{"claude-code", skill, "allowed-tools: Read, Bash, Bash(*), Bash(git:*)", "allowed-tools:\n  - Read\n  - \"Bash(git:*)\"\n", "tool"},
		{"claude-code", skill, "metadata:\n  token: hunter2\nlicense: MIT", "license: MIT\n", "secret"},
		{"claude-code", agent, "maxTurns: \"5\"", "maxTurns: 5\n", ""},
		{"codex", skill, "api_key: hunter2", "", "secret"},
		{"codex", agent, "tools: Read, Grep", "sandbox_mode", "tool"},
		{"codex", agent, "tools: Read, Bash", "", "tool"},
		{"cursor", agent, "tools: []", "readonly: true\n", "tool"},
		{"qwen", skill, "allowed-tools: Read", "allowedTools:\n  - read_file\n", ""},
		{"agentskills", skill, "allowed-tools: [Read, \"Bash(git:*)\"]", "allowed-tools: \"Read Bash(git:*)\"\n", ""},
		{"gemini", agent, "model: inherit", "", ""},
		{"gemini", agent, "model: opus", "", "model"},
		{"opencode", agent, "model: anthropic/claude-x", "model: anthropic/claude-x\n", ""},
		{"claude-code", agent, "model: anthropic/claude-x", "model: claude-x\n", ""},
		{"copilot-cli", skill, "user-invocable: no\nargument-hint: [a, b]", "user-invocable: false\nargument-hint: \"[a] [b]\"\n", ""},
		{"gemini", skill, "user-invocable: no\ndisable-model-invocation: false", "", "activation"},
		{"codex", skill, "disable-model-invocation: true", "", ""},
		{"opencode", command, "context: fork\nagent: build", "subtask: true\nagent: build\n", ""},
		{"claude-code", command, "subtask: true", "context: fork\n", ""},
		{"cursor", skill, "paths: \"src/**, *.ts\"", "paths:\n  - \"src/**\"\n  - \"*.ts\"\n", ""},
		{"copilot-cli", skill, "paths: src/**", "", "activation"},
		{"copilot-cli", agent, "mcp-servers:\n  x:\n    env:\n      TOKEN: secret", "", "secret"},
		{"claude-code", command, "agents: [a]\nkeywords: [b]", "", "field"},
		{"copilot-vscode", skill, "weird: 1\nlicense: MIT", "license: MIT\n", "field"},
		{"opencode", agent, "maxTurns: 5\ntemperature: \"0.2\"\ncolor: red", "maxSteps: 5\ntemperature: 0.2\n", "field"},
	} {
		it := item(t, c.kind, "x", "---\ndescription: d\n"+c.in+"\n---\nbody\n")
		r := Make(lookup(t, c.host), it)
		if len(r.Files) == 0 {
			t.Errorf("%s: %q: nothing is made: %+v", c.host, c.in, r.Losses)
			continue
		}
		text := string(r.Files[0].Data)
		if _, rest, ok := strings.Cut(text, "description: d\n"); ok {
			text, _, _ = strings.Cut(rest, "---\n")
		}
		var lost []string
		for _, l := range r.Losses {
			if !slices.Contains(lost, l.What) {
				lost = append(lost, l.What)
			}
			if l.What != "kind" && l.Line < 3 {
				t.Errorf("%s: %q: %s has the line %d", c.host, c.in, l.What, l.Line)
			}
		}
		fits := text == c.want
		if c.host == "codex" {
			fits = strings.Contains(text, c.want) && !strings.Contains(text, "secret")
		}
		if !fits || strings.Join(lost, " ") != c.lost {
			t.Errorf("%s: %q is\n%s and loses %q; want\n%s, %q", c.host, c.in, text, lost, c.want, c.lost)
		}
	}
}

func TestDescriptions(t *testing.T) {
	for _, c := range []struct{ host, in, want, lost string }{
		{"codex", "description: d\nwhen_to_use: asked", "d - asked", ""},
		{"claude-code", "description: d\nwhen_to_use: asked", "d", ""},
		{"codex", "x: 1", "stands in", "field"},
		{"copilot-cli", "description: " + strings.Repeat("a", 1100), strings.Repeat("a", 1023) + "…", "field"},
		{"copilot-cli", "description: " + strings.Repeat("😀", 600), strings.Repeat("😀", 511) + "…", "field"},
		{"copilot-vscode", "description: a <b> c", "a <b> c", "field"},
	} {
		it := item(t, definition.Skill, "x", "---\n"+c.in+"\n---\nbody\n")
		it.Description = "stands in"
		r := Make(lookup(t, c.host), it)
		doc, _ := frontmatter.Parse(diag.NewFile("x", r.Files[0].Data), false, registry.Neutral().Dialect)
		got := ""
		for _, e := range doc.Entries {
			if e.Key == "description" {
				got = e.Value.Text
			}
		}
		lost := ""
		if len(r.Losses) > 0 {
			lost = r.Losses[0].What
		}
		if got != c.want || lost != c.lost {
			t.Errorf("%s: %q: %q, loses %q; want %q, %q", c.host, c.in[:min(len(c.in), 40)], got, lost, c.want, c.lost)
		}
	}
}

func TestInstructions(t *testing.T) {
	whole := func(name, text string) *Item {
		it := item(t, definition.Instruction, name, text)
		it.Source, it.Whole = name, true
		return it
	}
	rule := func(source, name, text string, paths ...string) *Item {
		it := item(t, definition.Instruction, name, text)
		it.Source, it.Paths = source, paths
		return it
	}
	items := []*Item{
		whole("CLAUDE.md", "@AGENTS.md\n"), whole("AGENTS.md", "one\n"), whole("GEMINI.md", "two\n"), whole("CLAUDE.local.md", "mine\n"),
		rule(".claude/rules/src.md", "src", "---\npaths: src/**\n---\nin src\n", "src/**"),
		rule(".claude/rules/all.md", "all", "always\n"),
		rule(".cursor/rules/ask.mdc", "ask", "---\ndescription: on asking\nalwaysApply: false\n---\nasked\n"),
	}
	for _, c := range []struct {
		host  string
		files map[string]string
		lost  string
	}{
		{"codex", map[string]string{"AGENTS.md": "one\n\ntwo\n\nalways\n\nasked\n", "src/AGENTS.md": "in src\n"}, "kind activation text"},
		{"claude-code", map[string]string{
			"CLAUDE.md": "@AGENTS.md\n\ntwo\n", "CLAUDE.local.md": "mine\n", ".claude/rules/src.md": "---\npaths: src/**\n---\nin src\n",
			".claude/rules/all.md": "always\n", ".claude/rules/ask.md": "asked\n",
		}, "activation field text"},
		{"cursor", map[string]string{
			"CLAUDE.md": "@AGENTS.md\n", "AGENTS.md": "one\n\ntwo\n", ".cursor/rules/src.mdc": "---\nglobs: src/**\nalwaysApply: false\n---\nin src\n",
			".cursor/rules/all.mdc": "---\nalwaysApply: true\n---\nalways\n", ".cursor/rules/ask.mdc": "---\ndescription: on asking\nalwaysApply: false\n---\nasked\n",
		}, "kind text"},
		{"pi", map[string]string{"AGENTS.md": "one\n\ntwo\n\nalways\n\nasked\n"}, "kind activation text"},
		{"agentskills", map[string]string{}, "kind"},
	} {
		r := Instructions(lookup(t, c.host), items, func(it *Item) []byte {
			head := ""
			if len(it.Entries) > 0 {
				head = "---\n" + frontmatter.Write(it.Entries) + "---\n"
				if strings.Contains(it.Source, "rules/src") {
					head = "---\npaths: src/**\n---\n"
				}
			}
			return []byte(head + it.Body)
		})
		got := map[string]string{}
		for _, f := range r.Files {
			got[f.Path] = string(f.Data)
		}
		for name, want := range c.files {
			if got[name] != want {
				t.Errorf("%s: %s is %q, want %q", c.host, name, got[name], want)
			}
		}
		if len(got) != len(c.files) {
			t.Errorf("%s: %d files, want %d: %v", c.host, len(got), len(c.files), got)
		}
		var lost []string
		for _, l := range r.Losses {
			if !slices.Contains(lost, l.What) {
				lost = append(lost, l.What)
			}
		}
		if strings.Join(lost, " ") != c.lost {
			t.Errorf("%s loses %q, want %q: %+v", c.host, lost, c.lost, r.Losses)
		}
	}
}

// TestInstructionsReadNothing checks that exporting an instruction file never activates an import
// of a file outside the project, and that the visible text stays the same.
func TestInstructionsReadNothing(t *testing.T) {
	made := 0
	for _, source := range []string{"AGENTS.md", ".github/instructions/a.instructions.md"} {
		it := item(t, definition.Instruction, "a", "See @/etc/passwd and @~/.ssh/id_rsa and @../../x.md\nbut @docs/a.md stays.\n")
		it.Source, it.Whole = source, source == "AGENTS.md"
		it.IsFile = func(string) bool { return false }
		for _, host := range []string{"claude-code", "gemini", "qwen"} {
			r := Instructions(lookup(t, host), []*Item{it}, func(*Item) []byte { return []byte(it.Body) })
			for _, f := range r.Files {
				if f.Path == source {
					continue
				}
				made++
				if text := string(f.Data); !strings.Contains(text, "See `@/etc/passwd` and `@~/.ssh/id_rsa` and ") || !strings.Contains(text, "but @docs/a.md stays.") {
					t.Errorf("%s: %s is %q", host, f.Path, text)
				}
				if len(r.Losses) < 2 {
					t.Errorf("%s: nothing is said: %+v", host, r.Losses)
				}
			}
		}
	}
	if made != 5 {
		t.Errorf("%d files are made, want 5", made)
	}
}
