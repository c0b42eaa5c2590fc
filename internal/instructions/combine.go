package instructions

import (
	"context"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/tokens"
)

// Scope describes what an instruction file applies to.
type Scope uint8

// The scopes, in the order that [BuildForAgent] uses.
const (
	// ScopeAll means that the instructions apply to all agents and files.
	ScopeAll Scope = iota
	// ScopeAgent means that the instructions apply only to the agent.
	ScopeAgent
	// ScopeFiles means that the instructions apply only while the agent works on files that match a
	// pattern or are in a certain directory.
	ScopeFiles
)

// String returns "all", "agent" or "files".
func (s Scope) String() string { return [...]string{"all", "agent", "files"}[s] }

// MarshalText encodes a scope as its name.
func (s Scope) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Composed holds the instructions for one agent.
type Composed struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	// Agent is the agent's name, or "" for the main conversation.
	Agent string `json:"agent"`
	// Text is the text that is sent, or "" if there are no instructions. In the neutral view, it
	// has one element for each source, such as <custom-instructions source="repo"
	// agent="architect">. In a host's view, it is the host's text.
	Text string `json:"text"`
	// Parts lists the files in Text, in order.
	Parts []ComposedPart `json:"parts"`
	// Tokens is the estimated number of tokens in Text.
	Tokens      int               `json:"tokens"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// ComposedPart is one file in the composed instructions.
type ComposedPart struct {
	FilePart
	// Source is the source attribute of the part's element: "managed", "user",
	// "repo", "plugin" or "bundled".
	Source string `json:"source"`
	Scope  Scope  `json:"scope"`
	// Tokens is the estimated number of tokens in the part's text.
	Tokens int `json:"tokens"`
}

// BuildForAgent returns the instructions for an agent that works on zero or more files. If agent is
// "", it returns the instructions for the main conversation.
//
// In the neutral view, each source has an element: managed, user, repo (the project), plugin,
// bundled. An element contains three groups of files. First come the files for all agents. Then
// come the files for this agent, such as .github/agents/NAME/*.instructions.md or files with an
// agents field. Last come the files activated by the files being worked on, either by pattern or
// because they are in a directory between the working directory and such a file. The order within
// these groups and the limits are the same as in [Build]. If a file contains the element's own
// tags, they are escaped and reported.
//
// In a host's view, the text is what the host sends, in its order, with a blank line between
// messages.
func BuildForAgent(ctx context.Context, c *catalog.Catalog, agent string, files ...string) (*Composed, error) {
	return BuildFiltered(ctx, c, Request{Agent: agent, Files: files}, Filter{})
}

// Filter changes which instructions [BuildFiltered] includes.
type Filter struct {
	// Include selects definitions. If nil, all are included.
	Include func(*definition.Definition) bool
	// If AnyFile is set, instructions that are limited to certain files are included even if no
	// such file is being worked on, with a note that says which files they apply to. Instructions
	// that a model would have to request are also included. AnyFile has an effect only in the
	// neutral view.
	AnyFile bool
}

// BuildFiltered is like [BuildForAgent] with a filter.
func BuildFiltered(ctx context.Context, c *catalog.Catalog, r Request, filter Filter) (*Composed, error) {
	x, err := build(ctx, c, r, builder{scoped: true, filter: filter})
	if err != nil {
		return nil, err
	}
	out := &Composed{
		Host: x.out.Host, Version: x.out.Version, Agent: r.Agent, Parts: []ComposedPart{}, Diagnostics: x.out.Diagnostics,
	}
	var texts []string
	for _, m := range x.out.Messages {
		texts = append(texts, m.Text)
	}
	out.Text = strings.Join(texts, "\n\n")
	out.Tokens = tokens.Estimate(out.Text)
	for _, p := range x.out.Parts {
		scope, known := x.scopes[p.Path]
		if !known && p.File != "" {
			scope = ScopeFiles
		}
		source := p.Layer.String()
		if p.Layer == definition.Project {
			source = "repo"
		}
		out.Parts = append(out.Parts, ComposedPart{p, source, scope, tokens.Estimate(p.Text)})
	}
	return out, nil
}
