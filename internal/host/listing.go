package host

import "github.com/vadehq/vade/definition"

// Listing says how a host lists skills and agents for the model. Lengths are in
// UTF-16 units.
type Listing struct {
	// Commands: commands are listed as skills are. Manual: what only a user may
	// call is listed all the same. Paths: what has paths waits for a file that
	// matches. NeedsDescription: what has no description is not listed.
	Commands, Manual, Paths, NeedsDescription bool
	// Policy is a file beside a skill's that can hide it; nil where there is none.
	Policy *ListingPolicy
	// MaxDescription is the most that one description has, Ellipsis, what ends
	// one that is cut, included; 0 is no limit. A setting may replace it. Runes:
	// it is counted in code points.
	MaxDescription int
	Ellipsis       string
	Runes          bool
	// Join stands between a description and what the field when_to_use says;
	// with "" that field is not listed.
	Join string
	// Line writes the entry of a skill or command, without what Frame puts before
	// it; nil writes "name: description", and the name alone where there is no
	// description. RealPaths: its path has every link resolved.
	Line      func(ListedItem) string
	RealPaths bool
	// Frame puts the entries together as the model gets them, nil where that is
	// not known. AgentFrame does so with the lines of agents.
	Frame      func(ListedText) string
	AgentFrame func(lines []string) string
	// Alias shortens the paths of entries; nil leaves them whole.
	Alias *ListingAlias
	// Rank orders the entries before their names do; nil orders them as Claude
	// Code does.
	Rank func(*definition.Definition) int
	// Clean makes a text safe for one line of the listing, before it is cut, and
	// Escape after it; nil leaves it as it is.
	Clean, Escape func(string) string
	// SecondName: the name of the frontmatter, where it is another than the
	// directory's, follows in parentheses.
	SecondName bool
	// Duplicates: what is shadowed is listed as well.
	Duplicates bool
	// Compare orders the names within a group: those of one directory of skills,
	// the commands, the plugins, and what one touched file made available.
	Compare func(a, b string) int
	// CommandsByLayer: commands are grouped by directory as skills are, not
	// ordered by name across layers.
	CommandsByLayer bool
	// Scoped and From are put behind the description of what stands below the
	// working directory, in dir: Scoped where its name is taken and it is known
	// by a longer one, From otherwise. root is its directory of skills. nil adds
	// nothing.
	Scoped func(dir, name string) string
	From   func(dir, root string) string
	Budget Budget

	// SkillTool and AgentTools are the tools without which a session that runs
	// as an agent sees no skills, or no agents; the first of several is today's
	// name.
	SkillTool  string
	AgentTools []string
	// Agent is the line of an agent; nil where the host lists no agents in its
	// messages. AgentHidden says by the fields of its frontmatter why one is not
	// listed, or ""; nil lists all.
	Agent       func(name, description, tools string) string
	AgentHidden func(field func(key string) string) string
	// AllTools says that an agent has every tool, AllBut that it has all but
	// some, NoTools that it has none.
	AllTools, AllBut, NoTools string
	// OwnAgents are agents of the host's own whose names a file can not take.
	OwnAgents []string
}

// ListedItem is one entry of a listing, its texts as they are to be shown.
type ListedItem struct {
	Kind              definition.Kind
	Layer             definition.Layer
	Name, Description string
	// Path is the absolute path of the file, or what stands for it.
	Path string
	// Bare: there is no room for a description.
	Bare bool
}

// ListedText is what a frame is made of.
type ListedText struct {
	// Lines are the entries in their order, Roots the lines of a table that
	// explains short paths.
	Lines, Roots []string
}

// ListingPolicy is a YAML file beside that of a skill. A false value behind Keys
// takes the skill from the listing.
type ListingPolicy struct {
	// File is the file below the directory of the skill.
	File string
	Keys []string
}

// ListingAlias says how long paths become short where the budget is tight: each
// root has a line in a table, and paths begin with the number of theirs.
type ListingAlias struct {
	// Root is the line of a root, Path that of a file below it.
	Root func(n int, dir string) string
	Path func(n int, rel string) string
	// Frame is the length in bytes of the host's text around a listing without a
	// table, Table how much longer it is with one, besides the lines of roots.
	Frame, Table int
}

// Overflow is what becomes of a listing that is longer than its budget.
type Overflow uint8

// The ways to keep to a budget.
const (
	// Unbounded: there is no budget.
	Unbounded Overflow = iota
	// FillInOrder: after all names, each description in order that still fits is whole. The
	// others are dropped.
	FillInOrder
	// ShareEqually: descriptions are shortened to one length, to no less than
	// [Budget.MinShare]; below that all are dropped.
	ShareEqually
	// BareRest: entries are whole until one does not fit; it and all behind it
	// are bare, which costs nothing.
	BareRest
	// SpreadEvenly: descriptions get what is left over the bare entries one
	// character at a time; where even those do not fit, the ones that fit are
	// bare, and the others are left out. The budget is counted in tokens of
	// [Budget.BytesPerToken].
	SpreadEvenly
)

// Budget says how long the listing of skills may be. It is counted in UTF-16
// units where [Overflow] does not say another, each entry with what stands
// Around it.
type Budget struct {
	Overflow Overflow
	// Around is the length of what stands around an entry: its mark and its line
	// feed.
	Around int
	// ContextTokens is the length of the model's context where nothing else is
	// known, Fraction the part of it that the listing may have, CharsPerToken
	// how many units of the budget a token stands for.
	ContextTokens int
	Fraction      float64
	CharsPerToken int
	// Least is what it is in any case, unless Env says another.
	Least int
	// Env is the environment variable that replaces the product of the three.
	Env string
	// Own lists the host's own entries, which take part in it.
	Own []OwnEntry
	// MinShare is the least length of a description that is shared equally,
	// BytesPerToken how many bytes make a token.
	MinShare      int
	BytesPerToken int
}

// OwnEntry is an entry of a listing that the host brings itself. A definition with its name
// replaces it.
type OwnEntry struct {
	Name string
	// Units is the length of the whole entry, in UTF-16 units.
	Units int
	// Last: it comes after all definitions, and loses its description as they do. The others
	// are always listed in full.
	Last bool
}
