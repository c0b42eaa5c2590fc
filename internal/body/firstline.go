package body

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/chars"
)

// maxFirstLine is the most runes that the neutral first line has.
const maxFirstLine = 250

// FirstLine returns the line that stands for a missing description, or "".
//
// The rule of Claude Code 2.1.329 is the first line that is not blank, without
// heading marks (rows nodesc, nofm and blank of the frontmatter matrix). The
// neutral rule is the first line that says something: a heading or prose, not
// a comment, rule, fence, table, image, bare tag, shell command or file
// reference; without the marks of headings, quotations, lists and emphasis,
// and cut to 250 runes, of which the last is then "…".
func FirstLine(body string, neutral bool) string {
	r := lines{text: body, raw: !neutral}
	for r.scan() {
		line := strings.TrimFunc(r.line, chars.IsSpace)
		if line == "" {
			continue
		}
		if !neutral {
			return headingText(line)
		}
		if line = prose(line); line != "" {
			return line
		}
	}
	return ""
}

// headingText strips the marks from a heading that has a text.
func headingText(line string) string {
	rest := strings.TrimLeft(line, "#")
	if text := strings.TrimLeftFunc(rest, chars.IsSpace); len(rest) < len(line) && len(text) < len(rest) && text != "" {
		return text
	}
	return line
}

// maxProse is how much of a line is looked at, in bytes.
const maxProse = 4096

// prose returns what a line says, or "" if it says nothing.
func prose(line string) string {
	if len(line) > maxProse {
		line = strings.ToValidUTF8(line[:maxProse], "")
	}
	if isRule(line) {
		return ""
	}
	line = stripMarks(line)
	line = strings.TrimSpace(stripImages(stripComments(line)))
	if line == "" || line[0] == '|' || isShown(line) {
		return ""
	}
	if line[0] == '<' {
		line = strings.TrimSpace(stripTags(line))
	}
	line = strings.TrimSpace(stripEmphasis(line))
	if !strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return cut(line, maxFirstLine)
}

// isRule reports whether a line is a horizontal rule or an underline.
func isRule(line string) bool {
	for _, mark := range []string{"-", "*", "_", "="} {
		if rest := strings.Trim(line, mark+" \t"); rest == "" && len(line) >= 2 {
			return true
		}
	}
	return false
}

