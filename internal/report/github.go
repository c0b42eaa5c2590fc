package report

import (
	"io"
	"strconv"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/terminal"
)

// GitHub writes findings as workflow commands, which GitHub Actions shows at their
// lines in a pull request. What a file says can not begin a command of its own:
// each finding is one line.
func GitHub(w io.Writer, list []rules.Finding) error {
	var b strings.Builder
	for i := range list {
		f := &list[i]
		b.Reset()
		b.WriteString("::" + command(f.Severity) + " ")
		property(&b, "file", f.Path)
		if f.Line > 0 {
			property(&b, ",line", strconv.Itoa(f.Line))
			property(&b, ",col", strconv.Itoa(f.Column))
		}
		if f.EndLine == f.Line && f.EndColumn > f.Column {
			property(&b, ",endColumn", strconv.Itoa(f.EndColumn))
		}
		if f.EndLine > 0 {
			property(&b, ",endLine", strconv.Itoa(f.EndLine))
		}
		property(&b, ",title", string(f.Code))
		text := f.Message
		if f.Fix != "" {
			text += "\nfix: " + f.Fix
		}
		b.WriteString("::" + data(text) + "\n")
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}

func command(s diag.Severity) string {
	switch s {
	case diag.Error:
		return "error"
	case diag.Warning:
		return "warning"
	}
	return "notice"
}

// data escapes a text as GitHub Actions reads it back.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(printable(s))
}

func property(b *strings.Builder, name, value string) {
	b.WriteString(name + "=" + strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(value)))
}

// printable replaces what a log would obey or a reader not see, and the older form of
// commands, which counts anywhere in a line.
func printable(s string) string {
	return strings.ReplaceAll(terminal.Escape(s), "##[", `##\x5b`)
}
