package transcript

import "strings"

// token is a piece of a shell text as it is shown: a word, blanks, or an operator.
type token struct {
	// written is the piece as it stands, text a word without its quotes.
	written, text string
	word          bool
	// ends: a command ends here.
	ends bool
}

// tokens divides a shell text so that nothing between quotes is torn apart. It is only
// for showing: what a command is, package shell says. A quote that is not closed goes on
// to the end.
func tokens(s string) []token {
	var list []token
	for i := 0; i < len(s); {
		start := i
		switch c := s[i]; {
		case c == ' ' || c == '\t':
			for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
				i++
			}
			list = append(list, token{written: s[start:i]})
		case strings.IndexByte("\n;|&()", c) >= 0:
			for i < len(s) && s[i] == c {
				i++
			}
			list = append(list, token{written: s[start:i], ends: true})
		case c == '<' || c == '>':
			for i < len(s) && strings.IndexByte("<>&", s[i]) >= 0 {
				i++
			}
			list = append(list, token{written: s[start:i]})
		default:
			text, end := quotedWord(s, i)
			i = end
			list = append(list, token{written: s[start:i], text: text, word: true})
		}
	}
	return list
}

// quotedWord reads a word from i on, and returns it without quotes and where it ends.
func quotedWord(s string, i int) (string, int) {
	var b strings.Builder
	for i < len(s) {
		switch c := s[i]; c {
		case ' ', '\t', '\n', ';', '|', '&', '(', ')', '<', '>':
			return b.String(), i
		case '\\':
			if i++; i < len(s) {
				b.WriteByte(s[i])
				i++
			}
		case '\'', '"':
			i++
			for i < len(s) && s[i] != c {
				if c == '"' && s[i] == '\\' && i+1 < len(s) {
					i++
				}
				b.WriteByte(s[i])
				i++
			}
			i++
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String(), len(s)
}
