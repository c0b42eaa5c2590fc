// Package document prepares a package for the extractors: it identifies each file, opens archives,
// decodes text, splits each file into regions with their context, and adds signals about
// characters, hidden text, encodings, file types and unread parts.
//
// Package document works in memory: it opens no files and runs nothing. Its running time is linear
// in the size of the text.
package document

import (
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/signal"
)

// maxRegions is the maximum number of regions in a file.
const maxRegions = 50_000

// reader reads the files of one package. It implements [signal.Extractor].
type reader struct {
	set   *signal.Set
	files []format
	// concealed lists the places of text that is hidden when a page is rendered.
	concealed []signal.Place
	// count is the number of regions in the current file.
	count int
	// unpacked is the number of bytes extracted from archives so far, plus entryCost for each file.
	unpacked int
}

// Read sets the text, role and language of each file in a package, adds the files from its
// archives, and splits every file into regions. It returns the extractor that adds the signals.
// Call the extractor's Finish method after the Finish methods of all other extractors.
func Read(s *signal.Set) signal.Extractor {
	d := &reader{set: s}
	size := 0
	for _, f := range s.Package.Files {
		size += len(f.Raw)
	}
	// On average, documents have about one region for every 64 bytes.
	s.Regions = slices.Grow(s.Regions, min(size/64, maxRegions))
	// Opening archives adds files.
	for i := 0; i < len(s.Package.Files); i++ {
		d.files = append(d.files, format{})
		s.Guard(i, func() { d.file(i) })
	}
	return d
}

// file reads one file.
func (d *reader) file(i int) {
	x, f := d.set.Package.Files[i], &d.files[i]
	*f = formatOf(x)
	d.identify(i, x, f)
	if f.class == Archive || f.class == Office || f.tail == "zip" || f.tail == "text" {
		d.open(i, x, f)
	}
	if f.reason != "" {
		d.set.Miss(i, f.reason, f.note)
	}
	f.runs = readText(x)
	first := len(d.set.Regions)
	d.count = 0
	d.regions(i, x)
	d.locate(i, first)
}

// identify sets a file's role and language.
func (d *reader) identify(i int, x *signal.File, f *format) {
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
		// The name suggests a data file, but the file may contain code that an agent runs.
		x.Role, x.Lang = guess(string(x.Raw[:min(len(x.Raw), 4<<10)]))
		switch {
		case x.Exec && f.named == "" && x.Role != signal.Script:
			x.Role, x.Lang = signal.Script, "sh"
		case x.Role != signal.Script && x.Role != signal.Config:
			x.Role, x.Lang = signal.Document, ""
		}
	}
}

// regions splits a file into regions.
func (d *reader) regions(i int, x *signal.File) {
	from := 0
	switch x.Role {
	case signal.Opaque:
		return
	case signal.Main:
		from = d.frontmatter(i)
	}
	r := d.fileText(i, from)
	if x.Role == signal.Main || x.Role == signal.Document || x.Role == signal.Legal || x.Lang == "html" {
		d.document(r)
		return
	}
	r.Medium, r.Lang = signal.Value, x.Lang
	if x.Role == signal.Script {
		r.Medium = signal.Code
		d.afterLargeGap(r)
	}
	if !d.notebook(r) {
		r.Parent = d.add(*r)
		d.texts(r)
	}
}

// add adds a region and returns its index.
func (d *reader) add(r signal.Region) int {
	if d.count++; d.count == maxRegions {
		d.set.Miss(r.File, signal.MissedTooMany, "too many parts to read")
	}
	return d.set.AddRegion(r)
}

// locate assigns each run of unusual characters to the smallest region that contains it, and embeds
// the text that the run encodes.
func (d *reader) locate(file, first int) {
	x, runs := d.set.Package.Files[file], d.files[file].runs
	for k := range runs {
		from, to := x.TextOffset(runs[k].start), x.TextOffset(runs[k].end)
		// Text omits invisible characters, so extend the range to the characters around them.
		if from > 0 && x.Text[from-1] != '\n' && runs[k].kind != "mixed" {
			from--
		}
		if to < len(x.Text) && x.Text[to] != '\n' && runs[k].kind != "mixed" {
			to++
		}
		runs[k].at, runs[k].region = signal.Place{File: file, Span: diag.Span{Start: from, End: to}}, -1
	}
	for i := first; i < len(d.set.Regions); i++ {
		at := d.set.Regions[i].Span
		k := sort.Search(len(runs), func(k int) bool { return runs[k].at.Span.Start >= at.Start-1 })
		for ; k < len(runs) && runs[k].at.Span.Start < at.End; k++ {
			if runs[k].region < 0 || at.End-at.Start < runs[k].size {
				runs[k].region, runs[k].size = i, at.End-at.Start
			}
		}
	}
	for k := range runs {
		if x := &runs[k]; x.encodesText() && x.region >= 0 {
			c := guessContext(d.set.Regions[x.region].Context, x.decoded)
			c.Hidden = true
			d.set.Embed(x.region, x.at, c, x.decoded, string(x.kind)+" characters")
		}
	}
}

// Finish adds signals for anything that the package hides or leaves unread. It depends on the
// signals of the other extractors, so call their Finish methods first.
func (d *reader) Finish(*signal.Set) {
	d.markInstructions()
	d.markHidden()
	harmful := d.harmful()
	for i := range d.files {
		d.characters(i, harmful)
		d.addFormat(i)
	}
	d.addUnread()
}

// markHidden marks all signals in concealed text, whichever extractor found them.
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

// signal adds a signal at a place, in the context of the surrounding region, if any.
func (d *reader) signal(kind signal.Kind, at signal.Place, unit int, subject, object string, tags ...signal.Tag) {
	x := signal.Signal{Kind: kind, Place: at, Tags: tags, Subject: subject, Object: object, Unit: unit}
	if unit >= 0 {
		r := &d.set.Regions[unit]
		x.Context, x.Encodings = r.ContextAt(r.Offset(at.Span.Start)), r.Encodings
	}
	d.set.AddAt(x)
}
