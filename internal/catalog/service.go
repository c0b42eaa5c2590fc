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

// ArgumentHint says what arguments a command or a skill takes, for people.
func (d Definition) ArgumentHint() string { return d.d.Fields.ArgumentHint() }

// Agents are the agents that a command, a skill or an instruction is for; empty
// is all. Of an agent they are those that it may start.
func (d Definition) Agents() []string { return d.d.Fields.Agents() }

// Skills are the skills that an agent begins with, by name.
func (d Definition) Skills() []string { return d.d.Fields.Skills() }

// Tools are the tools that an agent may use, empty all of them. DisallowedTools
// are those that it, or a skill, may not use. Both are as they are written.
func (d Definition) Tools() []string { return d.d.Fields.Tools() }

// DisallowedTools is explained at Tools.
func (d Definition) DisallowedTools() []string { return d.d.Fields.DisallowedTools() }

// Model is the model that the definition asks for, as it is written; "" for none.
func (d Definition) Model() string { return d.d.Fields.Model() }

// Keywords are words to find the definition by.
func (d Definition) Keywords() []string { return d.d.Fields.Keywords() }

// HasArchitectureAccess reports whether an agent may see the architecture of the
// project. What that is, is the caller's.
func (d Definition) HasArchitectureAccess() bool { return d.d.Fields.HasArchitectureAccess }

// ID is the name of the definition's file: of an agent the file's name without its
// ending, which may be another than the Name in its frontmatter; of all others it is
// the Name.
func (d Definition) ID() string {
	if d.d.Kind == definition.Agent {
		return AgentID(d.d)
	}
	return d.d.Name
}

// Source is a word for where the definition comes from: "repo" for the project's
// own files, "builtin" for what a project or Vade ships as a default, "package" for
// the commands that a package.json contributes; else the word of the layer. Of one
// name the repository's is in force before the built-in one, and that before the
// package's.
func (d Definition) Source() string { return SourceOf(d.d) }

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

// ForAgent reports whether the definition is offered to an agent, by its name: a
// command, a skill or an instruction that names agents is for those, "*" being any,
// and an instruction for none that it excludes. Agents themselves are for all.
func (d Definition) ForAgent(name string) bool {
	all := d.c.scanned()
	if all == nil {
		return name == "" || (&AgentFilter{names: []string{name}}).Allows(d.d)
	}
	return FilterFor(all, name).Allows(d.d)
}

// Asker is an agent that asks, with the names that it has; nil is a person.
type AgentFilter struct{ names []string }

// Asking returns the agent of a name. One that is not there has just that name.
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

// AgentNamed returns the agent in force that has a name, or else the one whose file
// has it, if it is one alone; nil where there is none.
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

// AgentID is the name of an agent's file without what says that it is one.
func AgentID(d *definition.Definition) string {
	base := path.Base(d.Origin.Path)
	for _, suffix := range []string{".agent.md", ".chatmode.md", ".md", ".toml"} {
		if len(base) > len(suffix) && strings.EqualFold(base[len(base)-len(suffix):], suffix) {
			return base[:len(base)-len(suffix)]
		}
	}
	return base
}

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
	// A list that names nobody is for people alone.
	return d.Fields.Agents() == nil
}

// Refuse returns the error for an agent that asks for what is for others.
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
	who := strings.Join(d.Fields.Agents(), ", ")
	switch {
	case who != "":
	case d.Fields.Agents() != nil:
		who = "people alone"
	default:
		who = "all but " + strings.Join(d.Fields.ExcludeAgent(), ", ")
	}
	return &definition.Error{
		Code: diag.NotForAgent, Message: fmt.Sprintf("the %s '%s' is not for the agent '%s'; it is for: %s", d.Kind, d.Name, agent, who),
		Agents: d.Fields.Agents(), SearchedPaths: []string{d.Origin.Path},
		Fix: "let one of them call it, or add the agent to the field agents of " + d.Origin.Path,
	}
}
