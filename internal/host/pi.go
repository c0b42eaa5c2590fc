package host

import (
	"strings"

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
		{CellRendering, FromSource, "/skill:name is the body of the skill between tags with its place; the arguments follow behind an empty line, with no word before them.", "agent-session.js"},
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

// piPrompt says what pi makes of what is called (0.73.1, case n05; the text of a
// skill is read in its source: agent-session.ts).
func piPrompt() *Prompt {
	prefix := func(k definition.Kind) string {
		switch k {
		case definition.Command:
			return "/"
		case definition.Skill:
			return "/skill:"
		}
		return ""
	}
	command, skill := piTemplate(), &Template{Trim: true, LineFeeds: true, Wrap: piSkill}
	return &Prompt{
		UserCall: typed(prefix), ModelCall: byReading, KeepBlanks: true,
		Calls: &Calls{
			Prefix: prefix, Kinds: []definition.Kind{definition.Skill, definition.Command}, NameEnds: " ",
			User: func(k definition.Kind) *Template {
				switch k {
				case definition.Command:
					return command
				case definition.Skill:
					return skill
				}
				return nil
			},
			Model: wholeFile(), ByFile: true, // n08
		},
	}
}

// piTemplate: one form of place after the other, so that an argument can bring in
// one of a later form, and arguments without a place are left out (n05; source:
// prompt-templates.ts). Nothing is run, and no file read.
func piTemplate() *Template {
	return &Template{
		LineFeeds: true, TrimBehind: true,
		Split: func(line string) []string { return quotedFields(line, false) },
		Steps: []Step{
			{Places: &Placeholders{Positions: true, Zero: func([]string, bool) string { return "" }}},
			{Places: &Placeholders{Slices: true}},
			{Places: &Placeholders{All: []string{"$ARGUMENTS"}, Joined: true, Patterns: true}},
			{Places: &Placeholders{All: []string{"$@"}, Joined: true, Patterns: true}},
		},
	}
}

func piSkill(w Wrapped) string {
	text := "<skill name=\"" + w.Name + "\" location=\"" + w.File + "\">\nReferences are relative to " + w.Dir + ".\n\n" + w.Body + "\n</skill>"
	if args := trimmed(w.Arguments); args != "" {
		text += "\n\n" + args
	}
	return text
}

// piListing is that of pi 0.73.1: everything in full (n14), escaped (n09), without
// what only a user may call, agents and commands (n05, n06). The form is source
// (packages/coding-agent/src/core/skills.ts); the order is inferred: the
// project's before the user's, as the project's win.
func piListing() *Listing {
	return &Listing{
		Escape: escapeXML,
		Line: func(e ListedItem) string {
			return "  <skill>\n    " + xmlTag("name", e.Name) + "\n    " + xmlTag("description", e.Description) +
				"\n    " + xmlTag("location", escapeXML(e.Path)) + "\n  </skill>"
		},
		Frame: func(t ListedText) string {
			return "The following skills provide specialized instructions for specific tasks.\n" +
				"Use the read tool to load a skill's file when the task matches its description.\n" +
				"When a skill file references a relative path, resolve it against the skill directory (parent of SKILL.md / " +
				"dirname of the path) and use that absolute path in tool commands.\n\n" +
				xmlTall("available_skills", strings.Join(t.Lines, "\n"))
		},
		Rank:    byLayer(definition.Project, definition.User),
		Compare: strings.Compare,
	}
}

// piInstructions are those of pi 0.73.1: the user's, and of each directory of the
// project AGENTS.md, or else CLAUDE.md; nothing is imported (n02, n03, n04). The
// order and the wrapping are source (packages/coding-agent/src/core,
// resource-loader.ts and system-prompt.ts).
func piInstructions() *Instructions {
	user, project := definition.User, definition.Project
	return &Instructions{
		Rows: []InstructionRow{
			{Layer: user, Source: SourceUser, Dir: ".pi/agent", File: "AGENTS.md", Group: "pi"},
			{Layer: user, Source: SourceUser, Dir: ".pi/agent", File: "CLAUDE.md", Group: "pi"},
			{Layer: project, Source: SourceProject, File: "AGENTS.md", Group: "pi", NotNested: true},
			{Layer: project, Source: SourceProject, File: "CLAUDE.md", Group: "pi", NotNested: true},
		},
		MaxFile: maxNeutralFile, Whole: true, Exact: true,
		Compose: func(_ InstructionSession, files []InstructionText) []InstructionMessage {
			var b strings.Builder
			b.WriteString("# Project Context\n\nProject-specific instructions and guidelines:\n\n")
			for _, f := range files {
				b.WriteString("## " + f.Path + "\n\n" + f.Text + "\n\n")
			}
			return []InstructionMessage{{"system", b.String()}}
		},
	}
}
