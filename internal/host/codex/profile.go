// Package codex describes the OpenAI Codex CLI. [Host] returns its profile and capabilities.
package codex

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// Session is the name of Codex's session format.
const Session = "codex"

func sessions() *host.Sessions {
	return &host.Sessions{Format: Session, Dir: ".codex", Env: homeEnv, Files: []string{
		"sessions/*/*/*/rollout-*.jsonl", "archived_sessions/rollout-*.jsonl",
	}, NoCommands: true}
}

// EditorRequest precedes the user's text in a message to which an editor has added information
// about its state, according to Codex's source code.
const EditorRequest = "## My request for Codex:"

// Host describes the OpenAI Codex CLI.
func Host() host.Host {
	return host.Host{
		Name: "codex", Versions: []string{"0.169.0"}, View: view,
		Export: export, Servers: servers, Connect: connect,
		Client:       func(name string) bool { return name == "codex-mcp-client" || name == "codex" }, // source
		Bodies:       func() *host.Bodies { return &host.Bodies{Dirs: []string{".codex/prompts"}, Syntax: promptSyntax} },
		AgentServers: agentServers,
		Launch:       launch, Sessions: sessions,
	}
}

func view(string) *host.Profile {
	return &host.Profile{
		Facts:     facts(),
		Roots:     roots(),
		Ancestors: host.ToRepository,
		MaxFile:   host.MaxHostFile,
		Walk:      host.Walk{SkipHidden: true, Modules: true, NoFileLinks: true, MaxDirs: 2000},
		// AGENTS.override.md replaces the AGENTS.md in the same directory (case n02).
		Fallbacks: []host.Fallback{{Files: []string{"AGENTS.md"}, Unless: []string{"AGENTS.override.md"}, SameDir: true}},
		Plugins: &host.Plugins{
			Manifests: []host.Manifest{{Path: ".codex-plugin/plugin.json"}, {Path: ".claude-plugin/plugin.json"}, {Path: ".cursor-plugin/plugin.json"}},
			Root:      "${PLUGIN_ROOT}",
			Enclosing: []string{".codex-plugin/plugin.json", ".claude-plugin/plugin.json", ".cursor-plugin/plugin.json"},
			Installed: host.Installed{Store: pluginStore, Env: homeEnv},
		},
		Configs: Configs,
		UserDir: ".codex", UserEnv: homeEnv,
		Dialect: dialect(),
		Fields:  fields, Naming: naming, Described: described,
		DeepAlike: true, Clash: clash,
		NameField:    host.IsSkillOrAgent,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   precedence,
		Prompt:       prompt(),
		Listing:      listing(),
		Instructions: instructions(),
		Unread:       unread(), Toggles: host.Toggles{Skills: host.ToggleIn(unread(), "config")}, Adaptations: adaptations(), Entries: entries(),
		Switches: host.SwitchContextTokens,
	}
}

