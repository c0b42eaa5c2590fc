package host

import "github.com/vadehq/vade/definition"

// Delimiters describes how a host finds the frontmatter block in a Markdown file. The zero value is
// the strictest form: the file begins with "---\n", and the block ends at the next line that is
// exactly "---".
type Delimiters struct {
	// If BOM is set, a byte order mark before the opening "---" is skipped.
	BOM bool
	// If LeadingBlank is set, blank lines before the opening "---" are skipped.
	LeadingBlank bool
	// If LeadingComment is set, HTML comments before the opening "---" are skipped.
	LeadingComment bool
	// If Indented is set, the opening and closing "---" may be indented.
	Indented bool
	// If TrailingSpace is set, spaces and tabs may follow the opening and closing "---".
	TrailingSpace bool
	// If OpenerPrefix is set, text may follow the opening dashes on the same line. The block starts
	// directly after the dashes (see parser.py in the standard's reference validator).
	OpenerPrefix bool
	// When OpenerPrefix is set, OpenerSkip makes the block start one character later. For example,
	// "----" then opens a block (pi 0.73.1, h11).
	OpenerSkip bool
	// If CloserAnywhere is set, the first "---" below the opening line closes the block, even in
	// the middle of a line (Claude Code 2.1.329, row "description: a --- b" in the frontmatter
	// matrix).
	CloserAnywhere bool
	// If CloserPrefix is set, the first line that begins with "---" closes the block, even if more
	// text follows on that line (Gemini CLI 0.61.0 looks only for "\n---"; see row "closer with
	// trailing space" in the frontmatter matrix).
	CloserPrefix bool
	// If CRLF is set, these lines may end in "\r\n".
	CRLF bool
	// If NeedsLF is set, a line feed must follow the opening "---". A line that ends in a bare
	// carriage return does not open a block (Claude Code, case m19).
	NeedsLF bool
	// If OpenEnd is set and there is no closing "---", the block extends to the end of the file, as
	// in the source code of VS Code and of gray-matter, which opencode uses.
	OpenEnd bool
	// If AnyIndent is set, an indented "---" line closes the block, even inside a block scalar
	// (Codex's source code trims each line before comparing it).
	AnyIndent bool
	// If NoLastLF is set, the line ending before the closing "---" is not part of the block, so a
	// block scalar at the end has no final line feed (observed in Copilot CLI 1.0.102).
	NoLastLF bool
	// Empty determines what it means if the closing "---" directly follows the opening one.
	Empty EmptyBlock
	// BodyStart determines where the body begins if more text follows the closing "---" on its
	// line.
	BodyStart BodyStart
}

// EmptyBlock determines how a host treats an empty frontmatter block.
type EmptyBlock uint8

const (
	// EmptyBlockFits means that an empty block is valid and has no fields.
	EmptyBlockFits EmptyBlock = iota
	// EmptyBlockNone means that the file has no frontmatter (see Codex's source code).
	EmptyBlockNone
	// EmptyBlockGoesOn means that a "---" directly after the opening line does not close the block,
	// but a later one may. In the source code of Gemini CLI and Qwen Code, the pattern requires one
	// line feed after the opening "---" and another before the closing one.
	EmptyBlockGoesOn
)

// BodyStart determines where a body begins.
type BodyStart uint8

const (
	// BodyNextLine means that the body begins on the line after the closing "---".
	BodyNextLine BodyStart = iota
	// BodyAtOnce means that the body begins directly after the dashes (see gray-matter's source
	// code).
	BodyAtOnce
	// BodyNone means that the file has no body if more text follows the closing "---" on its line.
	// The pattern in Gemini CLI's source code matches a body only after a line ending.
	BodyNone
)

// Repair determines how a host handles YAML that does not parse.
type Repair uint8

const (
	// RepairNone means that the block is rejected.
	RepairNone Repair = iota
	// RepairValues quotes the plain scalars that are not valid YAML and then parses the block
	// again.
	RepairValues
	// RepairLines is like RepairValues, but if the block still does not parse, it also appends
	// lines without a key to the preceding value.
	RepairLines
)

// Flaw is a set of reasons why a plain scalar is not valid YAML.
type Flaw uint16

const (
	// FlawColon is ": " in a value, as in "Use when: asked".
	FlawColon Flaw = 1 << iota
	// FlawBracket is a value that begins with "[" or "{" but is neither a list nor a map, as in
	// "[WIP] does things", "[a] [b]" or "{{name}}".
	FlawBracket
	// FlawReserved is a value that begins with "@", "`", "%" or ",".
	FlawReserved
	// FlawAlias is a value that begins with "*", as in "**/*.ts".
	FlawAlias
	// FlawTag is a value that begins with "!".
	FlawTag
	// FlawQuote is a quoted value without a closing quote or with text after it.
	FlawQuote
	// FlawBlock is text on the same line as a block indicator, as in "| Text".
	FlawBlock
	// FlawDash is a value that begins with "- " or "? ".
	FlawDash
	// FlawTab is indentation with tabs.
	FlawTab
	// FlawOther is any flaw not listed above.
	FlawOther
)

