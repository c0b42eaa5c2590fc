package render_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/render"
	"github.com/vadehq/vade/internal/shell"

	"github.com/vadehq/vade/internal/testenv"
)

// echo is a runner that prints each command's words instead of running it.
type echo struct{ ran []render.ShellCommand }

func (e *echo) RunShell(_ context.Context, commands []render.ShellCommand) []render.ShellResult {
	var results []render.ShellResult
	for _, c := range commands {
		e.ran = append(e.ran, c)
		results = append(results, answer(c.Text))
	}
	return results
}

func answer(command string) render.ShellResult {
	word, rest, _ := strings.Cut(command, " ")
	switch word {
	case "fail":
		return render.ShellResult{Executed: true, Output: rest, Error: &render.RefError{Code: diag.BashFailed, Message: "status 3"}}
	case "deny":
		return render.ShellResult{Keep: true, Error: &render.RefError{Code: diag.BashNotAllowed, Reason: "R", Message: "not granted", Fix: "grant it"}}
	case "slow":
		return render.ShellResult{Keep: true, Error: &render.RefError{Code: diag.BashTimeout, Message: "too slow"}}
	case "dry":
		return render.ShellResult{Keep: true}
	case "big":
		return render.ShellResult{Executed: true, Output: strings.Repeat("line\n", 8000) + "end"}
	case "echo":
		return render.ShellResult{Executed: true, Output: rest}
	}
	return render.ShellResult{Executed: true}
}

func profile(t testing.TB, name string) *host.Prompt {
	t.Helper()
	p, ok := registry.Lookup(name)
	if !ok || p.Prompt == nil {
		t.Fatalf("no profile %s", name)
	}
	return p.Prompt
}

func TestRenderHost(t *testing.T) {
	const newest, old = "claude-code", "claude-code@2.1.88"
	for _, tc := range []struct {
		as, text, line, want string
		names                []string
	}{
		// These are unusual arguments. The conformance suite covers the recorded cases.
		{newest, "[$0][$1][$2]", "a b", "[a][b][$2]", nil},
		{old, "[$0][$1][$2]", "a b", "[a][b][]", nil},
		{newest, `\$0 \\$0 \\\$0`, "a", `$0 \\a \\$0`, nil},
		{old, `\$0 \\$0`, "a", `\a \\a`, nil},
		{newest, "$0 $ARGUMENTS", "'$1 $ARGUMENTS' b", "$1 $ARGUMENTS '$1 $ARGUMENTS' b", nil},
		{old, "$0", "'$ARGUMENTS' b", "'$ARGUMENTS' b", nil},
		{newest, "$file|$ARGUMENTS", "x", "x|x", []string{"file"}},
		{newest, "$file|$mode.", "x", "x|.", []string{"file", "mode"}},
		{newest, "only \\$0", "x", "only $0\n\nARGUMENTS: x", nil},
		{newest, "no placeholder", "", "no placeholder", nil},
		{newest, "${CLAUDE_SKILL_DIR} $ARGUMENTS", "${CLAUDE_SKILL_DIR}", "/dir /dir", nil},
		{newest, "${CLAUDE_$0}", "SKILL_DIR", "/dir", nil},
		{newest, "$0${CLAUDE_SKILL_DIR}", "a", "a/dir", nil},
		{old, "[$ARGUMENTS]", "$$ $& x", "[$ $ARGUMENTS x]", nil},
		{newest, "a !`echo x` b", "", "a x b", nil},
		{newest, "a!`echo x` b", "", "a!`echo x` b", nil},
		{newest, "!`echo x`\n```!\necho y\n```\n", "", "x\ny\n", nil},
		{newest, "A[!`echo x`] B !`echo x` C", "", "A[x] B !`echo x` C", nil},
		{newest, "!`echo $0` !`echo $1`", "a b", "a b", nil},
		{newest, "!`echo \"$ARGUMENTS\"`", "a; b", `"a; b"`, nil},
		{newest, "!`nothing`", "", "(Bash completed with no output)", nil},
		{newest, "!`echo '!`echo y`'`", "", "'!echo y`'`", nil},
		{newest, "!`dry x` $0", "a", "!`dry x` a", nil},
		{newest, "x $ARGUMENTS", "!`echo evil`", "x \\! `echo evil`", nil},
		{newest, "[$0]", "!`echo evil`", "[\\! `echo evil`]", nil},
		{newest, "[$0]", "!x", "[\\!x]", nil},
		{newest, "!`echo a` !`fail out`", "", "BASH_FAILED: Shell command failed for pattern \"!`fail out`\": [stderr]\nout", nil},
		{newest, "!`deny x`", "", "BASH_NOT_ALLOWED: Shell command permission check failed for pattern \"!`deny x`\": not granted", nil},
		{newest, "!`slow x`", "", "BASH_TIMEOUT: Shell command failed for pattern \"!`slow x`\": [stderr]\ntoo slow", nil},
		{newest, "!`echo $0`", "a;b", "a", nil}, // arguments end at ";"
		{newest, "!`echo $ARGUMENTS`", "a;b", "BASH_NOT_ALLOWED: Shell command permission check failed for pattern \"!`echo a;b`\": an argument would change the command", nil},
		{old, "x $ARGUMENTS", "!`echo evil`", "BASH_NOT_ALLOWED: Shell command permission check failed for pattern \"!`echo evil`\": the command comes from an argument", nil},
		{old, "!`echo $0 | echo tail`", "a`", "BASH_NOT_ALLOWED: Shell command permission check failed for pattern \"!`echo a`\": an argument would end the command early", nil},
		{old, "!$0`echo evil`", "", "BASH_NOT_ALLOWED: Shell command permission check failed for pattern \"!`echo evil`\": the command comes from an argument", nil},
		{old, "x $0`echo evil`", "!", "BASH_NOT_ALLOWED: Shell command permission check failed for pattern \"!`echo evil`\": the command comes from an argument", nil},
	} {
		in := render.HostInput{
			Host: profile(t, tc.as), Text: tc.text, Line: tc.line, Names: tc.names, Variables: map[string]string{"CLAUDE_SKILL_DIR": "/dir"},
		}
		out := render.RenderHost(t.Context(), in, &echo{})
		got := out.Text
		if out.Error != nil {
			got = fmt.Sprintf("%s: %s", out.Error.Code, out.Error.Message)
			if out.Text != "" {
				t.Errorf("%q: an error and a text", tc.text)
			}
		}
		if got != tc.want && !(out.Error != nil && strings.HasPrefix(got, tc.want)) {
			t.Errorf("%s: %q with %q:\n got  %q\n want %q", tc.as, tc.text, tc.line, got, tc.want)
		}
	}
}

