package host

import "github.com/vadehq/vade/definition"

// Delimiters says how a host finds the frontmatter block of a Markdown file.
// The zero value is the strictest form: the file begins with "---\n" at byte 0
// and the block ends at the next line that is exactly "---".
type Delimiters struct {
	// BOM: a byte order mark before the opener is skipped.
	BOM bool
	// LeadingBlank: blank lines before the opener are skipped.
	LeadingBlank bool
	// LeadingComment: HTML comments before the opener are skipped.
	LeadingComment bool
	// Indented: opener and closer may be indented.
	Indented bool
	// TrailingSpace: blanks after the dashes are allowed.
	TrailingSpace bool
	// OpenerPrefix: the block begins right behind the opening dashes, whatever
	// follows on their line (the reference validator of the standard, source:
	// parser.py).
	OpenerPrefix bool
	// CloserAnywhere: the first "---" after the opener line closes the block,
	// even in the middle of a line (Claude Code 2.1.329, row "description: a --- b"
	// of the frontmatter matrix).
	CloserAnywhere bool
	// CloserPrefix: the first line that begins with "---" closes the block,
	// whatever follows on it (Gemini CLI 0.61.0: its pattern ends the block at
	// "\n---" and is not anchored behind it; row "closer with trailing space").
	CloserPrefix bool
	// CRLF: lines may end in "\r\n".
	CRLF bool
	// NeedsLF: an opener line that ends in a carriage return alone opens nothing
	// (Claude Code, case m19).
	NeedsLF bool
	// OpenEnd: without a closer all that follows the opener is the block (VS Code,
	// source; gray-matter, which opencode uses).
	OpenEnd bool
	// AnyIndent: an indented line "---" closes the block even where it stands in a
	// block scalar (Codex, source: each line is trimmed before it is compared).
	AnyIndent bool
	// Empty says what a closer is that follows the opener at once.
	Empty EmptyBlock
	// BodyStart says where the body begins when the closer has more on its line.
	BodyStart BodyStart
}

// EmptyBlock says what becomes of a block without a line.
type EmptyBlock uint8

const (
	// EmptyBlockFits: it is a block without fields.
	EmptyBlockFits EmptyBlock = iota
	// EmptyBlockNone: the file has no frontmatter (Codex, source).
	EmptyBlockNone
	// EmptyBlockGoesOn: such a closer does not close; a later one may (Gemini CLI and
	// Qwen Code, source: the pattern wants a line feed before each of the two).
	EmptyBlockGoesOn
)

// BodyStart says where a body begins.
type BodyStart uint8

const (
	// BodyNextLine: on the line after the closer.
	BodyNextLine BodyStart = iota
	// BodyAtOnce: right behind the dashes (gray-matter, source).
	BodyAtOnce
	// BodyNone: a closer with more on its line leaves no body (Gemini CLI, source:
	// the pattern takes a body only behind a line ending).
	BodyNone
)

// Repair says what a host does with YAML that does not parse.
type Repair uint8

const (
	// RepairNone rejects the block.
	RepairNone Repair = iota
	// RepairValues quotes the plain values that break the block and tries again.
	RepairValues
	// RepairLines does that and, where it is not enough, joins lines that begin
	// no key to the value before them.
	RepairLines
)

// Flaw is a set of ways in which a plain value can break YAML.
type Flaw uint16

const (
	// FlawColon: ": " in the value, as in "Use when: asked".
	FlawColon Flaw = 1 << iota
	// FlawBracket: a value that begins with "[" or "{" and is no list or map,
	// as in "[WIP] does things", "[a] [b]" and "{{name}}".
	FlawBracket
	// FlawReserved: a value that begins with "@", "`", "%" or ",".
	FlawReserved
	// FlawAlias: a value that begins with "*", as in "**/*.ts".
	FlawAlias
	// FlawTag: a value that begins with "!".
	FlawTag
	// FlawQuote: a quoted value without its closing quote or with text after it.
	FlawQuote
	// FlawBlock: text on the line of a block indicator, as in "| Text".
	FlawBlock
	// FlawDash: a value that begins with "- " or "? ".
	FlawDash
	// FlawTab: lines indented with tabs.
	FlawTab
	// FlawOther: anything else.
	FlawOther
)

