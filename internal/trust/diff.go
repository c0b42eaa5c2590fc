package trust

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/textdiff"
)

// ChangeKind is the way in which an item has changed since the approval.
type ChangeKind uint8

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

// Subject is the kind of item that changed.
type Subject uint8

// The subjects, in the order in which Diff reports them.
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

// Change is a difference between what was approved and the current state. Its strings come from
// untrusted files: escape them before printing.
type Change struct {
	Subject Subject
	Kind    ChangeKind
	// Name is the file's path, or the command or grant as written.
	Name string
	// Old is the file as approved, and New is the file as it is now. Either may be nil.
	Old, New *File
	// Unified is the difference between the texts in diff -u format, without the two header lines.
	// It is "" if the texts are equal or if Note explains why it is missing.
	Unified string
	// Note describes changes that do not show in the texts.
	Note string
}

// Values for Change.Note.
const (
	NoteBinary  = "differs (binary file)"
	NoteLarge   = "differs (too large to show)"
	NoteNotKept = "differs (the approved text was not stored)"
	NoteExec    = "execute permission changed"
	NoteType    = "file type changed"
	NoteTarget  = "symlink target changed"
	NoteOrder   = "order changed"
)

// Diff returns the differences between an approval and the current closure, in this order:
// commands, grants, and files sorted by path. It returns no differences only if the approval covers
// the closure. It does not compare IDs.
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

// nextSide returns which of two sorted lists contains the next path: -1 for before, 1 for now, or 0
// for both.
func nextSide(before, now []File) int {
	switch {
	case len(before) == 0:
		return 1
	case len(now) == 0:
		return -1
	}
	return cmp.Compare(before[0].Path, now[0].Path)
}

// diffLists compares two lists, ignoring the order and repeated items. If the lists contain the
// same items, it reports whether they differ in order or in how often an item occurs.
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

// noteOf describes a difference between two files other than a difference in content.
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

// unified returns the diff between the texts, or "" if they are equal or cannot be compared. In the
// latter case, it sets the note to the reason, unless a note is already set.
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

// textOf returns a file's text, or a note that explains why there is no text. ifMissing is the note
// to return if the text is short enough to be stored but was not stored.
func textOf(f *File, ifMissing string) (string, string) {
	switch {
	case f == nil || !f.Mode.IsRegular() && f.Mode != 0o111:
		return "", ""
	case f.Size > MaxText:
		return "", NoteLarge
	case f.Data == nil:
		return "", ifMissing
	case !isText(f.Data):
		return "", NoteBinary
	}
	return string(f.Data), ""
}
