package host

import "github.com/vadehq/vade/definition"

// Listing describes how a host lists skills and agents for the model. Lengths are in
// UTF-16 units.
type Listing struct {
	// Commands: commands are listed like skills. Manual: so are definitions that only
	// users may call. Paths: a definition with paths waits until a file matches.
	// NeedsDescription: a definition without a description is not listed. PluginsNeedOne: one of
	// a plugin is not listed without a description and a value of when_to_use in its frontmatter.
	Commands, Manual, Paths, NeedsDescription, PluginsNeedOne bool
	// Policy is a file next to a skill that can hide it; nil if there is none.
	Policy *ListingPolicy
	// MaxDescription is the maximum length of a description, including Ellipsis, which
	// ends a truncated one; 0 means no limit. A setting may override it. Runes: the
	// length is in code points.
	MaxDescription int
	Ellipsis       string
	Runes          bool
	// Join separates a description from the value of when_to_use; if it is "", the field
	// is not listed.
	Join string
	// Line renders a skill or command, without the text from Frame. nil renders
	// "name: description", or the name alone if there is no description. RealPaths: the
	// entry's path has its symlinks resolved.
	Line      func(ListedItem) string
	RealPaths bool
	// Frame assembles the entries for the model; nil if the host's form is not known.
	// AgentFrame does so for the lines of agents.
	Frame      func(ListedText) string
	AgentFrame func(lines []string) string
	// Alias shortens the paths of entries; nil leaves them unchanged.
	Alias *ListingAlias
	// Own are the host's own skills, which it writes to the bundled root of the profile when it
	// starts. They take part in the budget and in Frame, but are not entries of Vade's listing.
	Own []OwnSkill
	// Rank orders the entries before their names; nil means Claude Code's order. Neighboring
	// entries with the same Source are one group even if their ranks differ; nil means that the
	// rank decides.
	Rank   func(*definition.Definition) int
	Source func(*definition.Definition) string
	// Clean makes a text safe for one line of the listing before truncation, and Escape
	// after it; nil leaves it unchanged.
	Clean, Escape func(string) string
	// RawWorkflows: Clean and Escape do not apply to workflows.
	RawWorkflows bool
	// SecondName: a frontmatter name that differs from the directory name follows in
	// parentheses.
	SecondName bool
	// Duplicates: shadowed definitions are listed too.
	Duplicates bool
	// Compare orders the names within a group: one skills directory, the commands, the
	// plugins, or what one touched file made available.
	Compare func(a, b string) int
	// Key returns the text that Compare orders for a skill or command; nil means the name.
	// KeepsPlace: a definition is listed where the first definition of its name was read,
	// which may be one that it shadows.
	Key        func(*definition.Definition) string
	KeepsPlace bool
	// CommandsByLayer: commands are grouped by directory like skills, not ordered by
	// name across layers.
	CommandsByLayer bool
	// Scoped and From append text to the description of a definition in dir, below the
	// working directory: Scoped if its name is taken and it has a longer one, From
	// otherwise. root is its skills directory. nil appends nothing.
	Scoped func(dir, name string) string
	From   func(dir, root string) string
	Budget Budget

	// SkillTool and AgentTools are the tools that an agent session needs to see skills
	// and agents. The first of several is the current name.
	// If a permission rule denies the skill tool as a whole, nothing that it loads is listed;
	// rules that deny an agent tool hide the agents that they name, or all.
	SkillTool  string
	AgentTools []string
	// Agent is the line of an agent; nil if the host lists no agents in its messages.
	// AgentTitles: agents are listed by their titles. AgentHidden returns why an agent with
	// these frontmatter fields is not listed, or ""; nil lists all.
	// AgentOrder orders agents; nil orders them by name with Compare.
	Agent       func(name, description, tools string) string
	AgentTitles bool
	AgentOrder  func(a, b *definition.Definition) int
	AgentHidden func(d *definition.Definition, field func(key string) string) string
	// AllTools is the text for an agent with every tool, AllBut for all tools except
	// some, NoTools for none.
	AllTools, AllBut, NoTools string
	// OwnAgents are built-in agents whose names a file cannot override.
	OwnAgents []string
}

// ListedItem is one entry of a listing, with the texts to display.
type ListedItem struct {
	Kind              definition.Kind
	Layer             definition.Layer
	Name, Description string
	// Path is the file's absolute path, or its alias.
	Path string
	// Bare: the budget leaves no room for a description.
	Bare bool
}

// ListedText is the input of a frame.
type ListedText struct {
	// Lines are the entries in order. Roots are the lines of a table that explains
	// shortened paths. Bare are the names of the entries that lost their descriptions, for
	// [BareRest] only and with the host's own; Lines does not have them.
	Lines, Roots, Bare []string
}

// ListingPolicy is a YAML file next to a skill's file. A false value at Keys hides the
// skill.
type ListingPolicy struct {
	// File is the file, relative to the skill's directory.
	File string
	Keys []string
}

// OwnSkill is a skill that comes with the host; its directory has its name.
type OwnSkill struct{ Name, Description string }

// ListingAlias describes how paths are shortened: each root with an entry has a numbered
// line in a table, and paths begin with that number.
type ListingAlias struct {
	// Root renders the line of a root, Path the path of a file below it.
	Root func(n int, dir string) string
	Path func(n int, rel string) string
	// Order orders the roots of definitions; roots of the same order are ordered by path.
	Order func(o *definition.Origin) int
}

// Overflow is how a host shortens a listing that exceeds its budget.
type Overflow uint8

// The ways to stay within a budget.
const (
	// Unbounded: there is no budget.
	Unbounded Overflow = iota
	// FillInOrder: after all names, each description in order that still fits is whole. The
	// others are dropped.
	FillInOrder
	// ShareEqually: descriptions are shortened to one length, to no less than
	// [Budget.MinShare]; below that all are dropped.
	ShareEqually
	// BareRest: entries are kept whole until one does not fit. It and all later entries
	// are bare and cost nothing. [Budget.Own] come between skills and commands.
	BareRest
	// SpreadEvenly: the space that bare entries leave is spread over the descriptions,
	// one character at a time. If even the bare entries do not fit, those that do are
	// listed bare and the others omitted. The budget is in tokens of
	// [Budget.BytesPerToken].
	SpreadEvenly
)

// Budget is the maximum length of the skill listing. It is in UTF-16 units unless
// [Overflow] says otherwise. Each entry counts with the text Around it.
type Budget struct {
	Overflow Overflow
	// Around is the length of the text around an entry: its bullet and its line feed.
	Around int
	// ContextTokens is the default length of the model's context. Fraction is the share
	// that the listing may use. CharsPerToken is the number of budget units per token.
	ContextTokens int
	Fraction      float64
	CharsPerToken int
	// Least is the minimum budget, unless Env is set.
	Least int
	// Env is the environment variable that overrides the product of the three.
	Env string
	// Own lists the host's own entries, which take part in it.
	Own []OwnEntry
	// Uncounted is how many units the host counts less than the lines have together.
	Uncounted int
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
