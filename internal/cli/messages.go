package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/terminal"
)

// printMessages prints the texts of messages to standard output, one after the
// other, each up to the end of a line. On a terminal the role of each stands
// before it and what could steer the terminal is escaped; elsewhere the texts
// are exact and nothing is between them.
func (a *app) printMessages(messages []definition.Message) error {
	out := a.stdout()
	var problems []error
	for _, m := range messages {
		text := m.Text
		if out.IsTerminal() {
			text = terminal.Escape(text)
			_, err := fmt.Fprintln(out, out.Paint(terminal.Dim, "["+terminal.EscapeLine(m.Role)+"]"))
			problems = append(problems, err)
		}
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		_, err := io.WriteString(out, text)
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}
