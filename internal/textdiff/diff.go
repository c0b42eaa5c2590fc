// Package textdiff makes unified diffs.
package textdiff

import (
	"fmt"
	"strings"
)

// context is the number of unchanged lines around a change.
const context = 3

// maxTable bounds the comparison of lines: above it the whole middle of the two
// texts counts as changed.
const maxTable = 4 << 20

// Diff returns the changes from one text to another as a unified diff that patch
// and git apply take, or "" where there are none.
func Diff(path string, before, after string) string {
	if before == after {
		return ""
	}
	a, b := Lines(before), Lines(after)
	steps := compare(a, b)
	var out strings.Builder
	fmt.Fprintf(&out, "--- a/%s\n+++ b/%s\n", path, path)
	for i := 0; i < len(steps); {
		if steps[i].op == ' ' {
			i++
			continue
		}
		from := max(0, i-context)
		to, quiet := i, 0
		for to < len(steps) && quiet <= 2*context {
			if steps[to].op == ' ' {
				quiet++
			} else {
				quiet = 0
			}
			to++
		}
		if quiet > context {
			to -= quiet - context
		}
		hunk(&out, steps, from, to)
		i = to
	}
	return out.String()
}

// step is one line of a diff: kept, gone or new.
type step struct {
	op   byte
	line string
}

func hunk(out *strings.Builder, steps []step, from, to int) {
	firstA, firstB := 1, 1
	for _, s := range steps[:from] {
		if s.op != '+' {
			firstA++
		}
		if s.op != '-' {
			firstB++
		}
	}
	countA, countB := 0, 0
	for _, s := range steps[from:to] {
		if s.op != '+' {
			countA++
		}
		if s.op != '-' {
			countB++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", extent(firstA, countA), extent(firstB, countB))
	for _, s := range steps[from:to] {
		out.WriteByte(s.op)
		out.WriteString(s.line)
		if !strings.HasSuffix(s.line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

func extent(first, count int) string {
	if count == 0 {
		first--
	}
	return fmt.Sprintf("%d,%d", first, count)
}

// Lines divides a text into lines with their ends.
func Lines(s string) []string {
	list := strings.SplitAfter(s, "\n")
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}

// compare returns the lines of both texts in one order, with the fewest changes.
func compare(a, b []string) []step {
	var head, tail []step
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, step{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, step{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	middle := middle(a, b)
	for i := len(tail) - 1; i >= 0; i-- {
		middle = append(middle, tail[i])
	}
	return append(head, middle...)
}

func middle(a, b []string) []step {
	var steps []step
	// length[i][j] is how many lines a[i:] and b[j:] have in common.
	if len(a)*len(b) < maxTable {
		length := make([][]int, len(a)+1)
		for i := range length {
			length[i] = make([]int, len(b)+1)
		}
		for i := len(a) - 1; i >= 0; i-- {
			for j := len(b) - 1; j >= 0; j-- {
				if a[i] == b[j] {
					length[i][j] = length[i+1][j+1] + 1
				} else {
					length[i][j] = max(length[i+1][j], length[i][j+1])
				}
			}
		}
		i, j := 0, 0
		for i < len(a) && j < len(b) {
			switch {
			case a[i] == b[j]:
				steps = append(steps, step{' ', a[i]})
				i, j = i+1, j+1
			case length[i+1][j] >= length[i][j+1]:
				steps = append(steps, step{'-', a[i]})
				i++
			default:
				steps = append(steps, step{'+', b[j]})
				j++
			}
		}
		a, b = a[i:], b[j:]
	}
	for _, l := range a {
		steps = append(steps, step{'-', l})
	}
	for _, l := range b {
		steps = append(steps, step{'+', l})
	}
	return steps
}