// Second is a host's second try at a block that its YAML library does not take. It
// goes by lines and knows nothing of YAML.
type Second uint8

const (
	// SecondNone: there is no second try but what Repair says.
	SecondNone Second = iota
	// SecondQuotes puts single quotes around each value that has ": " in it or that
	// begins with "[", "{", "@" or "`" and is no YAML; then YAML has to take it
	// (Codex 0.169, source).
	SecondQuotes
	// SecondBlocks makes each unindented value with a colon, whose key is a plain
	// word without a hyphen, a block scalar; then YAML has to take it (opencode
	// 1.18.33, source).
	SecondBlocks
	// SecondPair takes "name" and "description" from their lines as they are written,
	// the latter with the indented lines below it, and no other field. It is also
	// made where one of the two is no text (Gemini CLI 0.61.0, source).
	SecondPair
	// SecondLines takes what stands behind the first colon of each line, and lists
	// and maps that are indented by two blanks (Qwen Code 0.24.4, source).
	SecondLines
)

// Rejected is a set of YAML constructs.
type Rejected uint8

// The constructs that a host may not take although they are YAML.
const (
	// RejectFlow: lists and maps in brackets.
	RejectFlow Rejected = 1 << iota
	// RejectTab: a tab between a key and its value.
	RejectTab
)

// Dialect says how a host reads frontmatter.
type Dialect struct {
	Delimiters Delimiters
	// Needed: a file of the kind in which the host finds no block is not loaded; nil
	// loads all.
	Needed func(definition.Kind) bool
	Repair Repair
	// Beyond are the flaws that the host does not repair although it repairs
	// others (Claude Code 2.1.329, row "quote": an open quote is beyond repair).
	Beyond Flaw
	// DuplicateKeys: of two equal keys the last is taken. Otherwise the block
	// is invalid.
	DuplicateKeys bool
	// StrictBools: only the YAML value true and the string "true" are true;
	// everything else that stands there is false (Claude Code 2.1.88, case m06).
	StrictBools bool
	// NamesByBlanks: the names of arguments in a string are divided at blanks
	// alone, so that a comma belongs to the name before it.
	NamesByBlanks bool
	// Numbers: a plain number that stands for text is written anew, as
	// JavaScript writes it.
	Numbers bool
	// Unique are the keys that may stand at the top only once although others, as
	// DuplicateKeys has it, may be repeated.
	Unique []string
	// Second is the second try at a block, in the place of Repair.
	Second Second
	// Rejects are constructs that make the block invalid.
	Rejects Rejected
	// Strings: every plain value is text (strictyaml, which the reference
	// validator of the standard uses).
	Strings bool
	// TabIndent: tabs that indent a line count as nothing (js-yaml 3, which opencode
	// uses; case n09).
	TabIndent bool
	// UTF8: a file that is not valid UTF-8 is not loaded.
	UTF8 bool
	// Plain: the block is no YAML: each line that is not indented is a key, and what
	// stands behind its colon, quotes and brackets too, is its value (Cursor's
	// rules).
	Plain bool
	// Other says how the files of a kind are read where that differs; nil reads all
	// in the one way. It gets the dialect without it.
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

// NeutralDialect is the frontmatter that the neutral view takes.
func NeutralDialect() Dialect {
	return Dialect{
		Delimiters: Delimiters{
			BOM: true, LeadingBlank: true, LeadingComment: true, Indented: true, TrailingSpace: true, CRLF: true,
		},
		Repair: RepairLines, DuplicateKeys: true,
	}
}
