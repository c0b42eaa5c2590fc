package host

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
)

// Connect says in which of a host's files an entry for an MCP server is written by
// hand or by the host's own command, the first where none of them is there. All are
// rows of the host's Configs, which say how they are written and which variable moves
// them.
type Connect struct {
	Project, User []string
	// Next is what the user still has to do there, of an entry in a project:
	// documented by each host.
	Next string
}

// ConnectFiles returns the files that an entry for an MCP server can be added to so
// that the host uses the server: in a project (layer definition.Project) or for the
// user in all projects (definition.User). The first that is there is meant, or else
// the first. There are none for a host without such files.
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

// ConnectNext is what the user has to do in the host before it uses a server that was
// added to a project, in a few words: documented. "" is nothing that is known.
func (p *Profile) ConnectNext() string {
	if p.Connect == nil {
		return ""
	}
	return p.Connect("").Next
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
