package document

import (
	"path"
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// unread adds the signals about what was not read: one for all with the same tags.
func (d *reader) unread() {
	files := map[string]int{}
	for i, x := range d.set.Package.Files {
		files[x.Path] = i
	}
	onDisk := map[signal.Missed]bool{}
	for _, m := range d.set.Package.Missed {
		onDisk[m] = true
	}
	var order []string
	names, paths, first := map[string][]string{}, map[string]string{}, map[string]int{}
	for _, m := range d.set.Missed {
		file, read := files[m.Path]
		if m.Why == signal.MissedMedia || read && d.files[file].told && m.Why != signal.MissedTooLarge {
			continue
		}
		tags := reasonTag(m.Why)
		if !d.set.Package.Bare && d.mayRun(m, onDisk[m]) {
			tags += " runs"
		}
		if d.mayBeCode(m, file, read) {
			tags += " code"
		}
		if names[tags] == nil {
			order = append(order, tags)
			first[tags], paths[tags] = file, m.Path
		} else {
			paths[tags] = ""
		}
		name := m.Path
		if m.Note != "" {
			name += " (" + m.Note + ")"
		}
		names[tags] = append(names[tags], name)
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
		d.signal(signal.Unread, signal.Place{File: first[key]}, -1, subject, paths[key], tags...)
	}
}

// reasonTag is the tag of a reason for which something was not read.
func reasonTag(why signal.Reason) string {
	switch why {
	case signal.MissedTooLarge:
		return "size"
	case signal.MissedTooMany:
		return "count"
	case signal.MissedNative, signal.MissedBytecode, signal.MissedArchive, signal.MissedOffice:
		return "binary"
	}
	return string(why)
}

// mayRun reports whether something that was not read, or only in part, would run or be
// followed: the definition names it, or it is code by its name or its directory. What is
// behind a limit of the package may be anything. onDisk: nobody has read it from disk.
func (d *reader) mayRun(m signal.Missed, onDisk bool) bool {
	named := m.Path == d.set.Package.Files[0].Path || d.set.Referenced[m.Path]
	switch m.Why {
	case signal.MissedUnreadable, signal.MissedSpecial, signal.MissedHardLink, signal.MissedLink:
		return named || signal.CodeName(m.Path)
	case signal.MissedTooLarge:
		// Code that was read may be longer than what is judged, unless it goes to a shell.
		lang, role := signal.LanguageOfName(strings.ToLower(path.Base(m.Path)))
		data := isData(m.Path) || role == signal.Config || role == signal.Data && lang != ""
		return !data && (named || signal.CodeName(m.Path) && (onDisk || lang == "sh"))
	case signal.MissedTooMany:
		return onDisk || named
	}
	return false
}

// isData reports whether a file is by its name neither text nor code.
func isData(name string) bool {
	class := ClassOfName(name)
	return class == Media || class == Record
}

// mayBeCode reports whether something that was not read may be code or instructions: a
// table or an image is not.
func (d *reader) mayBeCode(m signal.Missed, file int, read bool) bool {
	switch m.Why {
	case signal.MissedLanguage, signal.MissedUnparsed, signal.MissedOffice, signal.MissedLink:
		return false
	case signal.MissedKept:
		return d.set.Referenced[m.Path]
	case signal.MissedTooMany:
		return !read || file == 0 || signal.CodeName(m.Path)
	case signal.MissedBinary:
		if read && (d.files[file].class == Text || d.files[file].class == Media || d.files[file].class == Record) {
			return false
		}
	case signal.MissedTooLarge:
	default:
		return true
	}
	return !isData(m.Path)
}
