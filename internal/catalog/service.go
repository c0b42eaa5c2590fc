package catalog

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/resolve"
)

// ArgumentHint returns the text that tells people which arguments a command or skill takes.
func (d Definition) ArgumentHint() string { return d.d.Fields.ArgumentHint() }

// Agents returns the agents that a command, skill or instruction is for. An empty list means all
// agents. For an agent, it returns the agents that this agent may start.
func (d Definition) Agents() []string { return d.d.Fields.Agents() }

// Skills returns the names of an agent's preloaded skills.
func (d Definition) Skills() []string { return d.d.Fields.Skills() }

// Tools returns the tools that an agent may use, as written in the file. An empty list means all
// tools.
func (d Definition) Tools() []string { return d.d.Fields.Tools() }

// DisallowedTools returns the tools that an agent or skill must not use, as written in the file.
func (d Definition) DisallowedTools() []string { return d.d.Fields.DisallowedTools() }

// Model returns the requested model as written in the file, or "".
func (d Definition) Model() string { return d.d.Fields.Model() }

// Keywords returns search keywords.
func (d Definition) Keywords() []string { return d.d.Fields.Keywords() }

// HasArchitectureAccess reports whether an agent may see the project's architecture. The caller
// decides what that means.
func (d Definition) HasArchitectureAccess() bool { return d.d.Fields.HasArchitectureAccess }

// ID identifies the definition's file. For an agent, it is the file name without the extension,
// which may differ from the Name in the frontmatter. For other kinds, it is the Name.
func (d Definition) ID() string {
	if d.d.Kind == definition.Agent {
		return AgentID(d.d)
	}
	return d.d.Name
}

// Source returns where the definition comes from. It is "repo" for a project file, "builtin" for a
// project's or Vade's defaults, "package" for a command in a package.json, and otherwise the
// layer's name. Among definitions with the same name, "repo" takes precedence over "builtin", and
// "builtin" over "package".
func (d Definition) Source() string { return SourceOf(d.d) }

// SourceOf returns a definition's [Definition.Source].
func SourceOf(d *definition.Definition) string {
	switch {
	case d.Origin.Layer == definition.Project:
		return "repo"
	case d.Origin.Layer == definition.Bundled && d.Format == definition.Package:
		return "package"
	case d.Origin.Layer == definition.Bundled:
		return "builtin"
	}
	return d.Origin.Layer.String()
}

// ForAgent reports whether the definition is offered to the named agent. A command, skill or
// instruction that lists agents is only for those agents ("*" means any). An instruction is not
// offered to agents that it excludes. Agents themselves are offered to every agent.
func (d Definition) ForAgent(name string) bool {
	all := d.c.scanned()
	if all == nil {
		return name == "" || (&AgentFilter{names: []string{name}}).Allows(d.d)
	}
	return FilterFor(all, name).Allows(d.d)
}

// AgentFilter decides which definitions an agent may load. Definitions may refer to the agent by
// any of its names. A nil filter represents a person, who may load everything.
type AgentFilter struct{ names []string }

// FilterFor returns the filter for the named agent. If the agent is unknown, the filter considers
// only the given name.
func FilterFor(all *resolve.Catalog, name string) *AgentFilter {
	if name == "" {
		return nil
	}
	a := &AgentFilter{names: []string{name}}
	if d := FindAgent(all, name); d != nil {
		a.names = append(append(a.names, d.Name, AgentID(d)), d.Aliases...)
	}
	return a
}

// FindAgent returns the active agent with the given name. If there is none, it returns the only
// active agent whose [AgentID] is name. If several agents have this ID, it returns nil.
func FindAgent(all *resolve.Catalog, name string) *definition.Definition {
	if d := all.Get(definition.Agent, name); d != nil {
		return d
	}
	var found *definition.Definition
	for _, d := range all.OfKind(definition.Agent) {
		if d.State != definition.Loaded || AgentID(d) != name {
			continue
		}
		if found != nil {
			return nil
		}
		found = d
	}
	return found
}

// AgentID returns an agent's file name without the extension.
func AgentID(d *definition.Definition) string {
	base := path.Base(d.Origin.Path)
	for _, suffix := range []string{".agent.md", ".chatmode.md", ".md", ".toml"} {
		if len(base) > len(suffix) && strings.EqualFold(base[len(base)-len(suffix):], suffix) {
			return base[:len(base)-len(suffix)]
		}
	}
	return base
}

// Allows reports whether the agent may load the definition.
func (a *AgentFilter) Allows(d *definition.Definition) bool {
	if a == nil || d.Kind == definition.Agent {
		return true
	}
	is := func(name string) bool { return slices.Contains(a.names, name) }
	if d.Kind == definition.Instruction && slices.ContainsFunc(d.Fields.ExcludeAgent(), is) {
		return false
	}
	for _, name := range d.Fields.Agents() {
		if name == "*" || is(name) {
			return true
		}
	}
	// An empty agent list means that only people may load the definition.
	return d.Fields.Agents() == nil
}

// CheckAgent returns an error if the agent may not load the definition.
func (c *Catalog) CheckAgent(ctx context.Context, agent string, d *definition.Definition) error {
	if agent == "" || d.Kind == definition.Agent || d.Fields.Agents() == nil && len(d.Fields.ExcludeAgent()) == 0 {
		return nil
	}
	all, err := c.Scan(ctx)
	if err != nil {
		return err
	}
	if FilterFor(all, agent).Allows(d) {
		return nil
	}
	allowed := strings.Join(d.Fields.Agents(), ", ")
	switch {
	case allowed != "":
	case d.Fields.Agents() != nil:
		allowed = "people only"
	default:
		allowed = "all except " + strings.Join(d.Fields.ExcludeAgent(), ", ")
	}
	return &definition.Error{
		Code: diag.NotForAgent, Message: fmt.Sprintf("the %s '%s' is not for the agent '%s'; it is for: %s", d.Kind, d.Name, agent, allowed),
		Agents: d.Fields.Agents(), SearchedPaths: []string{d.Origin.Path},
		Fix: "to allow the agent, change the agents or excludeAgent field in " + d.Origin.Path,
	}
}
