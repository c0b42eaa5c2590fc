package instructions

import (
	"strings"

	"github.com/vadehq/vade/diag"
)

// InlineImport is an import that is replaced with the imported text. Start and
// End are byte offsets.
type InlineImport struct {
	Start, End int
	// Path is the text after the "@".
	Path string
}

// InlineImports returns the first limit imports in text. An import is an "@" at the start of the
// text or after whitespace, followed by a path. The path starts with an ASCII letter, "." or "/"
// and extends to the next whitespace. Imports in code are ignored. Code is the text between a run
// of backticks and the next run of at least the same length, on any line (source:
// packages/core/src/utils/memoryImportProcessor.ts in Gemini CLI; Qwen Code has the same code).
// InlineImports takes linear time.
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

// TokenImports returns the first limit import candidates in text. A candidate is an "@" that is not
// inside a word, followed by a relative path that contains a "." or "/". The path extends to the
// next whitespace, quote, backtick or angle bracket, and excludes trailing punctuation. A candidate
// may begin inside another one; the inner candidate counts only if the outer one is not a file.
// Fenced code blocks and code spans contain no imports; a code span ends at the end of its line
// (Copilot CLI 1.0.102, case i03 and additional runs of the client). TokenImports takes linear
// time.
func TokenImports(text string, limit int) []InlineImport {
	if !strings.Contains(text, "@") {
		return nil
	}
	var found []InlineImport
	fence := byte(0)
	for at := 0; at < len(text) && len(found) < limit; {
		line, _, _ := strings.Cut(text[at:], "\n")
		mark := fenceMark(line)
		switch {
		case mark != 0 && (fence == 0 || fence == mark):
			fence ^= mark
		case fence == 0 && mark == 0:
			found = appendTokens(found, text, at, at+len(line), limit)
		}
		at += len(line) + 1
	}
	return found
}

// fenceMark returns the character that a code fence consists of, or 0 if the line is not a code
// fence.
func fenceMark(line string) byte {
	line = strings.TrimLeft(line, " \t")
	if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
		return line[0]
	}
	return 0
}

// appendTokens appends the candidates in one line outside code fences.
func appendTokens(found []InlineImport, text string, at, lineEnd, limit int) []InlineImport {
	const ends, punctuation, word = " \t\r\"'`<>", ".,;:!?)]}", "_.%+-"
	end, stop := at, at // ends of the path at the current byte, with and without punctuation
	dot := 0            // after the last "." or "/" before stop
	for i := at; i < lineEnd && len(found) < limit; i++ {
		if text[i] == '`' {
			n := len(text[i:lineEnd]) - len(strings.TrimLeft(text[i:lineEnd], "`"))
			closed := closingRun(text[i+n:lineEnd], n)
			if closed < 0 {
				return found
			}
			i += n + closed + n - 1
			continue
		}
		if text[i] != '@' || i > at && (isAlnum(text[i-1]) || strings.IndexByte(word, text[i-1]) >= 0) {
			continue
		}
		if end <= i {
			end = lineEnd
			if n := strings.IndexAny(text[i:lineEnd], ends); n >= 0 {
				end = i + n
			}
			stop = i + len(strings.TrimRight(text[i:end], punctuation))
			dot = i + strings.LastIndexAny(text[i:stop], "./") + 1
		}
		if path := text[i+1 : max(stop, i+1)]; dot > i+1 && path != "" && path[0] != '/' && path[0] != '~' {
			found = append(found, InlineImport{i, stop, path})
		}
	}
	return found
}

// closingRun returns the offset of the first run of exactly n backticks, or -1.
func closingRun(text string, n int) int {
	for i := 0; i < len(text); {
		run := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
		if run == n {
			return i
		}
		i += max(run, 1)
	}
	return -1
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func beginsPath(c byte) bool { return c == '.' || c == '/' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// codeSpans returns the code spans that the regular expression (`+)[^]*?\1 matches. If a run of
// backticks has no closing run, the expression backtracks one backtick at a time.
func codeSpans(text string) []diag.Span {
	runs := backtickRuns(text)
	// longest[i] is the length of the longest run at or after index i.
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
			// The next run that is long enough closes the span. Only its first k backticks belong
			// to the span.
			j := i + 1
			for runs[j].End-runs[j].Start < k {
				j++
			}
			spans = append(spans, diag.Span{Start: at, End: runs[j].Start + k})
			runs[j].Start += k
			i = j
		case n > 1:
			// The run closes itself: its first half opens the span, and its second half closes it.
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
