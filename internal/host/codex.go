package host

import "github.com/vadehq/vade/internal/definition"

// codex is the OpenAI Codex CLI.
func codex(version string) *Profile {
	return &Profile{
		Name: "codex", Version: version,
		Facts:     codexFacts(),
		Roots:     codexRoots(),
		Ancestors: ToRepository,
		MaxFile:   maxHostFile,
		Walk:      Walk{SkipHidden: true, Modules: true, NoFileLinks: true, MaxDirs: 2000},
		// AGENTS.override.md takes the place of the AGENTS.md beside it (n02).
		Fallbacks: []Fallback{{Files: []string{"AGENTS.md"}, Unless: []string{"AGENTS.override.md"}, Beside: true}},
		Plugins:   &Plugins{Manifests: []Manifest{{Path: ".codex-plugin/plugin.json"}}, Root: "${PLUGIN_ROOT}"},
		Configs:   configsAt(".codex/config.toml"),
		UserDir:   ".codex", UserEnv: codexHome,
		Dialect: codexDialect(),
		Fields:  codexFields, Naming: codexNaming, Described: codexDescribed,
		DeepAlike: true, Clash: codexClash,
		NameField:    codexNameField,
		Refuses:      codexRefuses,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   codexPrecedence,
		Prompt:       codexPrompt(),
		Listing:      codexListing(),
		Instructions: codexInstructions(),
		Switches:     SwitchContextTokens,
	}
}

func codexFacts() []Fact {
	return []Fact{
		{CellRoots, Observed, "Reads skills from .agents/skills and .codex/skills of the project, and from the same two in the home directory.", "n01"},
		{CellRoots, FromSource, "Looks in every directory from the working directory up to the top of the repository; without a repository in the working directory alone.", "core-skills/src/loader.rs"},
		{CellRoots, FromSource, "CODEX_HOME moves ~/.codex; /etc/codex/skills holds those of administrators, and ~/.codex/skills/.system its own.", "core-skills/src/loader.rs"},
		{CellWalk, Observed, "A skill may stand in the root itself, up to six directories deep, in node_modules and inside another skill; directories that begin with a dot are left out.", "n09, rows d7, node_modules/nm and par"},
		{CellWalk, Observed, "A SKILL.md that is a link is not read; a directory that is one is.", "rows filelink and dirlink"},
		{CellWalk, FromSource, "Walks 2,000 directories below one root and no more.", "core-skills/src/loader.rs"},
		{CellDelimiters, Observed, "The first line and a later one have to be \"---\", blanks around it aside; a byte order mark, an empty line before it or an empty block leave no frontmatter, and then no skill.", "rows blank, bom, tailo, nofm"},
		{CellYAML, Observed, "Values with \": \" and values that begin with \"[\", \"{\", \"@\" or a backquote and are no YAML are quoted and tried again; everything else that is no YAML drops the skill.", "rows anch, at, bracket, quote; n09"},
		{CellYAML, FromSource, "The keys name, description and metadata may stand only once; others may be repeated.", "core-skills/src/loader.rs"},
		{CellYAML, Observed, "A file that is not valid UTF-8 is not read.", "n09"},
		{CellAgents, Observed, "Lists no agent to the model in its messages.", "n06"},
		{CellAgents, Documented, "Agents are TOML files in .codex/agents and ~/.codex/agents.", "formats dossier, section 4"},
		{CellTrust, FromSource, "Skills of a project are read whether it is trusted or not; its config.toml only if it is.", "core-skills/src/loader.rs"},
		{CellCommands, Observed, "Custom prompts are gone: /prompts:name is text.", "n05"},
		{CellRendering, Observed, "A skill that a prompt names as $name follows the prompt, the whole file as it is with its frontmatter; nothing in it is replaced or run.", "n07"},
		{CellRendering, FromSource, "A name that two skills have brings in neither; [$name](path) does. PATH, HOME and other names of common variables are none.", "core-skills/src/injection.rs"},
		{CellRendering, FromSource, "A model loads a skill by reading its file.", "core-skills/src/render.rs"},
		{CellFields, Observed, "Reads name, description and metadata of a skill and ignores the rest, disable-model-invocation too.", "rows dmi, unk, yesbool; n09"},
		{CellFields, Observed, "A skill without a description is not loaded, nor one with a list for it or with a text for metadata.", "rows nodesc, listdesc, metastr"},
		{CellFields, Observed, "A description of more than 1,024 characters is cut to that length, with \"...\" at its end, and runs of white space become single blanks.", "rows desc1600 and dashline"},
		{CellFields, Documented, "An agent needs name, description and developer_instructions.", "formats dossier, section 4"},
		{CellNames, Observed, "A skill has the name in its frontmatter, else that of its directory; any characters may be in it.", "rows badname, mism, noname, numname, spname"},
		{CellNames, Observed, "A name of more than 64 characters, with that of the plugin before it, keeps the skill from being loaded.", "row nnn"},
		{CellClashes, Observed, "Two skills of one name are both listed; the name alone then means neither.", "observations of n11; formats dossier, section 4"},
		{CellListing, Observed, "Lists every skill with its description and its file; nothing is escaped, and disable-model-invocation changes nothing.", "n09, row dmi"},
		{CellListing, Observed, "A description has at most 1,024 characters and ends with \"...\" where it is cut.", "rows desc1025, desc1600"},
		{CellListing, Observed, "Of 300 skills all are listed, with descriptions of some 30 characters.", "n14"},
		{CellListing, FromSource, "The list has 2 % of the context: all descriptions are shortened alike, then dropped, then entries are left out; where it is tight, paths begin with r0, r1 and a table says what these are.", "core-skills/src/render.rs"},
		{CellListing, FromSource, "Order: administrators, project, user, each by name.", "core-skills/src/render.rs"},
		{CellListing, Inferred, "The context has 272,000 tokens: that makes the 22 kB of n14, and the 5,440 tokens of its logs. Of 1,000 skills it was seen to list 326, which this does not give for short paths. Advice on how to use skills follows the list and is not shown here.", "n14; openai/codex#24299; observations"},
		{CellListing, FromSource, "policy.allow_implicit_invocation: false in agents/openai.yaml hides a skill.", "core-skills/src/loader.rs"},
		{CellInstructions, Observed, "Reads ~/.codex/AGENTS.md and the AGENTS.md of the project, in whose place AGENTS.override.md stands where there is one; nothing is imported.", "n02, n03, n04"},
		{CellInstructions, FromSource, "The user's come first, then those from the top of the repository down to the working directory, of which 32 KiB together are sent.", "core/src/agents_md.rs"},
		{CellInstructions, FromSource, "project_doc_fallback_filenames and project_doc_max_bytes of config.toml change that; they are not read here.", "core/src/agents_md.rs"},
	}
}

