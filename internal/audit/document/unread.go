package document

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// group is a set of unread parts that are reported together, because the reason for not reading
// them and the consequences are the same. file and path refer to the first part.
type group struct {
	names []string
	tags  tagList
	file  int
	path  string
}

// addUnread adds one signal per group of unread parts.
func (d *reader) addUnread() {
	files := map[string]int{}
	for i, x := range d.set.Package.Files {
		files[x.Path] = i + 1
	}
	onDisk := map[signal.Missed]bool{}
	for _, m := range d.set.Package.Missed {
		onDisk[m] = true
	}
	var groups []group
	for _, m := range d.set.Missed {
		file := files[m.Path] - 1
		if m.Reason == signal.MissedMedia || file >= 0 && d.files[file].reported && m.Reason != signal.MissedTooLarge {
			continue
		}
		tags := tagList{signal.Tag(m.Reason)}
		tags.add("runs", !d.set.Package.Bare && d.mayRun(m, onDisk[m]))
		tags.add("code", d.mayBeCode(m, file))
		n := slices.IndexFunc(groups, func(g group) bool { return slices.Equal(g.tags, tags) })
		if n < 0 {
			n = len(groups)
			groups = append(groups, group{tags: tags, file: max(file, 0), path: m.Path})
		}
		name := m.Path
		if m.Note != "" {
			name += " (" + m.Note + ")"
		}
		groups[n].names = append(groups[n].names, name)
	}
	for _, g := range groups {
		subject := strings.Join(g.names[:min(3, len(g.names))], ", ")
		if n := len(g.names) - 3; n > 0 {
			subject += " and " + strconv.Itoa(n) + " more"
		}
		if len(g.names) > 1 {
			g.path = ""
		}
		d.signal(signal.Unread, signal.Place{File: g.file}, -1, subject, g.path, g.tags...)
	}
}

// mayRun reports whether an unread part of the package could be run or followed as instructions.
// This is the case if the definition refers to the part, or if the part's name or directory
// indicates that it is code. A part on disk that was skipped because of a limit for the package
// could also be code. onDisk is set if the part is on disk but was never read.
func (d *reader) mayRun(m signal.Missed, onDisk bool) bool {
	named := m.Path == d.set.Package.Files[0].Path || d.set.Referenced[m.Path]
	program := named || signal.CodeName(m.Path)
	switch m.Reason {
	case signal.MissedLink:
		return program || d.commandMentions(m.Path)
	case signal.MissedUnreadable, signal.MissedSpecial, signal.MissedHardLink:
		return program
	case signal.MissedTooLarge:
		// Only the beginning of a long file was audited. That is enough to judge code, unless a
		// shell runs it.
		lang, role := signal.LanguageOfName(strings.ToLower(path.Base(m.Path)))
		text := !isData(m.Path) && role != signal.Config && (role != signal.Data || lang == "")
		return text && program && (named || onDisk || lang == "sh")
	case signal.MissedTooMany:
		return onDisk || named
	}
	return false
}

// commandMentions reports whether a command names a file in dir.
func (d *reader) commandMentions(dir string) bool {
	return slices.ContainsFunc(d.set.Signals, func(x signal.Signal) bool {
		return x.Kind == signal.Program && x.Meant() && strings.Contains(x.Subject, path.Base(dir)+"/")
	})
}

// isData reports whether a file's name indicates that it is neither text nor code.
func isData(name string) bool {
	class := ClassOfName(name)
	return class == Media || class == Record
}

// mayBeCode reports whether an unread part may contain code or instructions. file is the index of
// the part's file in the package, or -1 if it has none.
func (d *reader) mayBeCode(m signal.Missed, file int) bool {
	switch m.Reason {
	case signal.MissedLink, signal.MissedLanguage, signal.MissedUnparsed, signal.MissedOffice:
		return false
	case signal.MissedTooLarge:
		return !isData(m.Path)
	case signal.MissedTooMany:
		return file <= 0 || signal.CodeName(m.Path)
	case signal.MissedVersionControl:
		return d.commandMentions(m.Path)
	case signal.MissedBinary:
		return !isData(m.Path) && (file < 0 || d.files[file].class == "")
	}
	return true
}
