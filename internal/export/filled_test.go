package export

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"

	"github.com/vadehq/vade/internal/testenv"
)

// TestEmptyPlaceholdersCreateNoMarks checks that a definition is not exported if an empty
// placeholder would turn its text into a command or a file reference.
func TestEmptyPlaceholdersCreateNoMarks(t *testing.T) {
	const prompt, own, cursor = ".github/prompts/x.prompt.md", ".agents/x.md", ".cursor/commands/x.md"
	for _, c := range []struct {
		host, at, body string
		whole          bool
	}{
		{"claude-code", prompt, "a !${input:x}`git log`", true},
		{"opencode", prompt, "a !${input:x}`git log`", true},
		{"claude-code", prompt, "a !${input:n}${input:m}`git log`", true},
		{"opencode", prompt, "a !${input:n}${input:m}`git log`", true},
		{"claude-code", prompt, "a${input:n}!${input:m}`git log`", true},
		{"claude-code", prompt, "``${input:n}`!\ngit log\n```", true},
		{"claude-code", prompt, "```${input:n}!\ngit log\n```", true},
		{"claude-code", prompt, "a${input:n}!`git log`", true},
		{"opencode", prompt, "!${input:n}`${input:m}`", true},
		{"claude-code", prompt, "a${input:n}@/etc/passwd", true},
		{"opencode", prompt, "a${input:n}@/etc/passwd", true},
		{"opencode", prompt, "a${input:n}@${input:m}/etc/passwd", true},
		{"opencode", prompt, "`${input:n}@~/.ssh/id_rsa", true},
		{"claude-code", prompt, "@${input:n}/etc/passwd", true},
		{"opencode", cursor, "a !$ARGUMENTS`git log`", true},
		{"opencode", ".pi/prompts/x.md", "a !$1`git log`", true},
		{"claude-code", ".pi/prompts/x.md", "a !$@`git log`", true},
		{"claude-code", ".gemini/x.toml", "a{{args}}!`git log`", true},
		{"claude-code", prompt, "Do !${input:x} and `git log`", false},
		{"claude-code", prompt, "Do ${input:x} in a/b.md, see @scope/package", false},
		{"claude-code", prompt, "mail me${input:n}@example.com", false},
		{"opencode", own, "a !$ARGUMENTS`git log`", false},
		{"opencode", own, "Look: !`git log $ARGUMENTS` at $0", false},
		{"opencode", own, "Look at @docs/$ARGUMENTS.md, then $0", false},
		{"gemini", prompt, "a !${input:x}`git log`", false},
		{"codex", prompt, "a !${input:x}`git log`", false},
		{"opencode", ".gemini/x.toml", "!{!{{args}}`", false},
		{"claude-code", ".gemini/x.toml", "@{```!{```", true},
	} {
		wantWhole(t, c.host, c.at, c.body, c.whole)
	}
}

// TestFilledBodiesAddNoReferences checks that an exported body with filled placeholders contains no
// commands or files for its host that the source's host does not also find.
func TestFilledBodiesAddNoReferences(t *testing.T) {
	x := syntaxes(t, definition.Command)
	marks := []string{
		"$ARGUMENTS", "$1", "{{args}}", "${input:x}", "${input:y}", "$@", "!", "`", "```", "{", "}", "!{", "@{", "@", "/etc/p", "ls", " ", "\n", "a", "\\",
	}
	made := 0
	testenv.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(marks), 1, 9).Draw(t, "marks"), "")
		choice := rapid.SliceOfN(rapid.SampledFrom([]string{"", " "}), 9, 9).Draw(t, "fillings")
		for from, a := range x {
			for to, b := range x {
				if a == nil || b == nil || same(a, b) {
					continue
				}
				it := &Item{Kind: definition.Command, Name: "x", Body: s, Syntax: a, IsFile: func(string) bool { return false }}
				w := &writer{lossList: &lossList{it: it}, host: to, syntax: b}
				out, _ := w.body(s)
				if w.risk != "" {
					continue
				}
				made++
				places := func(x *host.Syntax, s string) []piece {
					r := &reader{syntax: x, names: inputs(it.Body)}
					if x.Inputs {
						r.names = inputs(s)
					}
					return r.pieces(s)
				}
				count := func(list []piece) (n int) {
					for _, p := range list {
						if p.form != text {
							n++
						}
					}
					return n
				}
				// If plain text has become a placeholder, the bodies are comparable only if all
				// placeholders are filled with the same value.
				fillings := choice
				if count(places(a, s)) != count(places(b, out)) {
					fillings = choice[:1]
				}
				whole := func(x *host.Syntax, s string) string {
					var b strings.Builder
					n := 0
					for _, p := range places(x, s) {
						if p.form == text {
							b.WriteString(p.source)
							continue
						}
						b.WriteString(fillings[n%len(fillings)])
						n++
					}
					return b.String()
				}
				if strings.Contains(whole(a, s), "{{") || strings.Contains(out, "\\") {
					continue
				}
				meant, _ := references(a, whole(a, s))
				before, _ := references(a, s)
				meant = append(meant, before...)
				got, _ := references(b, whole(b, out))
				for _, c := range got {
					if !slices.Contains(meant, c) {
						t.Fatalf("%s to %s: %q is %q, which calls %q with %q and should call %q", from, to, s, out, c, choice, meant)
					}
				}
			}
		}
	})
	if made < 200 {
		t.Fatalf("only %d bodies were looked at: the test is broken", made)
	}
}
