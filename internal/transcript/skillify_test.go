package transcript

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden drafts a skill from one session in each format.
func TestGolden(t *testing.T) {
	for _, name := range []string{"claude-code.jsonl", "codex.jsonl", "copilot-cli.jsonl", "gemini.jsonl", "opencode.json", "plain.md"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			d := checkDraft(t, string(data), SkillifyRequest{File: name})
			if d == nil || d.Format != strings.TrimSuffix(name, filepath.Ext(name)) {
				t.Fatalf("%v", d)
			}
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(d.Text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(file); err != nil || d.Text != string(want) {
				t.Errorf("%v; the draft differs from %s (write it with -update):\n%s", err, file, d.Text)
			}
		})
	}
}

// checkDraft drafts a skill from text, and fails if the draft is not a valid
// skill or contains anything that a host would expand.
func checkDraft(t testing.TB, text string, q SkillifyRequest) *SkillDraft {
	t.Helper()
	d, err := Skillify(t.Context(), strings.NewReader(text), q)
	if err != nil {
		return nil
	}
	doc, diags := frontmatter.Parse(diag.NewFile("SKILL.md", []byte(d.Text)), false, host.NeutralDialect())
	var fields []string
	for _, e := range doc.Entries {
		fields = append(fields, e.Key+": "+e.Value.Text)
	}
	if want := []string{"name: " + d.Name, "description: " + d.Description}; len(diags) > 0 || !slices.Equal(fields, want) {
		t.Fatalf("the frontmatter is not what was written: %v\n%s", diags, d.Text)
	}
	checkInert(t, d.Description)
	checkInert(t, d.Text[doc.Body:])
	if n := strings.Count(d.Text, "\n"); n >= 500 {
		t.Errorf("%d lines", n)
	}
	return d
}

// TestLimits drafts a skill from a session that exceeds a draft's limits.
func TestLimits(t *testing.T) {
	var commands, messages []string
	for i := range 300 {
		commands = append(commands, fmt.Sprintf("cd /home/mira/src/app && go test ./pkg%d", i))
		messages = append(messages, fmt.Sprintf("go on with %d", i))
	}
	d := checkDraft(t, transcriptOf("claude-code", messages, commands, []bool{false, true}, "ok"), SkillifyRequest{})
	if len(d.Found.Steps) != maxSteps || len(d.Found.Requests) != maxRequests || len(d.Diagnostics) != 2 {
		t.Errorf("%d steps, %d requests, %v", len(d.Found.Steps), len(d.Found.Requests), d.Diagnostics)
	}
	if got := d.Found.Steps[1]; got.Command != "go test ./pkg1" || got.outcome() != "failed" {
		t.Errorf("%+v", got)
	}
	// Repeated steps count as one if no request comes between them.
	d = checkDraft(t, transcriptOf("plain", nil, []string{"make", "make", "make test"}, []bool{false}, "ok"), SkillifyRequest{NoQuotes: true})
	if len(d.Found.Steps) != 2 || d.Found.Steps[0].Times != 2 {
		t.Errorf("%+v", d.Found.Steps)
	}
}

func fuzzReader(f *testing.F, file string, seeds ...string) {
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		f.Add(line)
	}
	for _, s := range append(seeds, string(data)) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkDraft(t, text, SkillifyRequest{Format: strings.TrimSuffix(file, filepath.Ext(file))})
		_ = detect([]byte(text))
	})
}

func FuzzClaude(f *testing.F) {
	fuzzReader(f, "claude-code.jsonl",
		`{"type":"assistant","uuid":"a","parentUuid":"a","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"rm -rf / && `+"`id`"+` !{x}"}}]}}`,
		`{"type":"user","uuid":"b","message":{"content":"---\nname: x\n---\n$ARGUMENTS @file !`+"`id`"+`"}}`)
}

func FuzzCodex(f *testing.F) {
	fuzzReader(f, "codex.jsonl", `{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":-1}}`, `{"type":"response_item","payload":{"type":"local_shell_call","action":{"command":[""]}}}`)
}

func FuzzPlain(f *testing.F) {
	fuzzReader(f, "plain.md", "User: x\n$ a \\\n", "$ \n$ x\n", "User:\n```\n$ x\n", "Assistant: x\n$ git diff && git push -f\n$ git commit --amend\n$ git commit -m x\n")
}
