package export

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"

	"github.com/vadehq/vade/internal/testenv"
)

// syntaxes maps host names to their syntax for a kind.
func syntaxes(t testing.TB, k definition.Kind) map[string]*host.Syntax {
	t.Helper()
	all := map[string]*host.Syntax{}
	for _, p := range registry.Profiles() {
		if p.Export == nil {
			continue
		}
		var s *host.Syntax
		if p.Export.Syntax != nil {
			s = p.Export.Syntax(k)
		}
		all[p.Name] = s
	}
	if len(all) < 10 {
		t.Fatalf("only %d hosts can be exported to: the test is broken", len(all))
	}
	return all
}

// translate converts a body from one syntax to another.
func translate(from, to *host.Syntax, s string, names ...string) (out string, what []string) {
	it := &Item{Kind: definition.Command, Name: "x", Body: s, Syntax: from, Names: names, Line: func(int) int { return 1 }}
	w := &writer{lossList: &lossList{it: it}, host: "there", syntax: to}
	out, _ = w.body(s)
	for _, l := range w.losses {
		if !slices.Contains(what, l.What) {
			what = append(what, l.What)
		}
	}
	return out, what
}

func TestBodies(t *testing.T) {
	x := syntaxes(t, definition.Command)
	for _, c := range []struct {
		from, to string
		in, want string
		names    string
		lost     string
	}{
		{"claude-code", "opencode", "Do $ARGUMENTS.", "Do $ARGUMENTS.", "", ""},
		{"claude-code", "opencode", "$0 and $ARGUMENTS[1]", "$1 and $2", "", "argument"},
		{"claude-code", "opencode", "Read $file in $mode", "Read $1 in $2", "file mode", "argument"},
		{"claude-code", "opencode", `costs \$1 now`, "costs $1 now", "", "text"},
		{"claude-code", "opencode", "!`git diff $0`", "!`git diff $1`", "", "argument"},
		{"claude-code", "opencode", "see @a/b.md here", "see @a/b.md here", "", ""},
		{"claude-code", "opencode", "costs $10,000", "costs $10,000", "", "text"},
		{"claude-code", "codex", "costs $5.00", "costs $5.00", "", ""},
		{"claude-code", "gemini", "Do $ARGUMENTS.", "Do {{args}}.", "", ""},
		{"claude-code", "gemini", "!`git log $ARGUMENTS`", "!{git log {{args}}}", "", ""},
		{"claude-code", "gemini", "```!\ngit log\n```", "!{git log}", "", ""},
		{"claude-code", "gemini", "!`echo }`", "!`echo }`", "", "shell"},
		{"claude-code", "gemini", "see @a/b.md, then", "see @{a/b.md}, then", "", ""},
		{"claude-code", "gemini", "lines @a/b.md#L2-3", "lines @{a/b.md}", "", "file"},
		{"claude-code", "gemini", "first $0", "first $0", "", "argument"},
		{"claude-code", "gemini", "literal {{args}}", "literal {{args}}", "", "text"},
		{"claude-code", "gemini", "open !{ and on", "open !{ and on", "", "text"},
		{"claude-code", "gemini", "```\n@app.route\n```", "```\n@app.route\n```", "", ""},
		{"claude-code", "pi", "$0 of $ARGUMENTS", "$1 of $ARGUMENTS", "", "argument"},
		{"claude-code", "pi", "!`ls $0`", "!`ls $1`", "", "shell argument"},
		{"claude-code", "copilot-vscode", "in $mode", "in ${input:mode}", "mode", "argument"},
		{"claude-code", "copilot-vscode", "in ${CLAUDE_PROJECT_DIR}", "in ${workspaceFolder}", "", ""},
		{"claude-code", "copilot-vscode", "in ${CLAUDE_SESSION_ID}", "in ${CLAUDE_SESSION_ID}", "", "variable"},
		{"claude-code", "copilot-cli", `costs \$1, does $ARGUMENTS`, "costs $1, does $ARGUMENTS", "", "argument"},
		{"claude-code", "codex", "plain ${HOME} text", "plain ${HOME} text", "", ""},
		{"claude-code", "cursor", "!`ls`", "!`ls`", "", "shell"},
		{"claude-code", "claude-code", `\$1 $0 {{args}} @x`, `\$1 $0 {{args}} @x`, "", ""},
		{"opencode", "claude-code", "Fix $1", "Fix $ARGUMENTS", "", ""},
		{"opencode", "claude-code", "Fix $0", `Fix \$0`, "", "argument"},
		{"claude-code", "opencode", "costs $0.05", "costs $0.05", "", "text"},
		{"opencode", "claude-code", "Fix $1 with $2", "Fix $0 with $1", "", "argument"},
		{"opencode", "claude-code", "(!`ls`)", "(!`ls`)", "", "text"},
		{"claude-code", "gemini", "{{args}} then {{args}} and $ARGUMENTS", "{{args}} then {{args}} and {{args}}", "", "text"},
		{"opencode", "pi", "Fix $1 with $2", "Fix $1 with ${@:2}", "", ""},
		{"opencode", "claude-code", "price $5x", "price $ARGUMENTS[4]x", "", "argument"},
		{"gemini", "claude-code", "Do {{args}} $1 !{ls -l} @{a.md}", "Do $ARGUMENTS \\$1 !`ls -l` @a.md", "", ""},
		{"gemini", "opencode", "!{echo {{args}}}", "!{echo $ARGUMENTS}", "", "shell"},
		{"gemini", "claude-code", "!{grep {{args}} x}", "!{grep $ARGUMENTS x}", "", "shell"},
		{"gemini", "qwen", "!{grep {{args}} x}", "!{grep {{args}} x}", "", ""},
		{"gemini", "claude-code", "!{echo `date`}", "```!\necho `date`\n```", "", ""},
		{"gemini", "gemini", "Do {{args}} !{x} @{y}", "Do {{args}} !{x} @{y}", "", ""},
		{"gemini", "qwen", "Do {{args}}", "Do {{args}}", "", ""},
		{"qwen", "claude-code", "!{echo $ARGUMENTS} $ARGUMENTS", "!{echo $ARGUMENTS} \\$ARGUMENTS", "", "shell"},
		{"copilot-vscode", "claude-code", "Make ${input:name:the name}", "Make $name", "", "argument"},
		{"copilot-vscode", "opencode", "Make ${input:a} ${input:b}", "Make $1 $2", "", "argument"},
		{"copilot-vscode", "gemini", "Make ${input:a:hint}", "Make ${input:a:hint}", "", "argument"},
		{"copilot-vscode", "copilot-vscode", "${input:a:hint} ${selection} ${file}", "${input:a:hint} ${selection} ${file}", "", ""},
		{"copilot-vscode", "claude-code", "in ${workspaceFolder}", "in ${CLAUDE_PROJECT_DIR}", "", ""},
		{"copilot-vscode", "gemini", "in ${workspaceFolder}", "in ${workspaceFolder}", "", "variable"},
		{"copilot-vscode", "claude-code", "of ${selection}, ${fileBasename}", "of ${selection}, ${fileBasename}", "", "variable"},
		{"copilot-vscode", "codex", "of ${file}", "of ${file}", "", "variable"},
		{"claude-code", "copilot-vscode", "for ${file} in x", "for ${file} in x", "", "text"},
		{"claude-code", "copilot-vscode", "for ${home} in x", "for ${home} in x", "", ""},
		{"pi", "claude-code", "All $@, rest ${@:2}", "All $ARGUMENTS, rest $1", "", "argument"},
		{"pi", "opencode", "From ${@:1}", "From $ARGUMENTS", "", ""},
	} {
		got, lost := translate(x[c.from], x[c.to], c.in, strings.Fields(c.names)...)
		if got != c.want || strings.Join(lost, " ") != c.lost {
			t.Errorf("%s to %s: %q is %q, loses %q; want %q, %q", c.from, c.to, c.in, got, lost, c.want, c.lost)
		}
	}
}