func facts() []host.Fact {
	return []host.Fact{
		{Cell: host.CellRoots, Basis: host.Observed, Text: "Reads skills from .agents/skills and .codex/skills, in the project and in the home directory.", From: "n01"},
		{Cell: host.CellRoots, Basis: host.FromSource, Text: "Searches every directory from the working directory up to the repository root; outside a repository, only the working directory.", From: "core-skills/src/loader.rs"},
		{Cell: host.CellRoots, Basis: host.FromSource, Text: "CODEX_HOME overrides ~/.codex. Managed skills are in /etc/codex/skills, and built-in skills are in ~/.codex/skills/.system.", From: "core-skills/src/loader.rs"},
		{Cell: host.CellRoots, Basis: host.Observed, Text: "Plugins are in ~/.codex/plugins/cache/MARKETPLACE/NAME/VERSION and are active if [plugins.\"NAME@MARKETPLACE\"] in ~/.codex/config.toml sets enabled = true. A plugin's commands are read only as the skills in .codex-plugin/migrated-command-skills that the host generates when it installs the plugin.", From: "p01"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "A skill may be in the root itself, up to six levels below it, in node_modules or inside another skill. Hidden directories are skipped.", From: "n09, rows d7, node_modules/nm and par"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "A symlinked SKILL.md is not read; a symlinked directory is.", From: "rows filelink and dirlink"},
		{Cell: host.CellWalk, Basis: host.FromSource, Text: "Searches at most 2,000 directories per root.", From: "core-skills/src/loader.rs"},
		{Cell: host.CellDelimiters, Basis: host.Observed, Text: "The first line and a later line must be \"---\", ignoring surrounding spaces. A file with a byte order mark, a leading blank line or an empty block is treated as having no frontmatter, so the skill is not loaded.", From: "rows blank, bom, tailo, nofm"},
		{Cell: host.CellYAML, Basis: host.Observed, Text: "Invalid values that contain \": \" or start with \"[\", \"{\", \"@\" or a backtick are quoted and parsed again. A skill with any other invalid YAML is not loaded.", From: "rows anch, at, bracket, quote; n09"},
		{Cell: host.CellYAML, Basis: host.FromSource, Text: "The name, description and metadata keys must not be repeated; other keys may be.", From: "core-skills/src/loader.rs"},
		{Cell: host.CellYAML, Basis: host.Observed, Text: "A file that is not valid UTF-8 is not read.", From: "n09"},
		{Cell: host.CellAgents, Basis: host.Observed, Text: "The spawn_agent tool lists the agents in ~/.codex/agents and in [agents.NAME] in ~/.codex/config.toml, and a project's agents if the user trusts the project. If config_file is set, the settings in that file replace those in [agents.NAME].", From: "a06, a08, a09"},
		{Cell: host.CellAgents, Basis: host.Documented, Text: "Agents are TOML files in .codex/agents and ~/.codex/agents.", From: "format notes, section 4"},
		{Cell: host.CellTrust, Basis: host.FromSource, Text: "A project's skills are always read, but its config.toml is read only if the project is trusted.", From: "core-skills/src/loader.rs"},
		{Cell: host.CellCommands, Basis: host.Observed, Text: "Custom prompts are no longer supported; /prompts:name is sent as plain text.", From: "n05"},
		{Cell: host.CellRendering, Basis: host.Observed, Text: "If a prompt names a skill as $name, the entire file, including frontmatter, is sent after the prompt in a separate message. Placeholders in it are not expanded, and no commands run.", From: "n07"},
		{Cell: host.CellRendering, Basis: host.FromSource, Text: "If two skills have the same name, neither is included, but [$name](path) works. $PATH, $HOME and other common environment variables are not treated as skill names.", From: "core-skills/src/injection.rs"},
		{Cell: host.CellRendering, Basis: host.FromSource, Text: "A model loads a skill by reading its file.", From: "core-skills/src/render.rs"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "Reads a skill's name, description and metadata, and ignores all other fields, including disable-model-invocation.", From: "rows dmi, unk, yesbool; n09"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "A skill is not loaded if description is missing or a list, or if metadata is a string.", From: "rows nodesc, listdesc, metastr"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "Descriptions are truncated to 1,024 characters, including \"...\", and runs of whitespace become single spaces.", From: "rows desc1600 and dashline"},
		{Cell: host.CellFields, Basis: host.Documented, Text: "Agents require the name, description and developer_instructions fields.", From: "format notes, section 4"},
		{Cell: host.CellNames, Basis: host.Observed, Text: "A skill's name comes from its frontmatter, or from its directory if the frontmatter has no name. Any characters are allowed.", From: "rows badname, mism, noname, numname, spname"},
		{Cell: host.CellNames, Basis: host.Observed, Text: "A skill is not loaded if its name is longer than 64 characters, or longer than 129 including a plugin's prefix.", From: "row nnn; n10"},
		{Cell: host.CellNames, Basis: host.Observed, Text: "A skill is named \"plugin:skill\" after the nearest parent directory with .codex-plugin/plugin.json, .claude-plugin/plugin.json or .cursor-plugin/plugin.json. If that file has no name, the directory's name is used. This applies in the project, above it and in the home directory.", From: "n10"},
		{Cell: host.CellClashes, Basis: host.Observed, Text: "Two skills with the same name are both listed, but the name alone refers to neither.", From: "observations on n11; format notes, section 4"},
		{Cell: host.CellListing, Basis: host.Observed, Text: "Lists every skill with its description and file. Nothing is escaped, and disable-model-invocation has no effect.", From: "n09, row dmi"},
		{Cell: host.CellListing, Basis: host.Observed, Text: "Descriptions are limited to 1,024 characters; a truncated one ends with \"...\".", From: "rows desc1025, desc1600"},
		{Cell: host.CellListing, Basis: host.Observed, Text: "In a test with 300 skills, all were listed, with descriptions of about 30 characters each.", From: "n14"},
		{Cell: host.CellListing, Basis: host.FromSource, Text: "The listing, including built-in skills, is limited to 2% of the context window. To meet the limit, the host first shortens all descriptions equally, then removes them, and then omits entries. Paths start with aliases such as r0 and r1, which are defined in a table.", From: "core-skills/src/render.rs"},
		{Cell: host.CellListing, Basis: host.FromSource, Text: "Sort order: built-in skills, then managed, project and user skills, each group sorted by name.", From: "core-skills/src/render.rs"},
		{Cell: host.CellListing, Basis: host.Inferred, Text: "The 22 kB in n14 and the 5,440 tokens in the host's logs match a context window of 272,000 tokens. Of 1,000 skills, the host listed 326; for short paths, Vade computes a different number. Vade omits the advice after the listing.", From: "n14; openai/codex#24299; observations"},
		{Cell: host.CellListing, Basis: host.FromSource, Text: "policy.allow_implicit_invocation: false in agents/openai.yaml hides a skill from the model.", From: "core-skills/src/loader.rs"},
		{Cell: host.CellInstructions, Basis: host.Observed, Text: "Reads ~/.codex/AGENTS.md and the project's AGENTS.md; AGENTS.override.md replaces AGENTS.md. Imports are not supported.", From: "n02, n03, n04"},
		{Cell: host.CellInstructions, Basis: host.FromSource, Text: "The user's file comes first, then the files from the repository root down to the working directory, at most 32 KiB in total.", From: "core/src/agents_md.rs"},
		{Cell: host.CellInstructions, Basis: host.FromSource, Text: "project_doc_fallback_filenames lists the files to read in directories with neither AGENTS.override.md nor AGENTS.md; project_doc_max_bytes limits the number of bytes sent. Vade reads both settings from the user's config.toml but not from a project's.", From: "core/src/agents_md.rs"},
	}
}

