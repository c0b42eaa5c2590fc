// Package agentskills describes the open Agent Skills standard. [Host] returns
// its profile and capabilities.
package agentskills

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// Host describes the open Agent Skills standard as implemented by its reference validator.
func Host() host.Host {
	return host.Host{
		Name: "agentskills", Versions: []string{"2026-08-09"}, View: view,
		Export: export, Plugin: plugin,
	}
}

func view(string) *host.Profile {
	return &host.Profile{
		Standard:  true,
		Facts:     facts(),
		Roots:     roots(),
		Ancestors: host.ToRepository,
		MaxFile:   host.MaxHostFile,
		Walk:      host.Walk{Modules: true, MaxDirs: 2000},
		Trust:     host.Trust{Needed: true, How: "follow your client's instructions for trusting a project", Basis: host.Documented},
		Plugins: &host.Plugins{
			Manifests: []host.Manifest{{Path: "plugin.json", Schema: "agent-plugins.org/"}}, Root: "${PLUGIN_ROOT}",
		},
		Configs: Configs,
		Dialect: dialect(),
		Fields:  fields, Closed: closed, Naming: naming, Described: described,
		DeepAlike:    true,
		NameField:    host.IsSkill,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   precedence,
		Prompt:       prompt(),
		Listing:      listing(),
		Instructions: instructions(),
	}
}

func facts() []host.Fact {
	return []host.Fact{
		{Cell: host.CellRoots, Basis: host.Documented, Text: "The client guide lists .agents/skills and client-specific directories, both in the project and in the home directory.", From: "adding-skills-support"},
		{Cell: host.CellRoots, Basis: host.FromSource, Text: "The reference validator accepts any directory.", From: "skills-ref/validator.py"},
		{Cell: host.CellWalk, Basis: host.Documented, Text: "The guide recommends searching four to six levels deep and at most 2,000 directories.", From: "adding-skills-support"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "The validator accepts skill.md and symlinked files and directories. It also accepts node_modules, which the guide says to skip.", From: "rows low, dirlink, filelink and node_modules/nm"},
		{Cell: host.CellDelimiters, Basis: host.Observed, Text: "The file must start with \"---\". The next \"---\", even in the middle of a line, closes the block.", From: "rows blank, bom, dashline"},
		{Cell: host.CellDelimiters, Basis: host.FromSource, Text: "The block starts right after the first \"---\", even on the same line.", From: "parser.py"},
		{Cell: host.CellYAML, Basis: host.Observed, Text: "Flow lists and maps, tabs and duplicate keys are errors, and every value is a string (strictyaml).", From: "rows bracket, listdesc, tabs"},
		{Cell: host.CellAgents, Basis: host.Documented, Text: "The standard does not cover agents.", From: "specification"},
		{Cell: host.CellTrust, Basis: host.Documented, Text: "The guide asks clients not to read a project's skills until the project is trusted.", From: "adding-skills-support"},
		{Cell: host.CellCommands, Basis: host.Documented, Text: "The standard covers only skills.", From: "specification"},
		{Cell: host.CellRendering, Basis: host.Documented, Text: "Placeholders are not expanded. The model receives the unchanged file, or its body wrapped in client-specific tags.", From: "adding-skills-support"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "The only fields are name, description, license, compatibility, metadata and allowed-tools; any other field is an error.", From: "row unk"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "It is an error if name is longer than 64 characters, description longer than 1,024 or compatibility longer than 500.", From: "rows desc1600, nnn; validator.py"},
		{Cell: host.CellFields, Basis: host.Documented, Text: "compatibility must be 1 to 500 characters long, but the validator also accepts an empty value.", From: "specification"},
		{Cell: host.CellFields, Basis: host.FromSource, Text: "Every scalar is a string, including numbers and booleans.", From: "parser.py"},
		{Cell: host.CellNames, Basis: host.Observed, Text: "The name must consist of lowercase letters, digits and single hyphens, and match the directory name.", From: "rows badname, mism, numname, spname"},
		{Cell: host.CellNames, Basis: host.FromSource, Text: "The validator compares the name with the directory name after NFKC normalization. Vade does not normalize names, so it rejects names that match only after normalization.", From: "validator.py"},
		{Cell: host.CellClashes, Basis: host.Documented, Text: "If a project skill and a user skill have the same name, the guide asks clients to use the project's and to warn.", From: "adding-skills-support"},
		{Cell: host.CellListing, Basis: host.FromSource, Text: "The to-prompt command prints each skill's name, description and path, HTML-escaped, in the order of its arguments. Vade sorts skills by name.", From: "skills-ref/prompt.py"},
		{Cell: host.CellListing, Basis: host.Documented, Text: "The guide recommends 50 to 100 tokens per skill, and asks clients to hide disabled skills and to omit an empty list.", From: "adding-skills-support"},
		{Cell: host.CellInstructions, Basis: host.Documented, Text: "The standard does not cover instruction files.", From: "specification"},
	}
}

