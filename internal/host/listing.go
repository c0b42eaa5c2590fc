package host

import "github.com/vadehq/vade/definition"

// Listing describes how a host lists skills and agents for the model. Lengths are in UTF-16 units.
type Listing struct {
	// Commands lists commands in the same way as skills, and Manual also lists definitions that
	// only users may call. Paths makes a definition with paths wait for a matching file.
	// NeedsDescription omits definitions without a description. PluginsNeedOne omits a plugin's
	// definition if its frontmatter has neither a description nor when_to_use.
	Commands, Manual, Paths, NeedsDescription, PluginsNeedOne bool
	// FirstLines limits the number of skills. FirstLinesOver limits the total length of their
	// lines, including newlines. If either limit is exceeded, only the first line of each
	// description is listed, without when_to_use. 0 means no limit.
	FirstLines, FirstLinesOver int
	// Policy describes a file next to a skill that can hide the skill. It is nil if the host does
	// not read policy files.
	Policy *ListingPolicy
	// MaxDescription is the maximum length of a description, including
	// Ellipsis, which ends a truncated description; 0 means no limit. A setting
	// may override it. If Runes is set, the length is in code points.
	MaxDescription int
	Ellipsis       string
	Runes          bool
	// Join separates a description from the when_to_use text. If Join is "",
	// when_to_use is not listed.
	Join string
	// Line renders a skill or command, without the text that Frame adds. nil
	// renders "name: description", or only the name if there is no description.
	// RealPaths resolves symlinks in the entry's path.
	Line      func(ListedItem) string
	RealPaths bool
	// Frame assembles the entries for the model. It is nil if the host's format is unknown.
	// AgentFrame assembles the lines for agents.
	Frame      func(ListedText) string
	AgentFrame func(lines []string) string
	// Tools returns the parts of the host's tool definitions that name the listed skills and
	// agents. It is nil if the tool definitions do not name them.
	Tools func(skills, agents []string) []string
	// Alias shortens paths in entries. nil leaves them unchanged.
	Alias *ListingAlias
	// Own holds the host's own skills, which the host writes to the profile's bundled root when it
	// starts. They count toward the budget and appear in Frame, but Vade's listing omits them.
	Own []OwnSkill
	// Rank orders entries; entries with the same rank are ordered by name. nil means Claude Code's
	// order. Neighboring entries with the same Source form one group even if their ranks differ; if
	// Source is nil, the rank determines the group.
	Rank   func(*definition.Definition) int
	Source func(*definition.Definition) string
	// Clean converts text to a single line before truncation, and Escape
	// escapes it after truncation. nil leaves the text unchanged.
	Clean, Escape func(string) string
	// RawWorkflows exempts workflows from Clean and Escape.
	RawWorkflows bool
	// SkillsFirst omits a command if a skill that the model can call has the same name. It holds
	// the names of the host's built-in skills. nil lists both.
	SkillsFirst []string
	// SecondName adds the frontmatter name in parentheses if it differs from the directory name.
	SecondName bool
	// Duplicates also lists shadowed definitions.
	Duplicates bool
	// Compare orders names within a group. A group is one skills directory, the commands, the
	// plugins, or the definitions that one touched file activated.
	Compare func(a, b string) int
	// Key returns the text by which Compare orders a skill or command; if nil, it is the name.
	// KeepsPlace lists a definition at the position of the first definition read under its name,
	// which it may shadow.
	Key        func(*definition.Definition) string
	KeepsPlace bool
	// CommandsByLayer groups commands by directory, like skills, instead of
	// ordering them by name across layers.
	CommandsByLayer bool
	// Scoped and From return text to append to the description of a definition in dir, below the
	// working directory. Scoped applies if the name is taken and the definition has a longer one;
	// otherwise From applies. root is the definition's skills directory. If nil, no text is
	// appended.
	Scoped func(dir, name string) string
	From   func(dir, root string) string
	Budget Budget

	// SkillTool and AgentTools are the tools that a session must have for skills and agents to be
	// listed. The first element of AgentTools is the current name. If a permission rule denies the
	// whole skill tool, no skills are listed. A rule that denies an agent tool hides the agents it
	// names, or all agents if it names none.
	SkillTool  string
	AgentTools []string
	// Agent renders an agent's line. It is nil if the host does not list agents in its messages.
	// AgentTitles lists agents by their titles, except for agents in plugins. AgentHidden returns
	// the reason why an agent with the given frontmatter fields is not listed, or ""; if nil, all
	// agents are listed. AgentOrder orders agents; if nil, Compare orders them by name.
	Agent       func(name, description, tools string) string
	AgentTitles bool
	// AgentNote returns the text that follows an agent's description, or "". If nil, no text is
	// added.
	AgentNote   func(*definition.Definition) string
	AgentOrder  func(a, b *definition.Definition) int
	AgentHidden func(d *definition.Definition, field func(key string) string) string
	// AllTools describes an agent that has every tool, AllBut an agent that has all tools except
	// some, and NoTools an agent that has none.
	AllTools, AllBut, NoTools string
	// OwnAgents lists built-in agents whose names a file cannot override.
	OwnAgents []string
}

