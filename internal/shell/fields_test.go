package shell

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// TestFieldsRecorded compares Fields against recordings of Claude Code 2.1.330. Each row in
// testdata/fields.json is a line and its words.
func TestFieldsRecorded(t *testing.T) {
	data, err := os.ReadFile("testdata/fields.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []recordedLine
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if got := Fields(row.line); !slices.Equal(got, row.words) {
			t.Errorf("Fields(%q) = %q, recorded %q", row.line, got, row.words)
		}
	}
}

type recordedLine struct {
	line  string
	words []string
}

func (r *recordedLine) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&r.line, &r.words})
}
