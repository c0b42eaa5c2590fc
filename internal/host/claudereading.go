package host

// claudeReading is what is known of how Claude Code finds and reads files, in words;
// the cases are those of the recordings.
func claudeReading(version string) []Fact {
	facts := []Fact{
		{CellRoots, Observed, "Reads .claude/skills, .claude/commands, .claude/agents and .claude/rules of the project and of the user, and those of administrators; .agents and .github are not read.", "m15"},
		{CellRoots, Observed, "Every directory from the working directory up to the top of the repository counts, the nearest first; without a repository all that are above.", "m28, m29"},
		{CellRoots, Observed, "Directories below the working directory count once a file in them was touched.", "m27"},
		{CellRoots, Documented, "CLAUDE_CONFIG_DIR moves ~/.claude.", "formats dossier, section 3.1"},
		{CellWalk, Observed, "A skill stands exactly one directory below the directory of skills, in a file that is named SKILL.md in this case; commands and agents stand at any depth.", "m15, m16"},
		{CellWalk, Observed, "Directories that begin with a dot are looked into, and links are followed; one file is taken once.", "m18, row .hid"},
		{CellDelimiters, Observed, "The file has to begin with \"---\"; the next \"---\" anywhere, even inside a value, closes the block. Without a block a skill is described by its body.", "m07, m19, rows dashval and dashline"},
		{CellYAML, Observed, "Values with \": \" or that begin with what means something to YAML are mended; an open quote is not, and leaves a skill without fields.", "rows colon, at, bracket, quote"},
		{CellAgents, Observed, "Reads agents at any depth; one whose frontmatter is no YAML is not loaded.", "m36, m54; formats dossier, section 3.3"},
		{CellCommands, Observed, "The Markdown files of .claude/commands are commands, and a SKILL.md in a directory there is a skill; all are called with a slash.", "m13, m16"},
		{CellRendering, Observed, "Puts arguments in at $ARGUMENTS, $0, $ARGUMENTS[0] and declared names, else behind the text; runs commands; attaches the files that the text mentions.", "a01 to a37, s01 to s42, f01 to f13"},
		{CellTrust, Observed, "Where the host runs headless the project is read without a question.", "all cases"},
	}
	if version == claudeOld {
		return append(facts,
			Fact{CellDelimiters, Observed, "A byte order mark before the opening \"---\" leaves no frontmatter.", "m19"},
			Fact{CellYAML, Observed, "Of a block in which a key stands twice nothing is read.", "m07"},
		)
	}
	return append(facts,
		Fact{CellWalk, Observed, "A file of more than 1,000,000 bytes is not loaded.", "m60"},
		Fact{CellDelimiters, Observed, "A byte order mark before the opening \"---\" is taken.", "m19, row bom"},
		Fact{CellYAML, Observed, "Of a key that stands twice the last counts.", "row dupkey"},
	)
}
