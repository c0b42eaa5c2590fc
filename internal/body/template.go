package body

import (
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// Injection is a command or path between delimiters in text, such as "!{command}" or "@{path}".
type Injection struct {
	// Text is the text between the braces without surrounding whitespace. Inner is its range.
	Text  string
	Inner diag.Span
	// Span is the range including the delimiters.
	Span diag.Span
}

// Braced returns the injections in text that begin with open, such as "!{", and end at the matching
// "}" (Gemini CLI and Qwen Code: injectionParser.ts). open must end with "{". unclosed is the
// offset of an injection without a matching "}", or -1. most is the maximum number of injections to
// return.
func Braced(text, open string, most int) (list []Injection, unclosed int) {
	for i := 0; ; {
		n := strings.Index(text[i:], open)
		if n < 0 || len(list) >= most {
			return list, -1
		}
		at := i + n
		end := closingBrace(text, at+len(open))
		if end < 0 {
			return list, at
		}
		list = append(list, injection(text, at, at+len(open), end, end+1))
		i = end + 1
	}
}

// closingBrace returns the offset of the brace that closes the injection whose
// text begins at from, or -1.
func closingBrace(text string, from int) int {
	depth := 1
	for i := from; ; i++ {
		n := strings.IndexAny(text[i:], "{}")
		if n < 0 {
			return -1
		}
		if i += n; text[i] == '{' {
			depth++
		} else if depth--; depth == 0 {
			return i
		}
	}
}

func injection(text string, at, from, to, end int) Injection {
	inner := strings.TrimFunc(text[from:to], chars.IsSpace)
	first := from
	if inner != "" {
		first += strings.Index(text[from:to], inner)
	}
	return Injection{Text: inner, Inner: diag.Span{Start: first, End: first + len(inner)}, Span: diag.Span{Start: at, End: end}}
}

// Enclosed returns the injections in text that are delimited by open and end, regardless of the
// surrounding text (opencode: /!`([^`]+)`/g). The text between the delimiters is literal, is not
// empty, and does not contain the first character of end. most is the maximum number of injections
// to return.
func Enclosed(text, open, end string, most int) []Injection {
	var list []Injection
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
		if i = at + 1; n == 0 {
			continue
		}
		to := from + n
		list = append(list, Injection{Text: text[from:to], Inner: diag.Span{Start: from, End: to},
			Span: diag.Span{Start: at, End: to + len(end)}})
		i = to + len(end)
	}
}

// Position is a placeholder for one or more argument words.
type Position struct {
	Span diag.Span
	// From is the number of the first word as written in the placeholder. Words are numbered from
	// 1, but the placeholder may contain 0.
	From int
	// Slice is set if the placeholder expands to multiple words: Count words starting at From or,
	// if Count is -1, all words starting at From.
	Slice bool
	Count int
}

// Positions returns the positional placeholders in text, such as "$1", regardless of what follows
// the digits (opencode and pi: /\$(\d+)/g).
func Positions(text string) []Position {
	var list []Position
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '$')
		if n < 0 {
			return list
		}
		i += n + 1
		if length, value := number(text[i:]); length > 0 {
			list = append(list, Position{Span: diag.Span{Start: i - 1, End: i + length}, From: value})
			i += length
		}
	}
}

// Slices returns the slice placeholders in text, such as "${@:2}" and "${@:2:3}" (pi).
func Slices(text string) []Position {
	var list []Position
	for i := 0; ; {
		n := strings.Index(text[i:], slice)
		if n < 0 {
			return list
		}
		i += n
		p, ok := SliceAt(text[i:])
		if !ok {
			i += len(slice)
			continue
		}
		p.Span = diag.Span{Start: i, End: i + p.Span.End}
		list = append(list, p)
		i = p.Span.End
	}
}

// Default is a placeholder "${name:-text}".
type Default struct {
	Span diag.Span
	// Name is "@", "ARGUMENTS" or a number. If it is a number, Index holds its value.
	Name, Text string
	Index      int
}

var defaults = lazyregexp.New(`\$\{(\d+|ARGUMENTS|@):-([^}]*)\}`)

