// Package signal defines the data model of the audit. A package of files is split into regions of
// text, in which extractors find signals. A signal describes what a package does, says or hides,
// where, and in what context. Rules decide whether it is dangerous.
package signal

import (
	"cmp"
	"slices"

	"github.com/vadehq/vade/diag"
)

// Place is a range in a file's Text.
type Place struct {
	// File is an index into [Package.Files].
	File int
	Span diag.Span
}

// Compare orders places by file and offset.
func (p Place) Compare(other Place) int {
	a, b := p.Span, other.Span
	return cmp.Or(cmp.Compare(p.File, other.File), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}

// Medium says what kind of text a region contains.
type Medium string

// The media. Each name is also a tag that rules can match.
const (
	Prose       Medium = "prose"
	Frontmatter Medium = "frontmatter"
	// CodeSpan is code in a line of prose. Fence is a code block.
	CodeSpan Medium = "span"
	Fence    Medium = "fence"
	// Comment is an HTML comment in Markdown, or a comment in a script or configuration file.
	Comment Medium = "comment"
	// Code is a script file, or code embedded in another program.
	Code Medium = "code"
	// Value is a value in a configuration or data file.
	Value Medium = "value"
)

// IsText reports whether text in the medium is written for readers: prose, frontmatter or comments.
func (m Medium) IsText() bool { return m == Prose || m == Frontmatter || m == Comment }

// Intent says how the author intends a passage to be understood. Each value is also a tag.
type Intent string

// The intents. Instructed is the default ("" in a zero Context): the text tells the reader to do
// something, or the code does it. Executed text runs without being requested, such as a hook, an
// MCP server, a package script, or a command that a host runs while loading the definition. Taught
// text is an example of what attackers or others do. Quoted text is a search pattern or someone
// else's words. Negated text is what the author says not to do.
const (
	Instructed Intent = ""
	Executed   Intent = "executed"
	Taught     Intent = "taught"
	Quoted     Intent = "quoted"
	Negated    Intent = "negated"
)

// Reach says how a file comes to be read or run. Each value is also a tag.
type Reach string

// The possible values of Reach. Own is the definition's own file, a script, or text that runs
// without being requested. Referenced is a file that the definition tells its reader to use,
// directly or through another file. Companion is any other file. In a package without a definition,
// everything is Own.
const (
	Own        Reach = ""
	Referenced Reach = "referenced"
	Companion  Reach = "companion"
)

// Context describes the kind of text that something is in and the intent of the text.
type Context struct {
	Medium Medium
	// Lang is the language of code, as returned by [Language].
	Lang string
	// Heading is the nearest preceding heading, in lowercase and without its marker, such as "##".
	Heading string
	Intent  Intent
	Reach   Reach
	// Hidden reports whether the text is invisible on the rendered page, Packed reports whether the
	// text was encoded, and Loading reports whether a host runs the text while it loads the
	// definition.
	Hidden, Packed, Loading bool
}

// Meant reports whether the text is meant to be followed or run.
func (c Context) Meant() bool { return c.Intent == Instructed || c.Intent == Executed }

// Region is a piece of text in a single medium.
type Region struct {
	Place
	Context
	// Text is the text that extractors read. [Region.At] maps its offsets to the file.
	Text string
	// Part is the kind of a prose block, which is "heading", "item", "row", or "" for a paragraph.
	// For a value, Part is the value's key.
	Part string
	// Depth is the number of encodings and programs in which the text is nested.
	Depth int
	// Encodings lists the encodings of the text, outermost first.
	Encodings []string
	// Parent is the index of the region that contains this one, such as the paragraph around a code
	// span or the program around a string. It is -1 if there is none. A region with the same Depth
	// as its parent is part of the parent and need not be read again.
	Parent int
	// Offsets lists the places where Text omits bytes of the file. It is empty for regions that are
	// Fixed: embedded regions, and values with escapes that were decoded. In a Fixed region, every
	// offset maps to the whole Place.
	Offsets OffsetMap
	Fixed   bool
	// Clauses lists, in order, the parts whose intent differs from that of the whole region.
	Clauses []Clause
}

// Clause is a part of a region's Text that has a different intent.
type Clause struct {
	From, To int
	Intent   Intent
}

// At converts a range in the region's Text to a place in the file.
func (r *Region) At(start, end int) Place {
	if r.Fixed {
		return r.Place
	}
	return Place{File: r.File, Span: r.Offsets.span(diag.Span{Start: start, End: end}, r.Span)}
}

// Offset converts an offset in the file's Text to an offset in the region's Text.
func (r *Region) Offset(raw int) int { return r.Offsets.offset(raw, r.Span.Start, len(r.Text)) }

// ContextAt returns the context at an offset in the region's Text.
func (r *Region) ContextAt(at int) Context {
	c := r.Context
	for _, z := range r.Clauses {
		if z.From <= at && at < z.To && c.Meant() {
			c.Intent = z.Intent
		}
	}
	return c
}

// Signal is something that a package does, says or hides.
type Signal struct {
	Kind Kind
	Place
	Context
	// Tags adds details. The vocabulary lists the tags for each kind.
	Tags []Tag
	// Subject and Object appear in messages. For a command, Subject is its text, and Object is its
	// target (a URL or path). For an instruction, Subject is the sentence.
	Subject, Object string
	// Owner is the publisher to whom an address belongs, if the URL reveals it.
	Owner string
	// Unit is the index of the region in which the signal was found. Rules can require that two
	// signals have the same unit.
	Unit int
	// Encodings lists the encodings that the text of the signal was in, outermost first.
	Encodings []string
}

// Has reports whether the signal or its context has the tag t.
func (s *Signal) Has(t Tag) bool {
	if slices.Contains(s.Tags, t) {
		return true
	}
	switch t {
	case "":
		return false
	case Tag(s.Medium), Tag(s.Intent), Tag(s.Reach), "lang:" + Tag(s.Lang):
		return true
	case "meant":
		return s.Meant()
	case "hidden":
		return s.Hidden
	case "packed":
		return s.Packed
	case "loading":
		return s.Loading
	}
	return false
}

// Set holds a package's regions and signals.
type Set struct {
	Package *Package
	Regions []Region
	Signals []Signal
	Missed  []Missed

	// Referenced holds the paths of files that the definition directly or indirectly tells its
	// reader to read, follow or run, even if the audit did not read them.
	Referenced map[string]bool

	embedded int
	counts   map[Kind]int
	missed   map[Missed]bool
}

// Limits for one package: the number of signals of each kind, the number of bytes of embedded text,
// and the nesting depth of embedded text.
const (
	maxSignals  = 20_000
	maxEmbedded = 8 << 20
	MaxDepth    = 5
)

// Add adds a signal for a range in the Text of a region.
func (s *Set) Add(kind Kind, region, from, to int, subject, object string, tags ...Tag) {
	r := &s.Regions[region]
	s.AddAt(Signal{
		Kind: kind, Place: r.At(from, to), Context: r.ContextAt(from), Tags: tags,
		Subject: subject, Object: object, Unit: region, Encodings: r.Encodings,
	})
}

// AddAt adds a signal whose place and context the caller has set.
func (s *Set) AddAt(x Signal) {
	if s.counts == nil {
		s.counts = map[Kind]int{}
	}
	if s.counts[x.Kind]++; s.counts[x.Kind] > maxSignals {
		s.Miss(x.File, MissedTooMany, "too many signals of kind "+string(x.Kind))
		return
	}
	s.Signals = append(s.Signals, x)
}

// Embed adds a region for text that is embedded in another region, such as a string passed to an
// interpreter, a here-document, or decoded text. Extractors process it like any other region. place
// is the range of the embedded text, and encoding is the encoding that was decoded, or "". Embed
// returns the index of the new region. If a limit is reached, it records the text as missed and
// returns -1.
func (s *Set) Embed(parent int, place Place, c Context, text, encoding string) int {
	p := &s.Regions[parent]
	if p.Depth >= MaxDepth {
		s.Miss(place.File, MissedPacked, "embedded text is nested too deeply to read")
		return -1
	}
	if s.embedded+len(text) > maxEmbedded {
		s.Miss(place.File, MissedPacked, "too much embedded text to read")
		return -1
	}
	s.embedded += len(text)
	r := Region{Place: place, Context: c, Text: text, Depth: p.Depth + 1, Encodings: p.Encodings, Parent: parent, Fixed: true}
	if encoding != "" {
		r.Encodings = append(slices.Clip(p.Encodings), encoding)
		r.Packed = true
	}
	return s.AddRegion(r)
}

// AddRegion adds a region and returns its index.
func (s *Set) AddRegion(r Region) int {
	s.Regions = append(s.Regions, r)
	return len(s.Regions) - 1
}

// Miss records that part of a file was not read or not fully analyzed.
func (s *Set) Miss(file int, reason Reason, note string) {
	f := s.Package.Files[file]
	m := Missed{Path: f.Path, Size: f.Size, Reason: reason, Note: note}
	if s.missed == nil {
		s.missed = map[Missed]bool{}
	}
	if !s.missed[m] {
		s.missed[m] = true
		s.Missed = append(s.Missed, m)
	}
}

// Extractor finds the signals of certain kinds.
type Extractor interface {
	// Region processes Regions[index]. It can add signals and, with [Set.Embed], regions.
	Region(s *Set, index int)
	// Finish adds signals that depend on all regions.
	Finish(s *Set)
}