// ListedItem holds the strings that a listing entry displays.
type ListedItem struct {
	Kind              definition.Kind
	Layer             definition.Layer
	Name, Description string
	// Plugin is the plugin that the definition belongs to, or "".
	Plugin string
	// Path is the file's absolute path, or its alias.
	Path string
	// Bare is set if the budget leaves no room for a description.
	Bare bool
}

// ListedText is the input to [Listing.Frame].
type ListedText struct {
	// Lines holds the entries in order. Roots holds the lines of a table that explains shortened
	// paths. Bare holds the names of entries that lost their descriptions, including the host's
	// own. It is used only for [BareRest], where Lines omits these entries.
	Lines, Roots, Bare []string
}

// ListingPolicy describes a YAML file next to a skill's file. A false value at
// Keys hides the skill.
type ListingPolicy struct {
	// File is the file's path relative to the skill's directory.
	File string
	Keys []string
}

// OwnSkill is a skill that comes with the host. Its directory has the same name as the skill.
type OwnSkill struct{ Name, Description string }

// ListingAlias describes how paths are shortened. A table has a numbered line for each root that
// contains an entry, and paths begin with that number.
type ListingAlias struct {
	// Root renders a root's line, and Path renders the path of a file below a root.
	Root func(n int, dir string) string
	Path func(n int, rel string) string
	// Order ranks definitions' roots. Roots with the same rank are ordered by path.
	Order func(o *definition.Origin) int
	// Store splits an installed plugin's root. It returns the plugin's directory, and the directory
	// to list instead of the root if the plugin has only one entry. Both are "" for other roots.
	Store func(root string) (plugin, shared string)
	// Free is the length, in bytes, up to which the table does not count toward the budget.
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
	// ShareEqually shortens descriptions to one common length. If that length would be less than
	// [Budget.MinShare], it drops all descriptions.
	ShareEqually
	// BareRest lists entries in full until one does not fit. It lists that entry and all later
	// entries by name only, and these names do not count toward the budget. The entries in
	// [Budget.Own] come between skills and commands.
	BareRest
	// SpreadEvenly distributes the space that the names leave among the descriptions, one character
	// at a time. If even the names do not fit, it lists as many names as fit and omits the other
	// entries. The budget is in tokens; see [Budget.BytesPerToken].
	SpreadEvenly
)

// Budget limits the length of the skill listing, in UTF-16 units unless [Overflow] or Columns says
// otherwise. Each entry includes the text described by Around.
type Budget struct {
	Overflow Overflow
	// Columns measures an entry in terminal columns.
	Columns bool
	// Around is the length of the text around an entry: its bullet and line feed.
	Around int
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
	// Uncounted is the number of units in lines that the host does not count.
	Uncounted int
	// MinShare is the minimum length of a description for [ShareEqually].
	// BytesPerToken is the number of bytes per token.
	MinShare      int
	BytesPerToken int
}

// OwnEntry is a built-in entry in a host's listing. A definition with the same name replaces it.
type OwnEntry struct {
	Name string
	// Units is the length of the whole entry in UTF-16 units.
	Units int
	// Last puts the entry after all definitions and lets the budget drop its description like
	// theirs. Other built-in entries are always listed in full.
	Last bool
	// ModelOnly is set if users cannot call the entry.
	ModelOnly bool
}
