// Package report writes findings for other programs: SARIF for code scanning,
// and GitHub Actions workflow commands.
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/terminal"
)

// GitHub writes findings as workflow commands, which GitHub Actions shows at the corresponding
// lines in a pull request. Each finding is one line, so a file's text cannot start a command.
func GitHub(w io.Writer, list []rules.Finding) error {
	var b strings.Builder
	property := strings.NewReplacer(":", "%3A", ",", "%2C")
	for i := range list {
		f := &list[i]
		command := level(f.Severity)
		if f.Severity == diag.Info {
			command = "notice"
		}
		fmt.Fprintf(&b, "::%s file=%s", command, property.Replace(commandText(f.Path)))
		if f.Line > 0 {
			fmt.Fprintf(&b, ",line=%d,col=%d", f.Line, f.Column)
		}
		if f.EndLine == f.Line && f.EndColumn > f.Column {
			fmt.Fprintf(&b, ",endColumn=%d", f.EndColumn)
		}
		if f.EndLine > 0 {
			fmt.Fprintf(&b, ",endLine=%d", f.EndLine)
		}
		fmt.Fprintf(&b, ",title=%s::%s\n", property.Replace(commandText(string(f.Code))), commandText(withFix(f.Message, f.Fix)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// commandText escapes text the way GitHub Actions expects. It also escapes characters that a log
// would interpret or a reader could not see, and "##[", which starts a command in the older syntax
// anywhere in a line.
func commandText(s string) string {
	s = strings.ReplaceAll(terminal.Escape(s), "##[", `##\x5b`)
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}
