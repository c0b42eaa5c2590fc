package host

import "github.com/vadehq/vade/definition"

// Listing describes how a host lists skills and agents for the model. Lengths are in UTF-16 units
// unless noted otherwise.
type Listing struct {
	// If Commands is set, commands are listed in the same way as skills. If Manual is set,
	// definitions that only users may call are also listed. If Paths is set, a definition with
	// paths is not listed until a matching file is touched. If NeedsDescription is set, definitions
	// without a description are not listed. If PluginsNeedOne is set, a plugin's definition is not
	// listed if its frontmatter has neither a description nor when_to_use.
	Commands, Manual, Paths, NeedsDescription, PluginsNeedOne bool
	// FirstLines is the maximum number of skills, and FirstLinesOver is the maximum total length of
	// their lines, including newlines. If either is exceeded, only the first line of each
	// description is listed, without when_to_use. 0 means no limit.
	FirstLines, FirstLinesOver int
	// Policy describes a file next to a skill that can hide the skill. It is nil if the host does
	// not read policy files.
	Policy *ListingPolicy
	// MaxDescription is the maximum length of a description; 0 means no limit. It includes
	// Ellipsis, which ends a truncated description. A setting may override it. If Runes is set, the
	// length is in code points.
	MaxDescription int
	Ellipsis       string
	Runes          bool
	// Join separates a description from the when_to_use text. If Join is "",
	// when_to_use is not listed.
	Join string
	// Line returns the entry for a skill or command, without the text that Frame adds. If Line is
	// nil, the entry is "name: description", or only the name if there is no description. If
	// RealPaths is set, symlinks in the entry's path are resolved.
	Line      func(ListedItem) string
	RealPaths bool
	// Frame returns the text of the listing, given its entries. It is nil if the host's format is
	// unknown. AgentFrame returns the text of the list of agents.
	Frame      func(ListedText) string
	AgentFrame func(lines []string) string
	// Tools returns the parts of the host's tool definitions that name the listed skills and
	// agents. It is nil if the tool definitions do not name them.
	Tools func(skills, agents []string) []string
	// Alias describes how paths in entries are shortened. If Alias is nil, they are not.
	Alias *ListingAlias
	// Own holds the host's built-in skills. The host writes them to the profile's bundled root when
	// it starts. They count toward the budget and appear in Frame, but Vade's listing omits them.
	Own []OwnSkill
	// Rank orders entries; entries with the same rank are ordered by name. If Rank is nil, Claude
	// Code's order applies. Source groups entries: neighboring entries with the same Source form
	// one group even if their ranks differ. If Source is nil, entries with the same rank form a
	// group.
	Rank   func(*definition.Definition) int
	Source func(*definition.Definition) string
	// Clean converts text to a single line before truncation, and Escape escapes special characters
	// in text after truncation. If a function is nil, the text is not changed.
	Clean, Escape func(string) string
	// If RawWorkflows is set, Clean and Escape are not applied to workflows.
	RawWorkflows bool
	// SkillsFirst holds the names of the host's built-in skills. If it is not nil, a command is not
	// listed if a skill that the model can call has the same name. Otherwise, both are listed.
	SkillsFirst []string
	// If SecondName is set and a definition's frontmatter name differs from its directory name, the
	// frontmatter name is added in parentheses.
	SecondName bool
	// If Duplicates is set, shadowed definitions are also listed.
	Duplicates bool
	// Compare orders names within a group. A group contains the definitions in one skill directory,
	// the commands, the plugins' definitions, or the definitions that one touched file activated.
	Compare func(a, b string) int
	// Key returns the string by which Compare orders a skill or command; if nil, it is the name. If
	// KeepsPlace is set, a definition that shadows others with the same name is listed at the
	// position of the first one that was read.
	Key        func(*definition.Definition) string
	KeepsPlace bool
	// If CommandsByLayer is set, commands are grouped by directory, like skills. Otherwise, they
	// are ordered by name across layers.
	CommandsByLayer bool
	// Scoped and From return text to append to the description of a definition in dir, a directory
	// below the working directory. Scoped is used if the host added the directory to the
	// definition's name because the name was taken. Otherwise, From is used; root is the
	// definition's skill directory. If either function is nil, it appends no text.
	Scoped func(dir, name string) string
	From   func(dir, root string) string
	Budget Budget

	// SkillTool and AgentTools name the tools that a session must have for skills and agents to be
	// listed. The first element of AgentTools is the current name. If a permission rule denies the
	// whole skill tool, no skills are listed. If a rule denies an agent tool, the agents that it
	// names are not listed; if it names none, no agents are listed.
	SkillTool  string
	AgentTools []string
	// Agent returns the line for an agent. It is nil if the host does not list agents in its
	// messages. If AgentTitles is set, agents other than plugin agents are listed by title.
	// AgentHidden returns the reason why an agent with the given frontmatter fields is not listed,
	// or "" if it is listed; if AgentHidden is nil, all agents are listed. AgentOrder compares
	// agents; if it is nil, they are ordered by name with Compare.
	Agent       func(name, description, tools string) string
	AgentTitles bool
	// AgentNote returns the text that follows an agent's description, or "". If nil, no text is
	// added.
	AgentNote   func(*definition.Definition) string
	AgentOrder  func(a, b *definition.Definition) int
	AgentHidden func(d *definition.Definition, field func(key string) string) string
	// AllTools, AllBut and NoTools are the words that describe an agent's tools. AllTools is used
	// if the agent has every tool, AllBut precedes the names of the tools that it lacks, and
	// NoTools is used if it has none.
	AllTools, AllBut, NoTools string
	// OwnAgents lists built-in agents whose names a file cannot override.
	OwnAgents []string
}

