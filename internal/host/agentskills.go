package host

import "github.com/vadehq/vade/internal/definition"

// agentSkills is the open Agent Skills standard as its reference validator reads it.
func agentSkills(version string) *Profile {
	return &Profile{
		Name: "agentskills", Version: version,
		Facts:     agentSkillsFacts(),
		Roots:     agentSkillsRoots(),
		Ancestors: ToRepository,
		MaxFile:   maxHostFile,
		Walk:      Walk{Modules: true, MaxDirs: 2000},
		Trust:     Trust{Needed: true, How: "each client has its own way to trust a project", Basis: Documented},
		Plugins: &Plugins{
			Manifests: []Manifest{{Path: "plugin.json", Schema: "agent-plugins.org/"}}, Root: "${PLUGIN_ROOT}",
		},
		Dialect: agentSkillsDialect(),
		Fields:  agentSkillsFields, Closed: agentSkillsClosed, Naming: agentSkillsNaming, Described: agentSkillsDescribed,
		DeepAlike:    true,
		NameField:    agentSkillsNameField,
		Refuses:      agentSkillsRefuses,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   agentSkillsPrecedence,
		Prompt:       agentSkillsPrompt(),
		Listing:      agentSkillsListing(),
		Instructions: agentSkillsInstructions(),
	}
}

func agentSkillsFacts() []Fact {
	return []Fact{
		{CellRoots, Documented, "The guide for clients names .agents/skills of the project and of the home directory, and the client's own directories.", "adding-skills-support"},
		{CellRoots, FromSource, "The reference validator takes whatever directory it is given.", "skills-ref/validator.py"},
		{CellWalk, Documented, "The guide asks for four to six directories of depth and at most 2,000 directories.", "adding-skills-support"},
		{CellWalk, Observed, "The validator takes skill.md for SKILL.md, links of both kinds, and what stands in node_modules, which the guide leaves out.", "rows low, dirlink, filelink and node_modules/nm"},
		{CellDelimiters, Observed, "The file has to begin with \"---\"; the next \"---\", wherever it stands, closes the block.", "rows blank, bom, dashline"},
		{CellYAML, Observed, "Lists and maps in brackets, tabs, and a key that stands twice are errors, and every value is text (strictyaml).", "rows bracket, listdesc, tabs"},
		{CellAgents, Documented, "The standard has no agents.", "specification"},
		{CellTrust, Documented, "The guide asks clients to read the skills of a project only once it is trusted.", "adding-skills-support"},
		{CellCommands, Documented, "The standard has skills alone.", "specification"},
		{CellRendering, Documented, "Nothing in a body is replaced; a model gets the file as it is, or its body between tags of the client.", "adding-skills-support"},
		{CellFields, Observed, "Six fields: name, description, license, compatibility, metadata and allowed-tools; a seventh is an error.", "row unk"},
		{CellFields, Observed, "A name of more than 64, a description of more than 1,024 or a compatibility of more than 500 characters is an error.", "rows desc1600, nnn; validator.py"},
		{CellFields, FromSource, "Every plain value is text, numbers and true too.", "parser.py"},
		{CellNames, Observed, "The name is in lower case, of letters, digits and single hyphens, and that of its directory.", "rows badname, mism, numname, spname"},
		{CellNames, FromSource, "Names are compared in the compatibility form of Unicode, which is not done here.", "validator.py"},
		{CellClashes, Documented, "The guide asks clients to prefer the project to the user, and to warn.", "adding-skills-support"},
		{CellListing, FromSource, "to-prompt writes name, description and path of each skill, escaped for HTML, in the order in which they are named; here by name.", "skills-ref/prompt.py"},
		{CellListing, Documented, "The guide asks for 50 to 100 tokens for each skill, to hide those that are switched off, and to leave an empty list out.", "adding-skills-support"},
		{CellInstructions, Documented, "The standard says nothing of instruction files.", "specification"},
	}
}

func agentSkillsRoots() []Root {
	lower := wholeSkill(0, skillDepth)
	lower.File = "skill.md"
	rules := []Rule{wholeSkill(0, skillDepth), lower}
	return join(
		placesIn(definition.Project, InProject).dir(".agents/skills", rules...),
		placesIn(definition.User, InHome).dir(".agents/skills", rules...),
		placesIn(definition.Plugin, InPlugin).dir("skills", wholeSkill(1, 1)),
	)
}

func agentSkillsDialect() Dialect {
	return Dialect{
		Delimiters: Delimiters{TrailingSpace: true, CRLF: true, CloserAnywhere: true},
		Needed:     isSkill, Rejects: RejectFlow | RejectTab, Strings: true, UTF8: true,
	}
}

func agentSkillsPrecedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Project, definition.User, definition.Plugin}
}
