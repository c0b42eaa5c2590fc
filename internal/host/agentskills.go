package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// agentSkillsHost is the open Agent Skills standard as its reference validator reads it.
func agentSkillsHost() Host {
	return Host{
		Name: "agentskills", Versions: []string{"2026-08-09"}, View: agentSkillsView,
		Export: agentSkillsExport, Plugin: portablePlugin,
	}
}

func agentSkillsView(string) *Profile {
	return &Profile{
		Standard:  true,
		Facts:     agentSkillsFacts(),
		Roots:     agentSkillsRoots(),
		Ancestors: ToRepository,
		MaxFile:   maxHostFile,
		Walk:      Walk{Modules: true, MaxDirs: 2000},
		Trust:     Trust{Needed: true, How: "each client has its own way to trust a project", Basis: Documented},
		Plugins: &Plugins{
			Manifests: []Manifest{{Path: "plugin.json", Schema: "agent-plugins.org/"}}, Root: "${PLUGIN_ROOT}",
		},
		Configs: agentSkillsConfigs(),
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
		{Cell: CellRoots, Basis: Documented, Text: "The guide for clients names .agents/skills of the project and of the home directory, and the client's own directories.", From: "adding-skills-support"},
		{Cell: CellRoots, Basis: FromSource, Text: "The reference validator takes whatever directory it is given.", From: "skills-ref/validator.py"},
		{Cell: CellWalk, Basis: Documented, Text: "The guide asks for four to six directories of depth and at most 2,000 directories.", From: "adding-skills-support"},
		{Cell: CellWalk, Basis: Observed, Text: "The validator takes skill.md for SKILL.md, links of both kinds, and what stands in node_modules, which the guide leaves out.", From: "rows low, dirlink, filelink and node_modules/nm"},
		{Cell: CellDelimiters, Basis: Observed, Text: "The file has to begin with \"---\"; the next \"---\", wherever it stands, closes the block.", From: "rows blank, bom, dashline"},
		{Cell: CellDelimiters, Basis: FromSource, Text: "The block begins right behind the first \"---\", on its line too.", From: "parser.py"},
		{Cell: CellYAML, Basis: Observed, Text: "Lists and maps in brackets, tabs, and a key that stands twice are errors, and every value is text (strictyaml).", From: "rows bracket, listdesc, tabs"},
		{Cell: CellAgents, Basis: Documented, Text: "The standard has no agents.", From: "specification"},
		{Cell: CellTrust, Basis: Documented, Text: "The guide asks clients to read the skills of a project only once it is trusted.", From: "adding-skills-support"},
		{Cell: CellCommands, Basis: Documented, Text: "The standard has skills alone.", From: "specification"},
		{Cell: CellRendering, Basis: Documented, Text: "Nothing in a body is replaced; a model gets the file as it is, or its body between tags of the client.", From: "adding-skills-support"},
		{Cell: CellFields, Basis: Observed, Text: "Six fields: name, description, license, compatibility, metadata and allowed-tools; a seventh is an error.", From: "row unk"},
		{Cell: CellFields, Basis: Observed, Text: "A name of more than 64, a description of more than 1,024 or a compatibility of more than 500 characters is an error.", From: "rows desc1600, nnn; validator.py"},
		{Cell: CellFields, Basis: Documented, Text: "A compatibility has 1 to 500 characters; the validator lets an empty one pass.", From: "specification"},
		{Cell: CellFields, Basis: FromSource, Text: "Every plain value is text, numbers and true too.", From: "parser.py"},
		{Cell: CellNames, Basis: Observed, Text: "The name is in lower case, of letters, digits and single hyphens, and that of its directory.", From: "rows badname, mism, numname, spname"},
		{Cell: CellNames, Basis: FromSource, Text: "The name and that of the directory are compared in the compatibility form of Unicode (NFKC), which is not done here: a name that only that form makes valid, or equal, counts as wrong.", From: "validator.py"},
		{Cell: CellClashes, Basis: Documented, Text: "The guide asks clients to prefer the project to the user, and to warn.", From: "adding-skills-support"},
		{Cell: CellListing, Basis: FromSource, Text: "to-prompt writes name, description and path of each skill, escaped for HTML, in the order in which they are named; here by name.", From: "skills-ref/prompt.py"},
		{Cell: CellListing, Basis: Documented, Text: "The guide asks for 50 to 100 tokens for each skill, to hide those that are switched off, and to leave an empty list out.", From: "adding-skills-support"},
		{Cell: CellInstructions, Basis: Documented, Text: "The standard says nothing of instruction files.", From: "specification"},
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
		Delimiters: Delimiters{TrailingSpace: true, CRLF: true, OpenerPrefix: true, CloserAnywhere: true},
		Needed:     isSkill, Rejects: RejectFlow | RejectTab, Strings: true, UTF8: true,
	}
}

func agentSkillsPrecedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Project, definition.User, definition.Plugin}
}

// agentSkillsFields are the six fields of the standard with the checks of its
// reference validator (skills-ref, agentskills@69ef37e). Its YAML has no types:
// every plain value is text there.
func agentSkillsFields(k definition.Kind) []FieldRule {
	if k != definition.Skill {
		return nil
	}
	const text = TakesScalar
	return []FieldRule{
		{
			Key: "name", Field: definition.FieldName, Takes: text, Type: Drops, Required: true, Max: 64, Long: Drops,
			// Letters without case or in lower case, digits, single hyphens between them.
			Pattern: `[\p{Ll}\p{Lm}\p{Lo}\p{N}]+(-[\p{Ll}\p{Lm}\p{Lo}\p{N}]+)*`, Bad: Drops, Basis: Observed,
			About: "The name of the skill: that of its directory, in lower case, with single hyphens.",
		},
		{
			Key: "description", Field: definition.FieldDescription, Takes: text, Type: Drops, Required: true, Max: 1024, Long: Drops, Basis: Observed,
			About: "What the skill does and when to use it.",
		},
		{Key: "license", Field: definition.FieldLicense, Takes: TakesAny, Basis: FromSource, About: "The licence, or the file that holds it."},
		{
			// That it may not be empty is the specification's word; the validator lets it pass.
			Key: "compatibility", Field: definition.FieldCompatibility, Takes: text, Type: Drops, Filled: true, Max: 500, Long: Drops, Basis: Documented,
			About: "What the skill needs to run.",
		},
		{Key: "metadata", Field: definition.FieldMetadata, Takes: text | TakesMap | TakesNull, Items: text | TakesNull, Basis: Observed, About: "Further keys and their texts."},
		{
			Key: "allowed-tools", Field: definition.FieldAllowedTools, Takes: text | TakesList | TakesNull, Type: Drops, Items: text, Basis: FromSource,
			About: "The tools that the skill may use without being asked, with blanks between them.",
		},
	}
}

// agentSkillsClosed: a seventh field is an error (row "unk" of the frontmatter matrix).
func agentSkillsClosed(k definition.Kind) bool { return k == definition.Skill }

// agentSkillsNaming: the validator also brings both names into Unicode's
// compatibility form, which is not done here.
func agentSkillsNaming(k definition.Kind) NameRule {
	if k != definition.Skill {
		return NameRule{}
	}
	return NameRule{Clean: strings.TrimSpace, SameDir: true, Other: Drops}
}

func agentSkillsDescribed(definition.Kind) DescriptionRule {
	return DescriptionRule{Missing: MissingNothing}
}

func agentSkillsNameField(k definition.Kind) bool { return k == definition.Skill }

func agentSkillsRefuses(*definition.Definition) string { return "" }
