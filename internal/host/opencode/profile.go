// Package opencode describes opencode. [Host] returns its profile and capabilities.
package opencode

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// Session is the name of opencode's session format.
const Session = "opencode"

func sessions() *host.Sessions {
	return &host.Sessions{
		Format: Session, Dir: ".local/share/opencode", Env: "XDG_DATA_HOME", Moved: "opencode", Files: []string{"opencode.db"},
		NoCommands: true,
	}
}

// Host describes opencode.
func Host() host.Host {
	return host.Host{
		Name: "opencode", Versions: []string{"1.18.33"}, View: view,
		Export: export, Servers: servers, Connect: connect,
		Client: func(name string) bool { return name == "opencode" }, // source
		Tools:  host.ToolsNamed(tool),
		Launch: launch, Sessions: sessions,
		Bodies: func() *host.Bodies {
			return &host.Bodies{Dirs: []string{".opencode", ".config/opencode"}, Syntax: syntax}
		},
	}
}

func view(string) *host.Profile {
	return &host.Profile{
		Facts:     facts(),
		Roots:     roots(),
		Ancestors: host.ToFilesystem,
		MaxFile:   host.MaxHostFile,
		Silent:    true,
		Walk:      host.Walk{SkipHidden: true, Modules: true},
		// In the project, opencode reads only the first of AGENTS.md, CLAUDE.md and CONTEXT.md that
		// exists in any directory. If the user has both AGENTS.md and CLAUDE.md, it reads only
		// AGENTS.md (see cases n02 and n04 and opencode's source code).
		Fallbacks: []host.Fallback{
			{Files: []string{"CLAUDE.md", "CONTEXT.md"}, Unless: []string{"AGENTS.md"}},
			{Files: []string{"CONTEXT.md"}, Unless: []string{"CLAUDE.md"}},
			{Files: []string{"CLAUDE.md"}, Unless: []string{"AGENTS.md"}, Layer: definition.User},
		},
		Configs: Configs,
		UserDir: ".config/opencode", UserEnv: "XDG_CONFIG_HOME",
		Dialect: dialect(),
		Fields:  fields, Naming: naming, Described: described,
		// The description, mode and disable fields in opencode.json apply unless the file sets them
		// (case l02).
		DeepAlike: true, Clash: clash, MergesAgents: true,
		NameField:    nameField,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   precedence,
		Prompt:       prompt(),
		Listing:      listing(),
		Instructions: instructions(),
		Unread:       unread(), Toggles: host.Toggles{Skills: host.ToggleIn(unread(), "skill").Words(definition.String, "deny", "allow")}, Adaptations: adaptations(),
		Entries:  entries(),
		Switches: host.SwitchTouched,
	}
}

