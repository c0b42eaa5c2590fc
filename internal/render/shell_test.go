package render

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"

	"github.com/vadehq/vade/internal/testenv"
)

// echo is a runner in which every command prints its own text with the arguments bound.
type echo struct{ commands []ShellCommand }

func (e *echo) RunShell(_ context.Context, commands []ShellCommand) []ShellResult {
	e.commands = append(e.commands, commands...)
	results := make([]ShellResult, len(commands))
	for i, c := range commands {
		text := c.Text
		for _, b := range slices.Backward(c.Bindings) {
			text = text[:b.Span.Start] + "<" + b.Value + ">" + text[b.Span.End:]
		}
		results[i] = ShellResult{Executed: true, Output: text}
		switch {
		case strings.HasPrefix(c.Text, "refuse"):
			results[i] = ShellResult{Keep: true, Error: &RefError{Code: diag.BashNotAllowed, Reason: "COMMAND", Message: "no"}}
		case strings.HasPrefix(c.Text, "fail"):
			results[i].Error = &RefError{Code: diag.BashFailed, Message: "status 2"}
		case strings.HasPrefix(c.Text, "long"):
			results[i].Truncated = true
		}
	}
	return results
}

func TestShellRuns(t *testing.T) {
	for _, tt := range []struct {
		text, args, want string
		ran              int
		codes            []diag.Code
	}{
		{"a !`one` b !`two`\n", "", "a one b two\n", 2, nil},
		{"```!\none\ntwo\n```\nx", "", "one\ntwo\nx", 1, nil},
		{"!`x $0` !`y \"$1\"`", "p 'q r'", "x <p> y \"<q r>\"", 2, nil},
		{"!`x $ARGUMENTS`", "p q", "x <p q>", 1, nil},
		{"!`x ${V} ${W}`", "", "x <v> ${W}", 1, nil},
		{"!`x`", "p", "x\n\nARGUMENTS: p", 1, nil},
		{"!`refuse $0`", "p", "!`refuse $0`\n\nARGUMENTS: p", 1, []diag.Code{diag.BashNotAllowed}},
		{"!`fail`", "", "fail", 1, []diag.Code{diag.BashFailed}},
		{"!`long`", "", "long", 1, []diag.Code{diag.BashTruncated}},
		{"<!-- !`x` --> !`y`", "", "<!-- !`x` --> y", 1, []diag.Code{diag.BashNotAllowed}},
		{"```sh\n!`x`\n```\n", "", "```sh\n!`x`\n```\n", 0, []diag.Code{diag.BashNotAllowed}},
		{`!` + "`x \\$0`", "p", "x \\$0\n\nARGUMENTS: p", 1, nil},
		// Command output is not scanned again.
		{"!`x $0`", "'!`y` @a.md $1'", "x <\\!`y` @a.md $1>", 1, nil},
	} {
		runner := &echo{}
		in := Input{Text: tt.text, Arguments: ParseArguments(tt.args), Variables: map[string]string{"V": "v"}}
		out := Render(t.Context(), in, &tree{files: map[string]string{"a.md": "FILE"}}, runner)
		if out.Content != tt.want || len(runner.commands) != tt.ran {
			t.Errorf("%q with %q: %q after %d commands, want %q after %d", tt.text, tt.args, out.Content, len(runner.commands), tt.want, tt.ran)
		}
		var codes []diag.Code
		for _, d := range out.Diagnostics {
			codes = append(codes, d.Code)
		}
		if !slices.Equal(codes, tt.codes) {
			t.Errorf("%q: diagnostics %v, want %v", tt.text, codes, tt.codes)
		}
	}
}

func TestShellInCode(t *testing.T) {
	runner := &echo{}
	out := Render(t.Context(), Input{Text: "```sh\n!`x`\n```\n<!-- !`y` -->\n", ShellInCode: true}, nil, runner)
	if want := "```sh\nx\n```\n<!-- !`y` -->\n"; out.Content != want {
		t.Errorf("%q, want %q", out.Content, want)
	}
	if len(out.Diagnostics) != 2 || out.Diagnostics[0].Code != diag.BashInCode {
		t.Errorf("diagnostics %v", out.Diagnostics)
	}
}

func TestMaxCommands(t *testing.T) {
	runner := &echo{}
	out := Render(t.Context(), Input{Text: strings.Repeat("!`x`\n", MaxCommands+2)}, nil, runner)
	if len(runner.commands) != MaxCommands {
		t.Errorf("%d commands ran", len(runner.commands))
	}
	if want := strings.Repeat("x\n", MaxCommands) + "!`x`\n!`x`\n"; out.Content != want || out.Shell[MaxCommands].Error.Reason != ReasonLimit {
		t.Errorf("the end is %q", out.Content[len(out.Content)-20:])
	}
}

// TestShellRunsWhatTheAuthorWrote checks that inserted text never makes more
// commands run than the body contains.
func TestShellRunsWhatTheAuthorWrote(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"!`a`", "!`b $0`", "$0", "$ARGUMENTS", "@f", "```!\nc\n```\n", "<!-- ", " -->", "\n", " ", "`", "text"})
		text := strings.Join(rapid.SliceOf(piece).Draw(t, "text"), "")
		args := strings.Join(rapid.SliceOf(piece).Draw(t, "args"), " ")
		file := strings.Join(rapid.SliceOf(piece).Draw(t, "file"), "")
		written := 0
		for seg := range body.Scan(text, body.Options{}) {
			if seg.Kind == body.Shell && !seg.Quoted() {
				written++
			}
		}
		runner := &echo{}
		Render(context.Background(), Input{Text: text, Arguments: ParseArguments(args)}, &tree{files: map[string]string{"f": file}}, runner)
		if len(runner.commands) != written {
			t.Fatalf("%q with %q: %d commands ran, %d are written", text, args, len(runner.commands), written)
		}
	})
}

func TestShellCommands(t *testing.T) {
	list := ShellCommands(Input{Text: "!`a` <!-- !`b` -->\n```\n!`c ${V}`\n```\n", Variables: map[string]string{"V": "v"}})
	if got := fmt.Sprint(len(list)); got != "2" || list[0].Text != "a" || list[1].Text != "c ${V}" || len(list[1].Bindings) != 1 {
		t.Errorf("%+v", list)
	}
	if HasShell(Input{Text: "no `!x`"}) || !HasShell(Input{Text: "!`x`"}) {
		t.Error("HasShell")
	}
}
