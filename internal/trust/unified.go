package trust

import (
	"fmt"
	"slices"
	"strings"
)

// contextLines is how many lines that are the same stand around a change.
const contextLines = 3

// edit is one step from the old lines to the new ones: n lines that are kept,
// removed or added.
type edit struct {
	op byte // ' ', '-' or '+'
	n  int
}

// unified returns the difference of two texts in the form of diff -u, without
// the lines of names; false where it would be too long to show.
func unified(old, now string) (string, bool) {
	a, b := splitLines(old), splitLines(now)
	edits := diffLines(a, b)
	var out strings.Builder
	for i, j, k := 0, 0, 0; k < len(edits); {
		if edits[k].op == ' ' {
			i, j, k = i+edits[k].n, j+edits[k].n, k+1
			continue
		}
		end := hunkEnd(edits, k)
		before, after := 0, 0
		if k > 0 {
			before = min(contextLines, edits[k-1].n)
		}
		if end < len(edits) {
			after = min(contextLines, edits[end].n)
		}
		h := hunk{a: a[i-before:], b: b[j-before:], edits: slices.Concat([]edit{{' ', before}}, edits[k:end], []edit{{' ', after}})}
		if !h.write(&out, i-before, j-before) {
			return "", false
		}
		for ; k < end; k++ {
			i, j = advance(edits[k], i, j)
		}
	}
	return out.String(), true
}

// hunkEnd returns the index after the last edit of the hunk that begins at k:
// changes with few lines between them are shown together.
func hunkEnd(edits []edit, k int) int {
	for k++; k < len(edits); k++ {
		if edits[k].op == ' ' && (edits[k].n > 2*contextLines || k+1 == len(edits)) {
			break
		}
	}
	return k
}

func advance(e edit, i, j int) (int, int) {
	if e.op != '+' {
		i += e.n
	}
	if e.op != '-' {
		j += e.n
	}
	return i, j
}

// hunk is a part of a difference with the lines it begins at.
type hunk struct {
	a, b  []string
	edits []edit
}

func (h hunk) write(out *strings.Builder, i, j int) bool {
	var n, m int
	for _, e := range h.edits {
		n, m = advance(e, n, m)
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(i, n), span(j, m))
	n, m = 0, 0
	for _, e := range h.edits {
		lines := h.a[n:]
		if e.op == '+' {
			lines = h.b[m:]
		}
		for _, line := range lines[:e.n] {
			out.WriteByte(e.op)
			out.WriteString(line)
			if !strings.HasSuffix(line, "\n") {
				out.WriteString("\n\\ No newline at end of file\n")
			}
			if out.Len() > maxUnified {
				return false
			}
		}
		n, m = advance(e, n, m)
	}
	return true
}

// span writes a range of lines as diff does: from 1, and the line before where
// it is empty.
func span(start, n int) string {
	if n > 0 {
		start++
	}
	return fmt.Sprintf("%d,%d", start, n)
}

// splitLines returns the lines with their ends; only the last may have none.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
