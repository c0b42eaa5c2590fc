package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

// small are limits that a fuzzer reaches.
func small() Limits { return Limits{Line: 4 << 10, Bytes: 64 << 10, Items: 60, Text: 32 << 10} }

// fuzzReader asserts of any text that it is read without a panic, and that what is
// drafted of it is harmless.
func fuzzReader(f *testing.F, format Format, file string, seeds ...string) {
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	for line := range strings.Lines(string(data)) {
		f.Add(line)
	}
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(t.Context(), strings.NewReader(text), Options{Name: "x", Format: format, Limits: small()})
		if err != nil {
			return
		}
		d, err := NewDraft(s, DraftOptions{})
		if err != nil {
			return
		}
		checkDraft(t, s, d)
	})
}

// checkDraft fails where a draft is no skill, or has anything in it that a host heeds.
func checkDraft(t testing.TB, s *Session, d *Draft) {
	t.Helper()
	for _, fields := range []bool{false, true} {
		text := d.Markdown(s.Format, notes(s), fields)
		doc, diags := frontmatter.Parse(diag.NewFile("SKILL.md", []byte(text)), false, host.NeutralDialect())
		if !doc.Found || !doc.Valid || len(diags) > 0 || len(doc.Entries) < 2 || doc.Entries[0].Key != "name" || doc.Entries[1].Key != "description" || doc.Entries[1].Value.Text != d.Description {
			t.Fatalf("the frontmatter is not what was written: %v\n%s", diags, text)
		}
		body := strings.ReplaceAll(text[doc.Body:], "```sh\n", "")
		checkInert(t, strings.ReplaceAll(body, "```\n", ""))
		checkInert(t, text[doc.Body:])
		if n := strings.Count(text, "\n"); n > 500 {
			t.Errorf("%d lines", n)
		}
	}
	for _, rule := range d.Allowed {
		checkRule(t, s, rule)
	}
}

// checkRule fails where a rule allows anything but what ran, by its program and
// subcommand, or what a person is to be asked for.
func checkRule(t testing.TB, s *Session, rule string) {
	t.Helper()
	if !strings.HasPrefix(rule, "Bash(") {
		if !strings.HasPrefix(rule, "WebFetch(domain:") && !strings.HasPrefix(rule, "mcp__") {
			t.Errorf("the rule %s is wide", rule)
		}
		return
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(rule, "Bash("), ")")
	prefix, _ := strings.CutSuffix(inner, ":*")
	ranIt := false
	for _, it := range s.Items {
		if it.Call == nil || it.Call.Kind != Command {
			continue
		}
		if strings.Contains(it.Call.Command, strings.Split(prefix, " ")[0]) {
			ranIt = true
		}
		parts, _, _ := ran(it.Call.Command)
		for _, p := range parts {
			if p.risk != "" && covers(rule, p.words) {
				t.Errorf("the rule %s allows %q: %s", rule, p.words, p.risk)
			}
		}
	}
	name := strings.Split(prefix, " ")[0]
	if !ranIt || runsScripts(name) && !strings.Contains(prefix, " ") || isStarter(name) || strings.Trim(prefix, "*") == "" {
		t.Errorf("the rule %s is for nothing that ran, or for a shell", rule)
	}
}

func FuzzClaude(f *testing.F) {
	fuzzReader(f, ClaudeCode, "claude-code.jsonl",
		`{"type":"assistant","uuid":"a","parentUuid":"a","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"rm -rf / && `+"`id`"+` !{x}"}}]}}`,
		`{"type":"user","uuid":"b","message":{"content":"---\nname: x\n---\n$ARGUMENTS @file !`+"`id`"+`"}}`)
}

func FuzzCodex(f *testing.F) {
	fuzzReader(f, Codex, "codex.jsonl", `{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":-1}}`, `{"type":"response_item","payload":{"type":"local_shell_call","action":{"command":[""]}}}`)
}

func FuzzPlain(f *testing.F) {
	fuzzReader(f, Plain, "plain.md", "User: x\n$ a \\\n", "$ \n$ x\n", "User:\n```\n$ x\n", "Assistant: x\n$ git diff && git push -f\n$ git commit --amend\n$ git commit -m x\n")
}

// FuzzHead finds out formats.
func FuzzHead(f *testing.F) {
	f.Add(`{"type":"x","payload":{}}`)
	f.Add(`{"sessionId":"x"}`)
	f.Fuzz(func(t *testing.T, text string) { detect([]byte(text)) })
}
