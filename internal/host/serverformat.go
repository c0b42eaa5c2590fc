package host

import (
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
)

// Transport says how a host talks to an MCP server.
type Transport uint8

// The transports of the Model Context Protocol, and the web sockets that some
// hosts have besides. The zero value is none that is known.
const (
	Stdio Transport = iota + 1
	HTTP
	SSE
	WebSocket
)

var transportNames = [...]string{"", "stdio", "http", "sse", "ws"}

// String returns "stdio", "http", "sse" or "ws".
func (t Transport) String() string { return transportNames[t] }

// MarshalText makes a transport a word in JSON.
func (t Transport) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// ServerFormat says how one kind of file writes the entries of MCP servers: it is
// what package mcp reads and writes by. Keys that are "" are none that the format
// has.
type ServerFormat struct {
	// Name is what the format is called where people are told of it, Basis what
	// the table rests on.
	Name  string
	Basis Basis
	// Path is the project's file that is written, "" where the entries are no file
	// of their own. Shared: the file also holds what has nothing to do with
	// servers, so that it can not be replaced as a whole.
	Path   string
	Shared bool
	// Syntax is definition.Package for JSON, definition.TOML for TOML.
	Syntax definition.Format
	// Key is the key of the file that holds the map of entries, Schema what the
	// file says under "$schema" where it has to.
	Key, Schema string
	// InputsKey is the key of the file's list of what the user is asked for.
	InputsKey string

	// Types are the words of the key "type"; of those for one transport the first
	// is written, and none at all where Untyped is set. NeedsType: without one a
	// remote entry is not loaded.
	Types              []ServerWord
	Untyped, NeedsType bool
	// Addresses are the keys that an address stands under. Without a word for the
	// type the first whose key is there decides on the transport. A transport that
	// has none can not be said. Detects: the host finds out by itself whether an
	// address is of HTTP or SSE.
	Addresses []ServerWord
	Detects   bool
	// CommandList: the command is a list with its arguments behind it.
	CommandList bool
	// Args, Env, Cwd and Headers are the keys of these.
	Args, Env, Cwd, Headers string
	// Timeout is the key of the longest time that one call may take, Start of that
	// which the start may, both in Unit.
	Timeout, Start string
	Unit           time.Duration
	// Off is the key that switches an entry off with true, On with false.
	Off, On string
	// Tools and NotTools are the keys of lists of tools that alone are used, or
	// are not. AllTools is the list that has to stand there for all, "" for none.
	Tools, NotTools, AllTools string

	// Refs are the forms of references to variables that are replaced, in the
	// fields of RefsIn.
	Refs   RefForm
	RefsIn ServerField
	// Words are the host's own words in values.
	Words []ServerPlace
	// EnvNames is the key of a list of variables that are handed on under their own
	// names, HeaderNames that of a map from headers to variables, Bearer that of the
	// variable whose value is the bearer token: formats without references have
	// these in their place.
	EnvNames, HeaderNames, Bearer string
	// Portable: the rules of Agent Plugins hold. A command is a bare name, or a path
	// that begins with ./ and is one of the plugin, as is the directory; an address is
	// one of HTTPS, or of this machine, and has neither user nor fragment; no header
	// stands there twice.
	Portable bool
	// PlainNames: a name has letters, digits, - and _ alone.
	PlainNames bool
}

// ServerWord is a word of a format, or a key, and the transport that it means.
type ServerWord struct {
	Word      string
	Transport Transport
}

// RefForm is a set of forms in which a value refers to something that is known
// only when the server is started.
type RefForm uint8

// The forms of references.
const (
	// RefBraces is ${NAME}.
	RefBraces RefForm = 1 << iota
	// RefDefault is ${NAME:-text}.
	RefDefault
	// RefDollar is $NAME.
	RefDollar
	// RefEnv is ${env:NAME}.
	RefEnv
	// RefInput is ${input:id}: what the user is asked for.
	RefInput
	// RefCurly is {env:NAME}.
	RefCurly
	// RefActions is ${{ secrets.NAME }}, and the same with vars.
	RefActions
)