func facts() []host.Fact {
	return []host.Fact{
		{Cell: host.CellRoots, Basis: host.Observed, Text: "Reads skills from .claude/skills, .agents/skills, .opencode/skill and .opencode/skills in the project, and from ~/.claude/skills, ~/.agents/skills, ~/.config/opencode/skill and ~/.config/opencode/skills.", From: "n01"},
		{Cell: host.CellRoots, Basis: host.FromSource, Text: "Searches every directory from the working directory up to the repository root or, outside a repository, up to the file system root.", From: "skill/index.ts, config/paths.ts"},
		{Cell: host.CellRoots, Basis: host.FromSource, Text: "XDG_CONFIG_HOME overrides ~/.config. OPENCODE_CONFIG_DIR adds another configuration directory.", From: "config/paths.ts"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "A skill may be at any depth, in the root itself, in node_modules or inside another skill.", From: "n09, rows d7, node_modules/nm and par"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "Hidden directories are read in .claude/skills and .agents/skills, but not in opencode's directories.", From: "n09, row .hid"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "Symlinks are followed. The host follows symlink loops repeatedly; Vade does not.", From: "rows dirlink and filelink; format notes, section 10.2"},
		{Cell: host.CellDelimiters, Basis: host.Observed, Text: "The file must start with \"---\", optionally preceded by a byte order mark and followed by spaces.", From: "rows blank, bom, tailo"},
		{Cell: host.CellDelimiters, Basis: host.FromSource, Text: "The next line that starts with \"---\" closes the block. Without one, the whole file is frontmatter.", From: "gray-matter"},
		{Cell: host.CellYAML, Basis: host.Observed, Text: "If the YAML is invalid, values with a colon are converted to block scalars and the YAML is parsed again. A file with other errors or duplicate keys is ignored.", From: "rows anch, at, bracket, quote; n09"},
		{Cell: host.CellYAML, Basis: host.Observed, Text: "Tabs used as indentation are ignored.", From: "n09"},
		{Cell: host.CellAgents, Basis: host.Observed, Text: "Reads the *.md files in .opencode/agent and .opencode/agents.", From: "n06"},
		{Cell: host.CellAgents, Basis: host.FromSource, Text: "Agents may be at any depth. Agents in ~/.config/opencode are also read.", From: "config/config.ts"},
		{Cell: host.CellTrust, Basis: host.FromSource, Text: "Trust is not required.", From: "skill/index.ts"},
		{Cell: host.CellCommands, Basis: host.Observed, Text: "Commands and skills are templates: $1 is the first argument, the placeholder with the highest number takes all remaining arguments, $0 is \"undefined\", $ARGUMENTS is the whole argument string, !`command` runs a command, and @path attaches a file.", From: "n05, n07"},
		{Cell: host.CellCommands, Basis: host.Observed, Text: "An unknown command ends the run.", From: "n05-1"},
		{Cell: host.CellCommands, Basis: host.FromSource, Text: "The agent, model and subtask fields determine how the prompt runs. If there is no placeholder, arguments are appended to the body.", From: "session/prompt.ts"},
		{Cell: host.CellRendering, Basis: host.Observed, Text: "A file mentioned in the expanded text is sent after it as the output of the Read tool.", From: "n05, n07"},
		{Cell: host.CellRendering, Basis: host.FromSource, Text: "Commands run without asking the user, and only their stdout is used, even if they fail. Arguments are inserted before commands are recognized.", From: "session/prompt.ts"},
		{Cell: host.CellRendering, Basis: host.FromSource, Text: "The skill tool returns the body and the names of up to ten files in the skill's directory.", From: "tool/skill.ts"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "Skills require a name, which must be a string. A description is optional but must be a string. All other fields, including disable-model-invocation, are ignored.", From: "rows dmi, listdesc, nodesc, noname, numname"},
		{Cell: host.CellFields, Basis: host.FromSource, Text: "If a value in a command or agent has the wrong type, the host reports that its configuration is invalid.", From: "config/command.ts, v1/config/agent.ts"},
		{Cell: host.CellFields, Basis: host.FromSource, Text: "An agent with disable: true is disabled.", From: "config/config.ts"},
		{Cell: host.CellFields, Basis: host.Inferred, Text: "A skill whose name or description is a YAML date is not loaded."},
		{Cell: host.CellNames, Basis: host.Observed, Text: "A skill's name comes from its frontmatter, regardless of its directory name.", From: "rows badname, mism, spname"},
		{Cell: host.CellNames, Basis: host.FromSource, Text: "Commands and agents take their names from the frontmatter or, if it has none, from the file path, including its slashes.", From: "config/command.ts, config/agent.ts"},
		{Cell: host.CellClashes, Basis: host.FromSource, Text: "Skills are read concurrently. If two skills have the same name, the one that is read last wins, which varies between runs.", From: "skill/index.ts; format notes, section 7"},
		{Cell: host.CellClashes, Basis: host.Inferred, Text: "When invoked, a command wins over a skill with the same name."},
		{Cell: host.CellListing, Basis: host.Observed, Text: "Lists every skill in full, unescaped and without a limit. disable-model-invocation has no effect.", From: "n09, n14, row dmi"},
		{Cell: host.CellListing, Basis: host.Observed, Text: "Agents are listed in tool definitions; commands are not listed.", From: "n05, n06"},
		{Cell: host.CellListing, Basis: host.FromSource, Text: "Skills and agents are sorted by name. Agents whose mode is primary are omitted.", From: "skill/index.ts, tool/registry.ts"},
		{Cell: host.CellListing, Basis: host.Inferred, Text: "A skill without a description is not listed.", From: "ports of the host"},
		{Cell: host.CellInstructions, Basis: host.Observed, Text: "Reads AGENTS.md, or CLAUDE.md if no directory has an AGENTS.md. Also reads ~/.config/opencode/AGENTS.md or, if it does not exist, ~/.claude/CLAUDE.md. Imports are not supported.", From: "n02, n03, n04"},
		{Cell: host.CellInstructions, Basis: host.FromSource, Text: "CONTEXT.md is read if the project has neither an AGENTS.md nor a CLAUDE.md. The user's file comes first, then the project's files from the working directory up. When the agent reads a file, the instruction files in the directories from the working directory down to that file are added.", From: "session/instruction.ts"},
		{Cell: host.CellInstructions, Basis: host.Observed, Text: "The files listed in the instructions field of opencode.json come next: the user's entries, then the project's. A relative path is resolved against each directory from the working directory up. Vade reads paths to .md, .mdc and .txt files, DIR/*.md and DIR/**/*.md, and warns if the field lists other paths.", From: "i11"},
	}
}

