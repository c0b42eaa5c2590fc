package document

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// unread adds the signals about what was not read: one for all with the same tags.
func (d *reader) unread() {
	byPath := map[string]int{}
	for i, x := range d.set.Package.Files {
		byPath[x.Path] = i
	}
	failed := map[string]bool{}
	for i := range d.set.Signals {
		if x := &d.set.Signals[i]; x.Kind == signal.Unread && x.Has("failed") {
			failed[d.set.Package.Files[x.File].Path] = true
		}
	}
	names, files := map[string][]string{}, map[string]int{}
	var order []string
	for _, m := range d.set.Missed {
		file, read := byPath[m.Path]
		told := read && file < len(d.files) && d.files[file].told
		if m.Why == signal.MissedMedia || told && m.Why != signal.MissedTooLarge || m.Why == signal.MissedUnparsed && failed[m.Path] {
			continue
		}
		tags := d.unreadTags(m, file, read)
		if names[tags] == nil {
			order = append(order, tags)
			files[tags] = file
		}
		name := m.Path
		if m.Note != "" {
			name += " (" + m.Note + ")"
		}
		if !slices.Contains(names[tags], name) {
			names[tags] = append(names[tags], name)
		}
	}
	for _, key := range order {
		const few = 3
		list := names[key]
		subject := strings.Join(list[:min(few, len(list))], ", ")
		if n := len(list) - few; n > 0 {
			subject += " and " + strconv.Itoa(n) + " more"
		}
		var tags []signal.Tag
		for tag := range strings.FieldsSeq(key) {
			tags = append(tags, signal.Tag(tag))
		}
		d.signal(signal.Unread, signal.Place{File: files[key]}, -1, subject, "", tags...)
	}
}

// unreadTags are the tags of something that was not read, with spaces between them: why, and
// whether it would run or may be code.
func (d *reader) unreadTags(m signal.Missed, file int, read bool) string {
	tags := string(m.Why)
	switch m.Why {
	case signal.MissedTooLarge:
		tags = "size"
	case signal.MissedTooMany:
		tags = "count"
	case signal.MissedNative, signal.MissedBytecode, signal.MissedArchive, signal.MissedOffice:
		tags = "binary"
	}
	if d.mayRun(m) {
		tags += " runs"
	}
	if d.mayBeCode(m, file, read) {
		tags += " code"
	}
	return tags
}

// mayRun reports whether something that was not read, or only in part, would run or be
// followed: the definition names it, or it is code by its name or its directory. What is
// behind a limit of the package may be anything.
func (d *reader) mayRun(m signal.Missed) bool {
	p := d.set.Package
	if p.Bare {
		return false
	}
	onDisk := slices.Contains(p.Missed, m)
	named := m.Path == p.Files[0].Path || d.set.Referenced[m.Path]
	switch m.Why {
	case signal.MissedUnreadable, signal.MissedSpecial, signal.MissedHardLink, signal.MissedLink:
		return named || signal.CodeName(m.Path)
	case signal.MissedTooLarge:
		// Code in a file that was read may be longer than what is judged, unless it is
		// named or goes to a shell.
		return !isData(m.Path) && (named || signal.CodeName(m.Path) && (onDisk || signal.Language(strings.TrimPrefix(path.Ext(m.Path), ".")) == "sh"))
	case signal.MissedTooMany:
		return onDisk || named
	}
	return false
}

// isData reports whether a file is by its name neither text for a reader nor code.
func isData(name string) bool {
	class := ClassOfName(name)
	lang, role := signal.LanguageOfName(strings.ToLower(path.Base(name)))
	return class == Media || class == Record || role == signal.Config || role == signal.Data && lang != ""
}

// mayBeCode reports whether something that was not read may be code or instructions: a
// table or an image is not.
func (d *reader) mayBeCode(m signal.Missed, file int, read bool) bool {
	class := ClassOfName(m.Path)
	switch m.Why {
	case signal.MissedLanguage, signal.MissedUnparsed, signal.MissedOffice, signal.MissedLink:
		return false
	case signal.MissedKept:
		return d.set.Referenced[m.Path]
	case signal.MissedTooMany:
		return !read || file == 0 || signal.CodeName(m.Path)
	case signal.MissedBinary:
		if read && (d.files[file].hollow || d.files[file].class == Media || d.files[file].class == Record) {
			return false
		}
	case signal.MissedTooLarge:
	default:
		return true
	}
	return class != Media && class != Record
}
