package body

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// maxFirstLine is the maximum length, in runes, of a line that FirstLine returns if neutral is set.
const maxFirstLine = 250

// FirstLine returns the line of a body that is used in place of a missing description, or "" if
// there is none.
//
// If neutral is not set, it returns the first nonblank line without heading markers, as Claude Code
// 2.1.329 does (rows nodesc, nofm and blank in the frontmatter matrix). If neutral is set, it
// returns the first heading or line of prose. In that case, it skips comments, horizontal rules,
// fences, tables, images, bare tags, shell commands and file references; removes heading, block
// quote, list and emphasis markers; and truncates the line to 250 runes, including a final "…".
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

// headingText returns a heading's text without its markers. It returns any other line unchanged.
func headingText(line string) string {
	rest := strings.TrimLeft(line, "#")
	if text := strings.TrimLeftFunc(rest, chars.IsSpace); len(rest) < len(line) && len(text) < len(rest) && text != "" {
		return text
	}
	return line
}

// maxProse is the maximum number of bytes examined per line.
const maxProse = 4096

// prose returns a line's text, or "" if the line is not prose.
func prose(line string) string {
	if len(line) > maxProse {
		line = strings.ToValidUTF8(line[:maxProse], "")
	}
	if isRule(line) {
		return ""
	}
	line = stripMarks(line)
	line = strings.TrimSpace(stripComments(line))
	if line == "" || line[0] == '|' || isShown(line) || strings.Contains(line, "![") && images().MatchString(line) {
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

// isShown reports whether a line consists only of a shell command, a file
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

// stripMarks removes block quote, list, task and heading markers from the start
// of a line, and closing heading markers from its end.
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

const (
	imageTarget = `(?:\([^)]*\)|\[[^\]]*\])`
	imageText   = `!\[[^\]]*\]` + imageTarget
)

// images matches a line that consists only of ![alt](url), ![alt][ref] or [![alt](url)](link).
var images = lazyregexp.New(`^(?:[ \t]*(?:` + imageText + `|\[` + imageText + `\]` + imageTarget + `))*[ \t]*$`)

// stripComments removes HTML comments that begin within a line.
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

func stripTags(line string) string {
	for {
		before, rest, _ := strings.Cut(line, "<")
		_, after, closed := strings.Cut(rest, ">")
		if !closed {
			return line
		}
		line = before + after
	}
}

func stripEmphasis(line string) string {
	if !strings.ContainsAny(line, "*_") {
		return line
	}
	p := paragraph{keep: true, ticks: map[int]int{}}
	p.scan(line, []diag.Span{{End: len(line)}})
	slices.SortFunc(p.emphasized, func(a, b diag.Span) int { return b.Start - a.Start })
	for _, mark := range p.emphasized {
		line = line[:mark.Start] + line[mark.End:]
	}
	return line
}

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
