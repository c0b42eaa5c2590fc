package transcript

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"slices"
	"testing"
	"time"
)

// TestSQLiteDamaged checks that invalid lengths in a damaged database neither
// make the reader panic nor make it read forever.
func TestSQLiteDamaged(t *testing.T) {
	valid, err := os.ReadFile("testdata/opencode.db")
	if err != nil {
		t.Fatal(err)
	}
	size := int(binary.BigEndian.Uint16(valid[16:]))

	// The lengths of the columns before the last one overflow when added up.
	longest := []byte{0xbf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe}
	header := slices.Concat([]byte{29}, longest, longest, longest, []byte{0x17})
	for _, r := range []*sqliteRow{
		{columns: []string{"a", "b", "c", "data"}, local: append(header, "hello"...), size: 34},
		{columns: []string{"a", "b", "c", "data"}, local: append(header, "hello"...), size: math.MaxInt64},
	} {
		if r.text("data") != "" || r.integer("data") != 0 || len(r.start("data")) > 0 {
			t.Error("a value outside its record was read")
		}
	}

	// The text begins far into a record whose pages form a cycle.
	loop := bytes.Clone(valid)
	binary.BigEndian.PutUint32(loop[size:], 2)
	f, err := openSQLite(bytes.NewReader(loop), nil)
	if err != nil {
		t.Fatal(err)
	}
	f.pages = 1 << 20
	header = slices.Concat([]byte{7}, []byte{0xa0, 0x80, 0x80, 0x80, 0x0c}, []byte{0x17})
	r := &sqliteRow{file: f, columns: []string{"a", "data"}, local: header, size: math.MaxInt64, overflow: 2}
	if got := r.text("data"); got != "" || f.visits > 10 {
		t.Errorf("text: %q after %d pages", got, f.visits)
	}

	// A cell is in the reserved part of a page, and the header claims more pages than the file has.
	reserved := bytes.Clone(valid)
	reserved[20] = 200
	binary.BigEndian.PutUint16(reserved[108:], uint16(size-8))
	many := bytes.Clone(valid)
	binary.BigEndian.PutUint32(many[28:], math.MaxUint32)
	for _, db := range [][]byte{reserved, many} {
		if err := opencodeDatabase(t.Context(), bytes.NewReader(db), nil, time.Time{}, func(*session) {}); err == nil {
			t.Error("a damaged database was read")
		}
	}
}
