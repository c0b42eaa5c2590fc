package instructions

import (
	"context"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/tokens"
)

// Scope is the scope of an instruction file.
type Scope uint8

// The scopes, in the order of [BuildForAgent].
const (
	// ScopeAll applies to all agents and files.
	ScopeAll Scope = iota
	// ScopeAgent applies to the agent.
	ScopeAgent
	// ScopeFiles applies to the files being worked on, by its patterns or its directory.
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
	// Agent is the agent, "" for the main conversation.
	Agent string `json:"agent"`
	// Text is the text that is sent. In the neutral view it has an element such as
	// <custom-instructions source="repo" agent="architect"> for each source; in a host's view it
	// is the host's text. It is "" if there are no instructions.
	Text string `json:"text"`
	// Parts are the files in the text, in order.
	Parts []ComposedPart `json:"parts"`
	// Tokens is the estimated number of tokens in Text.
	Tokens      int               `json:"tokens"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// ComposedPart is a file of composed instructions.
type ComposedPart struct {
	FilePart
	// Source is the source attribute of its element: "managed", "user", "repo", "plugin" or
	// "bundled".
	Source string `json:"source"`
	Scope  Scope  `json:"scope"`
	// Tokens is the estimated number of tokens in the part's text.
	Tokens int `json:"tokens"`
}

// BuildForAgent returns the instructions for an agent, "" for the main conversation, working on
// zero or more files.
//
// In the neutral view each source has an element: managed, user, repo (the project), plugin,
// bundled. Each element contains first the files for all agents, then those for this agent (such
// as .github/agents/NAME/*.instructions.md, or files with an agents field), then those that the
// files activate, by their patterns or because they are in a directory between the working
// directory and a file. The order within these groups and the limits are the same as in [Build].
// Tags of the element that occur in a file are escaped and reported.
//
// In a host's view the text is what the host sends, in its order, with an empty line between
// messages.
func BuildForAgent(ctx context.Context, c *catalog.Catalog, agent string, files ...string) (*Composed, error) {
	return BuildFiltered(ctx, c, Request{Agent: agent, Files: files}, Filter{})
}

// Filter changes which instructions [BuildFiltered] includes.
type Filter struct {
	// Include selects definitions. nil includes all.
	Include func(*definition.Definition) bool
	// AnyFile also includes instructions that are limited to certain files, even if no such file
	// is being worked on, and states which files each applies to. It also includes instructions
	// that a model would request. It applies only to the neutral view.
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
