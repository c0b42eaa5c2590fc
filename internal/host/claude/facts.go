package claude

import "github.com/vadehq/vade/internal/host"

// fieldFacts returns facts about fields, names and conflicts.
func fieldFacts() []host.Fact {
	return []host.Fact{
		{Cell: host.CellFields, Basis: host.Observed, Text: "Each field has one spelling: when_to_use with underscores, allowed-tools with hyphens, agent fields in camel case. Other spellings are ignored.", From: "m48, m54; format notes, section 3.4"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "An invalid value is treated as absent. If the description is missing, the body's first line is used or, if the body is empty, \"Skill\" or \"Custom command\".", From: "rows listdesc, nodesc, emptyfile"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "The values true, yes, on and 1 mean true, regardless of case and quotes. Version 2.1.88 accepts only true.", From: "m06"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "An agent without a name or a description is not loaded.", From: "m36, m54"},
		{Cell: host.CellNames, Basis: host.Observed, Text: "A skill is named after its directory, without restrictions on characters or length. The name in its frontmatter is an additional name.", From: "m08; rows badname, mism, nnn"},
		{Cell: host.CellNames, Basis: host.Observed, Text: "A command is named after its path, with colons instead of slashes. An agent's name comes from its frontmatter and must not contain a colon or start with a hyphen.", From: "m16, m54"},
		{Cell: host.CellClashes, Basis: host.Observed, Text: "Managed skills and commands win over the user's, which win over the project's. The project's agents win over the user's.", From: "m11, m36, m61, m62"},
		{Cell: host.CellClashes, Basis: host.Observed, Text: "A skill wins over a command with the same name, regardless of their layers.", From: "m13"},
		{Cell: host.CellClashes, Basis: host.Observed, Text: "In the project, the definition nearest to the working directory wins. If the name of a definition in a subdirectory is taken, the directory's name is added as a prefix; version 2.1.88 ignores the definition.", From: "m27, m28"},
	}
}

// showing returns facts about how Claude Code lists definitions and sends instruction files.
func showing(version string) []host.Fact {
	facts := []host.Fact{
		{Cell: host.CellInstructions, Basis: host.Observed, Text: "Reads the user's CLAUDE.md and rules, then CLAUDE.md, .claude/CLAUDE.md, .claude/rules and CLAUDE.local.md in each directory from the outermost one down to the working directory. Those in a subdirectory are read once a file in it is touched. Imports are sent next to the importing file, up to four levels deep.", From: "f06, f08, f11, f13"},
		{Cell: host.CellInstructions, Basis: host.Documented, Text: "Managed files come first.", From: "format notes, section 3.1"},
	}
	if version == oldVersion {
		return append(facts,
			host.Fact{Cell: host.CellListing, Basis: host.Observed, Text: "Lists skills and commands on one line each, unescaped and with duplicates. Does not list agents.", From: "m08, m11, m36, m43"},
			host.Fact{Cell: host.CellListing, Basis: host.Observed, Text: "With 600 entries, every entry is listed by name only.", From: "m23"},
			host.Fact{Cell: host.CellListing, Basis: host.Documented, Text: "Each description is limited to 250 characters, and the listing to 1% of the context window.", From: "observations"},
			host.Fact{Cell: host.CellListing, Basis: host.Inferred, Text: "The size of the built-in entries is unknown."},
		)
	}
	return append(facts,
		host.Fact{Cell: host.CellInstructions, Basis: host.Observed, Text: "AGENTS.md is read if the project has neither a CLAUDE.md nor a CLAUDE.local.md. A setting can change this.", From: "observations on f07; h37, h96; format notes, section 3.14"},
		host.Fact{Cell: host.CellListing, Basis: host.Observed, Text: "Lists skills, then commands, then plugin definitions, each on one line and escaped. Lists agents with their tools.", From: "m08, m36, m43, m47"},
		host.Fact{Cell: host.CellListing, Basis: host.Observed, Text: "Of 600 entries, 64 are listed in full and the others by name only.", From: "m23"},
		host.Fact{Cell: host.CellListing, Basis: host.Documented, Text: "Descriptions are limited to 1,536 characters. Settings can change this limit and the maximum length of the listing.", From: "format notes, section 3.5"},
		host.Fact{Cell: host.CellListing, Basis: host.Inferred, Text: "A limit of 30,000 characters matches the observed listings. How the limit depends on the size of the context window is inferred.", From: "m22, m23"},
	)
}

