package export

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host/registry"

	"github.com/vadehq/vade/internal/testenv"
)

// TestUnclosedMarks parses long bodies that consist only of unclosed marks. If the parser searched
// for the end of each mark separately, this would take hours.
func TestUnclosedMarks(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	for _, mark := range []string{"!{", "@{", "{", "@", "$", "${", "${@:", "${@:2}", "${input:x}", "!`"} {
		for _, at := range []string{"x.md", "x.prompt.md", ".opencode/x.md", ".gemini/x.toml", ".pi/prompts/x.md"} {
			format := definition.Markdown
			if strings.HasSuffix(at, ".toml") {
				format = definition.TOML
			}
			for _, p := range []string{"claude-code", "gemini", "opencode", "pi", "copilot-vscode"} {
				Make(lookup(t, p), &Item{
					Kind: definition.Command, Name: "xx", Source: at, Body: strings.Repeat(mark, 10_000), Format: format,
					Syntax: registry.SyntaxAt(definition.Command, format, at), IsFile: func(string) bool { return false },
				})
			}
		}
	}
}

// TestCanceled checks that reading a body stops after cancellation.
func TestCanceled(t *testing.T) {
	for _, at := range []string{"x.md", ".opencode/x.md"} {
		asked := 0
		r := Make(lookup(t, "gemini"), &Item{
			Kind: definition.Command, Name: "xx", Source: at, Body: strings.Repeat("$ARGUMENTS ", 100_000),
			Syntax:   registry.SyntaxAt(definition.Command, definition.Markdown, at),
			Canceled: func() bool { asked++; return true },
		})
		if len(r.Files) > 0 || asked == 0 || asked > 10 {
			t.Errorf("%s: asked %d times, %d files", at, asked, len(r.Files))
		}
	}
}