// TestPlainTextStays checks that a body without special syntax is exported to every host unchanged
// and without losses.
func TestPlainTextStays(t *testing.T) {
	x := syntaxes(t, definition.Command)
	testenv.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching("[a-zA-Z0-9 .,;:#*_()\\[\\]\n<>/=+-]{0,200}").Draw(t, "text")
		for from, a := range x {
			for to, b := range x {
				if got, lost := translate(a, b, s); got != s || len(lost) > 0 {
					t.Fatalf("%s to %s: %q is %q, loses %q", from, to, s, got, lost)
				}
			}
		}
	})
}

// TestBodyRoundTrip checks that if a body is exported without losses, the target host parses the
// result into the same pieces.
func TestBodyRoundTrip(t *testing.T) {
	x := syntaxes(t, definition.Command)
	pieces := []string{"$ARGUMENTS", "$0", "$1", "\\$1", "{{args}}", "!`git diff`", "!{ls}", "@a/b.md", "@{a.md}", "${input:x}", "$@", "${@:2}", "text", " ", "\n", "$", "`", "{", "}", "!", "0", "é"}
	crossed := 0
	testenv.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		for from, a := range x {
			for to, b := range x {
				if a == nil || b == nil {
					continue
				}
				out, lost := translate(a, b, s)
				if len(lost) > 0 {
					continue
				}
				crossed++
				if same(a, b) && out != s {
					t.Fatalf("%s to %s: %q is %q", from, to, s, out)
				}
				if back, lost := translate(b, a, out); len(lost) == 0 && !equalPieces(a, s, back) {
					t.Fatalf("%s to %s and back: %q is %q there and %q here", from, to, s, out, back)
				}
			}
		}
	})
	if crossed < 200 {
		t.Fatalf("only %d bodies were compared: the test is broken", crossed)
	}
}

