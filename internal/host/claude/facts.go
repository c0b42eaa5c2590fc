package claude

import "github.com/vadehq/vade/internal/host"

// fieldFacts returns the facts about fields, names and conflicts.
func fieldFacts() []host.Fact {
	return []host.Fact{
		{Cell: host.CellFields, Basis: host.Observed, Text: "Fields have one spelling each: when_to_use with low lines, allowed-tools with hyphens, those of agents in camel case. Others are ignored.", From: "m48, m54; formats dossier, section 3.4"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "A value that it cannot use counts as absent. Without a description the first line of the body takes its place, and \"Skill\" that of an empty file.", From: "rows listdesc, nodesc, emptyfile"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "true, yes, on and 1, in any case and quoted too, are true; 2.1.88 takes true alone.", From: "m06"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "An agent without a name or a description is not loaded.", From: "m36, m54"},
		{Cell: host.CellNames, Basis: host.Observed, Text: "A skill has the name of its directory, whatever its characters and length; the name in its frontmatter is a second one.", From: "m08; rows badname, mism, nnn"},
		{Cell: host.CellNames, Basis: host.Observed, Text: "A command has the name of its path, with colons; an agent that of its frontmatter, without a colon and not beginning with a hyphen.", From: "m16, m54"},
		{Cell: host.CellClashes, Basis: host.Observed, Text: "Of skills and commands managed ones win, then the user's, then the project's; of agents the project's come before the user's.", From: "m11, m36, m61, m62"},
		{Cell: host.CellClashes, Basis: host.Observed, Text: "A skill wins over a command of its name, whatever their layers.", From: "m13"},
		{Cell: host.CellClashes, Basis: host.Observed, Text: "Of the project's the one nearest to the working directory wins; one in a directory below gets that directory's name before its own.", From: "m27, m28"},
	}
}

// showing returns the facts about the listing and instructions.
func showing(version string) []host.Fact {
	facts := []host.Fact{
		{Cell: host.CellInstructions, Basis: host.Observed, Text: "Reads CLAUDE.md, .claude/CLAUDE.md, CLAUDE.local.md and .claude/rules from the outermost directory down, before them the user's, and below the working directory once a file there is touched; imports are sent next to the file, four files deep.", From: "f06, f08, f11, f13"},
		{Cell: host.CellInstructions, Basis: host.Documented, Text: "The managed files come first.", From: "formats dossier, section 3.1"},
	}
	if version == oldVersion {
		return append(facts,
			host.Fact{Cell: host.CellListing, Basis: host.Observed, Text: "Lists skills and commands in one line each, with every duplicate and as they are written; no agents.", From: "m08, m11, m36, m43"},
			host.Fact{Cell: host.CellListing, Basis: host.Observed, Text: "Of 600 entries all are named only.", From: "m23"},
			host.Fact{Cell: host.CellListing, Basis: host.Documented, Text: "A description has at most 250 characters, the list 1 % of the context.", From: "observations"},
			host.Fact{Cell: host.CellListing, Basis: host.Inferred, Text: "What its own entries take of the list is not known."},
		)
	}
	return append(facts,
		host.Fact{Cell: host.CellInstructions, Basis: host.Observed, Text: "AGENTS.md is read where the project has no CLAUDE.md.", From: "observations of f07"},
		host.Fact{Cell: host.CellListing, Basis: host.Observed, Text: "Lists skills, then commands, then those of plugins in one line each, escaped; agents with their tools.", From: "m08, m36, m43, m47"},
		host.Fact{Cell: host.CellListing, Basis: host.Observed, Text: "Of 600 entries 64 are whole and the others named only.", From: "m23"},
		host.Fact{Cell: host.CellListing, Basis: host.Documented, Text: "A description has at most 1,536 characters; settings change that and the length of the list.", From: "formats dossier, section 3.5"},
		host.Fact{Cell: host.CellListing, Basis: host.Inferred, Text: "The length of the context and what its own entries take are the round figures that give what was observed.", From: "m22, m23"},
	)
}

// reading returns the facts about how Claude Code finds and reads files. The cases are
// those of the recordings.
func reading(version string) []host.Fact {
	facts := []host.Fact{
		{Cell: host.CellRoots, Basis: host.Observed, Text: "Reads .claude/skills, .claude/commands, .claude/agents and .claude/rules of the project and of the user, and those of administrators; .agents and .github are not read.", From: "m15"},
		{Cell: host.CellRoots, Basis: host.Observed, Text: "Every directory from the working directory up to the repository root counts, the nearest first; without a repository all that are above.", From: "m28, m29"},
		{Cell: host.CellRoots, Basis: host.Observed, Text: "Directories below the working directory count once a file in them was touched.", From: "m27"},
		{Cell: host.CellRoots, Basis: host.Documented, Text: "CLAUDE_CONFIG_DIR moves ~/.claude.", From: "formats dossier, section 3.1"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "A skill is exactly one directory below the directory of skills, in a file that is named SKILL.md in this case; commands and agents can be at any depth.", From: "m15, m16"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "Directories that begin with a dot are read, and symlinks are followed; one file is taken once.", From: "m18, row .hid"},
		{Cell: host.CellDelimiters, Basis: host.Observed, Text: "The file must begin with \"---\"; the next \"---\" anywhere, even inside a value, closes the block. Without a block a skill is described by its body.", From: "m07, m19, rows dashval and dashline"},
		{Cell: host.CellYAML, Basis: host.Observed, Text: "Values with \": \" or that begin with a YAML indicator are repaired; an unclosed quote is not, and leaves a skill without fields.", From: "rows colon, at, bracket, quote"},
		{Cell: host.CellAgents, Basis: host.Observed, Text: "Reads agents at any depth; one whose frontmatter is not valid YAML is not loaded.", From: "m36, m54; formats dossier, section 3.3"},
		{Cell: host.CellCommands, Basis: host.Observed, Text: "The Markdown files of .claude/commands are commands, and a SKILL.md in a directory there is a skill; all are called with a slash.", From: "m13, m16"},
		{Cell: host.CellRendering, Basis: host.Observed, Text: "Puts arguments in at $ARGUMENTS, $0, $ARGUMENTS[0] and declared names, else behind the text; runs commands; attaches the files that the text mentions.", From: "a01 to a37, s01 to s42, f01 to f13"},
		{Cell: host.CellTrust, Basis: host.Observed, Text: "Where the host runs headless the project is read without a question.", From: "all cases"},
	}
	if version == oldVersion {
		return append(facts,
			host.Fact{Cell: host.CellDelimiters, Basis: host.Observed, Text: "A byte order mark before the opening \"---\" leaves no frontmatter.", From: "m19"},
			host.Fact{Cell: host.CellYAML, Basis: host.Observed, Text: "A block with a duplicate key is ignored.", From: "m07"},
		)
	}
	return append(facts,
		host.Fact{Cell: host.CellWalk, Basis: host.Observed, Text: "A file of more than 1,000,000 bytes is not loaded.", From: "m60"},
		host.Fact{Cell: host.CellDelimiters, Basis: host.Observed, Text: "A byte order mark before the opening \"---\" is taken.", From: "m19, row bom"},
		host.Fact{Cell: host.CellYAML, Basis: host.Observed, Text: "Of a duplicate key the last counts.", From: "row dupkey"},
	)
}
