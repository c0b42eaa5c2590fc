package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/parse"
)

// subject parses text as a definition in the neutral view.
func subject(t *testing.T, kind definition.Kind, path, text string, readers ...string) *Subject {
	t.Helper()
	p := registry.Neutral()
	suffix, name := ".md", strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".md")
	rule := &host.Rule{Kind: kind, Suffix: suffix}
	if kind == definition.Skill {
		rule = &host.Rule{Kind: kind, File: "SKILL.md", Naming: host.ByDir, Boundary: true, Max: 1}
		parts := strings.Split(path, "/")
		name = parts[len(parts)-2]
	}
	root := path[:strings.LastIndexByte(path, '/')]
	if kind == definition.Skill {
		root = root[:strings.LastIndexByte(root, '/')]
	}
	d := parse.Parser(p, "1.0.0")(&discover.Found{
		Place: &discover.Place{Root: &host.Root{Layer: definition.Project, Rules: []host.Rule{*rule}}, Layer: definition.Project, Shown: root},
		Rule:  rule, Name: name, Path: path, Real: "/p/" + path, Size: int64(len(text)), Head: []byte(text), Whole: true, Depth: 1,
	})
	doc := parse.File(d, []byte(text), p)
	s := &Subject{Definition: d, File: diag.NewFile(path, []byte(text)), Entries: doc.Entries, Body: doc.Body, BodyAt: doc.BodyAt}
	for _, name := range readers {
		h, ok := registry.Lookup(name)
		if !ok {
			t.Fatalf("no host %s", name)
		}
		s.Readers, s.Hosts = append(s.Readers, h), append(s.Hosts, h)
	}
	s.Look = func(rel string) Target {
		switch {
		case strings.HasPrefix(rel, "there"):
			return Inside
		case strings.HasPrefix(rel, "../beside"):
			return Sibling
		case strings.HasPrefix(rel, "../../../.."):
			return Outside
		}
		return Missing
	}
	s.LookTop = s.Look
	return s
}

const skillPath = ".claude/skills/deploy/SKILL.md"

func skillText(fields, body string) string {
	return "---\nname: deploy\ndescription: Ships the site.\n" + fields + "---\n" + body
}

