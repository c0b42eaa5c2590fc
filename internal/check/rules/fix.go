package rules

import (
	"cmp"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

// isSafeFix reports whether the edit for a finding with this code may be applied without asking.
// Such an edit changes the form of a file but not its meaning.
func isSafeFix(c diag.Code) bool {
	switch c {
	case diag.YAMLRepairedValue, diag.FieldSpelling, diag.FMBOM, diag.FMNotAtByte0, diag.FMTrailingSpace, diag.FieldBool, diag.FieldList:
		return true
	}
	return false
}

// Fixable reports whether the finding has an edit that may be applied without asking. A misspelled
// key is fixed only if the field is descriptive: any other field could change what the definition
// does once hosts recognize the key.
func (f *Finding) Fixable() bool {
	return f.Edit != nil && isSafeFix(f.Code) && (f.Code != diag.FieldSpelling || Tells(definition.LookupField(f.Edit.New)))
}

// Tells reports whether a field only describes the definition to people or models, and does not
// enable, permit or run anything.
func Tells(f definition.Field) bool {
	switch f {
	case definition.FieldTitle, definition.FieldDescription, definition.FieldWhenToUse, definition.FieldArgumentHint,
		definition.FieldLicense, definition.FieldCompatibility, definition.FieldMetadata, definition.FieldKeywords:
		return true
	}
	return false
}

// TextOf parses a definition file with Vade's own parser, which does not follow the rules of any
// particular host.
func TextOf(name string, data []byte) Text {
	doc, _ := frontmatter.Parse(diag.NewFile(name, data), false, host.NeutralDialect())
	return Text{Entries: doc.Entries, Body: string(data[min(doc.Body, len(data)):]), Valid: doc.Valid}
}

// Text is a parsed definition file, whose meaning edits must preserve.
type Text struct {
	Entries []definition.Entry
	Body    string
	// Valid reports whether all of the frontmatter could be parsed.
	Valid bool
}

// MaxTries limits how many edits to one file are tried individually.
const MaxTries = 100

// ApplyFixes applies the edits in findings to a file. It first tries all edits together. If allowed
// rejects the result, it tries them one by one, starting at the end of the file, because an error
// near the start can hide later errors. ApplyFixes returns the edited text and the fixed findings,
// in file order. complete is false if there were more than [MaxTries] edits to try one by one.
func ApplyFixes(data []byte, list []Finding, allowed func(after []byte, made []Finding) bool) (after []byte,
	made []Finding, complete bool) {
	edits := slices.DeleteFunc(slices.Clone(list), func(f Finding) bool {
		return !f.Fixable() || f.Edit.Start < 0 || f.Edit.End > len(data) || f.Edit.Start > f.Edit.End ||
			string(data[f.Edit.Start:f.Edit.End]) == f.Edit.New
	})
	// If edits overlap, put the longer one first, because it includes the other.
	slices.SortStableFunc(edits, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Edit.Start, b.Edit.Start), cmp.Compare(b.Edit.End, a.Edit.End))
	})
	var all []Finding
	for _, f := range edits {
		if len(all) == 0 || all[len(all)-1].Edit.End <= f.Edit.Start {
			all = append(all, f)
		}
	}
	if text := edited(data, all); len(all) > 0 && allowed(text, all) {
		return text, all, true
	}
	for i, f := range slices.Backward(edits) {
		if len(edits)-i > MaxTries {
			return edited(data, made), made, false
		}
		// The loop runs backward, so f either precedes all edits in made or overlaps the first of
		// them.
		with := append([]Finding{f}, made...)
		if (len(made) == 0 || f.Edit.End <= made[0].Edit.Start) && allowed(edited(data, with), with) {
			made = with
		}
	}
	return edited(data, made), made, true
}

// edited applies edits that are sorted and do not overlap.
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

// Kept reports whether the edits changed only the form of a file's fields and not its meaning.
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
		if !a.Value.Equal(b.Value) && !restated(codes, definition.LookupField(b.Key), &a.Value, &b.Value) {
			return false
		}
	}
	return true
}

// restated reports whether a field's old and new values have the same meaning and differ only in a
// way that one of the applied fixes explains.
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
