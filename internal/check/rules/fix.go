package rules

import (
	"cmp"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
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
// Another spelling of a key is one only where the field is there to be read: a host
// that did not know the key heeds it from then on.
func (f *Finding) Mendable() bool {
	return f.Edit != nil && Mends(f.Code) && (f.Code != diag.FieldSpelling || Tells(definition.LookupField(f.Edit.New)))
}

// Tells reports whether a field tells people or a model something, and switches,
// grants or runs nothing.
func Tells(f definition.Field) bool {
	switch f {
	case definition.FieldTitle, definition.FieldDescription, definition.FieldWhenToUse, definition.FieldArgumentHint,
		definition.FieldLicense, definition.FieldCompatibility, definition.FieldMetadata, definition.FieldKeywords:
		return true
	}
	return false
}

// Text is what a definition file says, as one reader sees it: what an edit must
// not change.
type Text struct {
	Entries []definition.Entry
	Body    string
	// Valid: the frontmatter could be read as a whole.
	Valid bool
}

// MaxTries bounds how often the edits of one file are tried, each time another
// choice of them: where all of them do no harm, once is enough.
const MaxTries = 100

// Mend makes the edits of findings in a file: all of them where allowed says yes
// to that, else those that are left when it has said no to the others. It returns
// the text with the edits that were made, and their findings in the order of the
// file. It is not complete where that took too many tries, or where allowed has
// said to stop.
func Mend(data []byte, list []Finding, allowed func(after []byte, made []Finding) (ok, stop bool)) (after []byte, made []Finding, complete bool) {
	left := slices.DeleteFunc(slices.Clone(list), func(f Finding) bool {
		return !f.Mendable() || f.Edit.Start < 0 || f.Edit.End > len(data) || f.Edit.Start > f.Edit.End ||
			string(data[f.Edit.Start:f.Edit.End]) == f.Edit.New
	})
	// Of two edits at one place the longer comes first: it leaves nothing of the
	// other to do.
	slices.SortStableFunc(left, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Edit.Start, b.Edit.Start), cmp.Compare(b.Edit.End, a.Edit.End))
	})
	m := mending{data: data, allowed: allowed, tries: MaxTries}
	for len(left) > 0 && !m.ended {
		var now, later []Finding
		for _, f := range left {
			switch {
			case overlaps(m.made, &f):
			case len(now) > 0 && now[len(now)-1].Edit.End > f.Edit.Start:
				later = append(later, f)
			default:
				now = append(now, f)
			}
		}
		m.try(now)
		left = later
	}
	return edited(data, m.made), m.made, !m.ended
}

// mending is the edits of one file while they are tried.
type mending struct {
	data    []byte
	allowed func([]byte, []Finding) (bool, bool)
	made    []Finding
	tries   int
	ended   bool
}

// try makes edits that do not overlap, or those of them that do no harm.
func (m *mending) try(list []Finding) {
	if len(list) == 0 || m.ended {
		return
	}
	if m.tries--; m.tries < 0 {
		m.ended = true
		return
	}
	with := slices.Concat(m.made, list)
	slices.SortStableFunc(with, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Edit.Start, b.Edit.Start), cmp.Compare(a.Edit.End, b.Edit.End))
	})
	ok, stop := m.allowed(edited(m.data, with), with)
	switch {
	case stop:
		m.ended = true
	case ok:
		m.made = with
	case len(list) > 1:
		// From the end of the file: what is wrong at its beginning hides more.
		m.try(list[len(list)/2:])
		m.try(list[:len(list)/2])
	}
}

// overlaps reports whether an edit is of a place that another one changes.
func overlaps(made []Finding, f *Finding) bool {
	i, _ := slices.BinarySearchFunc(made, f.Edit.Start, func(m Finding, at int) int { return cmp.Compare(m.Edit.End, at+1) })
	return i < len(made) && made[i].Edit.Start < f.Edit.End
}

// edited returns a text with edits made that are in order and do not overlap.
func edited(data []byte, list []Finding) []byte {
	if len(list) == 0 {
		return data
	}
	out := make([]byte, 0, len(data)+len(data)/8)
	at := 0
	for i := range list {
		e := list[i].Edit
		out = append(append(out, data[at:e.Start]...), e.New...)
		at = e.End
	}
	return append(out, data[at:]...)
}

// Kept reports whether edits changed nothing of what a file says but for the way in
// which its fields say it.
func Kept(before, after Text, made []Finding) bool {
	if before.Body != after.Body || before.Valid && !after.Valid || len(before.Entries) != len(after.Entries) {
		return false
	}
	codes := map[diag.Code]bool{}
	for i := range made {
		codes[made[i].Code] = true
	}
	for i := range before.Entries {
		a, b := &before.Entries[i], &after.Entries[i]
		if a.Key != b.Key && (!codes[diag.FieldSpelling] || definition.LookupField(a.Key) != definition.LookupField(b.Key)) {
			return false
		}
		if !equal(&a.Value, &b.Value) && !restated(codes, definition.LookupField(b.Key), &a.Value, &b.Value) {
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
// that one of some rules changes into one another.
func restated(codes map[diag.Code]bool, f definition.Field, a, b *definition.Value) bool {
	switch {
	case codes[diag.FieldBool] && f.Shape() == definition.Flag:
		x, bad := frontmatter.Bool(*a)
		y, worse := frontmatter.Bool(*b)
		return bad == "" && worse == "" && x == y
	case codes[diag.FieldList] && f == definition.FieldAllowedTools:
		x, bad := frontmatter.Rules(*a)
		y, worse := frontmatter.Rules(*b)
		return bad == "" && worse == "" && slices.Equal(x, y)
	case codes[diag.FieldList] && f == definition.FieldArgumentHint:
		return a.Kind == definition.List && b.Kind == definition.String
	}
	return false
}