func TestRenderHostLargeOutput(t *testing.T) {
	in := render.HostInput{Host: profile(t, "claude-code"), Text: "!`big`", Saved: host.Saved{Config: "/home/.claude", Project: "/w/my proj", Session: "S"}}
	out := render.RenderHost(t.Context(), in, &echo{})
	const want = "<persisted-output>\nOutput too large (39.1KB). Full output saved to: /home/.claude/projects/-w-my-proj/S/tool-results/ID.txt\n\nPreview (first 2KB):\nline\n"
	if !strings.HasPrefix(out.Text, want) || !strings.HasSuffix(out.Text, "\nline\n...\n</persisted-output>") {
		t.Errorf("%.300q", out.Text)
	}
	if len(out.Diagnostics) != 1 || out.Diagnostics[0].Code != diag.BashTruncated {
		t.Errorf("%v", out.Diagnostics)
	}
}

// TestRenderHostBounds checks that a body that repeats its arguments does not grow without limit.
func TestRenderHostBounds(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	for _, as := range []string{"claude-code", "claude-code@2.1.88"} {
		in := render.HostInput{Host: profile(t, as), Text: strings.Repeat("$ARGUMENTS ", 90_000), Line: strings.Repeat("long $` ", 12_000)}
		out := render.RenderHost(t.Context(), in, nil)
		if out.Error == nil || out.Error.Code != diag.SizeLimit {
			t.Errorf("%s: %d bytes, error %v", as, len(out.Text), out.Error)
		}
	}
	in := render.HostInput{Host: profile(t, "claude-code"), Text: strings.Repeat("!`echo x`\n", 50_000)}
	if out := render.RenderHost(t.Context(), in, &echo{}); out.Error == nil || out.Error.Reason != render.ReasonLimit {
		t.Errorf("%d bytes, error %v", len(out.Text), out.Error)
	}
	in.NoShell = true
	if out := render.RenderHost(t.Context(), in, nil); out.Error != nil || len(out.Diagnostics) != 1 {
		t.Errorf("error %v, %v", out.Error, out.Diagnostics)
	}
}

