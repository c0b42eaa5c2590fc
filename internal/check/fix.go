package check

import (
	"cmp"
	"slices"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/frontmatter"
)

// Mends reports whether the edit of a finding with this code may be made without
// asking: it changes how something is written and nothing of what it says.
func Mends(c diag.Code) bool {
	switch c {
	case diag.YAMLRepairedValue, diag.FieldSpelling, diag.FMBOM, diag.FMNotAtByte0, diag.FMTrailingSpace, diag.FieldBool, diag.FieldList:
		return true
	}
	return false
}

// Mendable reports whether the finding has an edit that may be made without asking.
func (f *Finding) Mendable() bool { return f.Edit != nil && Mends(f.Code) }

// Text is what a definition file says, as one reader sees it: what an edit must
// not change.
type Text struct {
	Entries []definition.Entry
	Body    string
	// Valid: the frontmatter could be read as a whole.
	Valid bool
}

// Mend makes the edits of findings in a file, one by one, and takes back each
// after which allowed says no. It returns the text with the edits that were made,
// and their findings.
func Mend(data []byte, list []Finding, allowed func(before, after []byte, f *Finding) bool) ([]byte, []Finding) {
	edits := slices.DeleteFunc(slices.Clone(list), func(f Finding) bool {
		return f.Edit == nil || !Mends(f.Code) || f.Edit.Start < 0 || f.Edit.End > len(data) || f.Edit.Start > f.Edit.End
	})
	// From the end of the file to its beginning, so that places stay what they are.
	slices.SortStableFunc(edits, func(a, b Finding) int { return cmp.Compare(b.Edit.Start, a.Edit.Start) })
	var made []Finding
	limit := len(data)
	for _, f := range edits {
		if f.Edit.End > limit {
			continue
		}
		after := slices.Concat(data[:f.Edit.Start], []byte(f.Edit.New), data[f.Edit.End:])
		if slices.Equal(after, data) || !allowed(data, after, &f) {
			continue
		}
		data, limit = after, f.Edit.Start
		made = append(made, f)
	}
	slices.Reverse(made)
	return data, made
}

// Kept reports whether an edit changed nothing of what a file says but for the
// way in which one field says it.
func Kept(before, after Text, f *Finding) bool {
	if before.Body != after.Body || before.Valid && !after.Valid || len(before.Entries) != len(after.Entries) {
		return false
	}
	for i := range before.Entries {
		a, b := &before.Entries[i], &after.Entries[i]
		if a.Key != b.Key && (f.Code != diag.FieldSpelling || definition.LookupField(a.Key) != definition.LookupField(b.Key)) {
			return false
		}
		if !equal(&a.Value, &b.Value) && !restated(f.Code, definition.LookupField(b.Key), &a.Value, &b.Value) {
			return false
		}
	}
	return true
}

// equal compares two values but for their places and quotes.
func equal(a, b *definition.Value) bool {
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Items) != len(b.Items) || len(a.Pairs) != len(b.Pairs) {
		return false
	}
	for i := range a.Items {
		if !equal(&a.Items[i], &b.Items[i]) {
			return false
		}
	}
	for i := range a.Pairs {
		if a.Pairs[i].Key != b.Pairs[i].Key || !equal(&a.Pairs[i].Value, &b.Pairs[i].Value) {
			return false
		}
	}
	return true
}

// restated reports whether two values of a field say the same in the two forms
// that a rule changes into one another.
func restated(c diag.Code, f definition.Field, a, b *definition.Value) bool {
	switch {
	case c == diag.FieldBool && f.Shape() == definition.Flag:
		x, bad := frontmatter.Bool(*a)
		y, worse := frontmatter.Bool(*b)
		return bad == "" && worse == "" && x == y
	case c == diag.FieldList && f == definition.FieldAllowedTools:
		x, bad := frontmatter.Rules(*a)
		y, worse := frontmatter.Rules(*b)
		return bad == "" && worse == "" && slices.Equal(x, y)
	case c == diag.FieldList && f == definition.FieldArgumentHint:
		return a.Kind == definition.List && b.Kind == definition.String
	}
	return false
}
