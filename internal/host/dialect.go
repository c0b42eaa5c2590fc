package host

import "github.com/vadehq/vade/definition"

// Delimiters describes how a host finds the frontmatter block in a Markdown file. The
// zero value is the strictest form: the file begins with "---\n" at byte 0, and the block
// ends at the next line that is exactly "---".
type Delimiters struct {
	// BOM means that a byte order mark before the opener is skipped.
	BOM bool
	// LeadingBlank means that blank lines before the opener are skipped.
	LeadingBlank bool
	// LeadingComment means that HTML comments before the opener are skipped.
	LeadingComment bool
	// Indented means that opener and closer may be indented.
	Indented bool
	// TrailingSpace means that spaces and tabs after the dashes are allowed.
	TrailingSpace bool
	// OpenerPrefix means that the block begins right after the opening dashes, even if more text
	// follows on that line (the standard's reference validator, source: parser.py).
	OpenerPrefix bool
	// OpenerSkip means that, with OpenerPrefix, the block begins one character later (pi 0.73.1,
	// h11: "----" opens a block).
	OpenerSkip bool
	// CloserAnywhere means that the first "---" after the opener line closes the block, even in
	// the middle of a line (Claude Code 2.1.329, row "description: a --- b" of the frontmatter
	// matrix).
	CloserAnywhere bool
	// CloserPrefix means that the first line that begins with "---" closes the block, even if
	// more text follows (Gemini CLI 0.61.0: its pattern ends the block at "\n---" without an
	// anchor; row "closer with trailing space").
	CloserPrefix bool
	// CRLF means that lines may end in "\r\n".
	CRLF bool
	// NeedsLF means that an opener line that ends in a bare carriage return does not open a block
	// (Claude Code, case m19).
	NeedsLF bool
	// OpenEnd means that, without a closer, the rest of the file is the block (VS Code, source;
	// gray-matter, which opencode uses).
	OpenEnd bool
	// AnyIndent means that an indented "---" line closes the block even inside a block scalar
	// (Codex, source: it trims each line before comparing).
	AnyIndent bool
	// NoLastLF means that the line ending before the closer is not part of the block, so a block
	// scalar at the end does not have one (observed in Copilot CLI 1.0.102).
	NoLastLF bool
	// Empty is how a closer right after the opener is treated.
	Empty EmptyBlock
	// BodyStart is where the body begins if more text follows the closer on its line.
	BodyStart BodyStart
}

// EmptyBlock is how a host treats a block without lines.
type EmptyBlock uint8

const (
	// EmptyBlockFits means that an empty block is valid and has no fields.
	EmptyBlockFits EmptyBlock = iota
	// EmptyBlockNone means that the file has no frontmatter (Codex, source).
	EmptyBlockNone
	// EmptyBlockGoesOn means that a closer directly after the opener does not close the block,
	// but a later one may (Gemini CLI and Qwen Code, source: the pattern requires a line feed
	// before the closer and after the opener).
	EmptyBlockGoesOn
)

// BodyStart is where a body begins.
type BodyStart uint8

const (
	// BodyNextLine means that the body begins on the line after the closer.
	BodyNextLine BodyStart = iota
	// BodyAtOnce means that the body begins right after the dashes (gray-matter, source).
	BodyAtOnce
	// BodyNone means that there is no body if more text follows the closer on its line (Gemini
	// CLI, source: the pattern matches a body only after a line ending).
	BodyNone
)

// Repair is how a host handles YAML that does not parse.
type Repair uint8

const (
	// RepairNone rejects the block.
	RepairNone Repair = iota
	// RepairValues quotes the plain values that break the block and parses the block again.
	RepairValues
	// RepairLines is like RepairValues, but if the block still does not parse, it also appends
	// lines without a key to the preceding value.
	RepairLines
)

// Flaw is a set of reasons why a plain value breaks YAML.
type Flaw uint16

const (
	// FlawColon is ": " in a value, as in "Use when: asked".
	FlawColon Flaw = 1 << iota
	// FlawBracket is a value that begins with "[" or "{" but is not a list or map, as in "[WIP]
	// does things", "[a] [b]" and "{{name}}".
	FlawBracket
	// FlawReserved is a value that begins with "@", "`", "%" or ",".
	FlawReserved
	// FlawAlias is a value that begins with "*", as in "**/*.ts".
	FlawAlias
	// FlawTag is a value that begins with "!".
	FlawTag
	// FlawQuote is a quoted value without a closing quote, or with text after it.
	FlawQuote
	// FlawBlock is text on the same line as a block indicator, as in "| Text".
	FlawBlock
	// FlawDash is a value that begins with "- " or "? ".
	FlawDash
	// FlawTab is indentation with tabs.
	FlawTab
	// FlawOther is any other flaw.
	FlawOther
)

