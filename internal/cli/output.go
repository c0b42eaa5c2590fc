package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) stdout() *terminal.Writer { return a.writer(&a.out, a.world.Stdout) }

func (a *app) stderr() *terminal.Writer { return a.writer(&a.err, a.world.Stderr) }

func (a *app) writer(cached **terminal.Writer, w io.Writer) *terminal.Writer {
	a.streams.Lock()
	defer a.streams.Unlock()
	if *cached == nil {
		*cached = terminal.New(w, terminal.Options{Env: a.world.LookupEnv, NoColor: a.noColor, Actions: a.actions})
	}
	return *cached
}

// printJSON prints one value as indented JSON.
func (a *app) printJSON(v any) error {
	a.jsonPrinted = true
	data, err := jsonc.Marshal(v, "  ")
	if err == nil {
		_, err = a.world.Stdout.Write(terminal.EscapeJSON(data))
	}
	return err
}

// output prints v as JSON if --json is set, and otherwise calls text.
func (a *app) output(v any, text func() error) error {
	if a.json {
		return a.printJSON(v)
	}
	return text()
}

// nonNil returns a non-nil copy of list, which marshals to [] instead of null.
func nonNil[T any](list []T) []T { return append([]T{}, list...) }

// printText prints untrusted text. The text is escaped on a terminal and otherwise unchanged.
func (a *app) printText(text string) {
	if out := a.stdout(); out.IsTerminal() {
		text = terminal.Escape(text)
	}
	io.WriteString(a.stdout(), text)
}

// printProblems prints diagnostics to stderr.
func (a *app) printProblems(diags []diag.Diagnostic) error {
	return terminal.PrintDiagnostics(a.stderr(), diags...)
}

// printDiff prints a unified diff of untrusted text.
func printDiff(out *terminal.Writer, diff string) error {
	for line := range strings.Lines(diff) {
		text := strings.TrimSuffix(line, "\n")
		if out.IsTerminal() {
			text = terminal.EscapeLine(text)
		}
		style := map[byte]terminal.Style{'+': terminal.Green, '-': terminal.Red, '@': terminal.Cyan}[line[0]]
		fmt.Fprintln(out, out.Paint(style, text))
	}
	return out.Err()
}

func plural(n int, word string) string { return number(n, word, word+"s") }

func number(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// count is a labeled number, such as "2 shadowed".
type count struct {
	n    int
	word string
}

// counted returns the nonzero counts as text.
func counted(list ...count) []string {
	var parts []string
	for _, c := range list {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	return parts
}