// reading returns facts about how Claude Code finds and reads files. A From value such as "m27" is
// the name of a recording.
func reading(version string) []host.Fact {
	facts := []host.Fact{
		{Cell: host.CellRoots, Basis: host.Observed, Text: "Reads .claude/skills, .claude/commands, .claude/agents and .claude/rules in the project, the home directory and the managed directory, but not .agents or .github.", From: "m15"},
		{Cell: host.CellRoots, Basis: host.Observed, Text: "Reads every directory from the working directory up to the repository root, nearest first; outside a repository, reads all parent directories.", From: "m28, m29"},
		{Cell: host.CellRoots, Basis: host.Observed, Text: "Skills in a subdirectory of the working directory are read once a file in that subdirectory is touched; commands and agents there are not read.", From: "m27"},
		{Cell: host.CellRoots, Basis: host.Documented, Text: "CLAUDE_CONFIG_DIR overrides ~/.claude.", From: "format notes, section 3.1"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "A skill must be an immediate subdirectory of a skills directory that contains a SKILL.md (case-sensitive). Commands and agents may be at any depth.", From: "m15, m16"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "Reads hidden directories and follows symlinks. A file with several paths counts once.", From: "m18, row .hid"},
		{Cell: host.CellDelimiters, Basis: host.Observed, Text: "The file must start with \"---\". The next \"---\", even inside a value, closes the block. Without frontmatter, the description comes from the body.", From: "m07, m19, rows dashval and dashline"},
		{Cell: host.CellYAML, Basis: host.Observed, Text: "Values that contain \": \" or start with an indicator such as \"[\" or \"@\" are repaired. An unclosed quote is not repaired, so the skill has no fields.", From: "rows colon, at, bracket, quote"},
		{Cell: host.CellAgents, Basis: host.Observed, Text: "Reads agents at any depth. An agent with invalid YAML is not loaded.", From: "m36, m54; format notes, section 3.3"},
		{Cell: host.CellCommands, Basis: host.Observed, Text: "Markdown files in .claude/commands are commands; a SKILL.md in a subdirectory is a skill. Both are invoked with a slash.", From: "m13, m16"},
		{Cell: host.CellRendering, Basis: host.Observed, Text: "Inserts arguments at $ARGUMENTS, $0, $ARGUMENTS[0] and declared argument names, or appends them if there is no placeholder. Runs commands and attaches mentioned files.", From: "a01 to a37, s01 to s42, f01 to f13"},
		{Cell: host.CellTrust, Basis: host.Observed, Text: "In headless mode, the host reads the project without asking whether to trust it.", From: "all cases"},
	}
	if version == oldVersion {
		return append(facts,
			host.Fact{Cell: host.CellDelimiters, Basis: host.Observed, Text: "A byte order mark before the opening \"---\" prevents the host from recognizing the frontmatter.", From: "m19"},
			host.Fact{Cell: host.CellYAML, Basis: host.Observed, Text: "Frontmatter with a duplicate key is ignored.", From: "m07"},
		)
	}
	return append(facts,
		host.Fact{Cell: host.CellRoots, Basis: host.Observed, Text: "Workflows are the *.js files directly in .claude/workflows, in the project and in the home directory, and directly in the workflows directories of plugins. The literal meta object at the start of the file contains the name.", From: "2.1.330"},
		host.Fact{Cell: host.CellClashes, Basis: host.Observed, Text: "A skill or command wins over a workflow with the same name, except in a plugin. The project's workflow wins over the user's.", From: "2.1.330"},
		host.Fact{Cell: host.CellWalk, Basis: host.Observed, Text: "A file larger than 1,000,000 bytes is not loaded.", From: "m60"},
		host.Fact{Cell: host.CellDelimiters, Basis: host.Observed, Text: "A byte order mark before the opening \"---\" is allowed.", From: "m19, row bom"},
		host.Fact{Cell: host.CellYAML, Basis: host.Observed, Text: "If a key is repeated, the last value wins.", From: "row dupkey"},
	)
}