// Second is a host's second attempt to parse a block that its YAML library rejects. It
// works line by line and is not a YAML parser.
type Second uint8

const (
	// SecondNone makes no second attempt apart from Repair.
	SecondNone Second = iota
	// SecondQuotes single-quotes each value that contains ": ", or that begins with "[", "{", "@"
	// or "`" and is not valid YAML, and then parses the block as YAML again (Codex 0.169,
	// source).
	SecondQuotes
	// SecondBlocks turns each unindented value with a colon, whose key is a plain word
	// without a hyphen, into a block scalar, and then parses the block as YAML again
	// (opencode 1.18.33, source).
	SecondBlocks
	// SecondPair reads only "name" and "description", literally from their lines. A description
	// includes the indented lines below it. SecondPair is also used if one of the two values is
	// not a string (Gemini CLI 0.61.0, source).
	SecondPair
	// SecondLines reads the text after the first colon of each line, and lists and maps
	// that are indented by two spaces (Qwen Code 0.24.4, source).
	SecondLines
)

// Rejected is a set of YAML constructs.
type Rejected uint8

// Valid YAML constructs that a host may reject.
const (
	// RejectFlow rejects lists and maps in brackets.
	RejectFlow Rejected = 1 << iota
	// RejectTab rejects a tab between a key and its value.
	RejectTab
)

// References are the YAML constructs that a host's library resolves. If a construct is not
// resolved, a block that contains it is invalid.
type References uint8

const (
	// Anchors covers anchors, aliases, tags, and keys that are lists or maps (observed in every
	// client except Cursor and VS Code).
	Anchors References = 1 << iota
	// MergeKeys means that the key "<<" adds the entries of a map (Claude Code, Gemini CLI,
	// opencode).
	MergeKeys
	// CoreTags means that tags outside the core schema are invalid, as are values that do not fit
	// their tag (js-yaml: Gemini CLI, opencode).
	CoreTags
)

// Dialect describes how a host reads frontmatter.
type Dialect struct {
	Delimiters Delimiters
	// Needed reports whether a file of a kind is dropped if it has no frontmatter block. nil
	// drops none.
	Needed     func(definition.Kind) bool
	References References
	Repair     Repair
	// Beyond lists the flaws that the host does not repair although it repairs others (Claude
	// Code 2.1.329, row "quote": it does not repair an unclosed quote).
	Beyond Flaw
	// DuplicateKeys means that the last of several equal keys wins. Otherwise duplicate keys make
	// the block invalid.
	DuplicateKeys bool
	// StrictBools means that only the YAML value true and the string "true" are true; everything
	// else is false (Claude Code 2.1.88, case m06).
	StrictBools bool
	// NamesByBlanks means that only whitespace separates argument names in a string, so commas
	// and "$" are part of the names. Names that consist only of digits are dropped, as are list
	// items that are not strings.
	NamesByBlanks bool
	// Numbers means that a plain number in a string field is formatted as JavaScript formats it.
	Numbers bool
	// Unique are top-level keys that must not be repeated even if DuplicateKeys is set.
	Unique []string
	// Second is the second attempt to parse a block, used instead of Repair.
	Second Second
	// Rejects are constructs that make the block invalid.
	Rejects Rejected
	// Strings means that every plain value is a string (strictyaml, which the standard's
	// reference validator uses).
	Strings bool
	// TabIndent means that tabs in indentation are ignored (js-yaml 3, which opencode uses; case
	// n09).
	TabIndent bool
	// Dates means that a plain date or time is a value of its own type, so that it is not a
	// string.
	Dates bool
	// UTF8 means that a file that is not valid UTF-8 is not loaded.
	UTF8 bool
	// Plain means that the block is not YAML. Each unindented line is a key, and the text after
	// its colon, including quotes and brackets, is the value (Cursor's rules).
	Plain bool
	// Other returns the dialect of a kind whose files are read differently. Its argument is the
	// dialect without Other. nil means that all kinds are read the same way.
	Other func(definition.Kind, Dialect) Dialect
}

// For returns the dialect of the files of a kind.
func (d Dialect) For(k definition.Kind) Dialect {
	if d.Other == nil {
		return d
	}
	other := d.Other
	d.Other = nil
	return other(k, d)
}

// NeutralDialect returns the dialect of the neutral view.
func NeutralDialect() Dialect {
	return Dialect{
		Delimiters: Delimiters{
			BOM: true, LeadingBlank: true, LeadingComment: true, Indented: true, TrailingSpace: true, CRLF: true,
		},
		Repair: RepairLines, DuplicateKeys: true,
	}
}