// equalPieces compares the pieces of two bodies in the same syntax.
func equalPieces(x *host.Syntax, a, b string) bool {
	read := func(s string) []piece {
		r := &reader{syntax: x}
		if x.Inputs {
			r.names = inputs(s)
		}
		return r.read(s)
	}
	p, q := read(a), read(b)
	w := &writer{syntax: x}
	return slices.EqualFunc(p, q, func(a, b piece) bool { return w.equivalent(&a, &b) })
}

func FuzzBody(f *testing.F) {
	for _, s := range []string{"", "$ARGUMENTS $0 \\$1", "!`a $0` ```!\nb\n```", "!{a {b} {{args}}} @{c}", "${@:2:3} $@ ${input:x:y}", "@\"a b\"#L2-3 @a.b,", "$99999999999999999999"} {
		f.Add(s, "name")
	}
	x := syntaxes(f, definition.Command)
	f.Fuzz(func(t *testing.T, s, name string) {
		for from, a := range x {
			for to, b := range x {
				out, lost := translate(a, b, s, name)
				if len(lost) == 0 && same(a, b) && out != s {
					t.Errorf("%s to %s: %q is %q", from, to, s, out)
				}
			}
		}
	})
}

// TestTextNeverBecomesCommand checks that a definition is not exported if plain text would become a
// command or a file reference in the target host.
func TestTextNeverBecomesCommand(t *testing.T) {
	for _, c := range []struct {
		host, at, body string
		whole          bool
	}{
		{"gemini", ".agents/x.md", "See !{touch P} here", true},
		{"qwen", ".agents/x.md", "See !{touch P} here", true},
		{"gemini", ".agents/x.md", "See @{/etc/passwd} here", true},
		{"gemini", ".agents/x.md", "Two @{a.md} and !{touch P}", true},
		{"claude-code", ".gemini/x.toml", "See !`touch P` here", true},
		{"opencode", ".gemini/x.toml", "See !`touch P` here", true},
		{"claude-code", ".github/prompts/x.prompt.md", "See !`touch P` here", true},
		{"claude-code", ".github/prompts/x.prompt.md", "```!\ntouch P\n```\n", true},
		{"opencode", ".github/prompts/x.prompt.md", "See !`touch P` here", true},
		{"claude-code", ".cursor/commands/x.md", "See !`touch P` here", true},
		{"gemini", ".cursor/commands/x.md", "See !{touch P} here", true},
		{"claude-code", ".cursor/commands/x.md", "See @/etc/passwd here", true},
		{"claude-code", ".github/prompts/x.prompt.md", "See @~/.ssh/id_rsa here", true},
		{"claude-code", ".github/prompts/x.prompt.md", "See @.env here", true},
		{"claude-code", ".github/prompts/x.prompt.md", "See @../other/a here", true},
		{"claude-code", ".github/prompts/x.prompt.md", "Use @scope/package here", false},
		{"codex", ".agents/x.md", "See !{touch P} here", false},
		{"claude-code", ".agents/x.md", "See !`touch P` here", false},
		{"cursor", ".agents/x.md", "See @{/etc/passwd} here", false},
	} {
		wantWhole(t, c.host, c.at, c.body, c.whole)
	}
}

