package frontmatter

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/vadehq/vade/diag"
)

// change is an edit of one line, with the value that it is about.
type change struct {
	edit
	value diag.Span
}

// eachLine calls visit with the place of each line of a text, without its ending.
func eachLine(text []byte, visit func(start, end int)) {
	for i := 0; i < len(text); {
		end := lineEnd(text, i)
		visit(i, end)
		i = end + max(1, breakLen(text[end:]))
	}
}

// quotedLines puts quotes around the values that [host.SecondQuotes] means.
func quotedLines(text []byte) []change {
	var changes []change
	block := -1
	eachLine(text, func(start, end int) {
		line := string(text[start:end])
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if block >= 0 {
			if strings.TrimSpace(line) == "" || indent > block {
				return
			}
			block = -1
		}
		key, value, ok := strings.Cut(line, ":")
		if first, n := utf8.DecodeRuneInString(value); !ok || strings.TrimSpace(key) == "" || n > 0 && !unicode.IsSpace(first) {
			return
		}
		scalar := beforeComment(strings.TrimLeftFunc(value, unicode.IsSpace))
		if scalar == "" {
			return
		}
		from := end - len(strings.TrimLeftFunc(value, unicode.IsSpace))
		switch scalar[0] {
		case '|', '>':
			block = indent
			return
		case '\'', '"':
			return
		}
		if !hasSeparator(scalar) && (strings.IndexByte("[{@`", scalar[0]) < 0 || isYAML(scalar)) {
			return
		}
		span := diag.Span{Start: start + (from - start), End: from + len(scalar)}
		changes = append(changes, change{value: span, edit: edit{span: span, new: "'" + strings.ReplaceAll(scalar, "'", "''") + "'"}})
	})
	return changes
}

// beforeComment returns a value without the comment behind it and blanks at its end.
func beforeComment(s string) string {
	for i := range len(s) {
		if s[i] != '#' {
			continue
		}
		if before, _ := utf8.DecodeLastRuneInString(s[:i]); i == 0 || unicode.IsSpace(before) {
			s = s[:i]
			break
		}
	}
	return strings.TrimRightFunc(s, unicode.IsSpace)
}

// hasSeparator reports whether a colon with white space behind it stands in a value.
func hasSeparator(s string) bool {
	for i := range len(s) {
		if s[i] == ':' {
			if next, n := utf8.DecodeRuneInString(s[i+1:]); n > 0 && unicode.IsSpace(next) {
				return true
			}
		}
	}
	return false
}

// isYAML reports whether a value is YAML on its own.
func isYAML(s string) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	var n yaml.Node
	return yaml.Load([]byte(s), &n, yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth)))) == nil
}

// blockedLines makes blocks of the values that [host.SecondBlocks] means.
func blockedLines(text []byte) []change {
	var changes []change
	eachLine(text, func(start, end int) {
		line := string(text[start:end])
		n := plainWord(line)
		rest := strings.TrimLeft(line[n:], " \t")
		if n == 0 || rest == "" || rest[0] != ':' {
			return
		}
		value := strings.TrimSpace(rest[1:])
		if value == "" || value == ">" || value == "|" || value[0] == '"' || value[0] == '\'' || !strings.Contains(value, ":") {
			return
		}
		at := start + strings.LastIndex(line, value)
		changes = append(changes, change{
			value: diag.Span{Start: at, End: at + len(value)},
			edit:  edit{span: diag.Span{Start: start + n, End: end}, new: ": |-\n  " + value},
		})
	})
	return changes
}

// plainWord returns the length of the word that a line begins with: ASCII letters,
// digits and underscores, no digit first.
func plainWord(line string) int {
	for i := range len(line) {
		b := line[i]
		letter := 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '_'
		if !letter && (i == 0 || !isDecimal(b)) {
			return i
		}
	}
	return len(line)
}

// untab takes out the tabs that indent lines.
func (r *reader) untab(text []byte) []byte {
	var edits []edit
	eachLine(text, func(start, end int) {
		first := start
		for first < end && text[first] == '\t' {
			first++
		}
		if first > start && first < end {
			edits = append(edits, edit{span: diag.Span{Start: start, End: first}})
		}
	})
	return r.edited(text, edits)
}
