package trust

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/textdiff"
)

// ChangeKind is what happened to one thing since the consent.
type ChangeKind uint8

// The kinds of changes.
const (
	Added ChangeKind = iota
	Removed
	Modified
)

// String returns "added", "removed" or "changed".
func (k ChangeKind) String() string {
	switch k {
	case Added:
		return "added"
	case Removed:
		return "removed"
	}
	return "changed"
}

// Subject is what a change is of.
type Subject uint8

// The subjects, in the order in which Diff returns them.
const (
	OfCommand Subject = iota
	OfGrant
	OfFile
)

// String returns "command", "grant" or "file".
func (s Subject) String() string {
	switch s {
	case OfCommand:
		return "command"
	case OfGrant:
		return "grant"
	}
	return "file"
}

// Change is one difference between what the consent was given to and what is
// there now. Its texts are other people's bytes: whoever prints them escapes
// them.
type Change struct {
	Subject Subject
	Kind    ChangeKind
	// Name is the path of the file, or the command or grant as it stands.
	Name string
	// Old and New are the file before and now, nil where there is none.
	Old, New *File
	// Unified is the difference of the texts in the form of diff -u, without
	// the two lines of names. It is "" where the texts are the same or Note
	// says why it is not there.
	Unified string
	// Note says what the texts do not show.
	Note string
}

// The notes of a change.
const (
	NoteBinary  = "differs, is not text"
	NoteLarge   = "differs, too large to show"
	NoteNotKept = "differs, the text of the time of the consent was not kept"
	NoteExec    = "may be executed, or no longer, unlike before"
	NoteType    = "is of another type"
	NoteTarget  = "leads elsewhere"
	NoteOrder   = "stands in another order"
)

// Diff returns what differs between a consent and what is there now: commands,
// grants, then files by their paths. It is empty only where the consent covers
// the closure, but for the ID, which is taken to be the same.
func Diff(old *Record, c *Closure) []Change {
	changes := diffLists(OfCommand, old.Commands, c.Commands)
	changes = append(changes, diffLists(OfGrant, sortedGrants(old.Grants), sortedGrants(c.Grants))...)
	before, now := sortedFiles(old.Files), sortedFiles(c.Files)
	for len(before) > 0 || len(now) > 0 {
		switch side := nextSide(before, now); {
		case side < 0:
			changes = append(changes, fileChange(&before[0], nil))
			before = before[1:]
		case side > 0:
			changes = append(changes, fileChange(nil, &now[0]))
			now = now[1:]
		default:
			if compareFiles(before[0], now[0]) != 0 {
				changes = append(changes, fileChange(&before[0], &now[0]))
			}
			before, now = before[1:], now[1:]
		}
	}
	return changes
}

// nextSide says which list has the path that comes first: -1 the old one, 1 the
// new one, 0 both.
func nextSide(before, now []File) int {
	switch {
	case len(before) == 0:
		return 1
	case len(now) == 0:
		return -1
	}
	return cmp.Compare(before[0].Path, now[0].Path)
}

// diffLists compares two lists as sets and says so where only the order or the
// number of times differs.
func diffLists(subject Subject, old, now []string) []Change {
	if slices.Equal(old, now) {
		return nil
	}
	before, after := sortedGrants(old), sortedGrants(now)
	var changes []Change
	missing := func(from, in []string, kind ChangeKind) {
		for _, s := range from {
			if _, ok := slices.BinarySearch(in, s); !ok {
				changes = append(changes, Change{Subject: subject, Kind: kind, Name: s})
			}
		}
	}
	missing(before, after, Removed)
	missing(after, before, Added)
	if changes != nil {
		return changes
	}
	for i, s := range now {
		if i >= len(old) || old[i] != s {
			return []Change{{Subject: subject, Kind: Modified, Name: s, Note: NoteOrder}}
		}
	}
	return []Change{{Subject: subject, Kind: Modified, Name: old[len(now)], Note: NoteOrder}}
}

func fileChange(old, now *File) Change {
	c := Change{Subject: OfFile, Kind: Modified, Old: old, New: now}
	switch {
	case old == nil:
		c.Kind, c.Name = Added, now.Path
	case now == nil:
		c.Kind, c.Name = Removed, old.Path
	default:
		c.Name = old.Path
		c.Note = noteOf(old, now)
	}
	c.Unified = c.unified()
	return c
}

// noteOf names the differences that are not in the text.
func noteOf(old, now *File) string {
	switch {
	case old.Mode.Type() != now.Mode.Type():
		return NoteType
	case old.Target != now.Target:
		return NoteTarget
	case old.Mode != now.Mode:
		return NoteExec
	}
	return ""
}

// unified compares the texts, and puts into the note why it does not. A note
// that is there already is the weightier one and stays.
func (c *Change) unified() string {
	if c.Old != nil && c.New != nil && c.Old.Digest == c.New.Digest && c.Old.Size == c.New.Size {
		return ""
	}
	old, oldNote := textOf(c.Old, NoteNotKept)
	now, newNote := textOf(c.New, NoteLarge)
	note := cmp.Or(newNote, oldNote)
	if note == "" {
		_, text, _ := strings.Cut(textdiff.Diff("", old, now), "\n+++ b/\n")
		return text
	}
	c.Note = cmp.Or(c.Note, note)
	return ""
}

// textOf returns the text of a file, or the note that says why there is none;
// gone is the note where it could have been kept but was not.
func textOf(f *File, gone string) (string, string) {
	switch {
	case f == nil || !f.Mode.IsRegular() && f.Mode != 0o111:
		return "", ""
	case f.Size > MaxText:
		return "", NoteLarge
	case f.Data == nil:
		return "", gone
	case !isText(f.Data):
		return "", NoteBinary
	}
	return string(f.Data), ""
}
