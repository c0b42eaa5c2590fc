package diag

import (
	"bytes"
	"sort"
	"sync"
	"unicode/utf8"
)

// Span is a range of byte offsets in a file. The end is exclusive.
type Span struct {
	Start, End int
}

// Pos is a position in a file. Line and Column start at 1. Column counts runes,
// so é and an emoji each take one column.
type Pos struct {
	Line, Column int
}

// File is a file's content and display name. It is safe for concurrent use.
type File struct {
	Name string
	Data []byte

	indexed sync.Once
	starts  []int // offset of each line's first byte, computed on first use
}

// NewFile returns a File that refers to data without copying it.
func NewFile(name string, data []byte) *File {
	return &File{Name: name, Data: data}
}

// Pos returns the line and column at a byte offset, clamped to the file. A line
// ends with LF, CRLF or a lone CR.
func (f *File) Pos(offset int) Pos {
	offset = min(max(offset, 0), len(f.Data))
	line := f.line(offset)
	start := f.starts[line]
	return Pos{Line: line + 1, Column: utf8.RuneCount(f.Data[start:offset]) + 1}
}

// UTF16Column returns the column at offset, counted in UTF-16 code units and starting at 1. The
// Language Server Protocol and, by default, SARIF count columns this way.
func (f *File) UTF16Column(offset int) int {
	offset = min(max(offset, 0), len(f.Data))
	units := 1
	for _, r := range string(f.Data[f.starts0(offset):offset]) {
		if r >= 0x10000 {
			units++
		}
		units++
	}
	return units
}

// Line returns the line that contains offset, without its line ending.
func (f *File) Line(offset int) string {
	offset = min(max(offset, 0), len(f.Data))
	rest := f.Data[f.starts0(offset):]
	if i := bytes.IndexAny(rest, "\r\n"); i >= 0 {
		rest = rest[:i]
	}
	return string(rest)
}

func (f *File) starts0(offset int) int {
	line := f.line(offset)
	return f.starts[line]
}

func (f *File) line(offset int) int {
	f.indexed.Do(f.index)
	return sort.SearchInts(f.starts, offset+1) - 1
}

func (f *File) index() {
	f.starts = append(f.starts, 0)
	for i := 0; i < len(f.Data); i++ {
		switch f.Data[i] {
		case '\r':
			if i+1 < len(f.Data) && f.Data[i+1] == '\n' {
				i++
			}
			f.starts = append(f.starts, i+1)
		case '\n':
			f.starts = append(f.starts, i+1)
		}
	}
}
