package host

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
}

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

// Dialect says how a host reads frontmatter.
type Dialect struct {
	Delimiters Delimiters
	Repair     Repair
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
}