// ListedItem holds the strings that a listing entry displays.
type ListedItem struct {
	Kind              definition.Kind
	Layer             definition.Layer
	Name, Description string
	// Plugin is the name of the plugin that contains the definition, or "".
	Plugin string
	// Path is the file's absolute path or its shortened form.
	Path string
	// Bare is set if the budget does not leave room for a description.
	Bare bool
}

// ListedText is the input to [Listing.Frame].
type ListedText struct {
	// Lines holds the entries in order. Roots holds the lines of the table that explains shortened
	// paths. Bare is set only if the budget's Overflow is [BareRest]. It holds the names of the
	// entries that are listed without a description, including the host's own. Lines does not
	// contain these entries.
	Lines, Roots, Bare []string
}

// ListingPolicy describes a YAML file next to a skill's file. The skill is hidden if the value at
// the path in Keys is false.
type ListingPolicy struct {
	// File is the file's path relative to the skill's directory.
	File string
	Keys []string
}

// OwnSkill is a skill that comes with the host. Its directory has the same name as the skill.
type OwnSkill struct{ Name, Description string }

// ListingAlias describes how paths are shortened. A table in the listing has a numbered line for
// each root directory that contains a listed definition. A shortened path begins with the number of
// its root directory.
type ListingAlias struct {
	// Root returns the table's line for a root directory, and Path returns the shortened path of a
	// file in that directory.
	Root func(n int, dir string) string
	Path func(n int, rel string) string
	// Order returns the rank of a definition's root directory. Directories with the same rank are
	// ordered by path.
	Order func(o *definition.Origin) int
	// Store returns two directories for a root directory in an installed plugin. plugin is the
	// plugin's directory. shared is the directory to put in the table instead of the root directory
	// if the plugin has only one entry. Both are "" for other root directories.
	Store func(root string) (plugin, shared string)
	// Free is the number of bytes at the start of the table that do not count toward the budget.
	Free int
}

// Overflow determines how a host shortens a listing that exceeds its budget.
type Overflow uint8

const (
	// Unbounded means that the listing has no budget.
	Unbounded Overflow = iota
	// FillInOrder lists all names and then, in order, keeps each description
	// that still fits. It drops the others.
	FillInOrder
	// ShareEqually shortens all descriptions to the same maximum length. If that length would be
	// less than [Budget.MinShare], all descriptions are dropped.
	ShareEqually
	// BareRest lists entries in full until one does not fit. That entry and all later ones are
	// listed by name only, and their names do not count toward the budget. The entries in
	// [Budget.Own] come between skills and commands.
	BareRest
	// SpreadEvenly lists all names and distributes the remaining space among the descriptions, one
	// character at a time. If not all names fit, it lists as many as fit and omits the other
	// entries. The budget is in tokens; see [Budget.BytesPerToken].
	SpreadEvenly
)

// Budget limits the length of the skill listing. Lengths are in UTF-16 units unless [Overflow] or
// Columns says otherwise, and each entry's length includes EntryOverhead.
type Budget struct {
	Overflow Overflow
	// If Columns is set, the length of an entry is its width in terminal columns.
	Columns bool
	// EntryOverhead is the length of the text around an entry: its bullet and line feed.
	EntryOverhead int
	// ContextTokens is the default size of the model's context window. Fraction is the fraction of
	// the window that the listing may use. CharsPerToken is the number of budget units per token.
	ContextTokens int
	Fraction      float64
	CharsPerToken int
	// Least is the minimum budget, unless Env is set.
	Least int
	// Env is an environment variable that overrides the product of
	// ContextTokens, Fraction and CharsPerToken.
	Env string
	// Own holds the host's built-in entries, which count toward the budget.
	Own []OwnEntry
	// Uncounted is the number of units by which the host lets a listing exceed the budget.
	Uncounted int
	// MinShare is the minimum length of a description for [ShareEqually]. BytesPerToken is the
	// number of bytes that the host counts as one token for [SpreadEvenly].
	MinShare      int
	BytesPerToken int
}

// OwnEntry is a built-in entry in a host's listing. A definition with the same name replaces it.
type OwnEntry struct {
	Name string
	// Units is the length of the whole entry in UTF-16 units.
	Units int
	// If Last is set, the entry comes after all definitions, and its description may be dropped if
	// the budget is exceeded. Built-in entries without Last are always listed in full.
	Last bool
	// ModelOnly is set if users cannot call the entry.
	ModelOnly bool
}
