package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/scaffold"
	"github.com/vadehq/vade/internal/terminal"
)

// TestNewQuestions checks the questions for missing values and the handling of invalid answers.
func TestNewQuestions(t *testing.T) {
	const long = "Does it. Use when asked."
	for _, c := range []struct {
		name, lines string
		given, want scaffold.Request
		shown       string
		ends        bool
	}{
		{"all", "Thing\ncommand\nMy Command\nmy-command\n\n" + long + "\n", scaffold.Request{}, scaffold.Request{Kind: definition.Command, Name: "my-command", Description: long}, "such as my-command", false},
		{"nothing", "", scaffold.Request{Kind: definition.Agent, Name: "rev", Description: long}, scaffold.Request{Kind: definition.Agent, Name: "rev", Description: long}, "", false},
		{"a copy", "x\n", scaffold.Request{Kind: definition.Skill, From: "debug"}, scaffold.Request{Kind: definition.Skill, Name: "x", From: "debug"}, "Name:", false},
		{"an instruction", "x\n", scaffold.Request{Kind: definition.Instruction}, scaffold.Request{Kind: definition.Instruction, Name: "x"}, "Name:", false},
		{"the end", "skill\nx\n", scaffold.Request{}, scaffold.Request{}, "when to use it", true},
		{"no answer", strings.Repeat("\x1b[31mno such kind\n", 9), scaffold.Request{}, scaffold.Request{}, "answer one of", true},
		{"a long line", "skill\n" + strings.Repeat("x", 1<<20), scaffold.Request{}, scaffold.Request{}, "Name:", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var shown bytes.Buffer
			r := c.given
			err := askNew(newQuestions(t.Context(), strings.NewReader(c.lines), terminal.New(&shown, terminal.Options{}), "use flags: vade new --help"), &r)
			var f failure
			if errors.As(err, &f) != c.ends || !c.ends && (err != nil || !reflect.DeepEqual(r, c.want)) {
				t.Errorf("%+v %v", r, err)
			}
			if !strings.Contains(shown.String(), c.shown) || (shown.Len() == 0) != (c.shown == "") || strings.Contains(shown.String(), "\x1b") {
				t.Errorf("%q", shown.String())
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, _ := io.Pipe()
	if err := askNew(newQuestions(ctx, in, terminal.New(io.Discard, terminal.Options{}), ""), &scaffold.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestNewWithoutTerminal checks that no questions are asked without a terminal.
func TestNewWithoutTerminal(t *testing.T) {
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
