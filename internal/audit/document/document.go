// Package document prepares a package for the extractors: it finds out what each file is,
// opens archives, decodes text, cuts each file into regions with their context, and adds
// signals about characters, hidden text, encodings, file forms and unread parts.
//
// Everything is pure and bounded: no file is opened, nothing runs, and no text takes
// longer than in proportion to its length.
package document

import (
	"bytes"
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// reader reads the files of one package. It is the extractor that adds the signals.
type reader struct {
	set   *signal.Set
	files []fileState
	// named are the words of the definition that may name a file.
	named  map[string]bool
	hidden []hiddenText
	// count is how many regions the current file has.
	count int
	// unpacked is how many bytes came out of archives.
	unpacked int
	decoder
}

// fileState is what is known about one file.
type fileState struct {
	form
	runs []run
}

// Read fills in the text, role and language of the files of a package, adds those that are
// packed in them, and cuts all of them into regions. It returns the extractor that adds the
// signals; its Finish has to run after that of the others.
func Read(s *signal.Set) signal.Extractor {
	d := &reader{set: s}
	// Opening archives adds files.
	for i := 0; i < len(s.Package.Files); i++ {
		d.files = append(d.files, fileState{})
		d.file(i)
	}
	return d
}

// file reads one file. That reading one fails is no reason not to read the others.
func (d *reader) file(i int) {
	defer func() {
		if p := recover(); p != nil {
			d.signal(signal.Unread, signal.Place{File: i}, -1, d.set.Package.Files[i].Path, fmt.Sprint(p), "failed")
			d.set.Miss(i, signal.MissedUnparsed, "reading it failed, which is a bug in Vade: please report it")
		}
	}()
	x, f := d.set.Package.Files[i], &d.files[i]
	f.form = formOf(x)
	d.identify(i, x, &f.form)
	if f.class == Archive || f.class == Office || f.magic == "pdf" || f.tail == "zip" || f.tail == "text" {
		d.open(i, x, &f.form)
	}
	if f.why != "" {
		d.set.Miss(i, f.why, f.note)
	}
	f.runs = readText(x)
	for k := range f.runs {
		f.runs[k].unit = -1
		f.runs[k].place(i, x)
	}
	d.count = 0
	d.regions(i, x)
	d.spelled(f)
}

// names reports whether a word of the definition's own text may name a file, by its name
// in lowercase without directories.
func (d *reader) names(base string) bool {
	if d.named == nil {
		d.named = map[string]bool{}
		for _, w := range bytes.FieldsFunc(d.set.Package.Files[0].Raw, func(r rune) bool {
			return r <= ' ' || strings.ContainsRune("`'\"()[]<>|,;:*", r)
		}) {
			if len(w) > 2 && len(w) < 200 {
				d.named[strings.ToLower(path.Base(strings.TrimRight(string(w), ".!?")))] = true
			}
		}
	}
	return d.named[base]
}

// identify gives a file its role and language.
func (d *reader) identify(i int, x *signal.File, f *form) {
	base := strings.ToLower(path.Base(x.Path))
	lang, role := signal.LanguageOfName(base)
	switch {
	case i == 0 && x.From == nil && !d.set.Package.Bare:
		x.Role = signal.Main
		if lang == "toml" {
			x.Lang = lang
		}
		return
	case f.class != Text:
		x.Role = signal.Opaque
		return
	case lang == "md" || lang == "txt":
		lang = ""
	}
	x.Lang, x.Role = lang, role
	switch {
	case f.script != "" && role != signal.Document && role != signal.Legal:
		x.Role = signal.Script
		if f.script != "?" && !signal.IsCode(lang) {
			x.Lang = f.script
		}
		return
	case role != signal.Data || f.named == Text && !d.names(base) && x.From == nil:
		return
	}
	x.Role, x.Lang = roleOf(x, f)
}

// roleOf is the role of a text whose name does not tell it.
func roleOf(x *signal.File, f *form) (signal.Role, string) {
	// Code needs no name to be run as such.
	role, lang := guess(string(x.Raw[:min(len(x.Raw), 4<<10)]))
	switch {
	case x.Exec && f.named == "" && role != signal.Script:
		return signal.Script, "sh"
	case role == signal.Script || role == signal.Config:
		return role, lang
	}
	// What is called an image and is text may be read all the same.
	return signal.Document, ""
}

// context is that of the regions of a file, as far as the file decides it.
func (d *reader) context(i int) (c signal.Context) {
	x := d.set.Package.Files[i]
	if x.Role != signal.Main && x.Role != signal.Script {
		c.Reach = signal.Companion
	}
	if x.From != nil {
		// Text that is packed alone is hidden by it; files in an archive are next to the
		// definition like others. A model is sent to a document to read what a reviewer
		// does not see.
		c.Packed = x.From.How == "gzip" || x.From.How == "bzip2" || x.From.How == "trailing"
		if c.Packed || x.From.Office {
			c.Reach = signal.Own
		}
		c.Hidden = metadata(x)
	}
	return c
}

// regions cuts a file into regions.
func (d *reader) regions(i int, x *signal.File) {
	from := 0
	switch x.Role {
	case signal.Opaque:
		return
	case signal.Main:
		from = d.frontmatter(i)
	}
	r := d.fileStretch(i, from)
	if x.Role == signal.Main || x.Role == signal.Document || x.Role == signal.Legal {
		if metadata(x) {
			d.hide(r.Place, len(d.set.Regions), "metadata", x.Text)
		}
		d.document(r, "")
		return
	}
	r.Medium, r.Lang = signal.Value, x.Lang
	if x.Role == signal.Script {
		r.Medium = signal.Code
		d.pushed(r)
	}
	if !d.notebook(r) {
		r.Parent = d.add(*r)
		d.texts(r)
	}
}

// add adds a region and returns its index.
func (d *reader) add(r signal.Region) int {
	if d.count++; d.count == maxRegions {
		d.set.Miss(r.File, signal.MissedTooMany, "it has more parts than are read")
	}
	index := len(d.set.Regions)
	d.set.Regions = append(d.set.Regions, r)
	// The smallest region around characters is theirs.
	runs := d.files[r.File].runs
	size := func(i int) int { return d.set.Regions[i].Span.End - d.set.Regions[i].Span.Start }
	k := sort.Search(len(runs), func(i int) bool { return runs[i].at.Span.Start >= r.Span.Start-1 })
	for ; k < len(runs) && runs[k].at.Span.Start < r.Span.End; k++ {
		if u := runs[k].unit; u < 0 || size(index) < size(u) {
			runs[k].unit = index
		}
	}
	return index
}

// full reports whether the current file has as many regions as are read.
func (d *reader) full() bool { return d.count >= maxRegions }