// codexRoots: the order is that of the repository first (source, loader.rs); of two
// skills with one name both are in force, so that it decides little.
func codexRoots() []Root {
	agents := ending(definition.Agent, ".toml", treeDepth, ByStem)
	own := func(p *places) *places {
		return p.dir(".codex/skills", skillFile(0, skillDepth)).dir(".codex/agents", agents)
	}
	return join(
		own(placesIn(definition.Project, InProject).dir(".agents/skills", skillFile(0, skillDepth))).
			file("AGENTS.override.md").file("AGENTS.md"),
		placesIn(definition.User, InHome).dir(".agents/skills", skillFile(0, skillDepth)),
		own(placesIn(definition.User, InHome).moved(codexHome, 0)).
			file(".codex/AGENTS.override.md").file(".codex/AGENTS.md"),
		placesIn(definition.Bundled, InHome).moved(codexHome, 0).dir(".codex/skills/.system", skillFile(0, skillDepth)),
		&places{roots: []Root{{
			Layer: definition.Managed, Base: InManaged, Managed: codexManaged(), Dir: "skills", Rules: []Rule{skillFile(0, skillDepth)},
		}}},
		placesIn(definition.Plugin, InPlugin).dir("skills", skillFile(0, skillDepth)).last(ofPlugin("skills", false)),
	)
}

// codexHome moves the user's directory.
const codexHome = "CODEX_HOME"

func codexDialect() Dialect {
	return Dialect{
		Delimiters: Delimiters{
			Indented: true, AnyIndent: true, TrailingSpace: true, CRLF: true, NeedsLF: true, Empty: EmptyBlockNone,
		},
		Needed: isSkill, Second: SecondQuotes, UTF8: true,
		DuplicateKeys: true, Unique: []string{"name", "description", "metadata"},
	}
}

func codexPrecedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Project, definition.User, definition.Plugin, definition.Bundled, definition.Managed}
}
