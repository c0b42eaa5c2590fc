package instructions

import (
	"strings"

	"github.com/vadehq/vade/diag"
)

// InlineImport is an import that is replaced by the imported text: the bytes from Start to End.
type InlineImport struct {
	Start, End int
	// Path is the text after the "@".
	Path string
}

// InlineImports returns the first limit imports of a text: an "@" at the start of the text or
// after whitespace, followed by a path that extends to the next whitespace and starts with an
// ASCII letter, "." or "/". Code contains no imports; code is the text between a run of backticks
// and the next run of equal length, on any line (source of Gemini CLI,
// packages/core/src/utils/memoryImportProcessor.ts; Qwen Code has the same). It takes linear
// time.
func InlineImports(text string, limit int) []InlineImport {
	if !strings.Contains(text, "@") || limit <= 0 {
		return nil
	}
	code := codeSpans(text)
	var found []InlineImport
	for i := 0; i < len(text) && len(found) < limit; {
		n := strings.IndexByte(text[i:], '@')
		if n < 0 {
			break
		}
		i += n
		if i > 0 && !isSpace(text[i-1]) {
			i++
			continue
		}
		end := i + 1
		for end < len(text) && !isSpace(text[end]) {
			end++
		}
		for len(code) > 0 && code[0].End <= i {
			code = code[1:]
		}
		inCode := len(code) > 0 && code[0].Start <= i
		if path := text[i+1 : end]; path != "" && beginsPath(path[0]) && !inCode {
			found = append(found, InlineImport{i, end, path})
		}
		i = end + 1
	}
	return found
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func beginsPath(c byte) bool { return c == '.' || c == '/' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// codeSpans returns the spans between runs of backticks that the regular expression (`+)[^]*?\1
// matches. If no run of equal length follows, the expression backtracks by one backtick at a
// time.
func codeSpans(text string) []diag.Span {
	runs := backtickRuns(text)
	// longest[i] is the length of the longest run from run i on.
	longest := make([]int, len(runs)+1)
	for i := len(runs) - 1; i >= 0; i-- {
		longest[i] = max(longest[i+1], runs[i].End-runs[i].Start)
	}
	var spans []diag.Span
	for i := 0; i < len(runs); {
		at, n := runs[i].Start, runs[i].End-runs[i].Start
		k := min(n, longest[i+1])
		switch {
		case n == 0:
			i++
		case k > n/2:
			// The first backticks of the next long enough run close it.
			j := i + 1
			for runs[j].End-runs[j].Start < k {
				j++
			}
			spans = append(spans, diag.Span{Start: at, End: runs[j].Start + k})
			runs[j].Start += k
			i = j
		case n > 1:
			// The run closes itself.
			spans = append(spans, diag.Span{Start: at, End: at + n/2*2})
			runs[i].Start += n / 2 * 2
		default:
			i++
		}
	}
	return spans
}

func backtickRuns(text string) []diag.Span {
	var runs []diag.Span
	for i := 0; i < len(text); {
		n := strings.IndexByte(text[i:], '`')
		if n < 0 {
			break
		}
		start := i + n
		for i = start; i < len(text) && text[i] == '`'; {
			i++
		}
		runs = append(runs, diag.Span{Start: start, End: i})
	}
	return runs
}
