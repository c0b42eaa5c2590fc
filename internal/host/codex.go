package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// CodexSession is the format in which it writes sessions down.
const CodexSession = "codex"

// CodexEditorRequest stands before what the user wrote in a message to which an editor
// has put its own state (source).
const CodexEditorRequest = "## My request for Codex:"

// codexHost is the OpenAI Codex CLI.
func codexHost() Host {
	return Host{
		Name: "codex", Versions: []string{"0.169.0"}, View: codexView,
		Export: codexExport, Servers: codexServers, Connect: codexConnect,
		Client:       func(name string) bool { return name == "codex-mcp-client" || name == "codex" }, // source
		Bodies:       func() *Bodies { return &Bodies{Dirs: []string{".codex/prompts"}, Syntax: codexPromptSyntax} },
		AgentServers: codexAgentServers,
	}
}

func codexView(string) *Profile {
	return &Profile{
		Facts:     codexFacts(),
		Roots:     codexRoots(),
		Ancestors: ToRepository,
		MaxFile:   maxHostFile,
		Walk:      Walk{SkipHidden: true, Modules: true, NoFileLinks: true, MaxDirs: 2000},
		// AGENTS.override.md takes the place of the AGENTS.md beside it (n02).
		Fallbacks: []Fallback{{Files: []string{"AGENTS.md"}, Unless: []string{"AGENTS.override.md"}, Beside: true}},
		Plugins:   &Plugins{Manifests: []Manifest{{Path: ".codex-plugin/plugin.json"}}, Root: "${PLUGIN_ROOT}"},
		Configs:   codexConfigs(),
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
		Unread:       codexUnread(), Adaptations: codexAdaptations(),
		Switches: SwitchContextTokens,
	}
}

