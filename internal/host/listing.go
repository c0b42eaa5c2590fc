package host

import "github.com/vadehq/vade/definition"

// Listing describes how a host lists skills and agents for the model. Lengths are in
// UTF-16 units.
type Listing struct {
	// Commands means that commands are listed like skills, and Manual that definitions that only
	// users may call are listed too. Paths means that a definition with paths waits for a
	// matching file. NeedsDescription means that a definition without a description is not
	// listed. PluginsNeedOne means that a plugin's definition is not listed if its frontmatter
	// has neither a description nor when_to_use.
	Commands, Manual, Paths, NeedsDescription, PluginsNeedOne bool
	// FirstLines is the number of skills above which only the first line of each description is
	// listed, without when_to_use, and FirstLinesOver is the total length of their lines in UTF-16
	// units, including a newline each. 0 means no limit.
	FirstLines, FirstLinesOver int
	// Policy is a file next to a skill that can hide the skill. It is nil if there is none.
	Policy *ListingPolicy
	// MaxDescription is the maximum length of a description, including Ellipsis, which ends a
	// truncated description; 0 means no limit. A setting may override it. Runes means that the
	// length is in code points.
	MaxDescription int
	Ellipsis       string
	Runes          bool
	// Join separates a description from the value of when_to_use. If Join is "", when_to_use is
	// not listed.
	Join string
	// Line renders a skill or command without the text that Frame adds. nil renders "name:
	// description", or only the name if there is no description. RealPaths means that symlinks in
	// the entry's path are resolved.
	Line      func(ListedItem) string
	RealPaths bool
	// Frame assembles the entries for the model. It is nil if the host's form is unknown.
	// AgentFrame does so for the lines of agents.
	Frame      func(ListedText) string
	AgentFrame func(lines []string) string
	// Tools returns the texts in the definitions of the host's tools that name the listed skills
	// and agents; nil if there are none.
	Tools func(skills, agents []string) []string
	// Alias shortens the paths of entries. nil leaves them unchanged.
	Alias *ListingAlias
	// Own holds the host's own skills, which the host writes to the bundled root of the profile
	// when it starts. They count toward the budget and appear in Frame, but are not entries of
	// Vade's listing.
	Own []OwnSkill
	// Rank orders entries; entries of the same rank are ordered by name. nil means Claude Code's
	// order. Neighboring entries with the same Source form one group even if their ranks differ;
	// nil means that the rank decides.
	Rank   func(*definition.Definition) int
	Source func(*definition.Definition) string
	// Clean converts text to a single line before it is truncated, and Escape escapes it after it
	// is truncated. nil leaves the text unchanged.
	Clean, Escape func(string) string
	// RawWorkflows means that Clean and Escape do not apply to workflows.
	RawWorkflows bool
	// SkillsFirst means that a command is not listed if a skill that the model can call has its
	// name. It holds the names of the host's own skills. nil means that both are listed.
	SkillsFirst []string
	// SecondName means that a frontmatter name that differs from the directory name follows the
	// name in parentheses.
	SecondName bool
	// Duplicates means that shadowed definitions are listed too.
	Duplicates bool
	// Compare orders the names within a group. A group is one skills directory, the commands, the
	// plugins, or the definitions that one touched file activated.
	Compare func(a, b string) int
	// Key returns the text that Compare uses to order a skill or command; nil means the name.
	// KeepsPlace means that a definition is listed at the position of the first definition read
	// with its name, which it may shadow.
	Key        func(*definition.Definition) string
	KeepsPlace bool
	// CommandsByLayer means that commands are grouped by directory, like skills, and not ordered
	// by name across layers.
	CommandsByLayer bool
	// Scoped and From append text to the description of a definition in dir, below the working
	// directory. Scoped applies if the definition's name is taken and it has a longer one;
	// otherwise From applies. root is the definition's skills directory. nil appends nothing.
	Scoped func(dir, name string) string
	From   func(dir, root string) string
	Budget Budget

	// SkillTool and AgentTools are the tools that an agent session needs to see skills and
	// agents. The first of several is the current name. If a permission rule denies the skill
	// tool as a whole, nothing that it loads is listed. Rules that deny an agent tool hide the
	// agents that they name, or all agents.
	SkillTool  string
	AgentTools []string
	// Agent renders the line of an agent. It is nil if the host lists no agents in its messages.
	// AgentTitles means that agents are listed by their titles. AgentHidden returns the reason
	// why an agent with these frontmatter fields is not listed, or ""; nil lists all agents.
	// AgentOrder orders agents; nil orders them by name with Compare.
	Agent       func(name, description, tools string) string
	AgentTitles bool
	// AgentNote returns the text that follows an agent's description, or "". nil means that there
	// is none.
	AgentNote   func(*definition.Definition) string
	AgentOrder  func(a, b *definition.Definition) int
	AgentHidden func(d *definition.Definition, field func(key string) string) string
	// AllTools is the text for an agent with every tool, AllBut for an agent with all tools
	// except some, and NoTools for an agent without tools.
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
	// Bare means that the budget leaves no room for a description.
	Bare bool
}

