package script

import "strings"

// javascript takes one token of JavaScript or TypeScript.
func (l *lexer) javascript() {
	c := l.src[l.at]
	switch {
	case c == '\n':
		l.at++
		l.first, l.column = true, 0
	case c == ' ' || c == '\t' || c == '\r':
		l.at++
	case c == '/' && l.peek(1) == '/':
		l.skipLine()
	case c == '#' && l.at == 0:
		l.skipLine()
	case c == '/' && l.peek(1) == '*':
		n := strings.Index(l.src[l.at+2:l.end], "*/")
		if n < 0 {
			l.at = l.end
			return
		}
		l.at += n + 4
	case c == '/' && l.regexHere():
		l.regex()
	case c == '"' || c == '\'':
		l.quoted(c)
	case c == '`':
		l.template()
	case c == '#' && isLetter(l.peek(1)):
		l.at++
		l.name()
	case isLetter(c):
		l.name()
	case isDigit(c), c == '.' && isDigit(l.peek(1)):
		l.number()
	default:
		l.mark()
	}
}

// regexHere reports whether a slash begins a regular expression: it does where no
// value stands before it.
func (l *lexer) regexHere() bool {
	if len(l.out) == 0 {
		return true
	}
	t := l.out[len(l.out)-1]
	switch t.Kind {
	case Name:
		switch t.Text {
		case "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "await", "yield":
			return true
		}
		return false
	case Mark:
		return t.Text != ")" && t.Text != "]" && t.Text != "}" && t.Text != "++" && t.Text != "--"
	}
	return false
}

// regex takes a regular expression, or a slash where its line has no second one.
func (l *lexer) regex() {
	start, class := l.at, false
	for i := l.at + 1; i < min(l.end, l.at+4<<10); i++ {
		switch c := l.src[i]; {
		case c == '\n':
			l.mark()
			return
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			l.at = i + 1
			for l.at < l.end && isLetter(l.src[l.at]) {
				l.at++
			}
			l.add(Regex, start, l.src[start:l.at])
			return
		}
	}
	l.mark()
}

// quoted takes a string in one of the two quotes.
func (l *lexer) quoted(q byte) {
	start := l.at
	l.at++
	var text strings.Builder
	from := l.at
	for l.at < l.end {
		c := l.src[l.at]
		if c == q || c == '\n' {
			break
		}
		if c == '\\' {
			text.WriteString(l.src[from:l.at])
			l.escape(&text)
			from = l.at
			continue
		}
		l.at++
	}
	text.WriteString(l.src[from:l.at])
	if l.at < l.end && l.src[l.at] == q {
		l.at++
	}
	l.add(Text, start, text.String())
}

// template takes a string in backticks.
func (l *lexer) template() {
	start := l.at
	l.at++
	var text strings.Builder
	var parts []Part
	from := l.at
	for l.at < l.end && l.src[l.at] != '`' {
		switch c := l.src[l.at]; {
		case c == '\\':
			text.WriteString(l.src[from:l.at])
			l.escape(&text)
			from = l.at
		case c == '$' && l.peek(1) == '{' && len(parts) < maxParts:
			text.WriteString(l.src[from:l.at])
			parts = append(parts, Part{Text: text.String()})
			text.Reset()
			a := l.at + 2
			l.at = a
			l.inside(0)
			parts = append(parts, Part{Start: a, End: l.at})
			l.at = min(l.at+1, l.end)
			from = l.at
		default:
			l.at++
		}
	}
	text.WriteString(l.src[min(from, l.at):l.at])
	l.at = min(l.at+1, l.end)
	if len(parts) == 0 {
		l.add(Text, start, text.String())
		return
	}
	parts = append(parts, Part{Text: text.String()})
	l.add(Template, start, "").Parts = parts
}

// inside goes to the brace that closes the code in a template.
func (l *lexer) inside(depth int) {
	braces := 0
	for l.at < l.end {
		switch c := l.src[l.at]; c {
		case '{':
			braces++
		case '}':
			if braces == 0 {
				return
			}
			braces--
		case '\'', '"':
			for l.at++; l.at < l.end && l.src[l.at] != c && l.src[l.at] != '\n'; l.at++ {
				if l.src[l.at] == '\\' {
					l.at++
				}
			}
		case '`':
			for l.at++; l.at < l.end && l.src[l.at] != '`'; l.at++ {
				if l.src[l.at] == '\\' {
					l.at++
				} else if l.src[l.at] == '$' && l.peek(1) == '{' && depth < maxDepth {
					l.at += 2
					l.inside(depth + 1)
				}
			}
		}
		l.at++
	}
	l.at = min(l.at, l.end)
}
