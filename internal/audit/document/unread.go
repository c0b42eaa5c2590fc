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
	files := map[string]int{}
	for i, x := range d.set.Package.Files {
		files[x.Path] = i
	}
	onDisk := map[signal.Missed]bool{}
	for _, m := range d.set.Package.Missed {
		onDisk[m] = true
	}
	var groups []*unreadGroup
	for _, m := range d.set.Missed {
		file, read := files[m.Path]
		if !read {
			file = -1
		}
		if m.Why == signal.MissedMedia || read && d.files[file].told && m.Why != signal.MissedTooLarge {
			continue
		}
		tags := []signal.Tag{signal.Tag(m.Why)}
		runs, code := d.judge(m, onDisk[m], file)
		if runs {
			tags = append(tags, "runs")
		}
		if code {
			tags = append(tags, "code")
		}
		at := slices.IndexFunc(groups, func(g *unreadGroup) bool { return slices.Equal(g.tags, tags) })
		if at < 0 {
			at = len(groups)
			groups = append(groups, &unreadGroup{tags: tags, file: max(file, 0), path: m.Path})
		}
		g := groups[at]
		name := m.Path
		if m.Note != "" {
			name += " (" + m.Note + ")"
		}
		if g.names = append(g.names, name); len(g.names) > 1 {
			g.path = ""
		}
	}
	for _, g := range groups {
		subject := strings.Join(g.names[:min(3, len(g.names))], ", ")
		if n := len(g.names) - 3; n > 0 {
			subject += " and " + strconv.Itoa(n) + " more"
		}
		d.signal(signal.Unread, signal.Place{File: g.file}, -1, subject, g.path, g.tags...)
	}
}

// unreadGroup is what was not read for the same reason. path is set if it is one thing.
type unreadGroup struct {
	tags  []signal.Tag
	names []string
	file  int
	path  string
}

// inCommand reports whether a command that does more than read names something in a directory.
func (d *reader) inCommand(dir string) bool {
	return slices.ContainsFunc(d.set.Signals, func(s signal.Signal) bool {
		return s.Kind == signal.Program && s.Meant() && !s.Has("read-only") && strings.Contains(s.Subject, dir+"/")
	})
}

// judge reports whether something that was not read, or only in part, would run or be followed,
// and whether it may be code or instructions. It runs if the definition names it, or if it is
// code by its name or its directory; what is behind a limit of the package may be anything.
// onDisk: nobody has read it from disk. file is its index, or -1.
func (d *reader) judge(m signal.Missed, onDisk bool, file int) (runs, code bool) {
	lang, role := signal.LanguageOfName(strings.ToLower(path.Base(m.Path)))
	class := ClassOfName(m.Path)
	data := class == Media || class == Record
	named := m.Path == d.set.Package.Files[0].Path || d.set.Referenced[m.Path]
	program := named || signal.CodeName(m.Path)
	switch m.Why {
	case signal.MissedLink:
		runs = program
	case signal.MissedUnreadable, signal.MissedSpecial, signal.MissedHardLink:
		runs, code = program, true
	case signal.MissedTooLarge:
		// Code that was read may be longer than what is judged, unless it goes to a shell.
		text := !data && role != signal.Config && (role != signal.Data || lang == "")
		runs, code = text && program && (named || onDisk || lang == "sh"), !data
	case signal.MissedTooMany:
		runs, code = onDisk || named, file <= 0 || signal.CodeName(m.Path)
	case signal.MissedKept:
		code = named || d.inCommand(m.Path)
	case signal.MissedBinary:
		code = !data && (file < 0 || d.files[file].class == "")
	case signal.MissedLanguage, signal.MissedUnparsed, signal.MissedOffice:
	default:
		code = true
	}
	return runs && !d.set.Package.Bare, code
}
