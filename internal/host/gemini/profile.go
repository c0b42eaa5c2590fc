// Package gemini describes the Gemini CLI. [Host] returns its profile and capabilities.
package gemini

import (
	"path"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// Host describes the Gemini CLI.
func Host() host.Host {
	return host.Host{
		Name: "gemini", Versions: []string{"0.61.0"}, View: view,
		Export: export, Servers: Servers, Connect: connect,
		// From the host's source.
		Client: func(name string) bool {
			return name == "gemini-cli" || strings.HasPrefix(name, "gemini-cli-mcp-client")
		},
		Tools: neutralTools,
		// TOML commands exist only in Gemini CLI and in Qwen Code, which uses the same syntax.
		Bodies: func() *host.Bodies {
			return &host.Bodies{Format: definition.TOML, Syntax: func(definition.Kind) *host.Syntax { return Syntax(definition.Command) }}
		},
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
		Silent:    true,
		Walk:      host.Walk{SkipHidden: true},
		Trust: host.Trust{
			Needed: true, How: "trust the folder when the host asks, or with /permissions", Basis: host.FromSource,
		},
		Plugins: &host.Plugins{Manifests: []host.Manifest{{Path: "gemini-extension.json", Servers: Servers()}}, Root: "${extensionPath}", Installed: host.Installed{Dirs: []host.InstalledDir{
			{Path: ".gemini/extensions", Levels: 1, Env: homeEnv, EnvDepth: host.EnvHome},
		}}},
		Configs: Configs,
		UserDir: ".gemini",
		Dialect: dialect(),
		Fields:  fields, Closed: closed, Naming: naming, Described: described,
		DeepAlike: true, Clash: clash, Renamed: renamed,
		NameField:    host.IsSkillOrAgent,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   precedence,
		Prompt:       prompt(),
		Listing:      listing(),
		Instructions: instructions(),
		Unread:       unread(), Toggles: host.Toggles{Skills: host.ToggleIn(unread(), "disabled")}, Adaptations: adaptations(),
		Switches: host.SwitchTouched,
	}
}

func facts() []host.Fact {
	return []host.Fact{
		{Cell: host.CellRoots, Basis: host.Observed, Text: "Reads skills from .gemini/skills and .agents/skills in the working directory and in the home directory.", From: "n01"},
		{Cell: host.CellRoots, Basis: host.FromSource, Text: "If two skills have the same name, the one read last wins: the project's over the user's, and .agents over .gemini.", From: "skillManager.ts"},
		{Cell: host.CellRoots, Basis: host.Documented, Text: "Extensions are the directories in ~/.gemini/extensions that contain a gemini-extension.json.", From: "docs/extensions"},
		{Cell: host.CellRoots, Basis: host.FromSource, Text: "GEMINI_CLI_HOME overrides the home directory.", From: "core/src/utils/paths.ts"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "A skill must be in the root itself or one level below it. node_modules and hidden directories are skipped.", From: "n09, rows .hid, d7 and node_modules/nm"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "Symlinks are followed.", From: "rows dirlink and filelink"},
		{Cell: host.CellWalk, Basis: host.FromSource, Text: "Commands are found at any depth, even in hidden directories.", From: "FileCommandLoader.ts"},
		{Cell: host.CellDelimiters, Basis: host.Observed, Text: "The first line must be exactly \"---\". The next line that starts with \"---\" closes the block.", From: "rows blank, bom, tailo"},
		{Cell: host.CellDelimiters, Basis: host.FromSource, Text: "If the closing line contains anything after \"---\", the skill has no body.", From: "skillLoader.ts"},
		{Cell: host.CellYAML, Basis: host.Observed, Text: "If the YAML is invalid, or name or description is not a string, both are taken literally from their lines.", From: "rows anch, at, bracket, listdesc, quote; n09"},
		{Cell: host.CellAgents, Basis: host.Observed, Text: "Lists the agents in ~/.gemini/agents in the system prompt, and a project's agents only after the user has approved them.", From: "a04, a09"},
		{Cell: host.CellAgents, Basis: host.FromSource, Text: "Agents are the *.md files in .gemini/agents and ~/.gemini/agents whose names do not start with \"_\".", From: "format notes, section 6"},
		{Cell: host.CellTrust, Basis: host.FromSource, Text: "The project's skills and commands are loaded only if the folder is trusted.", From: "skillManager.ts"},
		{Cell: host.CellCommands, Basis: host.Observed, Text: "Commands are TOML files. @{path} is expanded first, then !{command}. {{args}} is replaced with the user's input, which is shell-quoted inside !{command}.", From: "n05"},
		{Cell: host.CellCommands, Basis: host.FromSource, Text: "Without {{args}}, the user's input is appended to the body. An unclosed brace is an error.", From: "prompt-processors"},
		{Cell: host.CellRendering, Basis: host.Observed, Text: "Each command's output is followed by a line with its exit status. Each inserted file is sent as a separate message part.", From: "n05"},
		{Cell: host.CellRendering, Basis: host.Observed, Text: "Placeholders in a skill's body are not expanded. In non-interactive mode, /NAME for a skill is sent as plain text.", From: "n07, n08"},
		{Cell: host.CellRendering, Basis: host.FromSource, Text: "$& and similar patterns in arguments are interpreted as in JavaScript's String.replace. Files are truncated to 2,000 lines of at most 2,000 characters each.", From: "shellProcessor.ts, fileUtils.ts"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "Skills require the name and description fields. All other fields, including disable-model-invocation, are ignored. There are no length limits.", From: "rows desc1600, dmi, nodesc, noname, unk"},
		{Cell: host.CellFields, Basis: host.FromSource, Text: "Agents are validated strictly: an agent with an unknown field or a field of the wrong type is not loaded.", From: "agents/agentLoader.ts"},
		{Cell: host.CellFields, Basis: host.FromSource, Text: "Commands require the prompt field.", From: "FileCommandLoader.ts"},
		{Cell: host.CellNames, Basis: host.Observed, Text: "A skill's name comes from its frontmatter, regardless of its directory name.", From: "rows badname, mism, numname, spname"},
		{Cell: host.CellNames, Basis: host.FromSource, Text: "In skill names, : \\ / < > * ? \" and | are replaced with hyphens.", From: "skillLoader.ts"},
		{Cell: host.CellNames, Basis: host.FromSource, Text: "Commands are named after their paths, with colons instead of slashes. Characters other than letters, digits, \"_\", \"-\" and \".\" are replaced with \"_\", and each part is truncated to 50 characters.", From: "FileCommandLoader.ts"},
		{Cell: host.CellClashes, Basis: host.Observed, Text: "The skill read last wins: the project's over the user's, and .agents over .gemini.", From: "observations on n11"},
		{Cell: host.CellClashes, Basis: host.Observed, Text: "If two commands have the same name, they are renamed to user.NAME and workspace.NAME.", From: "format notes, section 6"},
		{Cell: host.CellClashes, Basis: host.FromSource, Text: "Built-in commands keep their names; a user command with the same name is renamed. An extension command keeps its name, or becomes EXTENSION:NAME if the name is taken.", From: "SlashCommandResolver.ts"},
		{Cell: host.CellClashes, Basis: host.Inferred, Text: "Built-in commands that depend on settings or on the build are assumed to exist."},
		{Cell: host.CellListing, Basis: host.Observed, Text: "Lists every skill in full, unescaped and without a limit. disable-model-invocation has no effect.", From: "n09, n14, row dmi"},
		{Cell: host.CellListing, Basis: host.Observed, Text: "Commands are not listed.", From: "n05"},
		{Cell: host.CellListing, Basis: host.FromSource, Text: "Each entry includes the file's path. Extension skills come first, then the user's, then the project's.", From: "prompts/snippets.ts"},
		{Cell: host.CellListing, Basis: host.Observed, Text: "Within a root, a SKILL.md directly in it comes first, then directories, then symlinks to directories, both in reverse alphabetical order. A skill that replaces another takes its position.", From: "h08, h20"},
		{Cell: host.CellInstructions, Basis: host.Observed, Text: "Reads only GEMINI.md: the user's file goes into the system prompt, the project's into the first message, each with its imports.", From: "n02, n03, n04"},
		{Cell: host.CellInstructions, Basis: host.FromSource, Text: "Imports are followed up to five levels deep and only inside the project; imports in code are ignored. When the agent touches a file, the GEMINI.md files in the file's parent directories are added.", From: "utils/memoryImportProcessor.ts, context/memoryContextManager.ts"},
		{Cell: host.CellInstructions, Basis: host.FromSource, Text: "The context.fileName setting replaces GEMINI.md with other files; the project's setting overrides the user's. In Vade, the setting does not apply to extensions.", From: "utils/memoryDiscovery.ts"},
	}
}

// roots returns the directories in reverse reading order, because the definition read last takes
// precedence (see case n11 and skillManager.ts in Gemini CLI's source code).
func roots() []host.Root {
	skill := host.SkillFile(0, 1)
	commands := host.FilesEndingIn(definition.Command, ".toml", host.AnyDepth, host.ByPath)
	agents := host.FilesEndingIn(definition.Agent, ".md", 0, host.ByStem)
	agents.Except = "_"
	hidden := func(r *host.Root) { r.Hidden = true }
	return host.JoinRoots(
		host.PlacesIn(definition.Project, host.InWorkDir).
			Dir(".agents/skills", skill).Dir(".gemini/skills", skill).
			Dir(".gemini/commands", commands).Last(hidden).Dir(".gemini/agents", agents),
		host.PlacesIn(definition.Project, host.InProject).File("GEMINI.md"),
		host.PlacesIn(definition.User, host.InHome).MovedBy(homeEnv, host.EnvHome).
			Dir(".agents/skills", skill).Dir(".gemini/skills", skill).
			Dir(".gemini/commands", commands).Last(hidden).Dir(".gemini/agents", agents).
			File(".gemini/GEMINI.md"),
		host.PlacesIn(definition.Plugin, host.InPlugin).
			Dir("skills", skill).Last(func(r *host.Root) { r.PlainNames = true }).
			Dir("commands", commands).Last(func(r *host.Root) { r.Hidden, r.PlainNames = true, true }).Dir("agents", agents).
			File("GEMINI.md").Last(host.OfPlugin("contextFileName", true)),
	)
}

// Session is the name of Gemini CLI's session format.
const Session = "gemini"

func sessions() *host.Sessions {
	return &host.Sessions{Format: Session, Dir: ".gemini/tmp", Env: homeEnv, Moved: ".gemini/tmp", Files: []string{
		"*/chats/session-*.jsonl", "*/chats/session-*.json",
	}}
}

// homeEnv is the environment variable that overrides the home directory.
const homeEnv = "GEMINI_CLI_HOME"

func dialect() host.Dialect {
	return host.Dialect{
		References: host.Anchors | host.MergeKeys | host.CoreTags,
		Delimiters: host.Delimiters{CRLF: true, NeedsLF: true, CloserPrefix: true, Empty: host.EmptyBlockGoesOn, BodyStart: host.BodyNone},
		Needed:     host.IsSkillOrAgent, Second: host.SecondPair,
		// The host does not make a second attempt to parse an agent, according to agentLoader.ts in
		// Gemini CLI's source code.
		Other: func(k definition.Kind, d host.Dialect) host.Dialect {
			if k != definition.Skill {
				d.Second = host.SecondNone
			}
			return d
		},
	}
}

// precedence orders the layers. A project's agent is used only after the user has confirmed it, so
// the user's agents come first.
func precedence(k definition.Kind) []definition.Layer {
	if k == definition.Agent {
		return []definition.Layer{definition.User, definition.Plugin, definition.Project}
	}
	return []definition.Layer{definition.Project, definition.User, definition.Plugin}
}

// fields returns the rules for a kind's fields. A skill has two fields. If they are not strings or
// the YAML does not parse, Gemini CLI takes the literal text of their lines (see skillLoader.ts in
// Gemini CLI's source code and rows "numname" and "listdesc" in the frontmatter matrix). The rules
// for agents, which are strict, come from agentLoader.ts. The rules for commands, which are TOML
// files, come from FileCommandLoader.ts.
func fields(k definition.Kind) []host.FieldRule {
	switch k {
	case definition.Skill:
		return []host.FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: host.TakesText, Type: host.Quotes, Required: true, Blank: true, Basis: host.Observed, About: "The skill's name."},
			{
				Key: "description", Field: definition.FieldDescription, Takes: host.TakesText, Type: host.Quotes, Required: true, Blank: true, Basis: host.Observed,
				About: "What the skill does and when to use it.",
			},
		}
	case definition.Command:
		return []host.FieldRule{
			{Key: "prompt", Field: definition.FieldPrompt, Takes: host.TakesText, Type: host.Drops, Required: true, Basis: host.FromSource, About: "The prompt sent to the model."},
			{Key: "description", Field: definition.FieldDescription, Takes: host.TakesText, Type: host.Drops, Basis: host.FromSource, About: "A one-line summary of what the command does."},
		}
	case definition.Agent:
		return agentFields()
	}
	return nil
}