// roots returns the definition directories and instruction files. The project's come first,
// according to loader.rs in Codex's source code. The order rarely matters, because two skills with
// the same name are both active.
func roots() []host.Root {
	agents := host.FilesEndingIn(definition.Agent, ".toml", host.TreeDepth, host.ByStem)
	own := func(p *host.RootList) *host.RootList {
		return p.Dir(".codex/skills", host.SkillFile(0, host.SkillDepth)).Dir(".codex/agents", agents)
	}
	return host.JoinRoots(
		own(host.PlacesIn(definition.Project, host.InProject).Dir(".agents/skills", host.SkillFile(0, host.SkillDepth))).
			File("AGENTS.override.md").File("AGENTS.md"),
		host.PlacesIn(definition.User, host.InHome).Dir(".agents/skills", host.SkillFile(0, host.SkillDepth)),
		own(host.PlacesIn(definition.User, host.InHome).MovedBy(homeEnv, 0)).
			File(".codex/AGENTS.override.md").File(".codex/AGENTS.md"),
		host.PlacesIn(definition.Bundled, host.InHome).MovedBy(homeEnv, 0).Dir(".codex/skills/.system", host.SkillFile(0, host.SkillDepth)),
		host.PlacesIn(definition.Managed, host.InManaged).Managed(ManagedDir()).Dir("skills", host.SkillFile(0, host.SkillDepth)),
		host.PlacesIn(definition.Plugin, host.InPlugin).
			// The host converts a plugin's commands to skills when it installs the plugin.
			Dir(".codex-plugin/migrated-command-skills", host.SkillFile(0, host.SkillDepth)).
			Dir("skills", host.SkillFile(0, host.SkillDepth)).Last(host.OfPlugin("skills", true)),
	)
}

// homeEnv is the variable that overrides the user's directory, and pluginStore
// is the directory of the installed plugins.
const (
	homeEnv     = "CODEX_HOME"
	pluginStore = ".codex/plugins/cache"
)

func dialect() host.Dialect {
	return host.Dialect{
		References: host.Anchors,
		Delimiters: host.Delimiters{
			Indented: true, AnyIndent: true, TrailingSpace: true, CRLF: true, NeedsLF: true, Empty: host.EmptyBlockNone,
		},
		Needed: host.IsSkill, Second: host.SecondQuotes, UTF8: true,
		DuplicateKeys: true, Unique: []string{"name", "description", "metadata"},
	}
}

