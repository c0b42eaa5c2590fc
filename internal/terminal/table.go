package terminal

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
)

// Column describes one column of a [Table].
type Column struct {
	// Title is the column's header. If all titles are empty, the table has no header.
	Title string
	// Flexible marks a column that is cut first if a line is too long. It is usually the last
	// column.
	Flexible bool
	// Right aligns the column to the right, as is usual for numbers.
	Right bool
	// Style is the default style for cells.
	Style Style
}

// Cell is one cell of a row. Its text may be untrusted: the table escapes it and keeps it on one
// line.
type Cell struct {
	Text  string
	Style Style
}

// Table collects rows and prints them in aligned columns. The zero value has no
// columns; set Columns before adding rows.
type Table struct {
	Columns []Column
	cells   []Cell // all rows, concatenated
}

const (
	gap = 2
	// minFlexible is the width to which the flexible column is cut before other columns are.
	minFlexible = 30
)

// Row adds a row. Each argument is a [Cell] or a value to print in the column's style. Missing
// cells are empty, and surplus cells are dropped.
func (t *Table) Row(cells ...any) {
	for i, col := range t.Columns {
		var c Cell
		if i < len(cells) {
			var styled bool
			if c, styled = cells[i].(Cell); !styled {
				c.Text = fmt.Sprint(cells[i])
			}
		}
		if c.Style == Plain {
			c.Style = col.Style
		}
		c.Text = EscapeLine(c.Text)
		t.cells = append(t.cells, c)
	}
}

// Print writes the header and the rows. It cuts columns so that lines fit into the Writer's width,
// but leaves at least one character per column. A table without rows prints nothing.
func (t *Table) Print(w *Writer) error {
	if len(t.cells) == 0 {
		return nil
	}
	out := bufio.NewWriterSize(w, 32<<10)
	header := t.header()
	widths := t.natural(header)
	t.fit(widths, w.Width())
	if header != nil {
		t.line(out, w, header, widths)
	}
	for row := range slices.Chunk(t.cells, len(t.Columns)) {
		t.line(out, w, row, widths)
	}
	return out.Flush()
}

// Fits reports whether the lines fit into the Writer's width if only the flexible columns are cut.
func (t *Table) Fits(w *Writer) bool {
	width := gap * (len(t.Columns) - 1)
	for i, n := range t.natural(t.header()) {
		if t.Columns[i].Flexible {
			n = min(n, minFlexible)
		}
		width += n
	}
	return w.Width() <= 0 || width <= w.Width()
}

// header returns the titles, or nil if all are empty.
func (t *Table) header() []Cell {
	if !slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Title != "" }) {
		return nil
	}
	var cells []Cell
	for _, c := range t.Columns {
		cells = append(cells, Cell{EscapeLine(c.Title), Bold})
	}
	return cells
}

// natural returns the width that each column has if nothing is cut.
func (t *Table) natural(header []Cell) []int {
	widths := make([]int, len(t.Columns))
	for i, c := range header {
		widths[i] = Width(c.Text)
	}
	for i, c := range t.cells {
		col := i % len(widths)
		if len(c.Text) > widths[col] {
			widths[col] = max(widths[col], Width(c.Text))
		}
	}
	return widths
}

// fit narrows columns until a line fits into limit. It narrows the flexible columns first, down to
// minFlexible, and then the widest ones.
func (t *Table) fit(widths []int, limit int) {
	if limit <= 0 {
		return
	}
	over := gap*(len(widths)-1) - limit
	for _, w := range widths {
		over += w
	}
	for i, col := range t.Columns {
		if col.Flexible && over > 0 {
			cut := min(over, max(widths[i]-minFlexible, 0))
			widths[i] -= cut
			over -= cut
		}
	}
	for ; over > 0; over-- {
		widest := 0
		for i := range widths {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= 1 {
			return
		}
		widths[widest]--
	}
}

// line writes one row. It writes spaces only before text, so that a line never ends in spaces.
func (t *Table) line(out *bufio.Writer, w *Writer, row []Cell, widths []int) {
	const padding = "                                "
	spaces := 0
	for i, c := range row {
		text := strings.TrimRight(Truncate(c.Text, widths[i]), " ")
		pad := widths[i] - Width(text)
		if t.Columns[i].Right {
			spaces, pad = spaces+pad, 0
		}
		if text != "" {
			for ; spaces > 0; spaces -= len(padding) {
				out.WriteString(padding[:min(spaces, len(padding))])
			}
			spaces = 0
			out.WriteString(w.Paint(c.Style, text))
		}
		spaces += pad + gap
	}
	out.WriteByte('\n')
}
