package instructions

import (
	"context"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/tokens"
)

// Scope says for what an instruction file is there.
type Scope uint8

// The scopes, in the order of [Combine].
const (
	// ScopeAll: for all agents and files.
	ScopeAll Scope = iota
	// ScopeAgent: for the agent.
	ScopeAgent
	// ScopeFiles: for files that are worked on, by its patterns or its directory.
	ScopeFiles
)

// String returns "all", "agent" or "files".
func (s Scope) String() string { return [...]string{"all", "agent", "files"}[s] }

// MarshalText makes a scope a word in JSON.
func (s Scope) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Composed are the instructions for one agent.
type Composed struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	// Agent is the agent that they are for, "" for the main conversation.
	Agent string `json:"agent"`
	// Text is what is put before the agent: in the neutral view an element
	// <custom-instructions source="repo" agent="architect"> for each source, in the
	// view of a host what that host sends. It is "" where there is nothing.
	Text string `json:"text"`
	// Parts are the files in it, in their order there.
	Parts []ComposedPart `json:"parts"`
	// Tokens estimates what Text costs.
	Tokens      int               `json:"tokens"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// ComposedPart is one file of composed instructions.
type ComposedPart struct {
	FilePart
	// Source is the word of the element that it stands in: "managed", "user",
	// "repo", "plugin", "bundled".
	Source string `json:"source"`
	Scope  Scope  `json:"scope"`
	// Tokens estimates what the text costs.
	Tokens int `json:"tokens"`
}

// Compose puts the instructions for an agent together, "" being the main
// conversation, who works on some files, none being fine.
//
// In the neutral view each source has an element of its own: managed, user, repo
// (the project), plugin, bundled. In each come first the files that are for all,
// then those for the agent (such as .github/agents/NAME/*.instructions.md, or with
// a field agents), then those that the files bring in: by their patterns, or
// because they stand in a directory above one and not above the working directory.
// Among each of these the order is that of [For], as are the
// limits. A file that holds a tag of the element can not end it: the tag is escaped,
// and a diagnostic says so.
//
// In the view of a host the text is what the host sends, in its order, with an empty
// line between its messages.
func BuildForAgent(ctx context.Context, c *catalog.Catalog, agent string, files ...string) (*Composed, error) {
	return BuildFiltered(ctx, c, agent, files, nil)
}

// ComposeFor composes of the files that takes takes; nil takes all.
func BuildFiltered(ctx context.Context, c *catalog.Catalog, agent string, files []string, takes func(*definition.Definition) bool) (*Composed, error) {
	x, err := build(ctx, c, Request{Agent: agent, Files: files}, builder{scoped: true, include: takes})
	if err != nil {
		return nil, err
	}
	out := &Composed{
		Host: x.out.Host, Version: x.out.Version, Agent: agent, Parts: []ComposedPart{}, Diagnostics: x.out.Diagnostics,
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