func codexFacts() []Fact {
	return []Fact{
		{Cell: CellRoots, Basis: Observed, Text: "Reads skills from .agents/skills and .codex/skills of the project, and from the same two in the home directory.", From: "n01"},
		{Cell: CellRoots, Basis: FromSource, Text: "Looks in every directory from the working directory up to the top of the repository; without a repository in the working directory alone.", From: "core-skills/src/loader.rs"},
		{Cell: CellRoots, Basis: FromSource, Text: "CODEX_HOME moves ~/.codex; /etc/codex/skills holds those of administrators, and ~/.codex/skills/.system its own.", From: "core-skills/src/loader.rs"},
		{Cell: CellWalk, Basis: Observed, Text: "A skill may stand in the root itself, up to six directories deep, in node_modules and inside another skill; directories that begin with a dot are left out.", From: "n09, rows d7, node_modules/nm and par"},
		{Cell: CellWalk, Basis: Observed, Text: "A SKILL.md that is a link is not read; a directory that is one is.", From: "rows filelink and dirlink"},
		{Cell: CellWalk, Basis: FromSource, Text: "Walks 2,000 directories below one root and no more.", From: "core-skills/src/loader.rs"},
		{Cell: CellDelimiters, Basis: Observed, Text: "The first line and a later one have to be \"---\", blanks around it aside; a byte order mark, an empty line before it or an empty block leave no frontmatter, and then no skill.", From: "rows blank, bom, tailo, nofm"},
		{Cell: CellYAML, Basis: Observed, Text: "Values with \": \" and values that begin with \"[\", \"{\", \"@\" or a backquote and are no YAML are quoted and tried again; everything else that is no YAML drops the skill.", From: "rows anch, at, bracket, quote; n09"},
		{Cell: CellYAML, Basis: FromSource, Text: "The keys name, description and metadata may stand only once; others may be repeated.", From: "core-skills/src/loader.rs"},
		{Cell: CellYAML, Basis: Observed, Text: "A file that is not valid UTF-8 is not read.", From: "n09"},
		{Cell: CellAgents, Basis: Observed, Text: "Lists no agent to the model in its messages.", From: "n06"},
		{Cell: CellAgents, Basis: Documented, Text: "Agents are TOML files in .codex/agents and ~/.codex/agents.", From: "formats dossier, section 4"},
		{Cell: CellTrust, Basis: FromSource, Text: "Skills of a project are read whether it is trusted or not; its config.toml only if it is.", From: "core-skills/src/loader.rs"},
		{Cell: CellCommands, Basis: Observed, Text: "Custom prompts are gone: /prompts:name is text.", From: "n05"},
		{Cell: CellRendering, Basis: Observed, Text: "A skill that a prompt names as $name follows the prompt, the whole file as it is with its frontmatter; nothing in it is replaced or run.", From: "n07"},
		{Cell: CellRendering, Basis: FromSource, Text: "A name that two skills have brings in neither; [$name](path) does. PATH, HOME and other names of common variables are none.", From: "core-skills/src/injection.rs"},
		{Cell: CellRendering, Basis: FromSource, Text: "A model loads a skill by reading its file.", From: "core-skills/src/render.rs"},
		{Cell: CellFields, Basis: Observed, Text: "Reads name, description and metadata of a skill and ignores the rest, disable-model-invocation too.", From: "rows dmi, unk, yesbool; n09"},
		{Cell: CellFields, Basis: Observed, Text: "A skill without a description is not loaded, nor one with a list for it or with a text for metadata.", From: "rows nodesc, listdesc, metastr"},
		{Cell: CellFields, Basis: Observed, Text: "A description of more than 1,024 characters is cut to that length, with \"...\" at its end, and runs of white space become single blanks.", From: "rows desc1600 and dashline"},
		{Cell: CellFields, Basis: Documented, Text: "An agent needs name, description and developer_instructions.", From: "formats dossier, section 4"},
		{Cell: CellNames, Basis: Observed, Text: "A skill has the name in its frontmatter, else that of its directory; any characters may be in it.", From: "rows badname, mism, noname, numname, spname"},
		{Cell: CellNames, Basis: Observed, Text: "A name of more than 64 characters, with that of the plugin before it, keeps the skill from being loaded.", From: "row nnn"},
		{Cell: CellClashes, Basis: Observed, Text: "Two skills of one name are both listed; the name alone then means neither.", From: "observations of n11; formats dossier, section 4"},
		{Cell: CellListing, Basis: Observed, Text: "Lists every skill with its description and its file; nothing is escaped, and disable-model-invocation changes nothing.", From: "n09, row dmi"},
		{Cell: CellListing, Basis: Observed, Text: "A description has at most 1,024 characters and ends with \"...\" where it is cut.", From: "rows desc1025, desc1600"},
		{Cell: CellListing, Basis: Observed, Text: "Of 300 skills all are listed, with descriptions of some 30 characters.", From: "n14"},
		{Cell: CellListing, Basis: FromSource, Text: "The list has 2 % of the context: all descriptions are shortened alike, then dropped, then entries are left out; where it is tight, paths begin with r0, r1 and a table says what these are.", From: "core-skills/src/render.rs"},
		{Cell: CellListing, Basis: FromSource, Text: "Order: the host's own, administrators, project, user, each by name.", From: "core-skills/src/render.rs"},
		{Cell: CellListing, Basis: Inferred, Text: "The context has 272,000 tokens: that makes the 22 kB of n14, and the 5,440 tokens of its logs. Of 1,000 skills it was seen to list 326, which this does not give for short paths. Advice on how to use skills follows the list and is not shown here.", From: "n14; openai/codex#24299; observations"},
		{Cell: CellListing, Basis: FromSource, Text: "policy.allow_implicit_invocation: false in agents/openai.yaml hides a skill.", From: "core-skills/src/loader.rs"},
		{Cell: CellInstructions, Basis: Observed, Text: "Reads ~/.codex/AGENTS.md and the AGENTS.md of the project, in whose place AGENTS.override.md stands where there is one; nothing is imported.", From: "n02, n03, n04"},
		{Cell: CellInstructions, Basis: FromSource, Text: "The user's come first, then those from the top of the repository down to the working directory, of which 32 KiB together are sent.", From: "core/src/agents_md.rs"},
		{Cell: CellInstructions, Basis: FromSource, Text: "project_doc_fallback_filenames names files that stand in where a directory of the project has neither, project_doc_max_bytes says how much is sent; both are read from the user's config.toml here, not from that of a project.", From: "core/src/agents_md.rs"},
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
		own(placesIn(definition.User, InHome).movedBy(codexHome, 0)).
			file(".codex/AGENTS.override.md").file(".codex/AGENTS.md"),
		placesIn(definition.Bundled, InHome).movedBy(codexHome, 0).dir(".codex/skills/.system", skillFile(0, skillDepth)),
		placesIn(definition.Managed, InManaged).managed(codexManaged()).dir("skills", skillFile(0, skillDepth)),
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

// codexFields are the three fields of skills, and those of the agents, which are
// TOML.
func codexFields(k definition.Kind) []FieldRule {
	const text = TakesScalar | TakesNull
	switch k {
	case definition.Skill:
		return []FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: text, Type: Drops, Max: 64, Long: Drops, Basis: Observed, About: "The name of the skill; its directory without it."},
			{
				Key: "description", Field: definition.FieldDescription, Takes: text, Type: Drops, Required: true, Max: 1024, Long: Cuts, Mark: "...", Basis: Observed,
				About: "What the skill does and when to use it.",
			},
			// Of a null it is inferred, as it is of the value of short-description.
			{Key: "metadata", Field: definition.FieldMetadata, Takes: TakesMap, Type: Drops, Items: text, ItemKey: "short-description", Basis: Observed, About: "Its key short-description is a shorter description for people."},
		}
	case definition.Agent:
		return []FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: TakesText, Type: Drops, Required: true, Basis: Documented, About: "The name under which the agent is started."},
			{Key: "description", Field: definition.FieldDescription, Takes: TakesText, Type: Drops, Required: true, Basis: Documented, About: "When to use the agent."},
			{Key: "developer_instructions", Takes: TakesText, Type: Drops, Required: true, Basis: Documented, About: "The instructions of the agent."},
			{Key: "model", Field: definition.FieldModel, Takes: TakesText, Type: Drops, Basis: Documented, About: "The model that it runs on."},
			{Key: "model_reasoning_effort", Field: definition.FieldEffort, Takes: TakesText, Type: Drops, Basis: Documented, About: "How much the model thinks."},
			{
				Key: "sandbox_mode", Takes: TakesText, Type: Drops, Words: []string{"read-only", "workspace-write", "danger-full-access"}, Bad: Drops, Basis: Documented,
				About: "What the agent may write.",
			},
			{Key: "nickname_candidates", Takes: TakesList, Type: Drops, Items: TakesText, Basis: Documented, About: "Names to show for running agents."},
			{Key: "mcp_servers", Field: definition.FieldMCPServers, Takes: TakesMap, Type: Drops, Basis: Documented, About: "MCP servers of the agent's own."},
		}
	}
	return nil
}

// codexNaming: white space becomes single blanks, and the name with its
// namespace has at most 64 characters (source; cases n09 and the matrix).
func codexNaming(k definition.Kind) NameRule {
	if k != definition.Skill {
		return NameRule{}
	}
	return NameRule{Clean: collapse, Place: collapse, Max: 64, Long: Drops}
}

func codexDescribed(k definition.Kind) DescriptionRule {
	if k != definition.Skill {
		return DescriptionRule{Missing: MissingNothing}
	}
	return DescriptionRule{Clean: collapse, Missing: MissingNothing}
}

// codexClash: the same name twice is listed twice (case n11).
func codexClash(k definition.Kind) Clash {
	if k == definition.Skill {
		return BothLoad
	}
	return FirstWins
}

func codexNameField(k definition.Kind) bool { return k == definition.Skill || k == definition.Agent }

func codexRefuses(*definition.Definition) string { return "" }

// codexManaged is where administrators place definitions (formats dossier, section 4).
func codexManaged() *ManagedDir {
	return &ManagedDir{Linux: "/etc/codex", Darwin: "/etc/codex", Windows: "C:/ProgramData/OpenAI/Codex"}
}

// collapse puts a single blank for each run of white space and takes it from both
// ends.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }
