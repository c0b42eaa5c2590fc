package fact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
)

// maxFacts bounds each list of facts, maxDepth how often packed text is unpacked.
const (
	maxFacts = 20_000
	maxDepth = 4
)

// Extract takes the facts from a package. It changes the files of the package: their
// text, role and language are filled in, and what is packed in them becomes files of
// its own behind them.
func Extract(p *Package) *Facts {
	f := &Facts{Package: p, Missed: slices.Clone(p.Missed)}
	f.identify()
	for i := 0; i < len(p.Files); i++ {
		// Unpacking adds files behind.
		f.readable(i)
		from := len(f.Regions)
		f.Regions = append(f.Regions, f.regions(i)...)
		if len(f.Regions)-from >= maxRegions {
			f.miss(i, MissedTooMany, "it has more parts than are read")
		}
		f.stand(f.Regions[from:])
		for k := from; k < len(f.Regions); k++ {
			f.points(k)
			f.hidden(k)
			f.unpack(k)
		}
	}
	f.follow()
	for i := range f.Regions {
		r := &f.Regions[i]
		f.shell(r)
		f.net(r)
		f.say(r)
	}
	for i := range p.Files {
		f.script(i)
		f.config(i)
	}
	f.loading()
	f.join()
	f.full()
	return f
}

// full says of which facts there are as many as are kept: what a rule would judge may
// be behind them.
func (f *Facts) full() {
	for _, list := range [...]struct {
		what    string
		len, of int
	}{
		{"paths", len(f.Paths), maxFacts},
		{"sentences", len(f.Sayings), maxFacts},
		{"calls", len(f.Calls), maxFacts},
		{"flows", len(f.Flows), maxFacts},
		{"hidden parts", len(f.Hidden), maxFacts},
		{"hooks", len(f.Hooks), maxFacts},
		{"grants", len(f.Grants), maxFacts},
		{"encoded texts", len(f.Packs), maxPacks},
		{"downloads", len(f.Gets), maxGets},
	} {
		if list.len >= list.of {
			f.miss(0, MissedTooMany, "there are more "+list.what+" than are looked at")
		}
	}
}

// regions cuts a file into regions.
func (f *Facts) regions(file int) []Region {
	x := f.Package.Files[file]
	base := Standing{Beside: x.Role != Main && x.From == nil && !guide(x.Path), Packed: x.From != nil}
	if x.From != nil && x.From.Container {
		// A text that is packed alone is hidden by it; files in an archive are beside
		// the definition like others. What a document of an office program says is
		// weighed like the definition: a model is sent there to read what a reviewer
		// does not see.
		base.Packed = x.From.How == "gzip" || x.From.How == "bzip2"
		base.Beside = !base.Packed && !x.From.Office
	} else if x.From != nil {
		base = x.From.Standing
		base.Medium, base.Packed = Fence, true
	}
	switch {
	case x.Role == Opaque:
		return nil
	case x.Role == Main:
		list := f.frontmatter(file)
		return append(list, markdown(file, x.Text, f.bodyAt(), base)...)
	case x.Role == Document, x.Role == Legal:
		return markdown(file, x.Text, 0, base)
	}
	base.Medium, base.Lang = Value, x.Lang
	if x.Role == Script {
		base.Medium, base.Beside = Code, false
	}
	return []Region{{Place: Place{file, diag.Span{End: len(x.Text)}}, Standing: base, Text: x.Text}}
}

// guide reports whether a file at the top of a package is by its name what people read
// before they install it. What it asks for is done as if the definition asked for it.
func guide(path string) bool {
	name, ext, _ := strings.Cut(strings.ToLower(path), ".")
	if ext != "md" && ext != "txt" && ext != "" {
		return false
	}
	switch name {
	case "readme", "install", "installation", "setup", "quickstart", "prerequisites", "requirements", "getting-started", "getting_started":
		return true
	}
	return false
}

// join brings the facts into the order of files and places.
func (f *Facts) join() {
	slices.SortStableFunc(f.URLs, func(a, b URL) int { return a.Place.Compare(b.Place) })
	f.gets()
	slices.SortStableFunc(f.Paths, func(a, b Path) int { return a.Place.Compare(b.Place) })
	slices.SortStableFunc(f.Missed, func(a, b Missed) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Why, b.Why)) })
	f.Missed = slices.Compact(f.Missed)
}

// Compare orders places as they stand in the package.
func (p Place) Compare(other Place) int {
	return cmp.Or(cmp.Compare(p.File, other.File), cmp.Compare(p.Span.Start, other.Span.Start), cmp.Compare(p.Span.End, other.Span.End))
}

// miss notes that something was not looked at.
func (f *Facts) miss(file int, why Reason, note string) {
	if len(f.Missed) < maxFacts {
		x := f.Package.Files[file]
		f.Missed = append(f.Missed, Missed{Path: x.Path, Size: x.Size, Why: why, Note: note})
	}
}