// Second is a host's second attempt to parse a block that its YAML library rejects. It reads or
// rewrites the block line by line.
type Second uint8

const (
	// SecondNone disables the second attempt. Repair still applies.
	SecondNone Second = iota
	// SecondQuotes single-quotes some values and then parses the block as YAML again (see the
	// source code of Codex 0.169). It quotes values that contain ": ", and values that begin with
	// "[", "{", "@" or "`" and are not valid YAML.
	SecondQuotes
	// SecondBlocks turns unindented values that contain a colon into block scalars and then parses
	// the block as YAML again (see the source code of opencode 1.18.33). It applies only if the key
	// consists of ASCII letters, digits and underscores. If there are no such values, the whole
	// file becomes the body (case a10).
	SecondBlocks
	// SecondPair reads only "name" and "description". Their values are the literal text on their
	// lines; a description also includes the indented lines below it. SecondPair is also used if
	// either value is not a string (see the source code of Gemini CLI 0.61.0).
	SecondPair
	// SecondLines takes the text after the first colon on each line as the value. It also reads
	// lists and maps that are indented by two spaces (see the source code of Qwen Code 0.24.4).
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

// References is a set of YAML constructs that a host's library resolves. A
// block that contains a construct outside the set is invalid.
type References uint8

const (
	// Anchors covers anchors, aliases, tags, and keys that are lists or maps
	// (observed in all clients except Cursor and VS Code).
	Anchors References = 1 << iota
	// MergeKeys covers the key "<<", which merges another map's entries (supported by Claude Code,
	// Gemini CLI and opencode).
	MergeKeys
	// CoreTags rejects tags outside the core schema and values that do not fit their tag (as
	// js-yaml does in Gemini CLI and opencode).
	CoreTags
)

// Dialect describes how a host reads frontmatter.
type Dialect struct {
	Delimiters Delimiters
	// Needed reports whether the host drops files of the given kind that lack a frontmatter block.
	// If Needed is nil, the host does not drop such files.
	Needed     func(definition.Kind) bool
	References References
	Repair     Repair
	// Unrepaired lists the flaws that Repair does not fix. For example, Claude Code 2.1.329 does
	// not repair an unclosed quote (row "quote").
	Unrepaired Flaw
	// If DuplicateKeys is set, keys may be repeated, and the last one wins. Otherwise, duplicate
	// keys make the block invalid.
	DuplicateKeys bool
	// If StrictBools is set, only the YAML value true and the string "true" are true; all other
	// values are false (Claude Code 2.1.88, case m06).
	StrictBools bool
	// If NamesByWhitespace is set, a string of argument names is split only at whitespace, so
	// commas and "$" are part of the names. Names that consist only of digits are dropped, as are
	// list items that are not strings.
	NamesByWhitespace bool
	// If Numbers is set, unquoted numbers in string fields are formatted as in JavaScript.
	Numbers bool
	// Unique lists top-level keys that must not be repeated even if DuplicateKeys is set.
	Unique []string
	// Second is the second attempt to parse a block. If it is set, Repair is not used.
	Second Second
	// Rejects lists constructs that make the block invalid.
	Rejects Rejected
	// If Strings is set, every scalar is a string, as in strictyaml, which the standard's reference
	// validator uses.
	Strings bool
	// If TabIndent is set, tabs in indentation are ignored, as in js-yaml 3, which opencode uses
	// (case n09).
	TabIndent bool
	// If Dates is set, unquoted dates and times have a separate type, so they are not strings.
	Dates bool
	// If UTF8 is set, files that are not valid UTF-8 are rejected.
	UTF8 bool
	// Plain is set if the block is not YAML: each unindented line is a key, and the text after its
	// colon, including quotes and brackets, is the value. Cursor's rules use this format.
	Plain bool
	// Other returns the dialect for definitions of the given kind if some kinds have a different
	// dialect. Its dialect argument is this dialect with Other cleared. If Other is nil, this
	// dialect applies to all kinds.
	Other func(definition.Kind, Dialect) Dialect
}

// For returns the dialect for a kind's files.
func (d Dialect) For(k definition.Kind) Dialect {
	if d.Other == nil {
		return d
	}
	other := d.Other
	d.Other = nil
	return other(k, d)
}

// NeutralDialect returns the dialect that the neutral view uses to read frontmatter.
func NeutralDialect() Dialect {
	return Dialect{
		Delimiters: Delimiters{
			BOM: true, LeadingBlank: true, LeadingComment: true, Indented: true, TrailingSpace: true, CRLF: true,
		},
		Repair: RepairLines, DuplicateKeys: true,
	}
}
