package host

// Listing says how a host lists skills and agents for the model. Lengths are in
// UTF-16 units.
type Listing struct {
	// MaxDescription is the most that one description has, Ellipsis, what ends
	// one that is cut, included. A setting may replace it.
	MaxDescription int
	Ellipsis       string
	// Join stands between a description and what the field when_to_use says.
	Join string
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
	// messages.
	Agent func(name, description, tools string) string
	// AllTools says that an agent has every tool, AllBut that it has all but
	// some, NoTools that it has none.
	AllTools, AllBut, NoTools string
	// OwnAgents are agents of the host's own whose names a file can not take.
	OwnAgents []string
}

// Budget says how long the listing of skills may be. All of it is counted in
// UTF-16 units, each line with its "- " and its line feed.
type Budget struct {
	// ContextTokens is the length of the model's context where nothing else is
	// known, Fraction the part of it that the listing may have, CharsPerToken
	// how many units a token stands for.
	ContextTokens int
	Fraction      float64
	CharsPerToken int
	// Least is what it is in any case, unless Env says another.
	Least int
	// Env is the environment variable that replaces the product of the three.
	Env string
	// Own is what the host's own entries take of it, OwnName what they still
	// take among the names once not everything fits.
	Own, OwnName int
	// Shared: what is too long is shortened equally, to no less than MinShare
	// for each description, below which all are dropped. Otherwise descriptions
	// are whole until the budget is used, and dropped from there on.
	Shared   bool
	MinShare int
}