// TestRenderHostLeavesTheRest checks that text without placeholders, variables and commands stays
// unchanged, regardless of the arguments.
func TestRenderHostLeavesTheRest(t *testing.T) {
	for _, as := range []string{"claude-code", "claude-code@2.1.88"} {
		p := profile(t, as)
		testenv.Check(t, func(t *rapid.T) {
			text := rapid.StringOf(rapid.SampledFrom([]rune("ab1 \n\t`~\\{}[]()<>!@#%^&*_-+=|;:'\",./?éß𝄞"))).Draw(t, "text")
			text = strings.ReplaceAll(strings.ReplaceAll(text, "!`", "! `"), "```!", "``` !")
			line := rapid.String().Draw(t, "line")
			out := render.RenderHost(context.Background(), render.HostInput{Host: p, Text: text, Line: line}, &echo{})
			want := text
			if line != "" {
				want = out.Text
				if !strings.HasPrefix(out.Text, text+"\n\nARGUMENTS: ") && out.Error == nil {
					t.Fatalf("%q became %q", text, out.Text)
				}
			}
			if out.Text != want && out.Error == nil {
				t.Fatalf("%q became %q", text, out.Text)
			}
		})
	}
}

// checkRan fails the test if any part of an argument was run as a command. The
// bodies do not contain the word EVIL.
func checkRan(t interface{ Fatalf(string, ...any) }, ran []render.ShellCommand) {
	for _, c := range ran {
		if !shell.SameShape(c.Text, c.Bindings) {
			t.Fatalf("an argument has changed %q", c.Text)
		}
		for at := 0; ; {
			n := strings.Index(c.Text[at:], "EVIL")
			if n < 0 {
				break
			}
			at += n
			bound := false
			for _, b := range c.Bindings {
				bound = bound || b.Span.Start <= at && at+4 <= b.Span.End
			}
			if !bound {
				t.Fatalf("%q runs a word of an argument that is not bound: %+v", c.Text, c.Bindings)
			}
			at += 4
		}
	}
}

func TestArgumentsNeverBegin(t *testing.T) {
	pieces := []string{"!`", "`", "```!", "```", "\n", " ", "$0", "$1", "$ARGUMENTS", "$n", "echo ", "x", "'", `"`, ";", "\\", "${CLAUDE_SKILL_DIR}"}
	for _, as := range []string{"claude-code", "claude-code@2.1.88"} {
		p := profile(t, as)
		testenv.Check(t, func(t *rapid.T) {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "text"), "")
			line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(pieces, "EVIL", " EVIL ")), 0, 10).Draw(t, "line"), "")
			e := &echo{}
			render.RenderHost(context.Background(), render.HostInput{
				Host: p, Text: text, Line: line, Names: []string{"n"}, Variables: map[string]string{"CLAUDE_SKILL_DIR": "/d/!`x`"},
			}, e)
			checkRan(t, e.ran)
		})
	}
}

func FuzzRenderHost(f *testing.F) {
	f.Add("a $0 !`echo $ARGUMENTS` ${CLAUDE_SKILL_DIR} @x", "EVIL b", false)
	f.Add("```!\necho $1\n```\n\\$0 $n", "'EVIL' !`EVIL`", true)
	f.Fuzz(func(t *testing.T, text, line string, old bool) {
		as := "claude-code"
		if old {
			as += "@2.1.88"
		}
		if strings.Contains(text, "EVIL") {
			return
		}
		e := &echo{}
		render.RenderHost(t.Context(), render.HostInput{
			Host: profile(t, as), Text: text, Line: line, Names: []string{"n", "ARGUMENTS"}, Variables: map[string]string{"CLAUDE_SKILL_DIR": "/d"},
		}, e)
		checkRan(t, e.ran)
	})
}

// body6K returns a 6 KB skill body with ten placeholders.
func body6K() string {
	var b strings.Builder
	for i := range 10 {
		fmt.Fprintf(&b, "## Step %d\n\nLook at $%d of `$ARGUMENTS[%d]` in ${CLAUDE_SKILL_DIR}/scripts.\n%s\n", i, i%3, i%2, strings.Repeat("Plain words about what to do here, with (brackets) and `code`.\n", 9))
	}
	return b.String()[:6<<10]
}

func BenchmarkRenderHost(b *testing.B) {
	text := body6K()
	in := render.HostInput{
		Host: profile(b, "claude-code"), Text: text, Line: "src/main.go fast", Place: "Base directory for this skill: /p\n\n",
		Variables: map[string]string{"CLAUDE_SKILL_DIR": "/p"},
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		render.RenderHost(context.Background(), in, nil)
	}
}
