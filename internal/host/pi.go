package host

import (
	"github.com/vadehq/vade/internal/definition"
)

// piHost is pi.
func piHost() Host {
	return Host{
		Name: "pi", Versions: []string{"0.73.1"}, View: piView,
		Export: piExport,
		Bodies: func() *Bodies { return &Bodies{Dirs: []string{".pi"}, Syntax: piSyntax} },
	}
}

func piView(string) *Profile {
	return &Profile{
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
		Unread:       piUnread(),
	}
}

func piFacts() []Fact {
	return []Fact{
		{Cell: CellRoots, Basis: Observed, Text: "Reads skills from .pi/skills of the working directory, .agents/skills, ~/.pi/agent/skills and ~/.agents/skills.", From: "n01"},
		{Cell: CellRoots, Basis: FromSource, Text: ".agents/skills is looked for up to the top of the repository; without a repository up to the root of the file system.", From: "core/package-manager.ts"},
		{Cell: CellRoots, Basis: FromSource, Text: "PI_CODING_AGENT_DIR moves ~/.pi/agent.", From: "config.ts"},
		{Cell: CellWalk, Basis: Observed, Text: "Walks down at any depth but not below a directory that has a SKILL.md; directories that begin with a dot, and node_modules, are left out.", From: "n09"},
		{Cell: CellWalk, Basis: Observed, Text: "A SKILL.md in a directory of skills itself hides every other skill there.", From: "n15"},
		{Cell: CellWalk, Basis: FromSource, Text: "In .pi/skills and ~/.pi/agent/skills a Markdown file in the root itself is a skill too.", From: "core/package-manager.ts"},
		{Cell: CellWalk, Basis: FromSource, Text: "What .gitignore, .ignore and .fdignore files below the root leave out is not read.", From: "core/package-manager.ts"},
		{Cell: CellDelimiters, Basis: Observed, Text: "The file has to begin with \"---\"; a byte order mark or an empty line before it leaves no frontmatter.", From: "n09"},
		{Cell: CellDelimiters, Basis: FromSource, Text: "The next line that begins with \"---\" closes the block.", From: "utils/frontmatter.ts"},
		{Cell: CellYAML, Basis: Observed, Text: "Nothing is repaired; a key that stands twice is an error.", From: "n09"},
		{Cell: CellAgents, Basis: Observed, Text: "Has no agents.", From: "n06"},
		{Cell: CellTrust, Basis: Inferred, Text: "Nothing has to be trusted in this version; later ones ask.", From: "n01"},
		{Cell: CellCommands, Basis: Observed, Text: "Prompts are templates: $1 counts from one, $@ and $ARGUMENTS are the words, ${@:2} those from the second on; nothing is run and no file read.", From: "n05"},
		{Cell: CellCommands, Basis: FromSource, Text: "One form is replaced after the other, so that an argument can bring in a later one; arguments without a place are left out.", From: "prompt-templates.js"},
		{Cell: CellRendering, Basis: FromSource, Text: "/skill:name is the body of the skill between tags with its place; the arguments follow behind an empty line, with no word before them.", From: "agent-session.js"},
		{Cell: CellRendering, Basis: Observed, Text: "A model loads a skill by reading its file.", From: "n08"},
		{Cell: CellFields, Basis: Observed, Text: "A skill needs a description that is text; keys that are not known are ignored.", From: "n09"},
		{Cell: CellFields, Basis: FromSource, Text: "A name or description that is too long, or has other characters than small letters, digits and hyphens, is warned of, and the skill is loaded.", From: "core/skills.ts; n09"},
		{Cell: CellFields, Basis: FromSource, Text: "A name or description that is a number fails the skill.", From: "core/skills.ts"},
		{Cell: CellNames, Basis: Observed, Text: "A skill has the name in its frontmatter, else that of its directory.", From: "n09"},
		{Cell: CellClashes, Basis: Observed, Text: "The first that is found wins: the project before the user, .pi before .agents.", From: "observations of n11"},
		{Cell: CellListing, Basis: Observed, Text: "Lists every skill in full, escaped and without a limit; neither commands nor agents.", From: "n05, n06, n09, n14"},
		{Cell: CellListing, Basis: FromSource, Text: "The form, with the path of each file; what has disable-model-invocation is left out.", From: "core/skills.ts"},
		{Cell: CellListing, Basis: Inferred, Text: "Order: project, user, each directory by name."},
		{Cell: CellInstructions, Basis: Observed, Text: "Reads ~/.pi/agent/AGENTS.md and AGENTS.md, or else CLAUDE.md, of the project; nothing is imported.", From: "n02, n03, n04"},
		{Cell: CellInstructions, Basis: FromSource, Text: "The user's first, then from the outermost directory down, the first of the two of each.", From: "core/resource-loader.ts, core/system-prompt.ts"},
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
		placesIn(definition.User, InHome).movedBy(piAgentDir, 2).
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

// piFields: skills load with most faults, and pi warns of them (source,
// core/skills.ts; case n09). A name or description that is no text fails the
// skill. Of a prompt only the description is read.
func piFields(k definition.Kind) []FieldRule {
	const text = TakesText | TakesNull
	switch k {
	case definition.Skill:
		return []FieldRule{
			{
				Key: "name", Field: definition.FieldName, Takes: text, Type: Drops, Max: 64, Long: Warns,
				Pattern: `[a-z0-9]+(-[a-z0-9]+)*`, Bad: Warns, Basis: FromSource,
				About: "The name of the skill, which should be that of its directory; its directory without it.",
			},
			{
				Key: "description", Field: definition.FieldDescription, Takes: text, Type: Drops, Required: true, Max: 1024, Long: Warns, Basis: Observed,
				About: "What the skill does and when to use it.",
			},
			{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: TakesBool | TakesNull, Basis: Observed, About: "Only people can call it."},
			{Key: "license", Field: definition.FieldLicense, Takes: TakesAny, Inert: true, Basis: FromSource, About: "The licence."},
			{Key: "compatibility", Field: definition.FieldCompatibility, Takes: TakesAny, Inert: true, Basis: FromSource, About: "What it needs to run."},
			{Key: "metadata", Field: definition.FieldMetadata, Takes: TakesAny, Inert: true, Basis: FromSource, About: "Further keys and their texts."},
			{Key: "allowed-tools", Field: definition.FieldAllowedTools, Takes: TakesAny, Inert: true, Basis: FromSource, About: "The tools that it may use without being asked."},
		}
	case definition.Command:
		return []FieldRule{
			{Key: "description", Field: definition.FieldDescription, Takes: text, Basis: FromSource, About: "What the prompt does; its first line without it."},
			{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: text, Basis: Inferred, About: "The arguments, shown to people."},
		}
	}
	return nil
}

func piNaming(k definition.Kind) NameRule {
	if k != definition.Skill {
		return NameRule{}
	}
	return NameRule{SameDir: true, Other: Warns}
}

func piDescribed(k definition.Kind) DescriptionRule {
	if k != definition.Skill {
		return DescriptionRule{}
	}
	return DescriptionRule{Clean: asWritten, Missing: MissingNothing}
}

func piNameField(k definition.Kind) bool { return k == definition.Skill }

func piRefuses(*definition.Definition) string { return "" }
