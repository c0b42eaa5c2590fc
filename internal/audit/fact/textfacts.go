package fact

// TextFacts are about the characters of texts and about what is hidden or packed in
// them.
type TextFacts struct {
	Points []Points
	Hidden []Hidden
	Packs  []Pack
}

// PointClass is a kind of character that does not show, or shows as another.
type PointClass string

// The classes.
const (
	// TagPoints are U+E0000 to U+E007F outside of flags.
	TagPoints PointClass = "tag"
	// BidiPoints turn the direction of writing.
	BidiPoints PointClass = "bidi"
	// ZeroWidth have no width, within a word.
	ZeroWidth PointClass = "zero-width"
	// Selectors are runs of variation selectors.
	Selectors PointClass = "variation-selector"
	// Mixed are words in letters of several scripts.
	Mixed PointClass = "mixed-script"
	// Controls are control characters and escapes.
	Controls PointClass = "control"
	// Invalid are bytes that are no UTF-8: one run for all of a file.
	Invalid PointClass = "invalid"
)

// Points is a run of such characters.
type Points struct {
	// Start and End are in Raw, as [File.RawSpan] gives it, since Text does not have them.
	File  int
	Start int
	End   int
	Class PointClass
	// Count is how many there are, Says the text that they spell, where they do.
	Count int
	Says  string
	// Word is the word in which they stand, as it looks.
	Word string
	// Natural: the text around is in a script that needs them.
	Natural bool
	// Standing of the text around.
	Standing
}

// HiddenKind is a way of not being seen.
type HiddenKind string

// The ways.
const (
	HiddenComment HiddenKind = "comment"
	// HiddenElement is HTML that is styled away, HiddenDetails is folded.
	HiddenElement HiddenKind = "element"
	HiddenDetails HiddenKind = "details"
	// HiddenLines is text behind many empty lines, HiddenBlanks behind many blanks.
	HiddenLines  HiddenKind = "lines"
	HiddenBlanks HiddenKind = "blanks"
	// HiddenReference is a link definition that nothing refers to.
	HiddenReference HiddenKind = "reference"
	// HiddenAlt is a long text in the place of a picture.
	HiddenAlt HiddenKind = "alt"
)

// Hidden is a text that who reads the rendered page does not see.
type Hidden struct {
	Place
	Standing
	Kind HiddenKind
	Text string
}

// Pack is text that is encoded.
type Pack struct {
	Place
	Standing
	How string
	// Says is what it decodes to, at most 4 KiB; Readable: that is text.
	Says     string
	Readable bool
	// File is the index of the file that was made of it; 0 where there is none.
	Inside int
}
