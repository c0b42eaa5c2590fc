package host

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
)

// Connect lists the files to which a user or the host's own command can add an MCP server entry. If
// none of them exists, the first one is created. The host's Configs also contains each file, with
// its format and the environment variable that changes its location.
type Connect struct {
	Project, User []string
	// Next tells the user what else to do after adding an entry to a project,
	// according to the host's documentation.
	Next string
}

// ConnectFiles returns the files to which an MCP server entry can be added. If layer is
// definition.Project, the entry applies to one project. If it is definition.User, it applies to all
// of the user's projects. Callers should use the first file that exists, or the first file if none
// exists. The list is empty if the host has no such files.
func (p *Profile) ConnectFiles(layer definition.Layer, goos string) []Config {
	if p.Connect == nil {
		return nil
	}
	table := p.Connect(goos)
	paths, base := table.Project, InProject
	if layer == definition.User {
		paths, base = table.User, InHome
	}
	var files []Config
	configs := p.ConfigFiles()
	for _, name := range paths {
		i := slices.IndexFunc(configs, func(c Config) bool {
			return c.Path == name && c.Layer == layer && c.Base == base && c.Words != nil && c.ForProject == ""
		})
		if i >= 0 {
			files = append(files, configs[i])
		}
	}
	return files
}

// ConnectNext returns what the user must do before the host uses a server added to a project,
// according to the host's documentation. It returns "" if this is not documented.
func (p *Profile) ConnectNext() string {
	if p.Connect == nil {
		return ""
	}
	return p.Connect("").Next
}

// Moved returns the file's path relative to the directory that Env specifies.
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
