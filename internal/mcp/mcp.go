// Package mcp reads MCP server entries from hosts' files, merges entries from multiple files, and
// writes them in another host's format. It performs no I/O and does not start servers. Possible
// secrets are dropped when an entry is read, so nothing derived from entries can contain them.
package mcp

import (
	"slices"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// Server is an MCP server entry.
type Server struct {
	Name      string
	Transport host.Transport
	// Command, Args, Env and Cwd start a server that uses the Stdio transport. URL and Headers
	// apply to the other transports.
	Command Text
	Args    []Text
	Env     []Pair
	Cwd     Text
	URL     Text
	Headers []Pair
	// Timeout limits a call, and StartTimeout limits startup. 0 selects the host's default.
	Timeout, StartTimeout time.Duration
	// Disabled reports whether the entry itself disables the server.
	Disabled bool
	// If HasTools is set, only Tools may be used. NotTools may never be used.
	Tools, NotTools []string
	HasTools        bool
	// Extras holds the entry's other keys.
	Extras []Extra

	// Origins lists where the entry is defined. It has multiple elements if multiple files have the
	// same entry.
	Origins []Origin
	// Hidden lists the values that were dropped as possible secrets. Notes holds other
	// remarks about the entry.
	Hidden []HiddenAt
	Notes  []Note

	// State is loaded, shadowed by another entry with the same name, disabled by itself or its
	// plugin, or dropped because it is invalid or withheld. Reason says why the entry is not
	// loaded.
	State  definition.State
	Reason string
}

// Pair is a variable or header and its value.
type Pair struct {
	Key   string
	Value Text
}

// Extra is a key that is supported only by the entry's own host.
type Extra struct {
	Key string
	// Value is valid only if Known is set. Values that may contain a secret are dropped.
	Value definition.Value
	Known bool
	// Format is the name of the file's format.
	Format string
}

// Origin is where an entry is defined.
type Origin struct {
	definition.Origin
	// Line and Column locate the entry's name.
	Line, Column int
	// Agent is the agent that the server belongs to, or "" if all agents may use it.
	Agent string
	// Format is the name of the file's format.
	Format string
	// BeforeProject reports whether the entry takes precedence over the
	// project's entries. Rank is the file's index in the host's profile.
	BeforeProject bool
	Rank          int
}

// HiddenAt describes a value that was dropped as a possible secret.
type HiddenAt struct {
	// Where is the field and its key, such as "env.TOKEN" or "args[2]".
	Where string
	// Part is the hidden part of the field, such as "the user" in a URL, or ""
	// if all of it is hidden.
	Part string
	// Name is the variable that replaces the value, and Reference is how the
	// file's format refers to that variable, or "" if it cannot.
	Name, Reference string
	// Likely reports whether the key or the value looks like a secret. If it is false, the value
	// was dropped only because it is not plainly harmless.
	Likely bool
	// Path, Line and Column locate the value.
	Path         string
	Line, Column int
}

// Note is a remark about an entry.
type Note struct {
	Text, Fix    string
	Path         string
	Line, Column int
}

// Agent returns the agent that the server belongs to, or "".
func (s *Server) Agent() string {
	if len(s.Origins) == 0 {
		return ""
	}
	return s.Origins[0].Agent
}

// ClearPositions removes the positions from an entry that was not read directly from a file.
func (s *Server) ClearPositions() {
	for i := range s.Origins {
		s.Origins[i].Line, s.Origins[i].Column = 0, 0
	}
	for i := range s.Hidden {
		s.Hidden[i].Line, s.Hidden[i].Column = 0, 0
	}
	for i := range s.Notes {
		s.Notes[i].Line, s.Notes[i].Column = 0, 0
	}
}

// CommandLine returns the command and its arguments, or nil for other transports.
func (s *Server) CommandLine() []Text {
	if s.Transport != host.Stdio {
		return nil
	}
	return append([]Text{s.Command}, s.Args...)
}

// HasReferences reports whether the command line, URL or headers contain
// references, whose values are known only when the server starts.
func (s *Server) HasReferences() bool {
	refers := func(t Text) bool { return t.has(Env, Input, HostWord) }
	return refers(s.URL) || slices.ContainsFunc(s.CommandLine(), refers) ||
		slices.ContainsFunc(s.Headers, func(p Pair) bool { return refers(p.Value) })
}

// equal reports whether two entries are equivalent. Hidden values count as equal.
func (s *Server) equal(o *Server) bool {
	return s.Transport == o.Transport && slices.Equal(s.Command, o.Command) && equalTexts(s.Args, o.Args) &&
		equalPairs(s.Env, o.Env) && slices.Equal(s.Cwd, o.Cwd) && slices.Equal(s.URL, o.URL) && equalPairs(s.Headers, o.Headers) &&
		s.Timeout == o.Timeout && s.StartTimeout == o.StartTimeout && s.Disabled == o.Disabled && s.HasTools == o.HasTools &&
		slices.Equal(s.Tools, o.Tools) && slices.Equal(s.NotTools, o.NotTools) && equalExtras(s.Extras, o.Extras)
}

func equalTexts(a, b []Text) bool {
	return slices.EqualFunc(a, b, func(x, y Text) bool { return slices.Equal(x, y) })
}

func equalPairs(a, b []Pair) bool {
	return slices.EqualFunc(a, b, func(x, y Pair) bool { return x.Key == y.Key && slices.Equal(x.Value, y.Value) })
}

func equalExtras(a, b []Extra) bool {
	return slices.EqualFunc(a, b, func(x, y Extra) bool {
		return x.Key == y.Key && x.Known == y.Known && x.Value.Equal(y.Value)
	})
}
