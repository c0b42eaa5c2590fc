package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// TestManyUnknownFields checks that a file full of unknown fields takes linear
// time and that not all of them are reported.
func TestManyUnknownFields(t *testing.T) {
	const fields = 100000
	var b strings.Builder
	b.WriteString("---\nname: deploy\ndescription: d\n")
	s := subject(t, definition.Skill, skillPath, b.String()+"---\n")
	var unknown []string
	for i := range fields {
		key := fmt.Sprintf("key%d", i)
		s.Entries = append(s.Entries, definition.Entry{Key: key})
		unknown = append(unknown, key)
	}
	s.Definition.Fields.SetUnknown(unknown)
	last := ""
	n := 0
	for _, f := range Run(s) {
		if f.Code == diag.FieldUnknown {
			last = f.Message
			n++
		}
	}
	if want := fmt.Sprintf("more fields that no checked host supports: %d", fields-maxUnknown); n != maxUnknown+1 || last != want {
		t.Errorf("%d findings, the last %q", n, last)
	}
}
