package coreutils

import (
	"io/fs"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// lsColumns are the columns before the name, with how wide each is.
const (
	colBlocks = iota
	colMode
	colLinks
	colUser
	colGroup
	colSize
	colDate
	colCount
)

// print writes entries one per line.
func (c *lister) print(entries []lsEntry) {
	rows := make([][colCount]string, len(entries))
	var widths [colCount]int
	for i, e := range entries {
		rows[i] = c.columns(e)
		for col, text := range rows[i] {
			widths[col] = max(widths[col], utf8.RuneCountInString(text))
		}
	}
	for i, e := range entries {
		for col, text := range rows[i] {
			if widths[col] > 0 {
				c.cell(text, widths[col], col == colUser || col == colGroup || col == colMode)
			}
		}
		c.out.WriteString(c.label(e) + "\n")
	}
}

func (c *lister) cell(text string, width int, left bool) {
	gap := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
	if left {
		c.out.WriteString(text + gap + " ")
	} else {
		c.out.WriteString(gap + text + " ")
	}
}

func (c *lister) columns(e lsEntry) (row [colCount]string) {
	if e.unknown {
		return c.unknownColumns(e)
	}
	user, group, links, blocks := owned(e.info)
	if c.blocks {
		row[colBlocks] = c.size(blocks)
	}
	if !c.long {
		return row
	}
	row[colMode] = modeString(e.info.Mode())
	row[colLinks] = strconv.FormatUint(links, 10)
	if !c.noOwner {
		row[colUser] = user
	}
	if !c.noGroup {
		row[colGroup] = group
	}
	row[colSize] = strconv.FormatInt(e.info.Size(), 10)
	if c.human {
		row[colSize] = human(e.info.Size())
	}
	row[colDate] = c.date(e.info.ModTime())
	return row
}

func (c *lister) unknownColumns(e lsEntry) (row [colCount]string) {
	if c.blocks {
		row[colBlocks] = "?"
	}
	if !c.long {
		return row
	}
	row = [colCount]string{row[colBlocks], "??????????", "?", "?", "?", "?", "?"}
	if e.name == "." || e.name == ".." {
		row[colMode] = "d?????????"
	}
	if e.info != nil && e.info.Mode()&fs.ModeSymlink != 0 {
		row[colMode] = "l?????????"
	}
	if c.noOwner {
		row[colUser] = ""
	}
	if c.noGroup {
		row[colGroup] = ""
	}
	return row
}

// size writes a number of 512-byte blocks.
func (c *lister) size(blocks int64) string {
	if c.human {
		return human(blocks * 512)
	}
	return strconv.FormatInt(ceilDiv(blocks, 2), 10)
}

func (c *lister) totalBlocks(entries []lsEntry) int64 {
	total := int64(0)
	for _, e := range entries {
		if !e.unknown {
			_, _, _, blocks := owned(e.info)
			total += blocks
		}
	}
	return total
}

// halfYear is how old a file may be for ls to show the time of day.
const halfYear = 31556952 * time.Second / 2

func (c *lister) date(t time.Time) string {
	now := c.x.now()
	recent := t.After(now.Add(-halfYear)) && !t.After(now)
	t = t.In(c.x.location())
	switch {
	case c.style == "full-iso":
		return t.Format("2006-01-02 15:04:05.000000000 -0700")
	case c.style == "long-iso":
		return t.Format("2006-01-02 15:04")
	case c.style == "iso" && recent:
		return t.Format("01-02 15:04")
	case c.style == "iso":
		return t.Format("2006-01-02 ")
	case recent:
		return t.Format("Jan _2 15:04")
	}
	return t.Format("Jan _2  2006")
}

// label is the name, the mark of its type and where a link leads.
func (c *lister) label(e lsEntry) string {
	name := c.shown(e.name)
	if c.long && e.target != "" {
		name += " -> " + c.shown(e.target)
		if e.targetInfo != nil && c.indicator != 'p' {
			name += c.mark(e.targetInfo.Mode())
		}
		return name
	}
	if e.info == nil {
		if c.indicator != 0 {
			return name + "/"
		}
		return name
	}
	return name + c.mark(e.info.Mode())
}

// mark is the character that -F and its kin put behind a name.
func (c *lister) mark(m fs.FileMode) string {
	switch k := kind(m); {
	case c.indicator == 0:
	case k == 'd':
		return "/"
	case c.indicator == 'p':
	case k == 'l':
		return "@"
	case k == 'p':
		return "|"
	case k == 's':
		return "="
	case k == 'f' && c.indicator == 'F' && m.Perm()&0o111 != 0:
		return "*"
	}
	return ""
}

// shown is a name as it is printed.
func (c *lister) shown(name string) string {
	switch c.quoting {
	case 'b':
		name = quoteC(name, 0)
	case 'Q':
		name = quoteC(name, '"')
	}
	if c.mask {
		name = maskUnprintable(name)
	}
	return name
}
