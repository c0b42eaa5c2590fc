package body

import (
	"iter"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
)

// Placeholders yields all placeholders in text in order, including those that [Scan] skips because
// they are inside another segment. If escapes is set, an odd number of backslashes before a
// placeholder escapes it, and the yielded segment includes the last backslash.
func Placeholders(text string, opts Options, escapes bool) iter.Seq[Segment] {
	return func(yield func(Segment) bool) {
		s := newScanner(text, opts)
		for i := 0; ; {
			n := strings.IndexByte(text[i:], '$')
			if n < 0 {
				return
			}
			i += n
			seg, ok := s.placeholder(i)
			if !ok {
				i++
				continue
			}
			i = seg.Span.End
			if escapes && backslashes(text, seg.Span.Start)%2 == 1 {
				seg.Span.Start, seg.Escaped = seg.Span.Start-1, true
			}
			if !yield(seg) {
				return
			}
		}
	}
}

// backslashes returns the number of backslashes directly before i.
func backslashes(text string, i int) int {
	n := 0
	for n < i && text[i-1-n] == '\\' {
		n++
	}
	return n
}

// Variables yields, in order, the variables in text that have the form ${UPPER_CASE}.
func Variables(text string) iter.Seq[Segment] {
	return func(yield func(Segment) bool) {
		for i := 0; ; {
			n := strings.Index(text[i:], "${")
			if n < 0 {
				return
			}
			i += n
			seg, ok := variable(text, i)
			if !ok {
				i += 2
				continue
			}
			if i = seg.Span.End; !yield(seg) {
				return
			}
		}
	}
}

// Command is a shell command in text.
type Command struct {
	// Text is the command without its delimiters and surrounding whitespace, and Inner is its
	// range.
	Text  string
	Inner diag.Span
	// Span is the command's range including the delimiters.
	Span diag.Span
	// Block is set if the command is in a block rather than inline.
	Block bool
}

// Commands returns the shell commands in text, according to Claude Code's rules. The blocks come
// first, then the inline commands. Commands in Markdown code and comments are included, and blocks
// and inline commands can contain each other (cases s09, s20, s30). most is the maximum number of
// results.
func Commands(text string, most int) []Command {
	list := blocks(text, most)
	return append(list, inline(text, most-len(list))...)
}

func blocks(text string, most int) []Command {
	const open, end = "```!", "```"
	var list []Command
	for i := 0; ; {
		n := strings.Index(text[i:], open)
		if n < 0 || len(list) >= most {
			return list
		}
		at := i + n
		from := at + len(open)
		n = strings.Index(text[from:], end)
		if n < 0 {
			return list
		}
		list = command(list, text, at, from, from+n, len(end))
		i = from + n + len(end)
	}
}

func inline(text string, most int) []Command {
	const open = "!`"
	var list []Command
	for i := 0; ; {
		n := strings.Index(text[i:], open)
		if n < 0 || len(list) >= most {
			return list
		}
		at := i + n
		from := at + len(open)
		n = strings.IndexByte(text[from:], '`')
		if n < 0 {
			return list
		}
		if i = at + 1; n == 0 || !afterSpace(text, at) {
			continue
		}
		list = command(list, text, at, from, from+n, 1)
		i = from + n + 1
	}
}

// command appends the command in text[from:to], unless it is blank.
func command(list []Command, text string, at, from, to, closing int) []Command {
	name := strings.TrimFunc(text[from:to], chars.IsSpace)
	if name == "" {
		return list
	}
	first := from + strings.Index(text[from:to], name)
	return append(list, Command{
		Text: name, Inner: diag.Span{Start: first, End: first + len(name)},
		Span: diag.Span{Start: at, End: to + closing}, Block: text[at] == '`',
	})
}

// Mention is a file mentioned in text.
type Mention struct {
	// Path is the path as written.
	Path string
	// First and Last are the first and last line of the mentioned range, starting at 1. Both are 0
	// if the whole file is mentioned.
	First, Last int
}

// Mentions returns the files that text mentions according to Claude Code's rules (cases f01 to
// f04): quoted mentions first, without duplicates. An "@" is recognized at the start of the text
// and after whitespace; an unquoted path ends with the last word character in it. most is the
// maximum number of results.
func Mentions(text string, most int) []Mention {
	if strings.IndexByte(text, '@') < 0 {
		return nil
	}
	var list []Mention
	seen := map[string]bool{}
	for _, quoted := range []bool{true, false} {
		for i := 0; ; {
			n := strings.IndexByte(text[i:], '@')
			if n < 0 || len(list) >= most {
				break
			}
			at := i + n
			if i = at + 1; !afterSpace(text, at) {
				continue
			}
			ref, end := mention(text, at+1, quoted)
			if ref == "" {
				continue
			}
			if i = end; !seen[ref] {
				seen[ref] = true
				list = append(list, mentioned(ref))
			}
		}
	}
	return list
}

// mention returns the mention at i and the offset of its end.
func mention(text string, i int, quoted bool) (ref string, end int) {
	rest := text[i:]
	if strings.HasPrefix(rest, `"`) {
		n := strings.IndexByte(rest[1:], '"')
		if !quoted || n <= 0 {
			return "", i
		}
		return rest[1 : 1+n], i + n + 2
	}
	if quoted {
		return "", i
	}
	if n := strings.IndexFunc(rest, chars.IsSpace); n >= 0 {
		rest = rest[:n]
	}
	for n := len(rest); n > 0; n-- {
		if isWord(rest[n-1]) != (n < len(rest) && isWord(rest[n])) {
			return rest[:n], i + n
		}
	}
	return "", i
}

// mentioned splits a reference into its path and line range.
func mentioned(ref string) Mention {
	name, rest, found := strings.Cut(ref, "#")
	if !found || name == "" {
		return Mention{Path: ref}
	}
	m := Mention{Path: name}
	if rest, ok := strings.CutPrefix(rest, "L"); ok {
		n, first := number(rest)
		if n == 0 {
			return heading(ref, m, rest)
		}
		m.First, m.Last = first, first
		rest = rest[n:]
		if more, ok := strings.CutPrefix(rest, "-"); ok {
			if n, last := number(more); n > 0 {
				m.Last, rest = last, more[n:]
			}
		}
		if rest != "" && rest[0] != '#' {
			return heading(ref, Mention{Path: name}, rest)
		}
		return heading(ref, m, strings.TrimPrefix(rest, "#"))
	}
	return heading(ref, m, rest)
}

// heading returns m unless rest, the unparsed end of ref, contains another "#". In that case, it
// returns a mention whose path is all of ref.
func heading(ref string, m Mention, rest string) Mention {
	if strings.Contains(rest, "#") {
		return Mention{Path: ref}
	}
	return m
}
