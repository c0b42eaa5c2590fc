package definition

import (
	"slices"
	"strings"
	"testing"
)

func TestFields(t *testing.T) {
	var f Fields
	f.SetList(FieldTools, []string{"Read", "Grep"})
	f.SetText(FieldModel, "big")
	f.SetList(FieldAgents, []string{})
	f.SetUnknown([]string{"foo"})
	before := f
	f.Compact(strings.Clone)
	if !f.Equal(before) || f.Model() != "big" || !slices.Equal(f.Tools(), []string{"Read", "Grep"}) || f.Agents() == nil || f.Paths() != nil || f.Unknown()[0] != "foo" {
		t.Errorf("%+v", f)
	}
	g := f
	g.SetText(FieldModel, "small")
	g.SetList(FieldTools, nil)
	if f.Model() != "big" || g.Model() != "small" || g.Tools() != nil || f.Equal(g) {
		t.Errorf("changing a copy changed the original: %+v %+v", f, g)
	}
	h := f
	h.SetIgnored([]IgnoredField{{"x", "no"}})
	if !h.Equal(f) || len(h.Ignored()) != 1 || h.Ignored()[0] != (IgnoredField{"x", "no"}) {
		t.Errorf("ignored fields: %+v", h)
	}
}
