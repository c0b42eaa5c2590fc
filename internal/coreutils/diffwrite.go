package coreutils

import (
	"fmt"
	"strconv"
	"strings"
)

// diffWriter writes the changes between two files.
type diffWriter struct {
	d      *differ
	a, b   *diffSide
	nested bool
	begun  bool
}

func (w *diffWriter) all(script []change) {
	for len(script) > 0 && w.d.ctx.Err() == nil {
		n := 1
		if w.d.o.unified {
			n = w.hunk(script)
		}
		if needed(script[:n]) {
			w.begin()
			if w.d.o.unified {
				w.unified(script[:n])
			} else {
				w.normal(script[0])
			}
		}
		script = script[n:]
	}
}

// hunk is how many changes stand so close that their surroundings touch.
func (w *diffWriter) hunk(script []change) int {
	n := 1
	for ; n < len(script); n++ {
		before, next := script[n-1], script[n]
		far := 2*w.d.o.context + 1
		if next.ignored {
			far = w.d.o.context
		}
		if next.from0-before.from0-before.deleted >= far {
			break
		}
	}
	return n
}

// begin writes what stands before the first change.
func (w *diffWriter) begin() {
	if w.begun {
		return
	}
	w.begun = true
	if w.nested {
		w.d.out.WriteString(w.d.o.line + " " + quoteHeader(w.a.shown()) + " " + quoteHeader(w.b.shown()) + "\n")
	}
	if !w.d.o.unified {
		return
	}
	for i, s := range []*diffSide{w.a, w.b} {
		mark := "---+++"[3*i : 3*i+3]
		if i < len(w.d.o.labels) {
			w.d.out.WriteString(mark + " " + s.label + "\n")
			continue
		}
		w.d.out.WriteString(mark + " " + quoteHeader(s.name) + "\t" + w.d.modified(s).Format("2006-01-02 15:04:05.000000000 -0700") + "\n")
	}
}

// quoteHeader puts a name in quotes that could not be told from its
// surroundings.
func quoteHeader(name string) string {
	if strings.ContainsAny(name, " \"\\\a\b\t\n\v\f\r") {
		return quoteC(name, '"')
	}
	return name
}

func (w *diffWriter) normal(c change) {
	letter := "c"
	switch {
	case c.deleted == 0:
		letter = "a"
	case c.inserted == 0:
		letter = "d"
	}
	w.d.out.WriteString(normalRange(c.from0, c.deleted) + letter + normalRange(c.from1, c.inserted) + "\n")
	for i := range c.deleted {
		w.line("< ", w.a, c.from0+i)
	}
	if letter == "c" {
		w.d.out.WriteString("---\n")
	}
	for i := range c.inserted {
		w.line("> ", w.b, c.from1+i)
	}
}

func normalRange(from, count int) string {
	if count > 1 {
		return fmt.Sprintf("%d,%d", from+1, from+count)
	}
	return strconv.Itoa(from + count)
}

func (w *diffWriter) unified(changes []change) {
	around := w.d.o.context
	first, last := changes[0], changes[len(changes)-1]
	i, j := max(first.from0-around, 0), max(first.from1-around, 0)
	endA := min(last.from0+last.deleted+around, len(w.a.lines))
	endB := min(last.from1+last.inserted+around, len(w.b.lines))
	fmt.Fprintf(w.d.out, "@@ -%s +%s @@\n", unifiedRange(i, endA-i), unifiedRange(j, endB-j))
	for _, c := range changes {
		for ; i < c.from0; i++ {
			w.line(" ", w.a, i)
		}
		for ; i < c.from0+c.deleted; i++ {
			w.line("-", w.a, i)
		}
		for j = c.from1; j < c.from1+c.inserted; j++ {
			w.line("+", w.b, j)
		}
	}
	for ; i < endA; i++ {
		w.line(" ", w.a, i)
	}
}

func unifiedRange(from, count int) string {
	switch count {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return strconv.Itoa(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, count)
}

func (w *diffWriter) line(mark string, s *diffSide, i int) {
	w.d.out.WriteString(mark)
	w.d.out.Write(s.lines[i])
	w.d.out.WriteByte('\n')
	if s.endsOpen(i) {
		w.d.out.WriteString("\\ No newline at end of file\n")
	}
}