// ListedText is the input of a frame.
type ListedText struct {
	// Lines holds the entries in order. Roots holds the lines of a table that explains shortened
	// paths. Bare holds the names of the entries that lost their descriptions, including the
	// host's own; it is used for [BareRest] only, and Lines omits these entries.
	Lines, Roots, Bare []string
}

// ListingPolicy is a YAML file next to a skill's file. A false value at Keys hides the
// skill.
type ListingPolicy struct {
	// File is the file, relative to the skill's directory.
	File string
	Keys []string
}

// OwnSkill is a skill that comes with the host. The name of its directory is the skill's name.
type OwnSkill struct{ Name, Description string }

// ListingAlias describes how paths are shortened. Each root with an entry has a numbered line in
// a table, and paths begin with the root's number.
type ListingAlias struct {
	// Root renders the line of a root, and Path the path of a file below a root.
	Root func(n int, dir string) string
	Path func(n int, rel string) string
	// Order ranks the roots of definitions. Roots with the same rank are ordered by path.
	Order func(o *definition.Origin) int
}

// Overflow is the way in which a host shortens a listing that exceeds its budget.
type Overflow uint8

// The ways to stay within a budget.
const (
	// Unbounded means that there is no budget.
	Unbounded Overflow = iota
	// FillInOrder lists all names and then, in order, keeps each description that still fits. It
	// drops the other descriptions.
	FillInOrder
	// ShareEqually shortens descriptions to one common length. If that length would be less than
	// [Budget.MinShare], it drops all descriptions.
	ShareEqually
	// BareRest lists entries in full until one does not fit. It lists that entry and all later
	// entries by name only, which does not count toward the budget. The entries in [Budget.Own]
	// come between skills and commands.
	BareRest
	// SpreadEvenly distributes the space that the names leave over the descriptions, one
	// character at a time. If even the names do not fit, it lists as many names as fit and omits
	// the other entries. The budget is in tokens of [Budget.BytesPerToken].
	SpreadEvenly
)

// Budget is the maximum length of the skill listing. It is in UTF-16 units unless [Overflow] or
// Columns says otherwise. Each entry counts together with the text described by Around.
type Budget struct {
	Overflow Overflow
	// Columns means that the length of an entry is the number of columns it takes on a terminal.
	Columns bool
	// Around is the length of the text around an entry, which is its bullet and its line feed.
	Around int
	// ContextTokens is the default length of the model's context. Fraction is the share of the
	// context that the listing may use. CharsPerToken is the number of budget units per token.
	ContextTokens int
	Fraction      float64
	CharsPerToken int
	// Least is the minimum budget, unless Env is set.
	Least int
	// Env is the environment variable that overrides the product of ContextTokens, Fraction and
	// CharsPerToken.
	Env string
	// Own holds the host's own entries, which count toward the budget.
	Own []OwnEntry
	// Uncounted is the number of units in the lines that the host does not count.
	Uncounted int
	// MinShare is the minimum length of a description that is shared equally. BytesPerToken is
	// the number of bytes per token.
	MinShare      int
	BytesPerToken int
}

// OwnEntry is a built-in entry of a host's listing. A definition with the same name replaces it.
type OwnEntry struct {
	Name string
	// Units is the length of the complete entry in UTF-16 units.
	Units int
	// Last means that the entry comes after all definitions and loses its description as they do.
	// Other built-in entries are always listed in full.
	Last bool
	// ModelOnly means that users cannot call it.
	ModelOnly bool
}