// toolNames matches the tool names that an agent may list (case a03).
const toolNames = `\*|mcp_\*|mcp_[^_*]+_(\*|[^*]+)|discovered_tool_.*|activate_skill|ask_user|complete_task|enter_plan_mode|exit_plan_mode|` +
	`get_internal_docs|glob|google_web_search|grep_search|invoke_agent|list_directory|list_mcp_resources|read_file|read_many_files|` +
	`read_mcp_resource|replace|run_shell_command|search_file_content|tracker_(add_dependency|create_task|get_task|list_tasks|update_task|visualize)|` +
	`update_topic|web_fetch|write_file|write_todos`

func agentFields() []host.FieldRule {
	rules := []host.FieldRule{
		{Key: "name", Field: definition.FieldName, Takes: host.TakesText, Required: true, Pattern: `[a-z0-9_-]+`, Bad: host.Drops, About: "The agent's name, which may contain only lowercase letters, digits, hyphens and underscores."},
		{Key: "description", Field: definition.FieldDescription, Takes: host.TakesText, Required: true, Unless: "agent_card_url", About: "When to use the agent."},
		{Key: "kind", Takes: host.TakesText, Words: []string{"local", "remote"}, Bad: host.Drops, About: "Where the agent runs; defaults to local."},
		{Key: "display_name", Field: definition.FieldTitle, Takes: host.TakesText, About: "The display name."},
		{Key: "tools", Field: definition.FieldTools, Takes: host.TakesList, Items: host.TakesText, Pattern: toolNames, Bad: host.Drops, About: "The tools the agent may use, under their Gemini CLI names."},
		{Key: "mcp_servers", Field: definition.FieldMCPServers, Takes: host.TakesMap, About: "The agent's MCP servers."},
		{Key: "policy", Takes: host.TakesMap, About: "Rules for the agent's tools."},
		{Key: "model", Field: definition.FieldModel, Takes: host.TakesText, About: "The model the agent uses."},
		{Key: "temperature", Field: definition.FieldTemperature, Takes: host.TakesNumber, About: "The model's sampling temperature."},
		{Key: "max_turns", Field: definition.FieldMaxTurns, Takes: host.TakesNumber, Whole: true, About: "The maximum number of turns."},
		{Key: "timeout_mins", Takes: host.TakesNumber, Whole: true, About: "The maximum run time in minutes."},
		{Key: "agent_card_url", Takes: host.TakesText, About: "The URL of a remote agent's agent card."},
		{Key: "auth", Takes: host.TakesMap, About: "How to authenticate with a remote agent."},
	}
	for i := range rules {
		rules[i].Type, rules[i].Basis = host.Drops, host.FromSource
	}
	return rules
}