// TestRules tests what each rule reports and what it ignores.
func TestRules(t *testing.T) {
	claude := "claude-code"
	for _, tc := range []struct {
		name, path, text string
		kind             definition.Kind
		readers          []string
		want             []string // "CODE line:column severity"
	}{
		{name: "nothing wrong", text: skillText("license: MIT\nallowed-tools: Read Bash(git:*)\nmetadata:\n  author: me\n", "See [it](there.md).\n")},
		{name: "name", text: "---\nname: Deploy It\ndescription: d\n---\n", want: []string{"NAME_CHARS 2:7 warning", "NAME_DIR_MISMATCH 2:7 warning"}},
		{name: "hyphens", path: ".claude/skills/a--b/SKILL.md", text: "---\nname: a--b\ndescription: d\n---\n", want: []string{"NAME_CHARS 2:7 warning"}},
		{name: "name by its place", path: ".claude/skills/A_b/SKILL.md", text: "---\ndescription: d\n---\n", want: []string{"NAME_CHARS 0:0 warning"}},
		{name: "64 characters", path: ".claude/skills/" + strings.Repeat("a", 64) + "/SKILL.md", text: "---\nname: " + strings.Repeat("a", 64) + "\ndescription: d\n---\n"},
		{name: "65 characters", path: ".claude/skills/" + strings.Repeat("a", 65) + "/SKILL.md", text: "---\nname: " + strings.Repeat("a", 65) + "\ndescription: d\n---\n", want: []string{"NAME_LEN 2:7 warning"}},
		{name: "1024 characters", text: "---\ndescription: " + strings.Repeat("é", 1024) + "\n---\n"},
		{name: "1025 characters", text: "---\ndescription: " + strings.Repeat("é", 1025) + "\n---\n", want: []string{"DESC_LEN 2:14 warning"}},
		{name: "lines", text: "---\ndescription: |\n  a\n  b\n---\n", want: []string{"DESC_LINES 2:14 info"}},
		{name: "folded", text: "---\ndescription: >-\n  a\n  b\n---\n"},
		{name: "markup", text: "---\ndescription: Takes a <name>.\n---\n", want: []string{"DESC_MARKUP 2:14 info"}},
		{name: "closing tag", text: "---\ndescription: a</available_skills>\n---\n", want: []string{"DESC_MARKUP 2:14 warning"}},
		{name: "less than", text: "---\ndescription: where a < b\n---\n"},
		{name: "unknown", text: skillText("categry_of_it: x\n", ""), want: []string{"FIELD_UNKNOWN 4:1 info"}},
		{name: "slip", text: skillText("licese: MIT\n", ""), want: []string{"FIELD_UNKNOWN 4:1 warning"}},
		{name: "slip in a command", kind: definition.Command, path: ".claude/commands/x.md", text: "---\ndescripion: x\nwhatever: 1\n---\n", want: []string{"FIELD_UNKNOWN 2:1 warning"}},
		{name: "truth", text: skillText("user-invocable: yes\n", ""), want: []string{"FIELD_BOOL 4:17 warning"}},
		{name: "truth in quotes", text: skillText("user-invocable: \"true\"\n", ""), want: []string{"FIELD_BOOL 4:17 warning"}},
		{name: "no truth", text: skillText("user-invocable: maybe\n", "")},
		{name: "lists", text: skillText("argument-hint: [file]\nallowed-tools:\n  - Read\n  - Grep\n", ""), want: []string{"FIELD_LIST 4:16 warning", "FIELD_LIST 6:3 info"}},
		{name: "metadata", text: skillText("metadata: hello\n", ""), want: []string{"METADATA_FORM 4:11 warning"}},
		{name: "nested metadata", text: skillText("metadata:\n  a: [1]\n  b: [2]\n", ""), want: []string{"METADATA_FORM 5:3 info"}},
		{name: "carriage returns", text: "---\r\ndescription: d\r\n---\r\n", want: []string{"FM_LINE_ENDS 1:4 info"}},
		{name: "rules for tools", readers: []string{claude}, text: skillText("allowed-tools: Bash(git:* x) bash(ls) Bash(a && b) Bash(git:*) Read Bash(x, *\n", ""),
			want: []string{"TOOLS_RULE_UNMATCHABLE 4:16 warning", "TOOLS_RULE_UNMATCHABLE 4:30 warning", "TOOLS_RULE_UNMATCHABLE 4:39 warning", "TOOLS_RULE_UNMATCHABLE 4:69 warning"}},
		{name: "rules that nobody checks", readers: []string{"codex"}, text: skillText("allowed-tools: Bash(git:* x)\n", "")},
		{name: "globs", kind: definition.Instruction, path: ".claude/rules/go.md", readers: []string{claude}, text: "---\nglobs: '*.go'\n---\n", want: []string{"RULES_GLOBS_IGNORED 2:1 warning"}},
		{name: "globs and paths", kind: definition.Instruction, path: ".claude/rules/go.md", readers: []string{claude}, text: "---\nglobs: '*.go'\npaths: '*.go'\n---\n"},
		{name: "numbers of one host", readers: []string{claude}, text: skillText("", "Ship $1 to $0.\n")},
		{name: "the second without the first", readers: []string{claude}, text: skillText("", "Ship $1.\n"), want: []string{"ARG_INDEX_BASE 5:6 warning"}},
		{name: "numbers from one", readers: []string{"opencode"}, text: skillText("", "Ship $1.\n")},
		{name: "numbers of two", readers: []string{claude, "opencode"}, text: skillText("", "Ship $1 and $2.\n"), want: []string{"ARG_INDEX_BASE 5:6 warning"}},
		{name: "a place that one leaves", readers: []string{claude, "codex"}, text: skillText("", "Ship $ARGUMENTS and $1.\n"), want: []string{"ARG_NOT_FILLED 5:6 warning"}},
		{name: "a place that nobody fills", readers: []string{"gemini", "codex"}, text: skillText("", "Ship $ARGUMENTS and $1.\n")},
		{name: "a place that only interactive calls fill", readers: []string{"copilot-cli", "codex"}, text: skillText("", "Ship $ARGUMENTS and $1.\n"), want: []string{"ARG_NOT_FILLED 5:6 warning"}},
		{name: "numbers from zero that two fill", readers: []string{claude, "copilot-cli"}, text: skillText("", "Ship $0 to $1.\n")},
		{name: "a place that all fill", readers: []string{claude, "opencode"}, text: skillText("", "Ship $ARGUMENTS.\n")},
		{name: "a command that one runs", readers: []string{claude, "codex"}, text: skillText("", "State: !`git status`\n"), want: []string{"SHELL_NOT_RUN 5:8 warning"}},
		{name: "a command that all run", readers: []string{claude, "opencode"}, text: skillText("", "State: !`git status`\n")},
		{name: "escaped numbers", readers: []string{claude, "opencode"}, text: skillText("", "It costs \\$1.\n")},
		{name: "awk", readers: []string{claude}, text: skillText("", "```sh\nawk '{print $1}'\n```\n"), want: []string{"ARG_IN_CODE 6:13 warning"}},
		{name: "awk that nobody replaces", readers: []string{"codex"}, text: skillText("", "```sh\nawk '{print $1}'\n```\n")},
		{name: "a command that takes one", kind: definition.Command, path: ".claude/commands/x.md", readers: []string{claude}, text: "```sh\ngh pr view $1\n```\n"},
		{name: "command in a fence", readers: []string{claude}, text: skillText("", "```md\nState: !`git status`\n```\n"), want: []string{"SHELL_IN_FENCE 6:8 warning"}},
		{name: "command outside", readers: []string{claude}, text: skillText("", "State: !`git status`\n")},
		{name: "file in a fence", readers: []string{claude}, text: skillText("", "```md\n@there.md and @gone.md\n```\n"), want: []string{"SHELL_IN_FENCE 6:1 warning"}},
		{name: "injection", readers: []string{"opencode"}, text: skillText("", "Log: !`git log $ARGUMENTS`\n"), want: []string{"SHELL_ARG_INJECTION 5:8 warning"}},
		{name: "links", text: skillText("", "[a](gone.md) [b](../beside.md) [c](../../../../out.md) [d](https://x.y/z.md) [e](#top) [f]({{x}}.md) [g](/abs.md) [h](word) `[i](code.md)`\n\n```\n[j](fence.md)\n```\n"),
			want: []string{"LINK_MISSING 5:5 warning", "LINK_LEAVES_SKILL 5:18 info", "LINK_LEAVES_SKILL 5:36 warning"}},
		{name: "links of a command", kind: definition.Command, path: ".claude/commands/x.md", text: "[b](../beside.md) ![i](gone.png)\n", want: []string{"LINK_MISSING 1:24 warning"}},
		{name: "link by name", text: skillText("", "See [it][x].\n\n[x]: gone.md \"t\"\n"), want: []string{"LINK_MISSING 7:6 warning"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.kind == 0 {
				tc.kind = definition.Skill
			}
			if tc.path == "" {
				tc.path = skillPath
			}
			var got []string
			list := Run(subject(t, tc.kind, tc.path, tc.text, tc.readers...))
			Sort(list)
			for _, f := range list {
				got = append(got, string(f.Code)+" "+place(f)+" "+f.Severity.String())
				if f.Fix == "" {
					t.Errorf("%s has no fix", f.Code)
				}
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

func place(f Finding) string {
	d := func(n int) string {
		var b []byte
		for ; n > 9; n /= 10 {
			b = append([]byte{byte('0' + n%10)}, b...)
		}
		return string(append([]byte{byte('0' + n)}, b...))
	}
	return d(f.Line) + ":" + d(f.Column)
}

// TestHostileBodies checks that no body makes the rules slow or their output long.
func TestHostileBodies(t *testing.T) {
	for _, body := range []string{
		strings.Repeat("[a](gone.md) ", 20_000), strings.Repeat("!`x $1` ", 20_000), strings.Repeat("[", 100_000), strings.Repeat("> ", 50_000),
		strings.Repeat("```\n$1 !`x`\n", 10_000), strings.Repeat("[a]: b.md\n", 10_000), strings.Repeat("![](", 30_000),
	} {
		if n := len(Run(subject(t, definition.Skill, skillPath, skillText("", body), "claude-code", "opencode"))); n > maxFindings {
			t.Errorf("%d findings of %q…", n, body[:12])
		}
	}
}

func FuzzRun(f *testing.F) {
	f.Add("---\nname: x\n---\n[a](b.md) $1 !`x $1`\n")
	f.Add("---\nallowed-tools: [Bash(git:* x), '*']\nargument-hint: [a\n---\n")
	f.Add("\xa8[](.)")
	f.Add("\ufeff---\r\nuser-invocable: YES\r\n---\r\n```\n@x.md\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := subject(t, definition.Skill, skillPath, text, "claude-code", "opencode")
		for _, x := range Run(s) {
			if x.Line < 0 || x.Bytes.Start < 0 || x.Bytes.End > len(text) || x.Message == "" {
				t.Errorf("%+v", x)
			}
			if x.Edit != nil && (x.Edit.Start < 0 || x.Edit.End > len(text) || x.Edit.Start > x.Edit.End) {
				t.Errorf("an edit outside the file: %+v", x.Edit)
			}
		}
	})
}
