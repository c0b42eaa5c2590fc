// Package definition defines the neutral record of a definition, which has everything that later
// stages need without rereading the file. The package contains only data.
package definition

import (
	"strings"

	"github.com/vadehq/vade/diag"
)

// Kind is the kind of a definition.
type Kind uint8

// The kinds. Skills, commands and agents are loaded by name; instructions are sent to the model
// automatically. A workflow is a script that its host runs when it is called by name: Vade lists
// and checks it, and predicts what the host says about it, but neither loads nor runs it.
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

// MarshalText encodes a kind as its name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// ParseKind parses the name of a kind, singular or plural.
func ParseKind(s string) (Kind, bool) {
	for _, k := range Kinds {
		if s == k.String() || s == k.String()+"s" {
			return k, true
		}
	}
	return 0, false
}

// Callable reports whether users call definitions of the kind by name with arguments, as in
// "/review src": skills, commands and workflows.
func (k Kind) Callable() bool { return k == Skill || k == Command || k == Workflow }

// Layer is the source of a definition.
type Layer uint8

// The layers, in the precedence of the neutral view.
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

// MarshalText encodes a layer as its name.
func (l Layer) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// State says whether a definition is active in a view.
type State uint8

// The states. Every definition found is in exactly one state.
const (
	// Loaded means active.
	Loaded State = iota
	// Shadowed means that another definition with the same name is active instead.
	Shadowed
	// Dropped means that the view's host ignores the file.
	Dropped
	// Disabled means that a setting or a condition in the definition itself turns it off.
	Disabled
)

var stateNames = [...]string{"loaded", "shadowed", "dropped", "disabled"}

// String returns the state's lowercase name.
func (s State) String() string { return stateNames[s] }

// MarshalText encodes a state as its name.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Format is the syntax of a definition file.
type Format uint8

// The formats. A Markdown file starts with YAML frontmatter. A TOML file consists of fields only,
// and its prompt field is the body. A Package definition is a member of a package.json. A Script is
// a JavaScript file that starts with its fields: export const meta = {…}.
const (
	Markdown Format = iota
	TOML
	Package
	Script
)

// Origin describes where a definition was found.
type Origin struct {
	Layer Layer
	// Legacy marks a definition in a directory that its host supports only for backward
	// compatibility.
	Legacy bool
	// Linked means that Path reaches the file through a symlink.
	Linked bool
	// Outside means that the file is reached through a symlink, is outside the directories that
	// may be read, and is in a directory that the user has not approved. The definition is listed
	// as the host lists it, but its content cannot be loaded.
	Outside bool
	// Deep means that the file is deeper below its root than its name implies, so only a full
	// scan finds it.
	Deep bool
	// Row is the index of the root in its profile. Distance is the number of directories between
	// the root and the working directory. They define the order within a layer.
	Row, Distance int16
	// Order is the file's position if its host reads the root in file system order, and otherwise
	// 0.
	Order int32
	// Root is the root directory and Path the file, as shown to users: relative to the project
	// with forward slashes if inside it, else absolute.
	Root, Path string
	// Real is the absolute path of the file with every symlink resolved. It identifies the file.
	Real string
	// Plugin is the plugin's name if the layer is Plugin.
	Plugin string
	// Nested is the directory below the project that a nested root belongs to.
	Nested string
}

// Definition is one file that an agent can load, without its body. There may be hundreds of
// thousands, so rarely used fields are stored compactly behind the methods of Fields.
type Definition struct {
	Kind   Kind
	Format Format
	State  State
	Name   string
	Title  string
	Origin Origin
	Fields Fields
	// Description is the description field, or the view's substitute if the field is missing.
	Description string
	// Prefix precedes the last part of the name. It applies to aliases as well.
	Prefix string
	// Aliases are other names that resolve to the definition as long as no other definition has
	// them.
	Aliases []string
	// Size is the file size in bytes.
	Size int64
	// ListingTokens and Tokens estimate the tokens of the listing entry and of the whole file.
	ListingTokens, Tokens int32

	// Reason explains a state other than Loaded.
	Reason string
	// ReasonCode is the diagnostic code of Reason.
	ReasonCode diag.Code
	// ReplacedBy is the definition that is used instead: the one that shadows this one, or the
	// first definition of the same file.
	ReplacedBy *Definition

	Diagnostics []diag.Diagnostic
}

// SecondName returns a second name that the frontmatter gives a skill or command, in addition to
// the name from the path. It includes the prefix of a plugin. It returns "" if there is none. A
// name that already has the plugin's prefix stays unchanged.
func (d *Definition) SecondName() string {
	name := d.Fields.Name
	if name == "" || d.Origin.Plugin != "" && strings.HasPrefix(name, d.Origin.Plugin+":") {
		return name
	}
	return d.Prefix + name
}