// ServerField is a set of fields of an entry.
type ServerField uint8

// The fields in which references can stand.
const (
	AtCommand ServerField = 1 << iota
	AtArgs
	AtEnv
	AtCwd
	AtURL
	AtHeaders

	// AtAll are all fields.
	AtAll = AtHeaders<<1 - 1
)

// ServerVar is a directory that a host's own word stands for.
type ServerVar uint8

// The directories that words stand for.
const (
	VarProject ServerVar = iota + 1
	VarHome
	VarPlugin
	VarPluginData
)

var serverVarNames = [...]string{"", "project", "home", "plugin", "plugin-data"}

// String returns "project", "home", "plugin" or "plugin-data".
func (v ServerVar) String() string { return serverVarNames[v] }

// ServerPlace is a word of a host that stands for a directory.
type ServerPlace struct {
	Word string
	Var  ServerVar
	// InPlugin: in files that are no plugin's the host leaves the word as it is.
	InPlugin bool
}

// Word returns the word for a directory, or "".
func (f *ServerFormat) Word(v ServerVar) string {
	for _, p := range f.Words {
		if p.Var == v {
			return p.Word
		}
	}
	return ""
}

// Type returns the word of "type" that is written for a transport, or "".
func (f *ServerFormat) Type(t Transport) string {
	if !f.Untyped {
		return wordOf(f.Types, t)
	}
	return ""
}

// Address returns the key of the address for a transport, or "" where the format
// has no such transport.
func (f *ServerFormat) Address(t Transport) string { return wordOf(f.Addresses, t) }

func wordOf(words []ServerWord, t Transport) string {
	for _, w := range words {
		if w.Transport == t {
			return w.Word
		}
	}
	return ""
}

// MCPJSON is the file .mcp.json, of Claude Code first of all, and the mcpServers
// of its plugins, agents and user. Field names and the four transports: source;
// ${NAME} and ${NAME:-text} in five fields, and $NAME nowhere: documented, and
// seen with 2.1.278; the timeout: documented; a remote entry without a type is
// taken for a program and refused: source. Seen with 2.1.329: only in a plugin is
// ${CLAUDE_PROJECT_DIR} replaced; elsewhere it stays as it is, unless the variable is
// set where the host was started, and with the default it is the directory in which
// the host runs the server.
func MCPJSON() *ServerFormat {
	return &ServerFormat{
		Name: ".mcp.json", Basis: Documented, Path: ".mcp.json", Syntax: definition.Package, Key: "mcpServers",
		Types:     []ServerWord{{Word: "stdio", Transport: Stdio}, {Word: "http", Transport: HTTP}, {Word: "streamable-http", Transport: HTTP}, {Word: "sse", Transport: SSE}, {Word: "ws", Transport: WebSocket}},
		NeedsType: true,
		Addresses: []ServerWord{{Word: "url", Transport: HTTP}, {Word: "url", Transport: SSE}, {Word: "url", Transport: WebSocket}},
		Args:      "args", Env: "env", Headers: "headers", Timeout: "timeout", Unit: time.Millisecond,
		Refs: RefBraces | RefDefault, RefsIn: AtCommand | AtArgs | AtEnv | AtURL | AtHeaders,
		Words: []ServerPlace{
			{Word: "${CLAUDE_PROJECT_DIR:-.}", Var: VarProject}, {Word: "${CLAUDE_PROJECT_DIR}", Var: VarProject, InPlugin: true},
			{Word: "${CLAUDE_PLUGIN_ROOT}", Var: VarPlugin}, {Word: "${CLAUDE_PLUGIN_DATA}", Var: VarPluginData},
		},
	}
}

// IsSecretName reports whether a text is the name of a secret of a repository that
// GitHub gives to servers: documented.
func IsSecretName(s string) bool { return strings.HasPrefix(s, "COPILOT_MCP_") }

// PluginServers is the format of the servers in the manifest of a plugin that says
// nothing else.
func PluginServers() *ServerFormat {
	f := MCPJSON()
	f.Path = ""
	return f
}
