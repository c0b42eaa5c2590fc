package commands

import (
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/shell"
)

// fallbackLines analyzes lines that the parser did not take: each by itself, and where it
// is no shell then either, by its separators and blanks.
func (v *analyzer) fallbackLines(from, to int) {
	for from < to {
		end := min(lineEnd(v.text, from), to)
		v.fallbackLine(from, end)
		from = end
	}
}

func (v *analyzer) fallbackLine(from, to int) {
	line := strings.TrimRight(v.text[from:to], "\r\n")
	if strings.TrimSpace(line) == "" || len(v.out.Commands) >= maxCommands {
		return
	}
	text, base := v.text, v.base
	v.text, v.base = line, base+from
	defer func() { v.text, v.base = text, base }()
	if clean := maskPlaceholders(shell.Parsable(line)); len(line) <= 4<<10 {
		if file, err := shell.NewParser().Parse(strings.NewReader(clean), ""); err == nil {
			v.stmts(file.Stmts)
			return
		}
	}
	v.segments(line)
}

// segments splits a line at the separators of commands.
func (v *analyzer) segments(line string) []int {
	var stages [][]int
	var all []int
	start := 0
	end := func(at int, piped bool) {
		i := v.fallbackCommand(line, start, at)
		if i >= 0 {
			stages = append(stages, []int{i})
			all = append(all, i)
		}
		if !piped {
			v.pipe(stages)
			stages = nil
		}
	}
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case c == '\\':
			i += 2
			continue
		case c == '\'' || c == '"':
			if n := afterQuote(line[i:], c); n > 0 {
				i += n + 1
				continue
			}
		case c == '#' && (i == 0 || line[i-1] == ' '):
			end(i, false)
			return all
		case strings.HasPrefix(line[i:], "$(") || strings.HasPrefix(line[i:], "<("):
			if n := closingParen(line[i+1:]); n > 0 {
				i += n + 2
				continue
			}
		case c == '>' && i+1 < len(line) && line[i+1] == '&', c == '&' && i+1 < len(line) && line[i+1] == '>':
			i += 2
			continue
		case c == '|' || c == ';' || c == '&' || c == '\n':
			n := 1
			if i+1 < len(line) && (line[i+1] == c || c == '|' && line[i+1] == '&') {
				n = 2
			}
			end(i, c == '|' && (n == 1 || line[i+1] == '&'))
			i += n
			start = min(i, len(line))
			continue
		}
		i++
	}
	end(len(line), false)
	return all
}

// afterQuote returns where the quotation ends that s begins with; -1 where it does not.
func afterQuote(s string, c byte) int {
	if n := shell.ClosingQuote(s[1:], c); n >= 0 {
		return n + 1
	}
	return -1
}

// closingParen returns where the bracket closes that s begins with; -1 where it does
// not.
func closingParen(s string) int {
	depth := 0
	for i := range min(len(s), 8<<10) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// fallbackCommand adds the command of a stretch of a line.
func (v *analyzer) fallbackCommand(line string, from, to int) int {
	to = min(to, len(line))
	var c Command
	for i := min(from, to); i < to; {
		if strings.IndexByte(" \t\n(){}", line[i]) >= 0 {
			i++
			continue
		}
		t, end := v.fallbackWord(line, i, to)
		i = end
		if t.Text == ">" || t.Text == ">>" || t.Text == "<" {
			if i < to {
				for i < to && line[i] == ' ' {
					i++
				}
				file, end := v.fallbackWord(line, i, to)
				i = max(end, i+1)
				c.Redirects = append(c.Redirects, shell.Redirected{File: shell.Plain{Written: file.Written, Text: file.Text}, Writes: t.Text != "<"})
			}
			continue
		}
		if len(c.Words) == 0 {
			if shell.IsAssignment(t.Text) {
				c.Assigns = append(c.Assigns, t.Text)
				continue
			}
			switch t.Text {
			case "then", "do", "else", "if", "while", "until", "!", "time", "&", "fi", "done":
				continue
			}
		}
		c.Words = append(c.Words, t)
		c.Inner = append(c.Inner, t.inner...)
	}
	if len(c.Words) == 0 || len(c.Words) > 2000 {
		return -1
	}
	c.Span = diag.Span{Start: c.Words[0].Span.Start, End: c.Words[len(c.Words)-1].Span.End}
	c.Text = strings.TrimSpace(line[from:to])
	i := v.add(c)
	if i >= 0 {
		v.runs(i)
		v.keepFiles(i)
	}
	return i
}

// fallbackWord reads a word and analyzes the substitutions in it.
func (v *analyzer) fallbackWord(line string, from, to int) (Term, int) {
	var b strings.Builder
	t := Term{Known: true}
	i := from
	for i < to {
		c := line[i]
		if c == ' ' || c == '\t' || c == '\n' {
			break
		}
		if (c == '>' || c == '<') && i+1 < to && line[i+1] != '(' && line[i+1] != '&' && line[i+1] != c {
			if i == from {
				b.WriteByte(c)
				i++
			}
			break
		}
		switch {
		case c == '\\' && i+1 < to:
			b.WriteByte(line[i+1])
			i += 2
			continue
		case c == '\'' || c == '"':
			if n := afterQuote(line[i:to], c); n > 0 {
				b.WriteString(line[i+1 : i+n])
				if c == '"' && strings.Contains(line[i:i+n], "$(") {
					t.Known = false
					v.fallbackInner(line[i+1:i+n], &t)
				}
				i += n + 1
				continue
			}
		case c == '$' && strings.HasPrefix(line[i:to], "$("), c == '<' && strings.HasPrefix(line[i:to], "<("):
			if n := closingParen(line[i+1 : to]); n > 0 {
				v.fallbackInner(line[i:i+n+2], &t)
				b.WriteString(line[i : i+n+2])
				i += n + 2
				t.Known = false
				continue
			}
		case c == '`':
			if n := strings.IndexByte(line[i+1:to], '`'); n > 0 {
				v.nested(line[i+1:i+1+n], &t)
				b.WriteString(line[i : i+n+2])
				i += n + 2
				t.Known = false
				continue
			}
		}
		b.WriteByte(c)
		i++
	}
	t.Written, t.Text, t.Span = line[from:i], b.String(), v.span(from, i)
	t.script = t.Text
	return t, i
}

// fallbackInner analyzes the $(…) and <(…) in a text.
func (v *analyzer) fallbackInner(text string, t *Term) {
	for len(text) > 2 {
		i := strings.IndexByte(text, '(')
		if i < 0 {
			return
		}
		n := closingParen(text[i:])
		if n < 0 {
			return
		}
		v.nested(text[i+1:i+n], t)
		text = text[i+n:]
	}
}

// nested analyzes the text of a substitution.
func (v *analyzer) nested(text string, t *Term) {
	if v.depth >= maxDepth {
		v.out.Cut = true
		return
	}
	x := *v
	x.depth++
	line := v.span(0, len(v.text))
	x.at = func(int, int) diag.Span { return line }
	t.inner = append(t.inner, x.segments(text)...)
}
