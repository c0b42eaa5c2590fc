package rules

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/diag"

	"github.com/vadehq/vade/internal/testenv"
)

func editAt(start, end int, text string) Finding {
	return Finding{Code: diag.FieldBool, Edit: &diag.Edit{Start: start, End: end, New: text}}
}

// TestFixAttemptLimit checks that ApplyFixes tries all edits at once, then one
// by one up to a limit.
func TestFixAttemptLimit(t *testing.T) {
	data := []byte(strings.Repeat("a", MaxTries+1))
	var list []Finding
	for i := range data {
		list = append(list, editAt(i, i+1, "b"))
	}
	tries := 0
	out, made, complete := ApplyFixes(data, list, func([]byte, []Finding) bool { tries++; return true })
	if tries != 1 || len(made) != len(data) || !complete || strings.Contains(string(out), "a") {
		t.Errorf("%d tries, %d made", tries, len(made))
	}
	out, made, complete = ApplyFixes(data[1:], list[:MaxTries], func(after []byte, _ []Finding) bool { return after[8] == 'a' })
	if len(made) != MaxTries-1 || !complete || bytes.IndexByte(out, 'a') != 8 {
		t.Errorf("one does harm: %d made", len(made))
	}
	tries = 0
	_, made, complete = ApplyFixes(data, list, func([]byte, []Finding) bool { tries++; return false })
	if tries != MaxTries+1 || len(made) != 0 || complete {
		t.Errorf("all do harm: %d tries, %d made, complete %v", tries, len(made), complete)
	}
}

// TestFixOverlap checks that only one of two overlapping edits is applied: the longer edit or, if
// that is rejected, the shorter edit.
func TestFixOverlap(t *testing.T) {
	list := []Finding{editAt(2, 4, "xx"), editAt(1, 6, "Y"), editAt(8, 9, "z")}
	yes := func([]byte, []Finding) bool { return true }
	if out, made, _ := ApplyFixes([]byte("abcdefghij"), list, yes); string(out) != "aYghzj" || len(made) != 2 {
		t.Errorf("%q", out)
	}
	no := func(after []byte, _ []Finding) bool { return !bytes.ContainsRune(after, 'Y') }
	if out, made, _ := ApplyFixes([]byte("abcdefghij"), list, no); string(out) != "abxxefghzj" || len(made) != 2 {
		t.Errorf("the longer does harm: %q", out)
	}
}

// TestFixPositions checks that each edit is applied exactly once, at its position.
func TestFixPositions(t *testing.T) {
	testenv.Check(t, func(r *rapid.T) {
		data := []byte(strings.Repeat("abcdefgh", 4))
		var list []Finding
		for i := range rapid.IntRange(0, 12).Draw(r, "edits") {
			start := rapid.IntRange(0, len(data)).Draw(r, "start")
			end := rapid.IntRange(start, min(start+6, len(data))).Draw(r, "end")
			list = append(list, editAt(start, end, fmt.Sprintf("<%d>", i)))
		}
		harm := rapid.IntRange(0, 12).Draw(r, "harm")
		out, made, _ := ApplyFixes(data, list, func(after []byte, _ []Finding) bool {
			return !bytes.Contains(after, fmt.Appendf(nil, "<%d>", harm))
		})
		size := len(data)
		for _, f := range made {
			size += len(f.Edit.New) - (f.Edit.End - f.Edit.Start)
			if bytes.Count(out, []byte(f.Edit.New)) != 1 {
				r.Fatalf("%s is not applied exactly once in %q", f.Edit.New, out)
			}
		}
		if len(out) != size {
			r.Fatalf("%q has %d bytes, not %d", out, len(out), size)
		}
	})
}
