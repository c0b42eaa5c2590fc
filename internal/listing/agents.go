package listing

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// Agents returns the lines of agents in the host's order. Their descriptions are
// as they are written, with their line breaks (Claude Code 2.1.329, case m54).
func Agents(t *host.Listing, agents []*definition.Definition) []Line {
	if t.Agent == nil {
		return nil
	}
	agents = slices.Clone(agents)
	slices.SortStableFunc(agents, func(a, b *definition.Definition) int { return t.Compare(a.Name, b.Name) })
	var lines []Line
	for _, d := range agents {
		lines = append(lines, Line{d, t.Agent(d.Name, d.Description, tools(t, d))})
	}
	return lines
}

// tools says which tools an agent has: its list as it is written (m54), without
// those that it may not have, which is inferred.
func tools(t *host.Listing, d *definition.Definition) string {
	has, not := d.Fields.Tools(), d.Fields.DisallowedTools()
	if len(has) == 0 || slices.Contains(has, "*") {
		if len(not) == 0 {
			return t.AllTools
		}
		return t.AllBut + strings.Join(not, ", ")
	}
	var left []string
	for _, tool := range has {
		if !slices.Contains(not, tool) {
			left = append(left, tool)
		}
	}
	if len(left) == 0 {
		return t.NoTools
	}
	return strings.Join(left, ", ")
}

// Has reports whether an agent has one of some tools, which is the case for all
// where it has no list. With a list in parentheses, "Tool(a, b)", it has the
// tool.
func HasTool(d *definition.Definition, names ...string) bool {
	for _, name := range names {
		if slices.Contains(d.Fields.DisallowedTools(), name) {
			continue
		}
		if len(d.Fields.Tools()) == 0 {
			return true
		}
		for _, tool := range d.Fields.Tools() {
			tool, _, _ = strings.Cut(tool, "(")
			if tool == "*" || tool == name {
				return true
			}
		}
	}
	return false
}
