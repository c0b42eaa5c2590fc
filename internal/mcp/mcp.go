// Package mcp reads the entries of MCP servers from the files of hosts, joins them
// with where they come from, and writes them in the words of another host. It is
// pure: nothing is started, opened or asked. What may be a secret is not kept when
// an entry is read, so that nothing that is made of entries can hold it.
package mcp

import (
	"slices"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// Server is one entry.
type Server struct {
	Name      string
	Transport host.Transport
	// Command and Args start a server of the transport Stdio, with the variables of
	// Env, in the directory Cwd. URL and Headers are those of the others.
	Command Text
	Args    []Text
	Env     []Pair
	Cwd     Text
	URL     Text
	Headers []Pair
	// Timeout is the longest time that one call may take, Start that which the
	// start may; 0 is what the host takes.
	Timeout, Start time.Duration
	// Off: the entry says that the server is not to be used.
	Off bool
	// Tools, where Only is set, are the tools that alone are used; NotTools are not
	// used in any case.
	Tools, NotTools []string
	Only            bool
	// Extras are the keys of the entry that are none of the above.
	Extras []Extra

	// Origins are where the entry stands: more than one where several files say
	// the same.
	Origins []Origin
	// Hidden are what was not kept because it may be a secret, Notes what else a
	// reader should know.
	Hidden []HiddenAt
	Notes  []Note

	// State says whether the server is in force: loaded, shadowed by another entry
	// of its name, disabled by itself or by its plugin, dropped because it can not
	// be used or is held back. Reason says why it is not loaded.
	State  definition.State
	Reason string
}

// Pair is a variable or a header with its value.
type Pair struct {
	Key   string
	Value Text
}

// Extra is a key of an entry that only its own host knows.
type Extra struct {
	Key string
	// Value is what stands there, and Kept reports whether it is known: a value in
	// which a secret may be is not kept.
	Value definition.Value
	Kept  bool
	// Format is the name of the format of the file.
	Format string
}

// Origin is a place where an entry stands.
type Origin struct {
	definition.Origin
	// Line and Column are of its name.
	Line, Column int
	// Agent is the agent whose own server it is, "" for those of all.
	Agent string
	// Format is the name of the format of the file.
	Format string
	// First: it wins over the entries of the project. Rank is the number of the
	// file in its profile.
	First bool
	Rank  int
}

// HiddenAt is a place whose text is not kept.
type HiddenAt struct {
	// Where is the field and its key, such as "env.TOKEN" or "args[2]".
	Where string
	// Part is what of that place it is, such as "the user" of an address, "" for all
	// of it.
	Part string
	// Name is the variable whose reference stands in its place, and Reference what
	// refers to it in the file's own form, "" where that has none there.
	Name, Reference string
	// Likely: its key or its form says that it is a secret. Otherwise it is only not
	// plain that it is none.
	Likely bool
	// Path, Line and Column are its place.
	Path         string
	Line, Column int
}

// Note is something that a reader of an entry should know.
type Note struct {
	Text, Fix    string
	Path         string
	Line, Column int
}

// Agent is the agent whose own server this is, or "".
func (s *Server) Agent() string {
	if len(s.Origins) == 0 {
		return ""
	}
	return s.Origins[0].Agent
}

// Unplaced takes the lines from an entry whose place in its file is not known.
func (s *Server) Unplaced() {
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

// Words are the command with its arguments.
func (s *Server) Words() []Text {
	if s.Transport != host.Stdio {
		return nil
	}
	return append([]Text{s.Command}, s.Args...)
}

// Refers reports whether what the server is, its command or its address and headers,
// refers to something that is known only when it is started.
func (s *Server) Refers() bool {
	refers := func(t Text) bool { return t.has(Env, Input, Word) }
	return refers(s.URL) || slices.ContainsFunc(s.Words(), refers) || slices.ContainsFunc(s.Headers, func(p Pair) bool { return refers(p.Value) })
}

// same reports whether two entries say the same. What is hidden is alike, whatever
// stood there.
func (s *Server) same(o *Server) bool {
	return s.Transport == o.Transport && slices.Equal(s.Command, o.Command) && equalTexts(s.Args, o.Args) &&
		equalPairs(s.Env, o.Env) && slices.Equal(s.Cwd, o.Cwd) && slices.Equal(s.URL, o.URL) && equalPairs(s.Headers, o.Headers) &&
		s.Timeout == o.Timeout && s.Start == o.Start && s.Off == o.Off && s.Only == o.Only &&
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
		return x.Key == y.Key && x.Kept == y.Kept && equalValues(x.Value, y.Value)
	})
}

func equalValues(a, b definition.Value) bool {
	return a.Kind == b.Kind && a.Text == b.Text && slices.EqualFunc(a.Items, b.Items, equalValues) &&
		slices.EqualFunc(a.Pairs, b.Pairs, func(x, y definition.Entry) bool { return x.Key == y.Key && equalValues(x.Value, y.Value) })
}