// wantWhole exports a command to a host and checks whether the command is omitted. If it is, there
// must be a loss with a message.
func wantWhole(t *testing.T, name, at, body string, want bool) {
	t.Helper()
	format := definition.Markdown
	if strings.HasSuffix(at, ".toml") {
		format = definition.TOML
	}
	r := Make(lookup(t, name), &Item{
		Kind: definition.Command, Name: "xx", Source: at, Body: body, Format: format, Syntax: registry.SyntaxAt(definition.Command, format, at),
		IsFile: func(string) bool { return false },
	})
	if whole := len(r.Files) == 0; whole != want {
		t.Errorf("%s: %s: %q: whole is %v: %+v", name, at, body, whole, r.Losses)
	}
	if want && !slices.ContainsFunc(r.Losses, func(l HostLoss) bool { return l.Whole && l.What == LossText && l.Fix != "" }) {
		t.Errorf("%s: %s: %q: nothing is said: %+v", name, at, body, r.Losses)
	}
}

// TestAllMarksAreReported checks that every mark is reported, not only the first one.
func TestAllMarksAreReported(t *testing.T) {
	it := &Item{Kind: definition.Command, Name: "x", Body: "a @b/c d @e/f g $1", Syntax: registry.SyntaxAt(definition.Command, definition.Markdown, "x.prompt.md"), IsFile: func(string) bool { return false }}
	w := &writer{lossList: &lossList{it: it}, host: "there", syntax: registry.SyntaxAt(definition.Command, definition.Markdown, ".opencode/x.md")}
	w.body(it.Body)
	for _, mark := range []string{"@b/c", "@e/f", "$1"} {
		if !slices.ContainsFunc(w.losses, func(l HostLoss) bool { return l.What == LossText && strings.Contains(l.Message, mark) }) {
			t.Errorf("%s is not named: %+v", mark, w.losses)
		}
	}
}

// TestPlacesWithoutArguments checks that a placeholder without an argument is reported if the
// target host and the source's host treat it differently.
func TestPlacesWithoutArguments(t *testing.T) {
	const empty, text = "a placeholder with no argument expands to an empty string instead of being left as is", "a placeholder with no argument is left as is instead of expanding to an empty string"
	x := syntaxes(t, definition.Command)
	for _, c := range []struct{ from, to, in, want string }{
		{"claude-code", "opencode", "Fix $0. Cost $5.", "in there, the last positional argument, $6, also takes all remaining words, and " + empty},
		{"claude-code", "pi", "Fix $0. Cost $5.", "in there, " + empty},
		{"claude-code", "opencode", `Fix $ARGUMENTS. Cost \$5.`, ""},
		{"opencode", "claude-code", "Fix $1 with $2", "in there, " + text},
		{"opencode", "pi", "Fix $1 with $2", ""},
	} {
		it := &Item{Kind: definition.Command, Name: "x", Body: c.in, Syntax: x[c.from], Line: func(int) int { return 1 }}
		w := &writer{lossList: &lossList{it: it}, host: "there", syntax: x[c.to]}
		w.body(c.in)
		var got []string
		for _, l := range w.losses {
			if l.What == LossArgument && strings.Contains(l.Message, "placeholder with no argument") {
				got = append(got, l.Message)
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s to %s: %q loses %q, want %q", c.from, c.to, c.in, got, c.want)
		}
	}
}
