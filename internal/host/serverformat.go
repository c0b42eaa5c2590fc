package host

import (
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
)

// Transport determines how a host communicates with an MCP server.
type Transport uint8

// Transports of the Model Context Protocol, and WebSocket, which some hosts
// add. The zero value is an unknown transport.
const (
	Stdio Transport = iota + 1
	HTTP
	SSE
	WebSocket
)

var transportNames = [...]string{"", "stdio", "http", "sse", "ws"}

// String returns "stdio", "http", "sse" or "ws".
func (t Transport) String() string { return transportNames[t] }

// MarshalText encodes a transport as its name.
func (t Transport) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// ServerFormat describes how a file format represents MCP server entries. Package mcp uses it to
// read and write files. A key is "" if the format does not support it.
type ServerFormat struct {
	// Name is the format's display name, and Basis is the evidence for the table.
	Name  string
	Basis Basis
	// Path is the project file to write, or "" if entries are not stored in a separate file. Shared
	// is set if the file also contains other settings and must not be replaced as a whole.
	Path   string
	Shared bool
	// Syntax is definition.Package for JSON or definition.TOML for TOML.
	Syntax definition.Format
	// Key is the key of the map that contains the server entries. Schema is the file's "$schema",
	// if the host requires one.
	Key, Schema string
	// InputsKey is the key of the list of inputs for which the user is prompted.
	InputsKey string

	// Types holds the values of the key "type". When Vade writes an entry, it uses the transport's
	// first value or, if Untyped is set, omits the key. If NeedsType is set, the host does not load
	// a remote entry without a type.
	Types              []ServerWord
	Untyped, NeedsType bool
	// Addresses holds the keys for URLs. If an entry has no type, the first of these keys that is
	// present determines the transport. A transport without a key is not supported. Detects is set
	// if the host itself determines whether a URL uses HTTP or SSE.
	Addresses []ServerWord
	Detects   bool
	// CommandList is set if the command is a list that includes its arguments.
	CommandList bool
	// Args, Env, Cwd and Headers are the keys for a server's arguments, environment variables,
	// working directory and HTTP headers.
	Args, Env, Cwd, Headers string
	// Timeout is the key for the timeout per call, and Start is the key for the startup timeout.
	// Their values are multiples of Unit.
	Timeout, Start string
	Unit           time.Duration
	// Off is the key that disables an entry when true. On is the key that disables an entry when
	// false.
	Off, On string
	// Tools and NotTools are the keys for tool allowlists and denylists. AllTools is the list item
	// that allows all tools, or "" if all tools are allowed without a list.
	Tools, NotTools, AllTools string

	// Refs is the set of supported syntaxes for variable references, and RefsIn is the set of
	// fields that may contain them.
	Refs   RefForm
	RefsIn ServerField
	// Words holds the variables by which the host refers to directories.
	Words []ServerPlace
	// EnvNames, HeaderNames and Bearer are used by formats that do not support references. EnvNames
	// is the key for a list of variables that are passed to the server under the same names.
	// HeaderNames is the key for a map from headers to variables. Bearer is the key for the name of
	// the variable that holds the bearer token.
	EnvNames, HeaderNames, Bearer string
	// If Portable is set, the Agent Plugins rules apply: a command must be a bare name or a path in
	// the plugin that starts with ./, and the working directory must be such a path. A URL must be
	// HTTPS or local, without a user or fragment. Header names must be unique.
	Portable bool
	// If PlainNames is set, names may contain only letters, digits, - and _.
	PlainNames bool
}

// ServerWord maps a value of "type", or the key for a URL, to the transport that it denotes.
type ServerWord struct {
	Word      string
	Transport Transport
}

// RefForm is a set of syntaxes for references to variables. The host resolves the references when
// it starts the server.
type RefForm uint8

// Reference forms.
const (
	// RefBraces is ${NAME}.
	RefBraces RefForm = 1 << iota
	// RefDefault is ${NAME:-text}.
	RefDefault
	// RefDollar is $NAME.
	RefDollar
	// RefEnv is ${env:NAME}.
	RefEnv
	// RefInput is ${input:id}, an input for which the user is prompted.
	RefInput
	// RefCurly is {env:NAME}.
	RefCurly
	// RefActions is ${{ secrets.NAME }} or ${{ vars.NAME }}.
	RefActions
)

// ServerField is a set of fields in a server entry.
type ServerField uint8

// Fields that can contain references.
const (
	AtCommand ServerField = 1 << iota
	AtArgs
	AtEnv
	AtCwd
	AtURL
	AtHeaders

	// AtAll is the set of all fields.
	AtAll = AtHeaders<<1 - 1
)

// ServerVar identifies a directory to which a server entry can refer by a variable.
type ServerVar uint8

const (
	VarProject ServerVar = iota + 1
	VarHome
	VarPlugin
	VarPluginData
)

var serverVarNames = [...]string{"", "project", "home", "plugin", "plugin-data"}

// String returns "project", "home", "plugin" or "plugin-data".
func (v ServerVar) String() string { return serverVarNames[v] }

// ServerPlace is a host's variable for a directory.
type ServerPlace struct {
	Word string
	Var  ServerVar
	// InPlugin is set if the host replaces the variable only in a plugin's files.
	InPlugin bool
}

// Word returns the format's variable for a directory, or "" if there is none.
func (f *ServerFormat) Word(v ServerVar) string {
	for _, p := range f.Words {
		if p.Var == v {
			return p.Word
		}
	}
	return ""
}

// Type returns the value of the key "type" to write for a transport, or "" if the key is not
// written.
func (f *ServerFormat) Type(t Transport) string {
	if !f.Untyped {
		return wordOf(f.Types, t)
	}
	return ""
}

// Address returns the URL key for a transport, or "" if the format does not support it.
func (f *ServerFormat) Address(t Transport) string { return wordOf(f.Addresses, t) }

func wordOf(words []ServerWord, t Transport) string {
	for _, w := range words {
		if w.Transport == t {
			return w.Word
		}
	}
	return ""
}

// MCPJSON returns the format of .mcp.json, which is also the format of mcpServers in Claude Code's
// plugins, agents and user configuration. The field names, the four transports, and the rule that a
// remote entry without a type is treated as a program and rejected come from Claude Code's source
// code. The timeout comes from its documentation.
//
// ${NAME} and ${NAME:-text} are replaced in five fields, and $NAME is never replaced, according to
// Claude Code's documentation and observations of 2.1.278. In 2.1.329, ${CLAUDE_PROJECT_DIR} is
// replaced only in a plugin (observed). Elsewhere, it is kept unless the host's environment sets
// the variable. If it does not, ${CLAUDE_PROJECT_DIR:-.} refers to the directory in which the host
// runs the server.
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

// IsSecretName reports whether a string is the name of a repository secret that GitHub passes to
// servers, according to GitHub's documentation.
func IsSecretName(s string) bool { return strings.HasPrefix(s, "COPILOT_MCP_") }

// PluginServers returns the default format for the servers in a plugin's manifest.
func PluginServers() *ServerFormat {
	f := MCPJSON()
	f.Path = ""
	return f
}
