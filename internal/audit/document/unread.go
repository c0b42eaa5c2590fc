package document

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
)

// usage is what the commands of a package name: files and directories.
type usage map[string]bool

func (d *reader) usage() usage {
	u := usage{}
	for i := range d.set.Signals {
		x := &d.set.Signals[i]
		if x.Kind != signal.Program && x.Kind != signal.Run && x.Kind != signal.Install || !x.Meant() {
			continue
		}
		for word := range strings.FieldsFuncSeq(x.Subject+" "+x.Object, func(r rune) bool {
			return r <= ' ' || strings.ContainsRune("\"'`=;|&()<>,:", r)
		}) {
			for word = strings.TrimPrefix(word, "./"); word != "." && word != "/"; word = path.Dir(word) {
				u[word], u[path.Base(word)] = true, true
			}
		}
	}
	return u
}

// used reports whether a command names a file, or something in a directory.
func (u usage) used(name string) bool { return u[name] || u[path.Base(name)] }

// forms adds the signals about what files are, and returns the paths that they are about.
func (d *reader) forms(u usage) map[string]bool {
	covered := map[string]bool{}
	for i := range d.files {
		x, f := d.set.Package.Files[i], &d.files[i].form
		tags := f.tags(x)
		used := x.Exec || u.used(x.Path) || d.set.Referenced[x.Path] && (f.class == Native || f.class == Bytecode)
		base := strings.ToLower(path.Base(x.Path))
		if base == "sitecustomize.py" || base == "usercustomize.py" ||
			strings.HasSuffix(base, ".pth") && strings.Contains("\n"+x.Text, "\nimport ") {
			tags = append(tags, "starts-python")
		}
		if f.script != "" && x.Role == signal.Document && used && len(tags) == 0 {
			tags = append(tags, "script")
		}
		if len(tags) == 0 {
			continue
		}
		if used {
			tags = append(tags, "used")
		}
		if f.named == Media {
			tags = append(tags, "media-name")
		}
		covered[x.Path] = true
		what := f.tail
		if what == "" {
			what = f.magic
		}
		d.signal(signal.FileForm, signal.Place{File: i}, -1, x.Path, what, tags...)
	}
	return covered
}

// reasonTag is the tag of a reason for which something was not read.
func reasonTag(why signal.Reason) signal.Tag {
	switch why {
	case signal.MissedTooLarge:
		return "size"
	case signal.MissedTooMany:
		return "count"
	case signal.MissedNative, signal.MissedBytecode, signal.MissedArchive, signal.MissedOffice:
		return "binary"
	}
	return signal.Tag(why)
}

// missed is something that was not read. onDisk: nobody has read it from disk.
type missed struct {
	signal.Missed
	onDisk bool
}

// missed lists what was not read, each once and without what failed, which has a signal.
func (d *reader) missed() (list []missed) {
	failed, seen := map[string]bool{}, map[signal.Missed]bool{}
	for i := range d.set.Signals {
		if x := &d.set.Signals[i]; x.Kind == signal.Unread && x.Has("failed") {
			failed[d.set.Package.Files[x.File].Path] = true
		}
	}
	for _, m := range d.set.Package.Missed {
		list = append(list, missed{m, true})
		seen[m] = true
	}
	for _, m := range d.set.Missed {
		if !seen[m] && (m.Why != signal.MissedUnparsed || !failed[m.Path]) {
			list = append(list, missed{m, false})
		}
	}
	return list
}

