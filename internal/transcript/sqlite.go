package transcript

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// errSQLite is returned if a file is not a SQLite database or uses features that this reader does
// not support.
var errSQLite = errors.New("not a readable SQLite database")

// Limits on a database. sqliteDepth is the maximum depth of a table's B-tree; trees in real
// databases are much shallower. sqliteRecord is the maximum offset in a record at which a text
// value may end.
const (
	sqliteDepth  = 20
	sqliteRecord = 8 << 20
)

// sqliteFile reads table rows from a SQLite database in ID order, including committed changes in
// the write-ahead log. It does not take locks. If another process changes the database during the
// read, the reader may see invalid pages. The format is documented at
// https://www.sqlite.org/fileformat2.html. Linking a SQL engine would multiply the size of the
// binary.
type sqliteFile struct {
	db, wal io.ReaderAt
	size    int64 // page size
	usable  int64 // page size without the reserved bytes
	// logged maps pages to their offsets in the log.
	logged map[uint32]int64
	visits int // number of pages visited; limited because a damaged file could repeat pages forever
	pages  int64
}

// openSQLite opens a database. wal is nil if the database has no log.
func openSQLite(db, wal io.ReaderAt) (*sqliteFile, error) {
	head := make([]byte, 100)
	if _, err := db.ReadAt(head, 0); err != nil || string(head[:16]) != "SQLite format 3\x00" {
		return nil, errSQLite
	}
	f := &sqliteFile{db: db, size: int64(binary.BigEndian.Uint16(head[16:]))}
	if f.size == 1 {
		f.size = 1 << 16
	}
	f.usable = f.size - int64(head[20])
	encoding := binary.BigEndian.Uint32(head[56:])
	if f.size < 512 || f.size&(f.size-1) != 0 || f.usable < 480 || encoding > 1 {
		return nil, errSQLite
	}
	f.pages = int64(binary.BigEndian.Uint32(head[28:]))
	if wal != nil {
		f.readLog(wal)
	}
	// The page count limits how many pages are visited, so it must match the file size.
	if _, err := f.page(uint32(f.pages)); err != nil {
		return nil, err
	}
	return f, nil
}

// readLog finds the latest committed version of each page in the log. Frames
// written before the last reset have a different salt.
func (f *sqliteFile) readLog(wal io.ReaderAt) {
	var head [32]byte
	if _, err := wal.ReadAt(head[:], 0); err != nil || int64(binary.BigEndian.Uint32(head[8:])) != f.size {
		return
	}
	f.wal, f.logged = wal, map[uint32]int64{}
	pending := map[uint32]int64{}
	var frame [24]byte
	for at := int64(32); ; at += 24 + f.size {
		if _, err := wal.ReadAt(frame[:], at); err != nil || string(frame[8:16]) != string(head[16:24]) {
			return
		}
		pending[binary.BigEndian.Uint32(frame[:])] = at + 24
		if pages := binary.BigEndian.Uint32(frame[4:]); pages != 0 {
			for page, offset := range pending {
				f.logged[page] = offset
			}
			clear(pending)
			f.pages = int64(pages)
		}
	}
}

func (f *sqliteFile) page(n uint32) ([]byte, error) {
	if f.visits++; n == 0 || int64(f.visits) > 4*f.pages+1000 {
		return nil, errSQLite
	}
	page := make([]byte, f.size)
	r, at := f.db, int64(n-1)*f.size
	if offset, ok := f.logged[n]; ok {
		r, at = f.wal, offset
	}
	if _, err := r.ReadAt(page, at); err != nil {
		return nil, fmt.Errorf("%w: page %d: %w", errSQLite, n, err)
	}
	return page, nil
}

// sqliteRow is one row, whose values are read on demand.
type sqliteRow struct {
	file    *sqliteFile
	columns []string
	// local is the part of the record inside the page. The rest is in a linked
	// list of overflow pages.
	local    []byte
	size     int64
	overflow uint32
}

// rows calls each for every row in a table.
func (f *sqliteFile) rows(ctx context.Context, table string, each func(*sqliteRow) error) error {
	var root uint32
	var columns []string
	schema := []string{"type", "name", "tbl_name", "rootpage", "sql"}
	err := f.walk(ctx, 1, 0, func(r *sqliteRow) error {
		r.columns = schema
		if r.text("type") == "table" && r.text("name") == table {
			root, columns = uint32(r.integer("rootpage")), columnsOf(r.text("sql"))
		}
		return nil
	})
	if err != nil || root == 0 {
		return err
	}
	return f.walk(ctx, root, 0, func(r *sqliteRow) error {
		r.columns = columns
		return each(r)
	})
}

// columnsOf returns the column names in a CREATE TABLE statement. It assumes that types and
// defaults contain commas only inside parentheses, and that constraints come after the columns.
func columnsOf(sql string) []string {
	var names []string
	_, list, _ := strings.Cut(sql, "(")
	depth, start := 0, 0
	for i, c := range list {
		switch {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case depth == 0 && (c == ',' || c == ')'):
			if fields := strings.Fields(list[start:i]); len(fields) > 0 {
				names = append(names, strings.Trim(fields[0], "`\"[]"))
			}
			start = i + 1
		}
	}
	return names
}