// Defaults returns the placeholders in text that have a default value (source:
// core/prompt-templates.ts in pi 0.87.1).
func Defaults(text string) []Default {
	var list []Default
	for _, m := range defaults().FindAllStringSubmatchIndex(text, -1) {
		d := Default{Span: diag.Span{Start: m[0], End: m[1]}, Name: text[m[2]:m[3]], Text: text[m[4]:m[5]]}
		_, d.Index = number(d.Name)
		list = append(list, d)
	}
	return list
}

const slice = "${@:"

// SliceAt returns the slice placeholder at the start of text, such as "${@:2}" or "${@:2:3}".
func SliceAt(text string) (p Position, ok bool) {
	rest, ok := strings.CutPrefix(text, slice)
	length, from := number(rest)
	if !ok || length == 0 {
		return Position{}, false
	}
	end, count := length, -1
	if end < len(rest) && rest[end] == ':' {
		if more, value := number(rest[end+1:]); more > 0 {
			end, count = end+1+more, value
		}
	}
	if end == len(rest) || rest[end] != '}' {
		return Position{}, false
	}
	return Position{Span: diag.Span{End: len(slice) + end + 1}, From: from, Slice: true, Count: count}, true
}

// Named is a placeholder "${name}" or "${input:name:hint}".
type Named struct {
	Span diag.Span
	// Name is the placeholder's name. For an input, it excludes the prefix and the hint.
	Name  string
	Input bool
}

// Names returns the named placeholders in text (VS Code prompt files).
func Names(text string) []Named {
	var list []Named
	for i := 0; ; {
		n := strings.Index(text[i:], "${")
		if n < 0 {
			return list
		}
		i += n
		found, ok := NameAt(text[i:])
		if !ok {
			i += 2
			continue
		}
		found.Span = diag.Span{Start: i, End: i + found.Span.End}
		list = append(list, found)
		i = found.Span.End
	}
}

// NameAt returns the named placeholder at the start of text.
func NameAt(text string) (found Named, ok bool) {
	rest, ok := strings.CutPrefix(text, "${")
	if !ok {
		return Named{}, false
	}
	n := strings.IndexAny(rest, "{}\n")
	if n <= 0 || rest[n] != '}' {
		return Named{}, false
	}
	name, input := strings.CutPrefix(rest[:n], "input:")
	if input {
		name, _, _ = strings.Cut(name, ":")
	}
	return Named{Span: diag.Span{End: n + 3}, Name: name, Input: input}, name != ""
}

// AtPaths returns the paths that text mentions according to opencode's rule: an "@" that follows
// neither a word character nor a backtick, then a path that ends at whitespace, a backtick, a comma
// or a trailing period. AtPaths returns the first most paths in order, without duplicates.
//
//	/(?<![\w`])@(\.?[^\s`,.]*(?:\.[^\s`,.]+)*)/g
func AtPaths(text string, most int) []string {
	var list []string
	seen := map[string]bool{}
	for i := 0; len(list) < most; {
		n := strings.IndexByte(text[i:], '@')
		if n < 0 {
			break
		}
		at := i + n
		i = at + 1
		if at > 0 && (isWord(text[at-1]) || text[at-1] == '`') {
			continue
		}
		end := atPath(text, i)
		if ref := text[i:end]; ref != "" && !seen[ref] {
			seen[ref] = true
			list = append(list, ref)
		}
		i = end
	}
	return list
}

// atPath returns the end of the path that begins at i.
func atPath(text string, i int) int {
	if i < len(text) && text[i] == '.' {
		i++
	}
	i += pathPiece(text[i:])
	for i < len(text) && text[i] == '.' {
		n := pathPiece(text[i+1:])
		if n == 0 {
			break
		}
		i += 1 + n
	}
	return i
}

// pathPiece returns the length of the text up to the next whitespace, backtick, comma or period.
func pathPiece(s string) int {
	for i, r := range s {
		if r == '`' || r == ',' || r == '.' || chars.IsSpace(r) {
			return i
		}
	}
	return len(s)
}
