package document

import (
	"fmt"
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
	names, tags, first := map[string][]string{}, map[string][]signal.Tag{}, map[string]int{}
	for _, m := range d.set.Missed {
		file, read := files[m.Path]
		if !read {
			file = -1
		}
		if m.Why == signal.MissedMedia || read && d.files[file].told && m.Why != signal.MissedTooLarge {
			continue
		}
		runs, code := d.judge(m, onDisk[m], file)
		key := fmt.Sprint(m.Why, runs, code)
		if names[key] == nil {
			order = append(order, key)
			first[key], tags[key] = max(file, 0), []signal.Tag{signal.Tag(m.Why)}
			if runs {
				tags[key] = append(tags[key], "runs")
			}
			if code {
				tags[key] = append(tags[key], "code")
			}
		}
		name := m.Path
		if m.Note != "" {
			name += " (" + m.Note + ")"
		}
		names[key] = append(names[key], name)
	}
	for _, key := range order {
		list := names[key]
		subject := strings.Join(list[:min(3, len(list))], ", ")
		if n := len(list) - 3; n > 0 {
			subject += " and " + strconv.Itoa(n) + " more"
		}
		d.signal(signal.Unread, signal.Place{File: first[key]}, -1, subject, "", tags[key]...)
	}
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
		code = named
	case signal.MissedBinary:
		code = !data && (file < 0 || d.files[file].class == "")
	case signal.MissedLanguage, signal.MissedUnparsed, signal.MissedOffice:
	default:
		code = true
	}
	return runs && !d.set.Package.Bare, code
}
