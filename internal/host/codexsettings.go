package host

import (
	"encoding/json"
	"time"

	"github.com/vadehq/vade/internal/definition"
)

// codexAdaptations are of the user's settings; those of a project count only where it
// is trusted, and are reported.
func codexAdaptations() []Adaptation {
	return append(adapting(codexUnread(), "project_doc_fallback_filenames", InHome, codexFallbackNames),
		adapting(codexUnread(), "project_doc_max_bytes", InHome, codexMaxBytes)...)
}

func codexFallbackNames(p *Profile, value json.RawMessage) bool {
	names, ok := fileNames(value)
	if !ok {
		return false
	}
	for _, name := range names {
		if name == "AGENTS.md" || name == "AGENTS.override.md" {
			continue
		}
		p.Roots = append(p.Roots, join(placesIn(definition.Project, InProject).file(name))...)
		p.Instructions.Rows = append(p.Instructions.Rows, InstructionRow{
			Layer: definition.Project, Source: SourceProject, File: name, Group: "codex", NotNested: true,
		})
		p.Fallbacks = append(p.Fallbacks, Fallback{Files: []string{name}, Unless: []string{"AGENTS.override.md", "AGENTS.md"}, Beside: true})
	}
	return true
}

func codexMaxBytes(p *Profile, value json.RawMessage) bool {
	var n int64
	if json.Unmarshal(value, &n) != nil || n <= 0 {
		return false
	}
	p.Instructions.MaxTotal = n
	return true
}

// codexConnect: documented, a project's file counts in projects that the user trusts.
func codexConnect(string) Connect {
	return Connect{
		Project: []string{".codex/config.toml"}, User: []string{".codex/config.toml"},
		Next: "it reads the file only in a project that you trust; see /mcp",
	}
}

// codexAgentServers are those of its agents, which are TOML.
func codexAgentServers(key string, syntax definition.Format) *ServerFormat {
	if syntax != definition.TOML || key == "mcp-servers" {
		return nil
	}
	f := codexServers()
	f.Name, f.Path, f.Shared = "mcp_servers of an agent", "", false
	return f
}

func codexConfigs() []Config {
	return []Config{
		serversIn(definition.Project, InProject, ".codex/config.toml", codexServers()),
		serversIn(definition.User, InHome, ".codex/config.toml", codexServers()).movedBy(codexHome, 0),
	}
}

// codexServers are the tables of Codex's config.toml: source (config/mcp_types.rs).
// Values are never looked into: variables are handed on by their names.
func codexServers() *ServerFormat {
	return &ServerFormat{
		Name: ".codex/config.toml", Basis: FromSource, Path: ".codex/config.toml", Shared: true, Syntax: definition.TOML, Key: "mcp_servers",
		Untyped:   true,
		Addresses: []ServerWord{{Word: "url", Transport: HTTP}},
		Args:      "args", Env: "env", Cwd: "cwd", Headers: "http_headers", Timeout: "tool_timeout_sec", Start: "startup_timeout_sec",
		Unit: time.Second, On: "enabled", Tools: "enabled_tools", NotTools: "disabled_tools",
		PlainNames: true,
		EnvNames:   "env_vars", HeaderNames: "env_http_headers", Bearer: "bearer_token_env_var",
	}
}

// codexUnread: documented.
func codexUnread() []UnreadSetting {
	keys := [][2]string{
		{"project_doc_fallback_filenames", "names files that take the place of a missing AGENTS.md"},
		{"project_doc_max_bytes", "says how much of the instruction files is sent"},
		{"project_root_markers", "says what the top of a project is known by"},
	}
	return append(inTOML(unreadIn(InHome, ".codex/config.toml", codexHome, keys...)),
		inTOML(unreadIn(InProject, ".codex/config.toml", "", keys...))...)
}