func roots() []host.Root {
	lower := host.WholeSkill(0, host.SkillDepth)
	lower.File = "skill.md"
	rules := []host.Rule{host.WholeSkill(0, host.SkillDepth), lower}
	return host.JoinRoots(
		host.PlacesIn(definition.Project, host.InProject).Dir(".agents/skills", rules...),
		host.PlacesIn(definition.User, host.InHome).Dir(".agents/skills", rules...),
		host.PlacesIn(definition.Plugin, host.InPlugin).Dir("skills", host.WholeSkill(1, 1)),
	)
}

func dialect() host.Dialect {
	return host.Dialect{
		Delimiters: host.Delimiters{TrailingSpace: true, CRLF: true, OpenerPrefix: true, CloserAnywhere: true},
		Needed:     host.IsSkill, Rejects: host.RejectFlow | host.RejectTab, Strings: true, UTF8: true,
	}
}

func precedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Project, definition.User, definition.Plugin}
}

// fields returns the standard's six fields with the checks of its reference validator (skills-ref,
// agentskills@69ef37e). The validator treats every YAML scalar as a string.
func fields(k definition.Kind) []host.FieldRule {
	if k != definition.Skill {
		return nil
	}
	const text = host.TakesScalar
	return []host.FieldRule{
		{
			Key: "name", Field: definition.FieldName, Takes: text, Type: host.Drops, Required: true, Max: 64, Long: host.Drops,
			// A name consists of lowercase or uncased letters and digits, separated by single
			// hyphens.
			Pattern: `[\p{Ll}\p{Lm}\p{Lo}\p{N}]+(-[\p{Ll}\p{Lm}\p{Lo}\p{N}]+)*`, Bad: host.Drops, Basis: host.Observed,
			About: "The skill's name, which must match the directory name and use only lowercase letters, digits and single hyphens.",
		},
		{
			Key: "description", Field: definition.FieldDescription, Takes: text, Type: host.Drops, Required: true, Max: 1024, Long: host.Drops, Basis: host.Observed,
			About: "What the skill does and when to use it.",
		},
		{Key: "license", Field: definition.FieldLicense, Takes: host.TakesAny, Basis: host.FromSource, About: "The license, or the file that contains it."},
		{
			// The specification requires a non-empty value; the validator does not check it.
			Key: "compatibility", Field: definition.FieldCompatibility, Takes: text, Type: host.Drops, Filled: true, Max: 500, Long: host.Drops, Basis: host.Documented,
			About: "What the skill needs to run.",
		},
		{Key: "metadata", Field: definition.FieldMetadata, Takes: text | host.TakesMap | host.TakesNull, Items: text | host.TakesNull, Basis: host.Observed, About: "Additional keys with string values."},
		{
			Key: "allowed-tools", Field: definition.FieldAllowedTools, Takes: text | host.TakesList | host.TakesNull, Type: host.Drops, Items: text, Basis: host.FromSource,
			About: "The tools the skill may use without asking for permission, separated by spaces.",
		},
	}
}

// closed reports whether a field outside the standard is an error (row "unk" in
// the frontmatter matrix).
func closed(k definition.Kind) bool { return k == definition.Skill }

// naming returns the naming rules. The validator also normalizes both names to
// Unicode compatibility form (NFKC). Vade does not.
func naming(k definition.Kind) host.NameRule {
	if k != definition.Skill {
		return host.NameRule{}
	}
	return host.NameRule{Clean: strings.TrimSpace, SameDir: true, Other: host.Drops}
}

func described(definition.Kind) host.DescriptionRule {
	return host.DescriptionRule{Missing: host.MissingNothing}
}
