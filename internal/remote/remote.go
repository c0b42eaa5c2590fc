// Package remote is the client side of definitions that MCP servers offer: it
// reads which servers the user names, connects to them, lists what they offer,
// and reads from it what is asked for, each byte verified.
//
// Nothing that a server sends is believed. What it lists is bounded and judged
// entry by entry; what is read has to have the length, the digest and the fields
// that the listing said; and nothing is read that is not asked for. A server that
// is down, slow or lying costs its own definitions and a diagnostic.
//
// The rules for skills are those of the extension io.modelcontextprotocol/skills
// (documented: ext-skills, specification/stable/skills.mdx, commit 0682b7b).
package remote

import (
	"fmt"
	"time"

	"github.com/vadehq/vade/diag"
)

// Scheme is what the names of remote definitions begin with: mcp:SERVER/NAME.
const Scheme = "mcp:"

// Extension is the name of the extension for skills.
const Extension = "io.modelcontextprotocol/skills"

// The limits. MaxResources and MaxSkill are what a host has to support
// (documented); the others are our own.
const (
	// MaxServers is the number of servers of one file.
	MaxServers = 64
	// MaxResources and MaxSkill bound the files of one skill and their bytes.
	MaxResources = 512
	MaxSkill     = 16 << 20
	// MaxEntries bounds what one server lists, MaxPages the pages of it, and
	// MaxListing the bytes of them all.
	MaxEntries = 4096
	MaxPages   = 128
	MaxListing = 16 << 20
	// MaxFrontmatter bounds the fields of one entry in bytes.
	MaxFrontmatter = 64 << 10
	// MaxPrompt bounds the answer of one prompt in bytes.
	MaxPrompt = 4 << 20
	// Deadline is how long a server has for its listing, and for each read, unless
	// the user gives it another time, of MaxDeadline at most.
	Deadline    = 3 * time.Second
	MaxDeadline = time.Minute
)

// Server is one server that the user names. Exactly one of Command and URL is set.
type Server struct {
	// Name is the label by which the user knows it: the namespace of all it offers.
	Name string
	// Command is a program of the user with its arguments, for stdio. It is started
	// without a shell.
	Command []string
	// Env are the variables that the program gets beside PATH, HOME and the like.
	// "${NAME}" in a value stands for a variable of the environment.
	Env map[string]string
	// URL is an address for streamable HTTP: https, or http on this machine.
	URL string
	// Headers are sent with each request; "${NAME}" is as in Env.
	Headers map[string]string
	// Helper is a command of the user whose output is a secret. It is sent as
	// "Authorization: Bearer …", or, to a program, in the variable HelperEnv.
	Helper    []string
	HelperEnv string
	// Timeout takes the place of Deadline; 0 is Deadline.
	Timeout time.Duration
	// File and Line say where it is named.
	File string
	Line int
}

// Transport returns "stdio" or "http".
func (s *Server) Transport() string {
	if s.URL != "" {
		return "http"
	}
	return "stdio"
}

// Identity says which server it is, without any secret: a consent to what it
// offers is bound to this too.
func (s *Server) Identity() string {
	if s.URL != "" {
		return "http " + s.URL
	}
	return fmt.Sprintf("stdio %q", s.Command)
}

// deadline is the time that it has for one operation.
func (s *Server) deadline() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return Deadline
}

// World is what a connection needs to know of the system.
type World struct {
	// Getenv reads environment variables.
	Getenv func(string) string
	// Home is the directory that programs are started in: never a project.
	Home string
	// Forbid are directories from which no program is started: the project.
	Forbid []string
	// Version is Vade's own, for the server.
	Version string
	// Cache keeps what was read; nil keeps nothing.
	Cache *Cache
}

// Error says why something of a server is not there.
type Error struct {
	Code    diag.Code
	Message string
	Fix     string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Diagnostic returns the error as it is shown, for a server or one of its files.
func (e *Error) Diagnostic(where string) diag.Diagnostic {
	d := diag.For(where, e.Code, "%s", e.Message)
	d.Fix = e.Fix
	return d
}

func failed(code diag.Code, fix, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Fix: fix}
}