// unread adds the signals about what was not read: one for all with the same tags.
func (d *reader) unread(u usage, covered map[string]bool) {
	files := d.set.Package.Files
	if len(files) == 0 {
		return
	}
	names, index, byPath := map[string][]string{}, map[string]int{}, map[string]int{}
	// paths are the objects of signals that are about one file, by their tags.
	paths := map[string]string{}
	for i, x := range files {
		byPath[x.Path] = i
	}
	var order []string
	for _, m := range d.missed() {
		file, read := byPath[m.Path]
		if !read {
			file = -1
		}
		if m.Why == signal.MissedLink {
			d.link(m.Missed)
		}
		if m.Why == signal.MissedMedia || file >= 0 && covered[m.Path] && m.Why != signal.MissedTooLarge {
			continue
		}
		tags := string(reasonTag(m.Why))
		if d.mayRun(m.Missed, u, m.onDisk) {
			tags += " runs"
		}
		if d.mayBeCode(m.Missed, file) || m.Why == signal.MissedKept && u.used(m.Path) {
			tags += " code"
		}
		if names[tags] == nil {
			order = append(order, tags)
			index[tags], paths[tags] = max(file, 0), m.Path
		}
		name := m.Path
		if m.Note != "" {
			name += " (" + m.Note + ")"
		}
		names[tags] = append(names[tags], name)
	}
	for _, tags := range order {
		const few = 3
		list := names[tags]
		subject := strings.Join(list[:min(few, len(list))], ", ")
		if n := len(list) - few; n > 0 {
			subject += " and " + strconv.Itoa(n) + " more"
		}
		var all []signal.Tag
		for tag := range strings.FieldsSeq(tags) {
			all = append(all, signal.Tag(tag))
		}
		if len(list) > 1 {
			paths[tags] = ""
		}
		d.signal(signal.Unread, signal.Place{File: index[tags]}, -1, subject, paths[tags], all...)
	}
}

// link adds a symlink that was not followed.
func (d *reader) link(m signal.Missed) {
	target, outside := linkTarget(m)
	tags := []signal.Tag{"link"}
	if outside {
		tags = append(tags, "outside")
	}
	if list := known.Path(target); len(list) > 0 && !slices.Contains(list, "system") {
		tags = append(tags, "secret")
	}
	d.signal(signal.Reference, signal.Place{}, -1, m.Path, target, tags...)
}

// linkTarget returns where a symlink that was not followed leads, and whether that is
// outside the package, by its text or by way of other symlinks.
func linkTarget(m signal.Missed) (target string, outside bool) {
	if target, outside = strings.CutPrefix(m.Note, signal.LeadsOutside); outside {
		return target, true
	}
	target = strings.TrimPrefix(m.Note, signal.LeadsTo)
	joined := path.Join(path.Dir(m.Path), target)
	return target, strings.HasPrefix(target, "/") || strings.HasPrefix(joined, "../") || joined == ".."
}

// mayRun reports whether something that was not read, or only in part, would run or be
// followed: the definition names it, it is code by its name or its directory, or it may be
// anything in a package that runs something. onDisk: it was not read from disk.
func (d *reader) mayRun(m signal.Missed, u usage, onDisk bool) bool {
	p := d.set.Package
	if p.Bare {
		return false
	}
	named := m.Path == p.Files[0].Path || d.set.Referenced[m.Path]
	shell := func(x *signal.File) bool { return x.Path == m.Path && x.Lang == "sh" }
	if !onDisk && !named && !slices.ContainsFunc(p.Files, shell) {
		// No honest shell script is longer than what is judged; other code may be.
		return false
	}
	switch m.Why {
	case signal.MissedUnreadable, signal.MissedSpecial, signal.MissedHardLink:
	case signal.MissedTooLarge:
		if isData(m.Path) {
			return false
		}
	case signal.MissedLink:
		if _, outside := linkTarget(m); !outside {
			return false
		}
	case signal.MissedTooMany:
		// Names below a directory that is not read are not known.
		if onDisk && (len(u) > 0 || m.Note == signal.TooDeep) {
			return true
		}
	default:
		return false
	}
	return named || signal.CodeName(m.Path) || u.used(m.Path)
}

// isData reports whether a file is by its name neither text for a reader nor code.
func isData(name string) bool {
	class := ClassOfName(name)
	lang, role := signal.LanguageOfName(strings.ToLower(path.Base(name)))
	return class == Media || class == Record || role == signal.Config || role == signal.Data && lang != ""
}

// mayBeCode reports whether something that was not read may be code or instructions: a
// table or an image is not.
func (d *reader) mayBeCode(m signal.Missed, file int) bool {
	class := ClassOfName(m.Path)
	switch m.Why {
	case signal.MissedLanguage, signal.MissedUnparsed, signal.MissedOffice, signal.MissedLink, signal.MissedKept:
		return false
	case signal.MissedTooMany:
		return file <= 0 || signal.CodeName(m.Path)
	case signal.MissedBinary:
		if file >= 0 && (d.files[file].hollow || d.files[file].class == Media || d.files[file].class == Record) {
			return false
		}
	case signal.MissedTooLarge:
	default:
		return true
	}
	return class != Media && class != Record
}
