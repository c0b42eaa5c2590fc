package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/scaffold"
	"github.com/vadehq/vade/internal/terminal"
)

// answer runs the questions of vade new over lines, and returns what was asked for and
// what was shown.
func answer(t *testing.T, r scaffold.Request, lines string) (scaffold.Request, string, error) {
	t.Helper()
	var shown bytes.Buffer
	dir := t.TempDir()
	o := catalog.Options{Dir: dir, Home: t.TempDir(), Getenv: func(string) string { return "" }}
	q := newQuestions(t.Context(), strings.NewReader(lines), terminal.New(&shown, terminal.Options{}))
	err := q.complete(&r, func(r scaffold.Request) (*scaffold.Result, error) { return scaffold.New(t.Context(), o, r) })
	if entries, readErr := os.ReadDir(dir); readErr != nil || len(entries) > 0 {
		t.Errorf("the questions wrote %v %v", entries, readErr)
	}
	return r, shown.String(), err
}

func TestNewQuestions(t *testing.T) {
	r, shown, err := answer(t, scaffold.Request{}, "Thing\ncommand\nMy Command\nmy-command\nnothing\narguments\n\nDoes it. Use when asked.\nissue env\nmars\nclaude-code, gemini\n\n")
	if err != nil {
		t.Fatal(err, shown)
	}
	if r.Kind != definition.Command || r.Name != "my-command" || r.From != "arguments" || r.Description != "Does it. Use when asked." ||
		strings.Join(r.Arguments, " ") != "issue env" || strings.Join(r.Hosts, " ") != "claude-code gemini" || r.User {
		t.Errorf("%+v", r)
	}
	for _, want := range []string{"answer one of: skill", "such as my-command", "answer one of: plain", "so it needs one", `no host is named "mars"`, ".claude/commands/my-command.md", ".gemini/commands/my-command.toml", "Write it? [yes]"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q was not shown:\n%s", want, shown)
		}
	}
}

func TestNewQuestionsAskOnlyWhatIsMissing(t *testing.T) {
	given := scaffold.Request{Kind: definition.Agent, Name: "rev", Description: "Reviews. Use after a change.", From: "reviewer", User: true}
	r, shown, err := answer(t, given, "y\n")
	if err != nil || !r.User || strings.Count(shown, "?") != 1 {
		t.Errorf("%v\n%s", err, shown)
	}
	given.Plan = true
	if _, shown, err = answer(t, given, ""); err != nil || shown != "" {
		t.Errorf("%v\n%s", err, shown)
	}
}

// TestNewQuestionsAgain asks again for what a host can not have, and keeps the other
// answers.
func TestNewQuestionsAgain(t *testing.T) {
	r, shown, err := answer(t, scaffold.Request{Kind: definition.Instruction}, "go-style\npaths\nHow Go is written.\n**/*.go\nclaude-code codex\n**/*.go\nclaude-code\nyes\n")
	if err != nil || strings.Join(r.Hosts, " ") != "claude-code" || r.Name != "go-style" || strings.Count(shown, "Its name:") != 1 {
		t.Errorf("%+v %v\n%s", r, err, shown)
	}
	if !strings.Contains(shown, "codex can not have it") {
		t.Error(shown)
	}
	_, shown, err = answer(t, scaffold.Request{Kind: definition.Agent, Name: "rev", From: "plain", Description: "Does. Use when."}, "pi\ncodex\nyes\n")
	if err != nil || !strings.Contains(shown, "pi can not have it") {
		t.Errorf("%v\n%s", err, shown)
	}
	// What is lost is said before it is agreed to.
	_, shown, err = answer(t, scaffold.Request{Kind: definition.Skill, Name: "tidy", From: "plain", Description: "Does. Use when.", Model: "opus", Hosts: []string{"codex"}}, "\nyes\n")
	lost, asked := strings.Index(shown, "opus"), strings.Index(shown, "Write it?")
	if err != nil || lost < 0 || asked < lost {
		t.Errorf("%v\n%s", err, shown)
	}
}

func TestNewQuestionsEnd(t *testing.T) {
	var f failure
	for _, lines := range []string{"", "skill\n", "skill\nx\nplain\n", "skill\nx\nplain\nDoes. Use when.\n\n\n", strings.Repeat("no such kind\n", 9), "skill\n" + strings.Repeat("x", 2*maxAnswer)} {
		if _, shown, err := answer(t, scaffold.Request{}, lines); !errors.As(err, &f) {
			t.Errorf("%.20q: %v\n%.500s", lines, err, shown)
		}
	}
	var s silent
	if _, shown, err := answer(t, scaffold.Request{}, "skill\nx\nplain\nDoes. Use when.\n\nproject\nno\n"); !errors.As(err, &s) || s.code != exitFailed || !strings.Contains(shown, "Nothing was written.") {
		t.Errorf("%v\n%s", err, shown)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, _ := io.Pipe()
	q := newQuestions(ctx, in, terminal.New(io.Discard, terminal.Options{}))
	if err := q.complete(&scaffold.Request{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestNewQuestionsEscape(t *testing.T) {
	_, shown, _ := answer(t, scaffold.Request{}, "\x1b[31mskill\nskill\n\x1b]0;x\x07\n")
	if strings.ContainsAny(shown, "\x1b\x07") {
		t.Errorf("%q", shown)
	}
}

// TestNewAsksNobody holds a run without a terminal to its flags.
func TestNewAsksNobody(t *testing.T) {
	dir := t.TempDir()
	var out, errs bytes.Buffer
	code := Main([]string{"new", "skill", "-C", dir}, World{
		Stdin: strings.NewReader("x\nplain\nDoes. Use when.\n\n\n\n"), Stdout: &out, Stderr: &errs, LookupEnv: func(string) (string, bool) { return "", false },
	})
	if code != exitUsage || out.Len() > 0 || !strings.Contains(errs.String(), "NAME") {
		t.Errorf("%d %s %s", code, &out, &errs)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Error(left)
	}
}