// isShown reports whether a line is nothing but a shell command, a file
// reference or a link definition.
func isShown(line string) bool {
	if i := strings.Index(line, "]:"); line[0] == '[' && i > 0 && !strings.Contains(line[:i], " ") {
		return true
	}
	if line[0] != '!' && line[0] != '@' {
		return false
	}
	for seg := range Scan(line, Options{}) {
		switch seg.Kind {
		case Shell, FileRef:
		case Text:
			if !isBlank(seg.Source(line)) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// stripMarks takes the marks of quotations, lists, tasks and headings from the
// start of a line, and the closing ones of a heading from its end.
func stripMarks(line string) string {
	for line != "" {
		n := listMark(line)
		if line[0] == '>' {
			n = 1
		} else if n > 0 && len(line) > n+1 {
			line = strings.TrimLeft(line[n:], " \t")
			for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
				line = strings.TrimPrefix(line, box)
			}
			continue
		}
		if n == 0 {
			break
		}
		line = strings.TrimLeft(line[n:], " \t")
	}
	if title := atxTitle(line); title != "" {
		return title
	}
	if strings.Trim(line, "#") == "" {
		return ""
	}
	return line
}

// stripImages returns "" for a line that is nothing but images and linked
// images, and else the line as it is.
func stripImages(line string) string {
	for rest := line; ; {
		rest = strings.TrimLeft(rest, " \t")
		if rest == "" {
			return ""
		}
		n := imageLength(rest)
		if n == 0 {
			return line
		}
		rest = rest[n:]
	}
}

// imageLength returns the length of ![alt](url), ![alt][ref] or
// [![alt](url)](link) at the start of s.
func imageLength(s string) int {
	if strings.HasPrefix(s, "[![") {
		n := imageLength(s[1:])
		if n == 0 {
			return 0
		}
		m := targetLength(s[1+n:])
		if m == 0 {
			return 0
		}
		return 1 + n + m
	}
	if !strings.HasPrefix(s, "![") {
		return 0
	}
	end := strings.IndexByte(s, ']')
	if end < 0 {
		return 0
	}
	m := targetLength(s[end:])
	if m == 0 {
		return 0
	}
	return end + m
}

// targetLength returns the length of "](url)" or "][ref]" at the start of s.
func targetLength(s string) int {
	closer := byte(')')
	switch {
	case strings.HasPrefix(s, "]["):
		closer = ']'
	case !strings.HasPrefix(s, "]("):
		return 0
	}
	n := strings.IndexByte(s[2:], closer)
	if n < 0 {
		return 0
	}
	return 2 + n + 1
}

// stripComments takes the HTML comments that begin within a line from it.
func stripComments(line string) string {
	for {
		before, comment, found := strings.Cut(line, "<!--")
		if !found {
			return line
		}
		_, after, _ := strings.Cut(comment, "-->")
		line = before + after
	}
}

// stripTags takes every <tag> from a line.
func stripTags(line string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(line, '<')
		if open < 0 {
			break
		}
		end := strings.IndexByte(line[open:], '>')
		if end < 0 {
			break
		}
		b.WriteString(line[:open])
		line = line[open+end+1:]
	}
	b.WriteString(line)
	return b.String()
}

// stripEmphasis takes pairs of "*" and "_" marks that stand close to the words
// between them from a line, outside of code spans.
func stripEmphasis(line string) string {
	if !strings.ContainsAny(line, "*_") {
		return line
	}
	drop := emphasisRuns(line)
	if len(drop) == 0 {
		return line
	}
	out := make([]byte, 0, len(line))
	for i := 0; i < len(line); {
		if n := drop[i]; n > 0 {
			i += n
			continue
		}
		out = append(out, line[i])
		i++
	}
	return string(out)
}

// run is a run of one mark.
type run struct{ pos, length int }

// emphasisRuns returns the lengths of the runs that are emphasis, by offset.
func emphasisRuns(line string) map[int]int {
	drop := map[int]int{}
	var open []run
	closers := tickClosers(line)
	for i := 0; i < len(line); {
		c := line[i]
		if c != '*' && c != '_' && c != '`' {
			i++
			continue
		}
		n := runLength(line, i)
		if c == '`' {
			i = max(i, closers[i])
			i += n
			continue
		}
		if k := opener(line, open, c, n); k >= 0 && closes(line, i, n) {
			drop[open[k].pos], drop[i] = n, n
			open = open[:k]
		} else if opens(line, i, n) && len(open) < 64 {
			open = append(open, run{pos: i, length: n})
		}
		i += n
	}
	return drop
}

// opener returns the index of the nearest open run of n marks c, or -1.
func opener(line string, open []run, c byte, n int) int {
	for k := len(open) - 1; k >= 0; k-- {
		if line[open[k].pos] == c && open[k].length == n {
			return k
		}
	}
	return -1
}

// opens and closes report whether the run of n marks at i stands before or
// after a word; for "_" also that it does not stand within one.
func opens(line string, i, n int) bool {
	before, _ := utf8.DecodeLastRuneInString(line[:i])
	after, _ := utf8.DecodeRuneInString(line[i+n:])
	return i+n < len(line) && !chars.IsSpace(after) && (line[i] == '*' || i == 0 || !isLetter(before))
}

func closes(line string, i, n int) bool {
	before, _ := utf8.DecodeLastRuneInString(line[:i])
	after, _ := utf8.DecodeRuneInString(line[i+n:])
	return i > 0 && !chars.IsSpace(before) && (line[i] == '*' || i+n == len(line) || !isLetter(after))
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// cut returns s with at most n runes.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	end := 0
	for range n - 1 {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return strings.TrimRightFunc(s[:end], chars.IsSpace) + "…"
}