// closed reports whether an unknown key is an error, as it is in agents.
func closed(k definition.Kind) bool { return k == definition.Agent }

// naming returns the naming rules. In a skill's name, characters that are invalid in file names
// become hyphens (see skillLoader.ts in Gemini CLI's source code). In a command's name, each path
// segment is sanitized and truncated (see FileCommandLoader.ts).
func naming(k definition.Kind) host.NameRule {
	switch k {
	case definition.Skill:
		return host.NameRule{Clean: func(s string) string {
			return replaced(s, '-', func(r rune) bool { return strings.ContainsRune(`:\/<>*?"|`, r) })
		}}
	case definition.Command:
		return host.NameRule{Place: segment}
	}
	return host.NameRule{}
}

// segment sanitizes and truncates one path segment in a command's name.
func segment(s string) string {
	const longest, kept = 50, 47
	s = replaced(s, '_', func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' && r != '.'
	})
	if len(s) > longest {
		return s[:kept] + "..."
	}
	return s
}

// replaced replaces each character for which bad returns true with the byte by. A character outside
// the Basic Multilingual Plane is replaced with two such bytes, because JavaScript counts it as two
// characters.
func replaced(s string, by byte, bad func(rune) bool) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case !bad(r):
			b.WriteRune(r)
		case r > 0xffff:
			b.WriteByte(by)
			b.WriteByte(by)
		default:
			b.WriteByte(by)
		}
	}
	return b.String()
}

