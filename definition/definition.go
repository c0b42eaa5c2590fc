// Package definition holds the neutral record of one definition: what every
// later stage needs to know of it, and nothing that can be read again from its
// file. It is data only.
package definition

import (
	"github.com/vadehq/vade/diag"
)

// Kind says what a definition is for.
type Kind uint8

// The kinds that are loaded by name or put before the model.
const (
	Skill Kind = iota + 1
	Command
	Agent
	Instruction
)

// Kinds lists every kind in the order in which they are shown.
var Kinds = [...]Kind{Skill, Command, Agent, Instruction}

var kindNames = [...]string{"", "skill", "command", "agent", "instruction"}

// String returns the kind's word: "skill", "command", "agent", "instruction".
func (k Kind) String() string { return kindNames[k] }

// MarshalText makes a kind a word in JSON.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// ParseKind returns the kind of a word, also in the plural.
func ParseKind(s string) (Kind, bool) {
	for _, k := range Kinds {
		if s == k.String() || s == k.String()+"s" {
			return k, true
		}
	}
	return 0, false
}

// Layer says where a definition comes from.
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

// String returns the layer's word.
func (l Layer) String() string { return layerNames[l] }

// MarshalText makes a layer a word in JSON.
func (l Layer) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// State says whether a definition is in force in a view.
type State uint8

// The states. Everything found is in exactly one of them.
const (
	// Loaded: in force.
	Loaded State = iota
	// Shadowed: another definition of the same name is in force instead.
	Shadowed
	// Dropped: the view's host ignores the file.
	Dropped
	// Disabled: a setting, or a condition in the definition itself, switches
	// it off.
	Disabled
)

var stateNames = [...]string{"loaded", "shadowed", "dropped", "disabled"}

// String returns the state's word.
func (s State) String() string { return stateNames[s] }

// MarshalText makes a state a word in JSON.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Format is the syntax of a definition file.
type Format uint8

// The formats. Markdown files begin with YAML frontmatter, TOML files are all
// frontmatter with the body in their prompt field, Package entries are JSON
// members of a package.json.
const (
	Markdown Format = iota
	TOML
	Package
)

// Origin says where one definition stands.
type Origin struct {
	Layer Layer
	// Legacy marks a definition of a host's older directory.
	Legacy bool
	// Linked: a link leads to the file, which stands elsewhere.
	Linked bool
	// Deep: the file is deeper below its root than its name says, so that it
	// can be found by searching only.
	Deep bool
	// Row is the number of the root in its profile and Distance how many
	// directories above the working directory it stands: the order within a
	// layer.
	Row, Distance int16
	// Root is the directory of the layer that it was found under, Path the
	// file, both as shown to the user: relative to the project with forward
	// slashes where they are inside it, else absolute.
	Root, Path string
	// Real is the absolute path of the file with every link resolved: its
	// identity.
	Real string
	// Plugin is the plugin's name where the layer is Plugin.
	Plugin string
	// Nested is the directory below the project that a nested root belongs to.
	Nested string
}

// Definition is one file that an agent can load, without its body. There may be
// hundreds of thousands: what few of them have is behind methods of Fields.
type Definition struct {
	Kind   Kind
	Format Format
	State  State
	Name   string
	Title  string
	Origin Origin
	Fields Fields
	// Description is the field, or what the view takes in its place.
	Description string
	// Prefix is what stands before the last part of the name; aliases have it too.
	Prefix string
	// Aliases are further names that it answers to while nothing else has them.
	Aliases []string
	// Size is the file's length in bytes.
	Size int64
	// ListingTokens and Tokens estimate the cost of the listing entry and of
	// the whole file.
	ListingTokens, Tokens int32

	// Reason says why the state is not Loaded.
	Reason string
	// ReasonCode is the code of Reason.
	ReasonCode diag.Code
	// By is the definition that shadows this one.
	ReplacedBy *Definition

	Diagnostics []diag.Diagnostic
}
