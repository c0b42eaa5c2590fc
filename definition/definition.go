// Package definition defines a representation of definitions that does not depend on any host. It
// holds everything that later stages need, so that they do not have to read the file again. The
// package does no I/O.
package definition

import (
	"strings"

	"github.com/vadehq/vade/diag"
)

// Kind identifies a type of definition.
type Kind uint8

// The kinds. Skills, commands and agents are loaded by name, and instructions are sent to the model
// automatically. A workflow is a script that its host runs when it is called by name. Vade lists
// and checks workflows and predicts the host's messages about them, but it does not load or run
// them.
const (
	Skill Kind = iota + 1
	Command
	Agent
	Instruction
	Workflow
)

// Kinds lists every kind in display order.
var Kinds = [...]Kind{Skill, Command, Agent, Instruction, Workflow}

var kindNames = [...]string{"", "skill", "command", "agent", "instruction", "workflow"}

// String returns "skill", "command", "agent", "instruction" or "workflow".
func (k Kind) String() string { return kindNames[k] }

// MarshalText encodes the kind as its name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// ParseKind parses a kind's name, singular or plural. It returns false if s is not such a name.
func ParseKind(s string) (Kind, bool) {
	for _, k := range Kinds {
		if s == k.String() || s == k.String()+"s" {
			return k, true
		}
	}
	return 0, false
}

// Callable reports whether users invoke definitions of this kind by name and with arguments, as in
// "/review src".
func (k Kind) Callable() bool { return k == Skill || k == Command || k == Workflow }

// Layer identifies where a definition comes from.
type Layer uint8

// The layers, ordered from highest to lowest precedence in the neutral view.
const (
	Managed Layer = iota + 1
	Project
	User
	Plugin
	Bundled
	MCP
)

var layerNames = [...]string{"", "managed", "project", "user", "plugin", "bundled", "mcp"}

// String returns the layer's lowercase name.
func (l Layer) String() string { return layerNames[l] }

// MarshalText encodes the layer as its name.
func (l Layer) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// State indicates whether a definition is active in a view.
type State uint8

// The states. Each definition is in exactly one of them.
const (
	// A Loaded definition is active.
	Loaded State = iota
	// A Shadowed definition is inactive because another one with the same name is active.
	Shadowed
	// A Dropped definition is either in a file that the view's host ignores, or a duplicate of
	// another definition from the same file.
	Dropped
	// A Disabled definition is turned off by a setting or by a condition in the definition itself.
	Disabled
)

var stateNames = [...]string{"loaded", "shadowed", "dropped", "disabled"}

// String returns the state's lowercase name.
func (s State) String() string { return stateNames[s] }

// MarshalText encodes the state as its name.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Format is the syntax of a definition file.
type Format uint8

// The formats. A Markdown file may start with YAML frontmatter. A TOML file consists of fields
// only, and its prompt field is the body. A Package definition is an entry in a package.json file.
// A Script is a JavaScript file that starts with its fields: export const meta = {…}.
const (
	Markdown Format = iota
	TOML
	Package
	Script
)

// Origin describes where a definition was found.
type Origin struct {
	Layer Layer
	// Legacy reports whether the definition is in a directory that its host supports only for
	// backward compatibility.
	Legacy bool
	// Linked reports whether Path reaches the file through a symlink.
	Linked bool
	// Outside reports whether a symlink leads to a file outside the directories that Vade may read,
	// including those that the user has approved. Such a definition is listed, as the host lists
	// it, but its content cannot be loaded.
	Outside bool
	// Deep reports whether the file is in a deeper subdirectory of its root than its name suggests.
	// Such a file is found only by a full scan.
	Deep bool
	// Row is the root's index in the list of roots in its host's profile. Distance is the number of
	// directories between the root and the working directory or, for a plugin's definition, the
	// position of the plugin and its directory. Row and Distance define the order within a layer.
	Row, Distance int16
	// Order is the file's position if its host reads the root in file system
	// order, and 0 otherwise.
	Order int32
	// Root and Path are the paths of the root directory and the file, as shown to users. They are
	// relative to the project and use forward slashes if they are inside it, and are absolute
	// otherwise.
	Root, Path string
	// Real is the file's absolute path with every symlink resolved. It identifies the file.
	Real string
	// Plugin is the plugin's name if the layer is Plugin.
	Plugin string
	// Nested is the project subdirectory that contains the root, if the root is nested.
	Nested string
}

// Definition is a skill, command, agent, instruction or workflow, without the body of its file. A
// catalog may hold hundreds of thousands of definitions, so Fields stores rarely used fields in a
// compact form and provides methods for them.
type Definition struct {
	Kind   Kind
	Format Format
	State  State
	Name   string
	Title  string
	Origin Origin
	Fields Fields
	// Description is the description field or, if the field is missing, the text that the view uses
	// instead.
	Description string
	// Prefix is everything before the last part of the name and of each alias.
	Prefix string
	// Aliases lists other names for the definition. An alias is used only if no other definition
	// has that name.
	Aliases []string
	// Size is the file size in bytes.
	Size int64
	// ListingTokens and Tokens estimate the token counts of the listing entry and the whole file.
	ListingTokens, Tokens int32

	// Reason explains any state other than Loaded.
	Reason string
	// ReasonCode is the diagnostic code for Reason.
	ReasonCode diag.Code
	// ReplacedBy is the definition that is used instead of this one: either the definition that
	// shadows it, or the first definition found for the same file.
	ReplacedBy *Definition

	Diagnostics []diag.Diagnostic
}

// SecondName returns the name that a skill's or command's frontmatter sets in addition to the name
// from its path, or "" if it sets none. The plugin's prefix is added unless the name already starts
// with it.
func (d *Definition) SecondName() string {
	name := d.Fields.Name
	if name == "" || d.Origin.Plugin != "" && strings.HasPrefix(name, d.Origin.Plugin+":") {
		return name
	}
	return d.Prefix + name
}
