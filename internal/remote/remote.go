// Package remote is a client for definitions that MCP servers offer. It reads which servers the
// user configured, connects to them, lists what they offer, and reads requested files after
// verifying every byte.
//
// Servers are not trusted. Listings are bounded and validated entry by entry, files must have the
// size, digest and fields stated in the listing, and nothing is read unless requested. A server
// that is down, slow or malicious affects only its own definitions and causes a diagnostic.
//
// Skills follow the MCP extension io.modelcontextprotocol/skills. It is specified in
// specification/stable/skills.mdx in the ext-skills repository, at commit 0682b7b. Comments in this
// package call that document "the specification".
package remote

import (
	"fmt"
	"time"

	"github.com/vadehq/vade/diag"
)

// Scheme is the prefix of remote definition names: mcp:SERVER/NAME.
const Scheme = "mcp:"

// Extension identifies the MCP skills extension.
const Extension = "io.modelcontextprotocol/skills"

// The limits. According to the specification, hosts must support at least MaxResources and
// MaxSkill. Vade chose all other limits.
const (
	// MaxServers limits the number of servers in servers.yaml.
	MaxServers = 64
	// MaxResources and MaxSkill limit the number and total bytes of a skill's files.
	MaxResources = 512
	MaxSkill     = 16 << 20
	// MaxEntries, MaxPages and MaxListing limit the entries, pages and bytes in
	// one server's listing.
	MaxEntries = 4096
	MaxPages   = 128
	MaxListing = 16 << 20
	// MaxFrontmatter limits an entry's frontmatter, in bytes.
	MaxFrontmatter = 64 << 10
	// MaxPrompt limits a prompt's text, in bytes.
	MaxPrompt = 4 << 20
	// DefaultTimeout limits how long a server may take to list definitions and
	// to answer each read. Users can set another timeout of at most MaxTimeout.
	DefaultTimeout = 3 * time.Second
	MaxTimeout     = time.Minute
)

// Server is a server that the user configured. Exactly one of Command and URL is set.
type Server struct {
	// Name is the user's label for the server. It is the namespace for the server's definitions.
	Name string
	// Command is a program and its arguments. It is started without a shell and
	// speaks MCP over stdio.
	Command []string
	// Env holds the variables that the program receives in addition to PATH, HOME and a few others.
	// "${NAME}" in a value is replaced with the value of the environment variable NAME.
	Env map[string]string
	// URL is the endpoint for streamable HTTP. Plain HTTP is allowed only to the local machine.
	URL string
	// Headers are sent with each request. "${NAME}" is replaced as in Env.
	Headers map[string]string
	// Helper is a command that prints a secret. The secret is sent in the header "Authorization:
	// Bearer …", or passed to a program in the environment variable named by HelperEnv.
	Helper    []string
	HelperEnv string
	// Timeout overrides DefaultTimeout unless it is 0.
	Timeout time.Duration
	// File and Line locate the server's configuration.
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

// Identity identifies the server without revealing secrets. Approval of the
// server's definitions is tied to it.
func (s *Server) Identity() string {
	if s.URL != "" {
		return "http " + s.URL
	}
	return fmt.Sprintf("stdio %q", s.Command)
}

// timeout returns the time limit for one operation.
func (s *Server) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return DefaultTimeout
}

// Environment provides what connections need from the system.
type Environment struct {
	// Getenv reads an environment variable.
	Getenv func(string) string
	// Home is the working directory for started programs. It is never a project.
	Home string
	// ForbiddenDirs lists directories whose programs are not started, such as the project.
	ForbiddenDirs []string
	// Version is sent to servers as the client version.
	Version string
	// Cache stores verified files. If nil, nothing is cached.
	Cache *Cache
}

// Error is a problem with a server or one of its definitions.
type Error struct {
	Code    diag.Code
	Message string
	Fix     string
}

// Error implements the error interface.
func (e *Error) Error() string { return e.Message }

// Diagnostic converts the error to a diagnostic. where is a server or one of its files.
func (e *Error) Diagnostic(where string) diag.Diagnostic {
	d := diag.For(where, e.Code, "%s", e.Message)
	d.Fix = e.Fix
	return d
}

func newError(code diag.Code, fix, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Fix: fix}
}