// walk visits the rows in a table's tree.
func (f *sqliteFile) walk(ctx context.Context, n uint32, depth int, each func(*sqliteRow) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	page, err := f.page(n)
	if err != nil || depth > sqliteDepth {
		return errors.Join(err, ctx.Err())
	}
	head := page
	if n == 1 {
		head = page[100:]
	}
	leaf := head[0] == 0x0d
	cells := head[8:]
	if !leaf {
		if head[0] != 0x05 {
			return errSQLite
		}
		cells = head[12:]
	}
	count := int(binary.BigEndian.Uint16(head[3:]))
	for i := range count {
		if 2*i+2 > len(cells) {
			return errSQLite
		}
		at := int(binary.BigEndian.Uint16(cells[2*i:]))
		if at+4 > int(f.usable) {
			return errSQLite
		}
		if !leaf {
			err = f.walk(ctx, binary.BigEndian.Uint32(page[at:]), depth+1, each)
		} else if r := f.cell(page[at:f.usable]); r != nil {
			err = each(r)
		} else {
			err = errSQLite
		}
		if err != nil {
			return err
		}
	}
	if leaf {
		return nil
	}
	return f.walk(ctx, binary.BigEndian.Uint32(head[8:]), depth+1, each)
}

// cell returns the row in a leaf cell, or nil.
func (f *sqliteFile) cell(b []byte) *sqliteRow {
	size, n := sqliteVarint(b)
	_, m := sqliteVarint(b[n:])
	if n == 0 || m == 0 || size < 0 {
		return nil
	}
	b = b[n+m:]
	r := &sqliteRow{file: f, size: size}
	local := size
	if most := f.usable - 35; size > most {
		least := (f.usable-12)*32/255 - 23
		if local = least + (size-least)%(f.usable-4); local > most {
			local = least
		}
		if int64(len(b)) < local+4 {
			return nil
		}
		r.overflow = binary.BigEndian.Uint32(b[local:])
	}
	if int64(len(b)) < local {
		return nil
	}
	r.local = b[:local]
	return r
}

// find returns the type, offset and size of a column's value in the record. The value never extends
// beyond the record's end. The type is 0 for NULL.
func (r *sqliteRow) find(column string) (kind, at, size int64) {
	head, n := sqliteVarint(r.local)
	if n == 0 || head < int64(n) || head > int64(len(r.local)) {
		return 0, 0, 0
	}
	types, at := r.local[n:head], head
	for _, name := range r.columns {
		kind, n := sqliteVarint(types)
		if n == 0 {
			return 0, 0, 0
		}
		types = types[n:]
		switch {
		case kind >= 12:
			size = (kind - 12) / 2
		case kind >= 8 || kind < 0:
			size = 0
		default:
			size = []int64{0, 1, 2, 3, 4, 6, 8, 8}[kind]
		}
		if size > r.size-at {
			return 0, 0, 0
		}
		if name == column {
			return kind, at, size
		}
		at += size
	}
	return 0, 0, 0
}

// start returns the part of a text value that is in the row's own page.
func (r *sqliteRow) start(column string) []byte {
	_, at, size := r.find(column)
	end := min(at+size, int64(len(r.local)))
	return r.local[min(at, end):end]
}

// text returns a text value, or "" for other types and for text that is too long.
func (r *sqliteRow) text(column string) string {
	kind, at, size := r.find(column)
	if kind < 13 || kind%2 == 0 || at+size > sqliteRecord {
		return ""
	}
	all := slices.Clip(r.local)
	for next := r.overflow; next != 0 && int64(len(all)) < at+size; {
		page, err := r.file.page(next)
		if err != nil {
			return ""
		}
		next = binary.BigEndian.Uint32(page)
		all = append(all, page[4:r.file.usable]...)
	}
	if int64(len(all)) < at+size {
		return ""
	}
	return string(all[at : at+size])
}

// integer returns an integer value, or 0 for other types.
func (r *sqliteRow) integer(column string) int64 {
	kind, at, size := r.find(column)
	switch {
	case kind == 9:
		return 1
	case kind < 1 || kind > 6 || at+size > int64(len(r.local)):
		return 0
	}
	n := int64(int8(r.local[at]))
	for _, b := range r.local[at+1 : at+size] {
		n = n<<8 | int64(b)
	}
	return n
}

// sqliteVarint decodes an integer of one to nine bytes and returns its value
// and length. The length is 0 if the integer is truncated.
func sqliteVarint(b []byte) (value int64, n int) {
	for n < min(len(b), 9) {
		c := b[n]
		n++
		if n == 9 {
			return value<<8 | int64(c), n
		}
		if value = value<<7 | int64(c&0x7f); c < 0x80 {
			return value, n
		}
	}
	return 0, 0
}