// roots returns the directories in order of precedence, as observed in case n11. The project's
// opencode directory comes first. If two skills have the same name, the host's choice between them
// varies from run to run.
func roots() []host.Root {
	skill := host.SkillFile(0, host.AnyDepth)
	own := func(p *host.RootList, at string) *host.RootList {
		return p.Dir(below(at, "skills"), skill).Dir(below(at, "skill"), skill).
			Dir(below(at, "commands"), host.FilesEndingIn(definition.Command, ".md", host.AnyDepth, host.BySlashPath)).
			Dir(below(at, "command"), host.FilesEndingIn(definition.Command, ".md", host.AnyDepth, host.BySlashPath)).
			Dir(below(at, "agents"), host.FilesEndingIn(definition.Agent, ".md", host.AnyDepth, host.BySlashPath)).
			Dir(below(at, "agent"), host.FilesEndingIn(definition.Agent, ".md", host.AnyDepth, host.BySlashPath))
	}
	// In directories that belong to other hosts, hidden entries are also read.
	shared := func(p *host.RootList) *host.RootList {
		hidden := func(r *host.Root) { r.Hidden = true }
		return p.Dir(".agents/skills", skill).Last(hidden).Dir(".claude/skills", skill).Last(hidden)
	}
	return host.JoinRoots(
		shared(own(host.PlacesIn(definition.Project, host.InProject), ".opencode")).
			File("AGENTS.md").File("CLAUDE.md").File("CONTEXT.md"),
		own(host.PlacesIn(definition.User, host.InHome).MovedBy("XDG_CONFIG_HOME", 0), ".config/opencode").File(".config/opencode/AGENTS.md"),
		own(host.PlacesIn(definition.User, host.InHome), ".opencode"),
		own(host.PlacesIn(definition.User, host.InEnv).MovedBy("OPENCODE_CONFIG_DIR", 0), ""),
		shared(host.PlacesIn(definition.User, host.InHome)).File(".claude/CLAUDE.md"),
	)
}

func dialect() host.Dialect {
	return host.Dialect{
		References: host.Anchors | host.MergeKeys | host.CoreTags,
		Delimiters: host.Delimiters{
			BOM: true, TrailingSpace: true, CRLF: true, NeedsLF: true, CloserPrefix: true, OpenEnd: true, BodyStart: host.BodyAtOnce,
		},
		Needed: host.IsSkill, Second: host.SecondBlocks, TabIndent: true, Dates: true,
	}
}

func precedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Project, definition.User}
}

// fields returns the fields for a kind. Skills have two fields (see skill/index.ts in opencode's
// source code and rows "nodesc" and "numname" in the frontmatter matrix), which must be strings;
// null is not accepted. If a command or agent has an invalid value, the host reports an invalid
// configuration, according to config/command.ts and v1/config/agent.ts in opencode's source code.
func fields(k definition.Kind) []host.FieldRule {
	switch k {
	case definition.Skill:
		return []host.FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: host.TakesText, Type: host.Drops, Required: true, Blank: true, Basis: host.Observed, About: "The skill's name."},
			{Key: "description", Field: definition.FieldDescription, Takes: host.TakesText, Blank: true, Type: host.Drops, Basis: host.Observed, About: "What the skill does and when to use it; a skill without a description is hidden from the model."},
		}
	case definition.Command:
		return []host.FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: host.TakesText, Type: host.Drops, Basis: host.FromSource, About: "The command's name; defaults to its path."},
			{Key: "description", Field: definition.FieldDescription, Takes: host.TakesText, Type: host.Drops, Basis: host.FromSource, About: "A one-line summary of what the command does."},
			{Key: "agent", Field: definition.FieldAgent, Takes: host.TakesText, Type: host.Drops, Basis: host.FromSource, About: "The agent that runs the command."},
			{Key: "model", Field: definition.FieldModel, Takes: host.TakesText, Type: host.Drops, Basis: host.FromSource, About: "The model the command uses, as provider/model."},
			{Key: "subtask", Field: definition.FieldSubtask, Takes: host.TakesBool, Type: host.Drops, Basis: host.FromSource, About: "Whether to run the command in a separate conversation."},
		}
	case definition.Agent:
		return agentFields()
	}
	return nil
}

