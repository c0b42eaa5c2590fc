package document

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// group are parts that were not read for the same reason and with the same consequences. file
// and path are those of the first.
type group struct {
	names []string
	tags  []signal.Tag
	file  int
	path  string
}

// unread adds the signals about what was not read: one for each group.
func (d *reader) unread() {
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
		if m.Why == signal.MissedMedia || file >= 0 && d.files[file].told && m.Why != signal.MissedTooLarge {
			continue
		}
		tags := append([]signal.Tag{signal.Tag(m.Why)}, d.judge(m, onDisk[m], file)...)
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

// judge says whether something that was not read, or only in part, would run or be followed,
// and whether it may be code or instructions. It runs if the definition names it, or if it is
// code by its name or its directory; what is behind a limit of the package may be anything.
// onDisk: nobody has read it from disk. file is its index, or -1.
func (d *reader) judge(m signal.Missed, onDisk bool, file int) (tags []signal.Tag) {
	var runs, code bool
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
		code = slices.ContainsFunc(d.set.Signals, func(x signal.Signal) bool {
			return x.Kind == signal.Program && x.Meant() && strings.Contains(x.Subject, path.Base(m.Path)+"/")
		})
	case signal.MissedBinary:
		code = !data && (file < 0 || d.files[file].class == "")
	case signal.MissedLanguage, signal.MissedUnparsed, signal.MissedOffice:
	default:
		code = true
	}
	if runs && !d.set.Package.Bare {
		tags = append(tags, "runs")
	}
	if code {
		tags = append(tags, "code")
	}
	return tags
}
