package coreutils

import (
	"bufio"
	"fmt"
	"strings"
)

func nlCommand() Command {
	return simple("nl", "number lines", nlSyntax, prepareNl)
}

func nlSyntax() syntax {
	style := checkOneOf("a", "t", "n")
	return syntax{flags: []flag{
		{names: "b body-numbering", value: withValue, check: style},
		{names: "h header-numbering", value: withValue, check: style},
		{names: "f footer-numbering", value: withValue, check: style},
		{names: "w number-width", value: withValue, check: checkWidth},
		{names: "s number-separator", value: withValue},
		{names: "n number-format", value: withValue, check: checkOneOf("ln", "rn", "rz")},
		{names: "v starting-line-number", value: withValue, check: checkInteger(-1e9)},
		{names: "i line-increment", value: withValue, check: checkInteger(-1e9)},
		{names: "p no-renumber"},
	}}
}

func checkWidth(value string) string {
	if wrong := checkInteger(1)(value); wrong != "" || len(value) > 4 {
		return "invalid width " + value
	}
	return ""
}

// numbering is the state of nl through all inputs.
type numbering struct {
	styles           [3]string // header, body, footer
	section          int
	next, start, inc int
	keep             bool
	format, blank    string
}

func prepareNl(p *parsed) (*Prepared, error) {
	width, sep := p.number("w", 6), "\t"
	if v, ok := p.value("s"); ok {
		sep = v
	}
	n := numbering{styles: [3]string{"n", "t", "n"}, section: 1, start: p.number("v", 1), inc: p.number("i", 1), keep: p.has("p")}
	for i, id := range []string{"h", "b", "f"} {
		if v, ok := p.value(id); ok {
			n.styles[i] = v
		}
	}
	n.format = fmt.Sprintf("%%%dd", width)
	switch v, _ := p.value("n"); v {
	case "ln":
		n.format = fmt.Sprintf("%%-%dd", width)
	case "rz":
		n.format = fmt.Sprintf("%%0%dd", width)
	}
	n.blank = strings.Repeat(" ", width+len(sep))
	n.next = n.start
	state := n
	return filter("nl", p, func(out *bufio.Writer, line []byte, _ bool) error {
		return state.line(out, line, sep)
	}), nil
}

// line numbers one line, or begins the section that it stands for.
func (n *numbering) line(out *bufio.Writer, line []byte, sep string) error {
	switch string(line) {
	case `\:\:\:`, `\:\:`, `\:`:
		n.section = 3 - len(line)/2
		if !n.keep {
			n.next = n.start
		}
		return out.WriteByte('\n')
	}
	if style := n.styles[n.section]; style == "a" || style == "t" && len(line) > 0 {
		fmt.Fprintf(out, n.format, n.next)
		out.WriteString(sep)
		n.next += n.inc
	} else {
		out.WriteString(n.blank)
	}
	return writeLine(out, line, '\n', true)
}