func agentFields() []host.FieldRule {
	rules := []host.FieldRule{
		{Key: "name", Field: definition.FieldName, Takes: host.TakesText, About: "The agent's name; defaults to its path."},
		{Key: "description", Field: definition.FieldDescription, Takes: host.TakesText, About: "When to use the agent."},
		{Key: "mode", Field: definition.FieldMode, Takes: host.TakesText, Words: []string{"subagent", "primary", "all"}, Bad: host.Drops, About: "Whether other agents can start the agent, users can select it, or both."},
		{Key: "model", Field: definition.FieldModel, Takes: host.TakesText, About: "The model the agent uses, as provider/model."},
		{Key: "variant", Takes: host.TakesText, About: "The model's variant."},
		{Key: "temperature", Field: definition.FieldTemperature, Takes: host.TakesNumber, About: "The model's sampling temperature."},
		{Key: "top_p", Takes: host.TakesNumber, About: "The nucleus sampling threshold (top_p)."},
		{Key: "prompt", Takes: host.TakesAny, Inert: true, About: "Ignored; the body of the file is used instead."},
		{Key: "tools", Takes: host.TakesMap, Items: host.TakesBool, About: "Tools to enable or disable; superseded by permission."},
		{Key: "permission", Takes: host.TakesMap | host.TakesText, About: "What the agent may do, with or without asking for permission."},
		{Key: "disable", Takes: host.TakesBool, Disables: true, About: "If true, the agent is disabled."},
		{Key: "hidden", Takes: host.TakesBool, About: "If true, the subagent is hidden from autocomplete."},
		{Key: "options", Takes: host.TakesMap, About: "Options for the model's provider."},
		{
			Key: "color", Field: definition.FieldColor, Takes: host.TakesText, Pattern: `#[0-9a-fA-F]{6}|primary|secondary|accent|success|warning|error|info`, Bad: host.Drops,
			About: "The display color: #RRGGBB, primary, secondary, accent, success, warning, error or info.",
		},
		{Key: "steps", Takes: host.TakesNumber, Whole: true, About: "The maximum number of steps."},
		{Key: "maxSteps", Field: definition.FieldMaxTurns, Takes: host.TakesNumber, Whole: true, About: "The older name of the steps field."},
	}
	for i := range rules {
		rules[i].Type, rules[i].Basis = host.Drops, host.FromSource
	}
	return rules
}

// naming returns the naming rules. Slashes separate the parts of a command's or
// agent's path (format notes, section 7).
func naming(k definition.Kind) host.NameRule {
	if k == definition.Command || k == definition.Agent {
		return host.NameRule{Join: "/"}
	}
	return host.NameRule{}
}

// described returns the description rules. A trailing line break is kept (row "dashline").
func described(definition.Kind) host.DescriptionRule {
	return host.DescriptionRule{Clean: host.AsWritten, Missing: host.MissingNothing}
}

// clash returns how duplicate names are resolved. Skills are read in parallel, and the last one
// read wins (see skill/index.ts in opencode's source code and the format notes, section 7). For
// commands and agents, the definition in the directory that is read later wins; that directory
// comes first in the order that Vade uses.
func clash(k definition.Kind) host.Clash {
	if k == definition.Skill {
		return host.AnyWins
	}
	return host.FirstWins
}

func nameField(k definition.Kind) bool { return k != definition.Instruction }

// below returns the path of name in a directory. An empty dir adds no prefix.
func below(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
