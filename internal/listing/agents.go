package listing

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// Agents returns the host's lines for a list of agents, in the host's order. Descriptions appear as
// written, including line breaks (Claude Code 2.1.329, case m54).
func Agents(t *host.Listing, agents []*definition.Definition) []Line {
	if t.Agent == nil {
		return nil
	}
	agents = slices.Clone(agents)
	name := func(d *definition.Definition) string { return AgentName(t, d) }
	order := t.AgentOrder
	if order == nil {
		order = func(a, b *definition.Definition) int { return t.Compare(name(a), name(b)) }
	}
	slices.SortStableFunc(agents, order)
	var lines []Line
	for _, d := range agents {
		text := d.Description
		if t.AgentNote != nil {
			text += t.AgentNote(d)
		}
		lines = append(lines, Line{d, t.Agent(name(d), text, tools(t, d))})
	}
	return lines
}

// AgentName returns the name under which an agent is listed.
func AgentName(t *host.Listing, d *definition.Definition) string {
	if t.AgentTitles && d.Origin.Plugin == "" {
		return cmp.Or(d.Title, d.Name)
	}
	return d.Name
}

// tools describes the tools that an agent may use. Tool names appear as written (case m54). That
// disallowed tools are left out is inferred, not observed.
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

// HasTool reports whether an agent has at least one of the given tools. An agent without a tool
// list has all tools except those that it disallows. Arguments are ignored, so "Tool(a, b)" matches
// the tool itself.
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
