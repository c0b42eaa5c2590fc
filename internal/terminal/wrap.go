package terminal

import "strings"

// Wrap breaks a text at its blanks into lines of at most width columns: on the first
// of them used columns are taken, the others are indented. The first word stays where
// it is, and one that is longer than a line stays whole. With a width of 0 the text is returned as it is. Escape first.
func Wrap(text string, width, used, indent int) string {
	if width <= 0 || used+Width(text) <= width {
		return text
	}
	var b strings.Builder
	at := used
	for i, word := range strings.Split(text, " ") {
		n := Width(word)
		switch {
		case i == 0:
		case at+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}
