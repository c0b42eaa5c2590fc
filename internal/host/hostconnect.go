package host

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// connectPaths says in which of a host's files an entry for an MCP server is
// written by hand or by the host's own command, the first where none of them is
// there. All are rows of the host's Configs, which say how they are written and
// which variable moves them.
//
// next is what the user still has to do there, of an entry in a project: documented
// by each host.
type connectPaths struct {
	project, user []string
	next          string
}

// connectTable rests on the documents of the hosts for the places, and on the
// tables of [ServerFormat] for the form. Hosts without a file of MCP servers are
// not in it.
func connectTable(name, goos string) connectPaths {
	switch name {
	case "claude-code":
		// documented: the scopes project and user. The scope "local" is a part of the
		// user's file that is named after one directory, and is not written.
		return connectPaths{[]string{".mcp.json"}, []string{".claude.json"}, "it asks at its next start whether the server of the project may be used; see /mcp"}
	case "codex":
		// documented: a project's file counts in projects that the user trusts.
		return connectPaths{[]string{".codex/config.toml"}, []string{".codex/config.toml"}, "it reads the file only in a project that you trust; see /mcp"}
	case "copilot-cli":
		// documented. The project's .mcp.json is read too, and is Claude Code's.
		return connectPaths{[]string{".github/mcp.json"}, []string{".copilot/mcp-config.json"}, "it reads the file only in a directory that you trust; see /mcp"}
	case "copilot-vscode":
		// documented; the places of the user's file: source (environmentService.ts).
		user := ".config/Code/User/mcp.json"
		switch goos {
		case "darwin":
			user = "Library/Application Support/Code/User/mcp.json"
		case "windows":
			user = "AppData/Roaming/Code/User/mcp.json"
		}
		return connectPaths{[]string{".vscode/mcp.json"}, []string{user}, "it asks at the first start whether you trust the server; see the command MCP: List Servers"}
	case "gemini":
		return connectPaths{[]string{".gemini/settings.json"}, []string{".gemini/settings.json"}, "it reads the file only in a folder that you trust; see /mcp"}
	case "opencode":
		return connectPaths{
			[]string{"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"},
			[]string{".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"},
			"start it anew; see: opencode mcp list",
		}
	case "cursor":
		return connectPaths{[]string{".cursor/mcp.json"}, []string{".cursor/mcp.json"}, "switch the server on where its settings list the tools of MCP"}
	case "qwen":
		return connectPaths{[]string{".qwen/settings.json"}, []string{".qwen/settings.json"}, "it reads the file only in a folder that you trust; see /mcp"}
	}
	return connectPaths{}
}

// ConnectFiles returns the files that an entry for an MCP server can be added to so
// that the host uses the server: in a project (layer definition.Project) or for the
// user in all projects (definition.User). The first that is there is meant, or else
// the first. There are none for a host without such files.
func (p *Profile) ConnectFiles(layer definition.Layer, goos string) []Config {
	table := connectTable(p.Name, goos)
	paths, base := table.project, InProject
	if layer == definition.User {
		paths, base = table.user, InHome
	}
	var files []Config
	for _, name := range paths {
		i := slices.IndexFunc(p.Configs, func(c Config) bool {
			return c.Path == name && c.Layer == layer && c.Base == base && c.Words != nil && c.ForProject == ""
		})
		if i >= 0 {
			files = append(files, p.Configs[i])
		}
	}
	return files
}

// ConnectNext is what the user has to do in the host before it uses a server that was
// added to a project, in a few words: documented. "" is nothing that is known.
func (p *Profile) ConnectNext() string { return connectTable(p.Name, "").next }

// Connectable returns the names of the hosts that have [Profile.ConnectFiles].
func Connectable() []string {
	var names []string
	for _, f := range families() {
		if len(connectTable(f.name, "").project) > 0 {
			names = append(names, f.name)
		}
	}
	return names
}

// Moved is the path of the file below the directory that its variable Env names.
func (c Config) Moved() string {
	elements := 1
	switch {
	case c.EnvDepth == EnvHome:
		elements = 0
	case c.EnvDepth > 0:
		elements = c.EnvDepth
	}
	rest := c.Path
	for range elements {
		_, rest, _ = strings.Cut(rest, "/")
	}
	return rest
}
