package script

import "strings"

// python takes one token of Python.
func (l *lexer) python() {
	c := l.src[l.at]
	switch {
	case c == '\n':
		l.at++
		if l.depth == 0 {
			l.first, l.column = true, 0
			for l.at < l.end && (l.src[l.at] == ' ' || l.src[l.at] == '\t') {
				if l.src[l.at] == '\t' {
					l.column = l.column/8*8 + 8
				} else {
					l.column++
				}
				l.at++
			}
		}
	case c == ' ' || c == '\t' || c == '\r' || c == '\f':
		if l.first && len(l.out) == 0 {
			l.column++
		}
		l.at++
	case c == '\\' && (l.peek(1) == '\n' || l.peek(1) == '\r'):
		l.at += 2
		if l.src[l.at-1] == '\r' && l.peek(0) == '\n' {
			l.at++
		}
	case c == '#':
		l.skipLine()
	case c == '"' || c == '\'':
		l.pythonText(l.at, "")
	case isLetter(c):
		if n := prefix(l.src[l.at:min(l.end, l.at+4)]); n > 0 {
			start := l.at
			l.at += n
			l.pythonText(start, strings.ToLower(l.src[start:l.at]))
			return
		}
		l.name()
	case isDigit(c), c == '.' && isDigit(l.peek(1)):
		l.number()
	default:
		l.mark()
	}
}

// prefix is the length of the letters before the quote of a string.
func prefix(s string) int {
	for n := range len(s) {
		switch s[n] {
		case '"', '\'':
			return n
		case 'r', 'R', 'b', 'B', 'u', 'U', 'f', 'F', 't', 'T':
			if n == 2 {
				return 0
			}
		default:
			return 0
		}
	}
	return 0
}

// pythonText takes a string that began at an offset with the letters of its prefix.
func (l *lexer) pythonText(start int, letters string) {
	q := l.src[l.at]
	long := l.peek(1) == q && l.peek(2) == q
	if long {
		l.at += 3
	} else {
		l.at++
	}
	raw := strings.Contains(letters, "r")
	var text strings.Builder
	var parts []Part
	template := strings.ContainsAny(letters, "ft")
	from := l.at
	flush := func(to int) {
		if from < to {
			text.WriteString(l.src[from:to])
		}
	}
	closed := false
	for l.at < l.end && !closed {
		c := l.src[l.at]
		switch {
		case c == q && (!long || l.peek(1) == q && l.peek(2) == q):
			flush(l.at)
			l.at++
			if long {
				l.at += 2
			}
			from, closed = l.at, true
		case c == '\n' && !long:
			// It never ended: the rest is code again.
			flush(l.at)
			from, closed = l.at, true
		case c == '\\':
			if raw {
				l.at = min(l.at+2, l.end)
				continue
			}
			flush(l.at)
			l.escape(&text)
			from = l.at
		case template && (c == '{' || c == '}') && l.peek(1) == c:
			flush(l.at + 1)
			l.at += 2
			from = l.at
		case template && c == '{' && len(parts) < maxParts:
			flush(l.at)
			parts = append(parts, Part{Text: text.String()})
			text.Reset()
			a, b := l.field(q, long)
			parts = append(parts, Part{Start: a, End: b})
			from = l.at
		default:
			l.at++
		}
	}
	if !closed {
		flush(l.end)
		l.at = l.end
	}
	if len(parts) == 0 {
		l.add(Text, start, text.String())
		return
	}
	parts = append(parts, Part{Text: text.String()})
	l.add(Template, start, "").Parts = parts
}

// field steps over the field {…} of a string, and returns where its code is: before a
// conversion or a format.
func (l *lexer) field(q byte, long bool) (start, end int) {
	l.at++
	start, end = l.at, -1
	depth := 0
	for l.at < l.end {
		c := l.src[l.at]
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']':
			depth--
		case '}':
			if depth <= 0 {
				if end < 0 {
					end = l.at
				}
				l.at++
				return start, end
			}
			depth--
		case '\n':
			if !long {
				return start, max(end, l.at)
			}
		case '\'', '"':
			if c == q && !long && strings.IndexByte(l.src[l.at+1:min(l.end, l.at+200)], '}') < 0 {
				return start, l.at
			}
			// A string in the field: to its quote on the same line.
			n := strings.IndexByte(l.src[l.at+1:min(l.end, l.at+4<<10)], c)
			if n < 0 {
				return start, l.at
			}
			l.at += n + 1
		case '!', ':':
			if depth == 0 && end < 0 && l.peek(1) != '=' {
				end = l.at
			}
		}
		l.at++
	}
	return start, max(start, min(l.end, max(end, l.at)))
}

// escape takes an escape of a string: those of both languages.
func (l *lexer) escape(out *strings.Builder) {
	c := l.peek(1)
	l.at += 2
	switch c {
	case 'n':
		out.WriteByte('\n')
	case 't':
		out.WriteByte('\t')
	case 'r':
		out.WriteByte('\r')
	case '0', '1', '2', '3', '4', '5', '6', '7':
		v := rune(c - '0')
		for k := 0; k < 2 && l.at < l.end && l.src[l.at] >= '0' && l.src[l.at] <= '7'; k++ {
			v = v*8 + rune(l.src[l.at]-'0')
			l.at++
		}
		out.WriteRune(v)
	case 'x':
		l.hex(out, 2)
	case 'u':
		if l.peek(0) == '{' {
			l.at++
			l.hex(out, 8)
			if l.peek(0) == '}' {
				l.at++
			}
			return
		}
		l.hex(out, 4)
	case 'U':
		l.hex(out, 8)
	case '\r':
		if l.peek(0) == '\n' {
			l.at++
		}
	case '\n', 0:
	default:
		out.WriteByte(c)
	}
	l.at = min(l.at, l.end)
}

// hex takes up to n digits of a code point.
func (l *lexer) hex(out *strings.Builder, n int) {
	v := rune(0)
	for ; n > 0 && l.at < l.end; n-- {
		d := digit(l.src[l.at])
		if d < 0 {
			break
		}
		v = (v<<4 | rune(d)) & 0x1FFFFF
		l.at++
	}
	out.WriteRune(v)
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
