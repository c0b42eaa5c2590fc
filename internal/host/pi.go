package host

import "github.com/vadehq/vade/internal/definition"

// pi is pi.
func pi(version string) *Profile {
	return &Profile{
		Name: "pi", Version: version,
		Facts:     piFacts(),
		Roots:     piRoots(),
		Ancestors: ToFilesystem,
		MaxFile:   maxHostFile,
		Walk:      Walk{SkipHidden: true, Stops: true, Ignores: []string{".gitignore", ".ignore", ".fdignore"}},
		// Of each directory the first of the two is read (n02, n04).
		Fallbacks: []Fallback{{Files: []string{"CLAUDE.md"}, Unless: []string{"AGENTS.md"}, Beside: true}},
		UserDir:   ".pi/agent",
		Dialect:   piDialect(),
		Fields:    piFields, Naming: piNaming, Described: piDescribed,
		DeepAlike:    true,
		NameField:    piNameField,
		Refuses:      piRefuses,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   piPrecedence,
		Prompt:       piPrompt(),
		Listing:      piListing(),
		Instructions: piInstructions(),
	}
}

func piFacts() []Fact {
	return []Fact{
		{CellRoots, Observed, "Reads skills from .pi/skills of the working directory, .agents/skills, ~/.pi/agent/skills and ~/.agents/skills.", "n01"},
		{CellRoots, FromSource, ".agents/skills is looked for up to the top of the repository; without a repository up to the root of the file system.", "core/package-manager.ts"},
		{CellRoots, FromSource, "PI_CODING_AGENT_DIR moves ~/.pi/agent.", "config.ts"},
		{CellWalk, Observed, "Walks down at any depth but not below a directory that has a SKILL.md; directories that begin with a dot, and node_modules, are left out.", "n09"},
		{CellWalk, Observed, "A SKILL.md in a directory of skills itself hides every other skill there.", "n15"},
		{CellWalk, FromSource, "In .pi/skills and ~/.pi/agent/skills a Markdown file in the root itself is a skill too.", "core/package-manager.ts"},
		{CellWalk, FromSource, "What .gitignore, .ignore and .fdignore files below the root leave out is not read.", "core/package-manager.ts"},
		{CellDelimiters, Observed, "The file has to begin with \"---\"; a byte order mark or an empty line before it leaves no frontmatter.", "n09"},
		{CellDelimiters, FromSource, "The next line that begins with \"---\" closes the block.", "utils/frontmatter.ts"},
		{CellYAML, Observed, "Nothing is repaired; a key that stands twice is an error.", "n09"},
		{CellAgents, Observed, "Has no agents.", "n06"},
		{CellTrust, Inferred, "Nothing has to be trusted in this version; later ones ask.", "n01"},
		{CellCommands, Observed, "Prompts are templates: $1 counts from one, $@ and $ARGUMENTS are the words, ${@:2} those from the second on; nothing is run and no file read.", "n05"},
		{CellCommands, FromSource, "One form is replaced after the other, so that an argument can bring in a later one; arguments without a place are left out.", "prompt-templates.js"},
		{CellRendering, FromSource, "/skill:name is the body of the skill between tags with its place; the arguments follow.", "agent-session.js"},
		{CellRendering, Observed, "A model loads a skill by reading its file.", "n08"},
		{CellFields, Observed, "A skill needs a description that is text; keys that are not known are ignored.", "n09"},
		{CellFields, FromSource, "A name or description that is too long, or has other characters than small letters, digits and hyphens, is warned of, and the skill is loaded.", "core/skills.ts; n09"},
		{CellFields, FromSource, "A name or description that is a number fails the skill.", "core/skills.ts"},
		{CellNames, Observed, "A skill has the name in its frontmatter, else that of its directory.", "n09"},
		{CellClashes, Observed, "The first that is found wins: the project before the user, .pi before .agents.", "observations of n11"},
		{CellListing, Observed, "Lists every skill in full, escaped and without a limit; neither commands nor agents.", "n05, n06, n09, n14"},
		{CellListing, FromSource, "The form, with the path of each file; what has disable-model-invocation is left out.", "core/skills.ts"},
		{CellListing, Inferred, "Order: project, user, each directory by name.", ""},
		{CellInstructions, Observed, "Reads ~/.pi/agent/AGENTS.md and AGENTS.md, or else CLAUDE.md, of the project; nothing is imported.", "n02, n03, n04"},
		{CellInstructions, FromSource, "The user's first, then from the outermost directory down, the first of the two of each.", "core/resource-loader.ts, core/system-prompt.ts"},
	}
}

// piRoots: the host's own directory before the shared one, the project before the
// user (observations of n11; source, core/package-manager.ts).
func piRoots() []Root {
	skill := wholeSkill(0, anyDepth)
	skill.Alone = true
	loose := Rule{Kind: definition.Skill, Suffix: ".md", Naming: ByDir}
	prompts := ending(definition.Command, ".md", 0, ByStem)
	above := func(r *Root) { r.Above = true }
	return join(
		placesIn(definition.Project, InWorkDir).dir(".pi/skills", skill, loose).dir(".pi/prompts", prompts),
		placesIn(definition.Project, InProject).
			dir(".agents/skills", skill).file("AGENTS.md").last(above).file("CLAUDE.md").last(above),
		placesIn(definition.User, InHome).moved(piAgentDir, 2).
			dir(".pi/agent/skills", skill, loose).dir(".pi/agent/prompts", prompts).
			file(".pi/agent/AGENTS.md").file(".pi/agent/CLAUDE.md"),
		placesIn(definition.User, InHome).dir(".agents/skills", skill),
	)
}

// piAgentDir moves the user's directory.
const piAgentDir = "PI_CODING_AGENT_DIR"

func piDialect() Dialect {
	return Dialect{
		Delimiters: Delimiters{TrailingSpace: true, CRLF: true, CloserPrefix: true, Behind: BodyAtOnce},
		Needed:     isSkill,
	}
}

func piPrecedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Project, definition.User}
}