// described returns the description rules. Descriptions are listed as written (observed in 0.61.0).
func described(k definition.Kind) host.DescriptionRule {
	if k == definition.Command {
		return host.DescriptionRule{Clean: host.AsWritten, Missing: host.MissingNothing, Default: func(d *definition.Definition) string {
			return "Custom command from " + path.Base(d.Origin.Path)
		}}
	}
	return host.DescriptionRule{Clean: host.AsWritten, Missing: host.MissingNothing}
}

// clash returns how duplicate names are resolved. If two commands have the same name, both are
// renamed (format notes, section 6). If two skills have the same name, the one that is read last
// takes precedence; that skill's layer comes first in the order that Vade uses.
func clash(k definition.Kind) host.Clash {
	if k == definition.Command {
		return host.BothRenamed
	}
	return host.FirstWins
}

// renamed returns the new name, such as "user.t", "workspace.t" or "extension:t", according to
// SlashCommandResolver.ts in Gemini CLI's source code.
func renamed(o definition.Origin, name string) string {
	prefix := "workspace."
	switch {
	case o.Plugin != "":
		prefix = o.Plugin + ":"
	case o.Layer == definition.User:
		prefix = "user."
	}
	if strings.HasPrefix(name, prefix) {
		return name
	}
	return prefix + name
}
