package trust

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

// TestRecordKeepsEverything writes random records and reads them back.
func TestRecordKeepsEverything(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		want := newRecord(drawClosure(t), now)
		data, err := want.encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := parseRecord(want.ID.key(), data)
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s\n%s", diff, data)
		}
	})
}

// FuzzRecord checks that every accepted record is consistent and survives encoding.
func FuzzRecord(f *testing.F) {
	for _, c := range []*Closure{sample(), {}, {ID: ID{Name: "é"}, Commands: []string{"é"}}} {
		data, err := newRecord(c, now).encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(c.ID.key(), data)
	}
	for _, s := range []string{"", "null", "[]", "{}", `{"version":1}`, `{"version":1,"givenAt":"9999-12-31T23:59:59Z"}`} {
		f.Add((ID{}).key(), []byte(s))
	}
	f.Fuzz(func(t *testing.T, key string, data []byte) {
		r, err := parseRecord(key, data)
		if err != nil {
			return
		}
		if r.ID.key() != key || r.Digest != (&Closure{ID: r.ID, Files: r.Files}).Digest() {
			t.Fatalf("inconsistent record: %+v", r)
		}
		if !r.covers(&Closure{ID: r.ID, Files: r.Files, Commands: r.Commands, Grants: r.Grants}) {
			t.Fatal("the record does not cover its own contents")
		}
		again, err := r.encode()
		if err != nil {
			t.Skipf("the time cannot be encoded: %v", err)
		}
		second, err := parseRecord(key, again)
		if err != nil {
			t.Fatalf("%v in\n%s", err, again)
		}
		if diff := cmp.Diff(r, second, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		if third, _ := second.encode(); !bytes.Equal(third, again) {
			t.Fatal("the same record has two encodings")
		}
	})
}
