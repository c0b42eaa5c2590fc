// Package document prepares a package for the extractors: it finds out what each file is,
// opens archives, decodes text, cuts each file into regions with their context, and adds
// signals about characters, hidden text, encodings, file forms and unread parts.
//
// Everything is pure and bounded: no file is opened, nothing runs, and no text takes
// longer than in proportion to its length.
package document

import (
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/signal"
)

// maxRegions bounds the regions of one file.
const maxRegions = 50_000

// reader reads the files of one package. It is the extractor that adds the signals.
type reader struct {
	set   *signal.Set
	files []form
	// concealed is the text that a reader of the page does not see.
	concealed []signal.Place
	// count is how many regions the current file has.
	count int
	// unpacked is how many bytes came out of archives.
	unpacked int
	// deflates is how often data was tried as compressed.
	deflates int
}

// Read fills in the text, role and language of the files of a package, adds those that are
// packed in them, and cuts all of them into regions. It returns the extractor that adds the
// signals; its Finish has to run after that of the others.
func Read(s *signal.Set) signal.Extractor {
	d := &reader{set: s}
	// Opening archives adds files.
	for i := 0; i < len(s.Package.Files); i++ {
		d.files = append(d.files, form{})
		d.file(i)
	}
	return d
}

// file reads one file. If that fails, the other files are still read.
func (d *reader) file(i int) {
	defer func() {
		if p := recover(); p != nil {
			d.signal(signal.Unread, signal.Place{File: i}, -1, d.set.Package.Files[i].Path, fmt.Sprint(p), "failed")
			d.set.Miss(i, signal.MissedUnparsed, "reading it failed, which is a bug in Vade: please report it")
		}
	}()
	x, f := d.set.Package.Files[i], &d.files[i]
	*f = formOf(x)
	d.identify(i, x, f)
	if f.class == Archive || f.class == Office || f.tail == "zip" || f.tail == "text" {
		d.open(i, x, f)
	}
	if f.why != "" {
		d.set.Miss(i, f.why, f.note)
	}
	f.runs = readText(x)
	first := len(d.set.Regions)
	d.count = 0
	d.regions(i, x)
	d.locate(i, first)
}

// identify gives a file its role and language.
func (d *reader) identify(i int, x *signal.File, f *form) {
	lang, role := signal.LanguageOfName(strings.ToLower(path.Base(x.Path)))
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
	case role == signal.Data && f.named != Text:
		// Code needs no name to be run as such.
		x.Role, x.Lang = guess(string(x.Raw[:min(len(x.Raw), 4<<10)]))
		switch {
		case x.Exec && f.named == "" && x.Role != signal.Script:
			x.Role, x.Lang = signal.Script, "sh"
		case x.Role != signal.Script && x.Role != signal.Config:
			x.Role, x.Lang = signal.Document, ""
		}
	}
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
	if x.Role == signal.Main || x.Role == signal.Document || x.Role == signal.Legal || x.Lang == "html" {
		d.document(r)
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
	d.set.Regions = append(d.set.Regions, r)
	return len(d.set.Regions) - 1
}

// full reports whether the current file has as many regions as are read.
func (d *reader) full() bool { return d.count >= maxRegions }

// locate notes where the runs of characters of a file are, each in the smallest of the
// file's regions, and reads what they spell.
func (d *reader) locate(file, first int) {
	x, runs := d.set.Package.Files[file], d.files[file].runs
	for k := range runs {
		from, to := x.TextOffset(runs[k].start), x.TextOffset(runs[k].end)
		// The text does not have what does not show, but its neighbors.
		if from > 0 && x.Text[from-1] != '\n' && runs[k].kind != "mixed" {
			from--
		}
		if to < len(x.Text) && x.Text[to] != '\n' && runs[k].kind != "mixed" {
			to++
		}
		runs[k].at, runs[k].unit = signal.Place{File: file, Span: diag.Span{Start: from, End: to}}, -1
	}
	for i := first; i < len(d.set.Regions); i++ {
		at := d.set.Regions[i].Span
		k := sort.Search(len(runs), func(k int) bool { return runs[k].at.Span.Start >= at.Start-1 })
		for ; k < len(runs) && runs[k].at.Span.Start < at.End; k++ {
			if runs[k].unit < 0 || at.End-at.Start < runs[k].size {
				runs[k].unit, runs[k].size = i, at.End-at.Start
			}
		}
	}
	for k := range runs {
		if x := &runs[k]; x.spells() && x.unit >= 0 {
			c := guessed(d.set.Regions[x.unit].Context, x.says)
			c.Hidden = true
			d.set.Embed(x.unit, x.at, c, x.says, string(x.kind)+" characters")
		}
	}
}

// conceal notes text that a reader of the page does not see.
func (d *reader) conceal(r *signal.Region, start, end int) {
	if strings.TrimSpace(r.Text[start:end]) != "" {
		d.concealed = append(d.concealed, r.At(start, end))
	}
}

// Finish adds the signals that say what the package hides and leaves unread. What they are
// about shows in the signals of the other extractors, whose Finish runs before.
func (d *reader) Finish(*signal.Set) {
	d.instructs()
	d.markHidden()
	harmful := d.harmful()
	for i := range d.files {
		d.characters(i, harmful)
		d.form(i)
	}
	d.unread()
}

// markHidden marks the signals in concealed text, wherever their extractors found them.
func (d *reader) markHidden() {
	list := d.concealed
	sort.SliceStable(list, func(i, k int) bool { return list[i].Compare(list[k]) < 0 })
	for i := range d.set.Signals {
		x := &d.set.Signals[i]
		after := signal.Place{File: x.File, Span: diag.Span{Start: x.Span.Start + 1}}
		n := sort.Search(len(list), func(k int) bool { return list[k].Compare(after) >= 0 })
		if n > 0 && list[n-1].File == x.File && x.Span.Start < list[n-1].Span.End {
			x.Hidden = true
		}
	}
}

// signal adds a signal about a place, in the context of the region around it if that is
// known.
func (d *reader) signal(kind signal.Kind, at signal.Place, unit int, subject, object string, tags ...signal.Tag) {
	x := signal.Signal{Kind: kind, Place: at, Tags: tags, Subject: subject, Object: object, Unit: unit}
	if unit >= 0 {
		r := &d.set.Regions[unit]
		x.Context, x.How = r.ContextAt(r.Offset(at.Span.Start)), r.How
	}
	d.set.AddAt(x)
}
