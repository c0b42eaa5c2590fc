package codex

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// adaptations returns the adaptations for the user's settings. A project's settings apply only if
// the user trusts the project. Vade reports a project's settings but applies only the agents in
// them; see [trusted].
func adaptations() []host.Adaptation {
	trust := userConfig("projects")
	return slices.Concat(
		[]host.Adaptation{{UnreadSetting: trust, ApplyIn: trusted}, {UnreadSetting: userConfig("plugins"), Apply: plugins}},
		host.Adapting(unread(), "project_doc_fallback_filenames", host.InHome, fallbackNames),
		host.Adapting(unread(), "project_doc_max_bytes", host.InHome, maxBytes),
		host.Adapting(unread(), "config", host.InHome, skillsOff),
	)
}

// userConfig returns the setting with the given key in the user's file.
func userConfig(key string) host.UnreadSetting {
	return host.InTOML(host.UnreadIn(host.InHome, ".codex/config.toml", homeEnv, [2]string{key}))[0]
}

// entries returns the key that defines agents in the user's settings (case a08).
func entries() []host.EntryRow {
	return agentsIn(userConfig(""))
}

func agentsIn(file host.UnreadSetting) []host.EntryRow {
	rows := host.EntriesIn([]host.UnreadSetting{file}, "agents", definition.Agent, "")
	rows[0].First, rows[0].File = true, "config_file"
	return rows
}

// trusted applies the user's list of trusted projects. If the current project is trusted, its
// agents become active, including those in its settings (a06; observed in 0.169.0).
func trusted(p *host.Profile, value json.RawMessage, dirs []string) bool {
	var projects map[string]struct {
		Level string `json:"trust_level"`
	}
	if json.Unmarshal(value, &projects) != nil {
		return false
	}
	for _, dir := range dirs {
		if projects[dir].Level == "trusted" {
			p.Listing.AgentHidden, p.Precedence = nil, func(definition.Kind) []definition.Layer { return layers() }
			file := host.UnreadSetting{Base: host.InProject, Path: ".codex/config.toml", Format: definition.TOML}
			p.Entries = append(p.Entries, agentsIn(file)...)
			return true
		}
	}
	return true
}

// skillsOff applies the [[skills.config]] tables, which disable skills by their files' paths (case
// h22).
func skillsOff(p *host.Profile, value json.RawMessage) bool {
	var list []struct {
		Path    string `json:"path"`
		Enabled *bool  `json:"enabled"`
	}
	if json.Unmarshal(value, &list) != nil {
		return false
	}
	off := map[string]bool{}
	for _, s := range list {
		if s.Path == "" {
			return false
		}
		off[path.Clean(strings.ReplaceAll(s.Path, `\`, "/"))] = s.Enabled != nil && !*s.Enabled
	}
	p.Refuse(func(d *definition.Definition) bool {
		return d.Kind == definition.Skill && off[d.Origin.Real]
	})
	return true
}

// plugins enables the plugins listed in [plugins."NAME@MARKETPLACE"] tables (case p01).
func plugins(p *host.Profile, value json.RawMessage) bool {
	var tables map[string]struct{ Enabled bool }
	if json.Unmarshal(value, &tables) != nil {
		return false
	}
	for id, t := range tables {
		if t.Enabled {
			p.Plugins.Installed.Enabled = append(p.Plugins.Installed.Enabled, id)
		}
	}
	slices.Sort(p.Plugins.Installed.Enabled)
	return true
}

func fallbackNames(p *host.Profile, value json.RawMessage) bool {
	names, ok := host.FileNames(value)
	if !ok {
		return false
	}
	for _, name := range names {
		if name == "AGENTS.md" || name == "AGENTS.override.md" {
			continue
		}
		p.Roots = append(p.Roots, host.JoinRoots(host.PlacesIn(definition.Project, host.InProject).File(name))...)
		p.Instructions.Rows = append(p.Instructions.Rows, host.InstructionRow{
			Layer: definition.Project, Source: host.SourceProject, File: name, Group: "codex", NotNested: true,
		})
		p.Fallbacks = append(p.Fallbacks, host.Fallback{Files: []string{name}, Unless: []string{"AGENTS.override.md", "AGENTS.md"}, SameDir: true})
	}
	return true
}

func maxBytes(p *host.Profile, value json.RawMessage) bool {
	var n int64
	if json.Unmarshal(value, &n) != nil || n <= 0 {
		return false
	}
	p.Instructions.MaxTotal = n
	return true
}

// connect returns the files in Codex's documentation. A project's file is read only if the user
// trusts the project.
func connect(string) host.Connect {
	return host.Connect{
		Project: []string{".codex/config.toml"}, User: []string{".codex/config.toml"},
		Next: "the host reads this file only in trusted projects; to check, run /mcp in the host",
	}
}

// agentServers returns the format of the servers in Codex's agents, which are TOML.
func agentServers(key string, syntax definition.Format) *host.ServerFormat {
	if syntax != definition.TOML || key == "mcp-servers" {
		return nil
	}
	f := servers()
	f.Name, f.Path, f.Shared = "an agent's mcp_servers field", "", false
	return f
}

func Configs() []host.Config {
	return []host.Config{
		host.ServersIn(definition.Project, host.InProject, ".codex/config.toml", servers()).WithHooks("hooks", hooks()),
		host.ServersIn(definition.User, host.InHome, ".codex/config.toml", servers()).MovedBy(homeEnv, 0).WithHooks("hooks", hooks()),
		host.HooksIn(definition.Project, host.InProject, ".codex/hooks.json", hooks()),
		host.HooksIn(definition.User, host.InHome, ".codex/hooks.json", hooks()).MovedBy(homeEnv, 0),
	}
}

// servers describes the server tables in Codex's config.toml, according to config/mcp_types.rs in
// Codex's source code. Values are never expanded; the file lists the names of the variables to pass
// on.
func servers() *host.ServerFormat {
	return &host.ServerFormat{
		Name: ".codex/config.toml", Basis: host.FromSource, Path: ".codex/config.toml", Shared: true, Syntax: definition.TOML, Key: "mcp_servers",
		Untyped:   true,
		Addresses: []host.ServerWord{{Word: "url", Transport: host.HTTP}},
		Args:      "args", Env: "env", Cwd: "cwd", Headers: "http_headers", Timeout: "tool_timeout_sec", Start: "startup_timeout_sec",
		Unit: time.Second, On: "enabled", Tools: "enabled_tools", NotTools: "disabled_tools",
		PlainNames: true,
		EnvNames:   "env_vars", HeaderNames: "env_http_headers", Bearer: "bearer_token_env_var",
	}
}

// unread returns the settings in Codex's documentation that affect loading. Vade reports those that
// [adaptations] does not apply.
func unread() []host.UnreadSetting {
	keys := [][2]string{
		{"project_doc_fallback_filenames", "lists the files to read if AGENTS.md is missing"},
		{"project_doc_max_bytes", "limits the total size of the instruction files that are sent"},
		{"project_root_markers", "sets which files mark the project root"},
	}
	off := [2]string{"config", "disables skills"}
	return host.InTOML(slices.Concat(
		host.UnreadIn(host.InHome, ".codex/config.toml", homeEnv, keys...),
		host.BelowKey("skills", host.UnreadIn(host.InHome, ".codex/config.toml", homeEnv, off)),
		host.UnreadIn(host.InProject, ".codex/config.toml", "", keys...),
	))
}