// precedence ranks a project's agents after the user's; [trusted] changes the order.
func precedence(k definition.Kind) []definition.Layer {
	if k == definition.Agent {
		return []definition.Layer{definition.User, definition.Project}
	}
	return layers()
}

func layers() []definition.Layer {
	return []definition.Layer{definition.Project, definition.User, definition.Plugin, definition.Bundled, definition.Managed}
}

// fields returns the three skill fields, and the fields of agents, which are TOML.
func fields(k definition.Kind) []host.FieldRule {
	const text = host.TakesScalar | host.TakesNull
	switch k {
	case definition.Skill:
		return []host.FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: text, Type: host.Drops, Max: 64, Long: host.Drops, Basis: host.Observed, About: "The skill's name; defaults to its directory name."},
			{
				Key: "description", Field: definition.FieldDescription, Takes: text, Type: host.Drops, Required: true, Max: 1024, Long: host.Cuts, Mark: "...", Basis: host.Observed,
				About: "What the skill does and when to use it.",
			},
			// The effect of short-description's value is inferred. A null value is treated as
			// absent (case h13).
			{Key: "metadata", Field: definition.FieldMetadata, Takes: host.TakesMap | host.TakesNull, Type: host.Drops, Items: text, ItemKey: "short-description", Basis: host.Observed, About: "Additional keys; short-description is a shorter description for users."},
		}
	case definition.Agent:
		return []host.FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: host.TakesText, Type: host.Drops, Required: true, Basis: host.Documented, About: "The name used to start the agent."},
			{Key: "description", Field: definition.FieldDescription, Takes: host.TakesText, Type: host.Drops, Required: true, Basis: host.Documented, About: "When to use the agent."},
			{Key: "developer_instructions", Takes: host.TakesText, Type: host.Drops, Required: true, Basis: host.Documented, About: "The agent's instructions."},
			{Key: "model", Field: definition.FieldModel, Takes: host.TakesText, Type: host.Drops, Basis: host.Documented, About: "The model the agent uses."},
			{Key: "model_reasoning_effort", Field: definition.FieldEffort, Takes: host.TakesText, Type: host.Drops, Basis: host.Documented, About: "The reasoning effort."},
			{
				Key: "sandbox_mode", Takes: host.TakesText, Type: host.Drops, Words: []string{"read-only", "workspace-write", "danger-full-access"}, Bad: host.Drops, Basis: host.Documented,
				About: "The sandbox mode, which determines what the agent may write.",
			},
			{Key: "nickname_candidates", Takes: host.TakesList, Type: host.Drops, Items: host.TakesText, Basis: host.Documented, About: "Display names for running agents."},
			{Key: "mcp_servers", Field: definition.FieldMCPServers, Takes: host.TakesMap, Type: host.Drops, Basis: host.Documented, About: "The agent's MCP servers."},
		}
	}
	return nil
}

// naming returns the naming rules. Whitespace is collapsed. A name has at most 64 characters (see
// case n09 and the frontmatter matrix), or at most 129 with a plugin's prefix (case n10).
func naming(k definition.Kind) host.NameRule {
	switch k {
	case definition.Agent:
		return host.NameRule{Clean: strings.TrimSpace}
	case definition.Skill:
	default:
		return host.NameRule{}
	}
	return host.NameRule{Clean: collapse, Place: collapse, Max: 64, MaxPrefixed: 129, Long: host.Drops}
}

func described(k definition.Kind) host.DescriptionRule {
	if k != definition.Skill {
		return host.DescriptionRule{Missing: host.MissingNothing}
	}
	return host.DescriptionRule{Clean: collapse, Missing: host.MissingNothing}
}

// clash returns how duplicate names are resolved. Two skills with the same name
// are both listed (case n11).
func clash(k definition.Kind) host.Clash {
	if k == definition.Skill {
		return host.BothLoad
	}
	return host.FirstWins
}

// ManagedDir returns the directory where administrators put definitions
// (format notes, section 4).
func ManagedDir() *host.ManagedDir {
	return &host.ManagedDir{Linux: "/etc/codex", Darwin: "/etc/codex", Windows: "C:/ProgramData/OpenAI/Codex"}
}

// collapse trims s and replaces each run of whitespace with one space.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }
