// Package pi describes pi. [Host] returns its profile and capabilities.
package pi

import (
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// These are the observed versions. oldVersion, the default, is the last release of
// @mariozechner/pi-coding-agent and was used to record most cases. The other is a release of its
// successor, @earendil-works/pi-coding-agent.
const (
	oldVersion = "0.73.1"
	newVersion = "0.87.1"
)

// Host describes pi.
func Host() host.Host {
	return host.Host{
		Name: "pi", Versions: []string{newVersion, oldVersion}, Default: oldVersion, View: view,
		Export: export,
		Launch: launch,
		Bodies: func() *host.Bodies { return &host.Bodies{Dirs: []string{".pi"}, Syntax: syntax} },
	}
}

func view(version string) *host.Profile {
	files := instructionFiles(version)
	p := &host.Profile{
		Facts:     facts(version),
		Roots:     roots(version, files),
		Ancestors: host.ToFilesystem,
		MaxFile:   host.MaxHostFile,
		Walk:      host.Walk{SkipHidden: true, Stops: true, Ignores: []string{".gitignore", ".ignore", ".fdignore"}},
		UserDir:   ".pi/agent",
		Dialect:   dialect(version),
		Fields:    fields, Naming: naming, Described: described,
		DeepAlike:    true,
		NameField:    host.IsSkill,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   precedence,
		Prompt:       prompt(version),
		Listing:      listing(version),
		Instructions: instructions(version, files),
		Unread:       unread(),
		Toggles:      host.Toggles{Alternative: "to exclude the skill's path, run: pi config"},
	}
	// In each directory, only the first of these files that exists is read (cases n02 and n04).
	for i, name := range files[1:] {
		p.Fallbacks = append(p.Fallbacks, host.Fallback{Files: []string{name}, Unless: files[:i+1], SameDir: true})
	}
	if version == newVersion {
		p.Trust = host.Trust{Needed: true, How: "answer Trust when the host asks, or start the host with --approve", Basis: host.Observed}
		p.Fields, p.Naming = newFields, func(definition.Kind) host.NameRule { return host.NameRule{} }
	}
	return p
}

// instructionFiles returns the instruction file names in order of precedence (see
// core/resource-loader.ts in pi's source code and cases n02, n04 and i13).
func instructionFiles(version string) []string {
	files := []string{"AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"}
	if version == newVersion {
		files = slices.Insert(files, 0, "AGENTS.override.md")
	}
	return files
}

func facts(version string) []host.Fact {
	if version == newVersion {
		return slices.Concat(commonFacts(), newFacts())
	}
	return slices.Concat(commonFacts(), oldFacts())
}

// oldFacts and newFacts return facts that apply to only one version.
func oldFacts() []host.Fact {
	return []host.Fact{
		{Cell: host.CellDelimiters, Basis: host.Observed, Text: "The file must start with \"---\". If a byte order mark or a blank line precedes it, the file has no frontmatter.", From: "n09"},
		{Cell: host.CellTrust, Basis: host.Inferred, Text: "Does not require trust; later versions ask the user.", From: "n01"},
		{Cell: host.CellCommands, Basis: host.FromSource, Text: "Placeholder forms are replaced one after another, so an argument can insert a placeholder that a later pass replaces. Unused arguments are dropped.", From: "prompt-templates.js"},
		{Cell: host.CellFields, Basis: host.FromSource, Text: "A skill is not loaded if its name or description is a number.", From: "core/skills.ts"},
	}
}

func newFacts() []host.Fact {
	return []host.Fact{
		{Cell: host.CellWalk, Basis: host.Observed, Text: "In .agents/skills, a Markdown file with a description is also a skill if it is in a subdirectory that does not contain a SKILL.md.", From: "h24"},
		{Cell: host.CellDelimiters, Basis: host.Observed, Text: "The file must start with \"---\", optionally preceded by a byte order mark.", From: "h24"},
		{Cell: host.CellTrust, Basis: host.Observed, Text: "Reads a project's skills, prompts and settings only if the user trusts the project or, in headless mode, only with --approve. Instruction files do not require trust.", From: "h24, i13"},
		{Cell: host.CellCommands, Basis: host.Observed, Text: "${1:-text} and ${@:-text} expand to the text if there is no such argument. All placeholders are replaced in one pass.", From: "c04"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "A name that is not a string is treated as missing.", From: "h24"},
		{Cell: host.CellInstructions, Basis: host.Observed, Text: "AGENTS.override.md replaces the other files in its directory. Each file is wrapped in a tag that contains its path.", From: "i13"},
	}
}

func commonFacts() []host.Fact {
	return []host.Fact{
		{Cell: host.CellRoots, Basis: host.Observed, Text: "Reads skills from .pi/skills in the working directory, .agents/skills, ~/.pi/agent/skills and ~/.agents/skills.", From: "n01"},
		{Cell: host.CellRoots, Basis: host.FromSource, Text: ".agents/skills is searched up to the repository root or, outside a repository, up to the file system root.", From: "core/package-manager.ts"},
		{Cell: host.CellRoots, Basis: host.FromSource, Text: "PI_CODING_AGENT_DIR overrides ~/.pi/agent.", From: "config.ts"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "Searches at any depth, but not below a directory with a SKILL.md. node_modules and hidden directories are skipped.", From: "n09"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "A SKILL.md directly in a skills directory hides all other skills there.", From: "n15"},
		{Cell: host.CellWalk, Basis: host.FromSource, Text: "In .pi/skills and ~/.pi/agent/skills, a Markdown file directly in the root is also a skill.", From: "core/package-manager.ts"},
		{Cell: host.CellWalk, Basis: host.FromSource, Text: "Files excluded by .gitignore, .ignore or .fdignore files below the root are not read.", From: "core/package-manager.ts"},
		{Cell: host.CellDelimiters, Basis: host.FromSource, Text: "The next line that starts with \"---\" closes the block.", From: "utils/frontmatter.ts"},
		{Cell: host.CellYAML, Basis: host.Observed, Text: "Invalid YAML is not repaired, and a duplicate key is an error.", From: "n09"},
		{Cell: host.CellAgents, Basis: host.Observed, Text: "Does not support agents.", From: "n06"},
		{Cell: host.CellCommands, Basis: host.Observed, Text: "Prompts are templates: $1 is the first argument, $@ and $ARGUMENTS are all arguments, and ${@:2} is all arguments starting with the second. No commands are run, and no files are read.", From: "n05"},
		{Cell: host.CellRendering, Basis: host.FromSource, Text: "/skill:NAME sends the skill's body wrapped in a tag that contains its path, then a blank line and the arguments.", From: "agent-session.js"},
		{Cell: host.CellRendering, Basis: host.Observed, Text: "A model loads a skill by reading its file.", From: "n08"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "Skills require a description, which must be a string. Unknown keys are ignored.", From: "n09"},
		{Cell: host.CellFields, Basis: host.FromSource, Text: "If the name or description is too long, or the name contains characters other than lowercase letters, digits and hyphens, the skill is loaded with a warning.", From: "core/skills.ts; n09"},
		{Cell: host.CellNames, Basis: host.Observed, Text: "A skill's name comes from its frontmatter, or from its directory if the frontmatter has no name.", From: "n09"},
		{Cell: host.CellClashes, Basis: host.Observed, Text: "The first definition found wins: the project's over the user's, and .pi over .agents.", From: "observations on n11"},
		{Cell: host.CellListing, Basis: host.Observed, Text: "Lists every skill in full, escaped and without a limit, but no commands or agents.", From: "n05, n06, n09, n14"},
		{Cell: host.CellListing, Basis: host.FromSource, Text: "Each entry includes the file's path. Skills with disable-model-invocation are omitted.", From: "core/skills.ts"},
		{Cell: host.CellListing, Basis: host.Inferred, Text: "Sort order: project skills, then user skills, each directory sorted by name."},
		{Cell: host.CellInstructions, Basis: host.Observed, Text: "Reads AGENTS.md or, if there is none, CLAUDE.md in ~/.pi/agent and in each of the project's directories. Imports are not supported.", From: "n02, n03, n04"},
		{Cell: host.CellInstructions, Basis: host.FromSource, Text: "The user's file comes first, then one file per directory from the outermost down.", From: "core/resource-loader.ts, core/system-prompt.ts"},
	}
}

// roots returns the directories in order of precedence: pi's own before the shared ones, and the
// project's before the user's (see case n11 and core/package-manager.ts in pi's source code).
func roots(version string, files []string) []host.Root {
	skill := host.WholeSkill(0, host.AnyDepth)
	skill.Exclusive = true
	loose := host.Rule{Kind: definition.Skill, Suffix: ".md", Naming: host.ByDir}
	shared := []host.Rule{skill}
	if version == newVersion {
		shared = append(shared, host.Rule{Kind: definition.Skill, Suffix: ".md", Min: 1, Max: host.AnyDepth, Naming: host.ByDir})
	}
	prompts := host.FilesEndingIn(definition.Command, ".md", 0, host.ByStem)
	above := func(r *host.Root) { r.Above = true }
	project := host.PlacesIn(definition.Project, host.InProject).Dir(".agents/skills", shared...)
	user := host.PlacesIn(definition.User, host.InHome).MovedBy(agentDirEnv, 2).
		Dir(".pi/agent/skills", skill, loose).Dir(".pi/agent/prompts", prompts)
	for _, name := range files {
		project.File(name).Last(above)
		user.File(".pi/agent/" + name)
	}
	return host.JoinRoots(
		host.PlacesIn(definition.Project, host.InWorkDir).Dir(".pi/skills", skill, loose).Dir(".pi/prompts", prompts),
		project, user,
		host.PlacesIn(definition.User, host.InHome).Dir(".agents/skills", shared...),
	)
}

// agentDirEnv is the environment variable that overrides ~/.pi/agent.
const agentDirEnv = "PI_CODING_AGENT_DIR"

func dialect(version string) host.Dialect {
	return host.Dialect{
		References: host.Anchors,
		Delimiters: host.Delimiters{BOM: version == newVersion, TrailingSpace: true, CRLF: true, OpenerPrefix: true, OpenerSkip: true, CloserPrefix: true, BodyStart: host.BodyAtOnce},
		Needed:     host.IsSkill,
	}
}

func precedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Project, definition.User}
}

// fields returns the fields for a kind. pi loads most skills that have problems and warns about the
// problems (see core/skills.ts in pi's source code and case n09). A skill whose name or description
// is not a string is invalid. For a prompt, pi reads only the description.
func fields(k definition.Kind) []host.FieldRule {
	const text = host.TakesText | host.TakesNull
	switch k {
	case definition.Skill:
		return []host.FieldRule{
			{
				Key: "name", Field: definition.FieldName, Takes: text, Type: host.Drops, Max: 64, Long: host.Warns,
				Pattern: `[a-z0-9]+(-[a-z0-9]+)*`, Bad: host.Warns, Basis: host.FromSource,
				About: "The skill's name, which should contain only lowercase letters, digits and single hyphens, and match the directory name; defaults to the directory name.",
			},
			{
				Key: "description", Field: definition.FieldDescription, Takes: text, Type: host.Drops, Required: true, Max: 1024, Long: host.Warns, Basis: host.Observed,
				About: "What the skill does and when to use it.",
			},
			{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: host.TakesBool | host.TakesNull, Basis: host.Observed, About: "If true, only users can invoke the skill."},
			{Key: "license", Field: definition.FieldLicense, Takes: host.TakesAny, Inert: true, Basis: host.FromSource, About: "The license."},
			{Key: "compatibility", Field: definition.FieldCompatibility, Takes: host.TakesAny, Inert: true, Basis: host.FromSource, About: "What the skill needs to run."},
			{Key: "metadata", Field: definition.FieldMetadata, Takes: host.TakesAny, Inert: true, Basis: host.FromSource, About: "Additional keys with string values."},
			{Key: "allowed-tools", Field: definition.FieldAllowedTools, Takes: host.TakesAny, Inert: true, Basis: host.FromSource, About: "The tools the skill may use without asking for permission."},
		}
	case definition.Command:
		return []host.FieldRule{
			{Key: "description", Field: definition.FieldDescription, Takes: text, Basis: host.FromSource, About: "What the prompt does; defaults to the first line of the body."},
			{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: text, Basis: host.Inferred, About: "A hint about the arguments, shown to users."},
		}
	}
	return nil
}

// newFields returns the fields in 0.87.1, where a name that is not a string is treated as missing.
func newFields(k definition.Kind) []host.FieldRule {
	rules := fields(k)
	for i := range rules {
		if r := &rules[i]; k == definition.Skill && r.Field == definition.FieldName {
			r.Type = host.Ignores
		}
	}
	return rules
}

func naming(k definition.Kind) host.NameRule {
	if k != definition.Skill {
		return host.NameRule{}
	}
	return host.NameRule{SameDir: true, Other: host.Warns}
}

func described(k definition.Kind) host.DescriptionRule {
	if k != definition.Skill {
		return host.DescriptionRule{}
	}
	return host.DescriptionRule{Clean: host.AsWritten, Missing: host.MissingNothing}
}
