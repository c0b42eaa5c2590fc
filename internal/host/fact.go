package host

// Basis is the evidence for a statement about a host.
type Basis uint8

// Kinds of evidence, strongest first.
const (
	// Observed means that the host's output or network requests show it.
	Observed Basis = iota + 1
	// FromSource means that the host's source code shows it.
	FromSource
	// Documented means that the host's documentation states it.
	Documented
	// Inferred means that other evidence suggests the statement without confirming it.
	Inferred
)

var basisNames = [...]string{"", "observed", "source", "documented", "inferred"}

// String returns "observed", "source", "documented" or "inferred".
func (b Basis) String() string { return basisNames[b] }

// MarshalText encodes a basis as its name.
func (b Basis) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// Cell identifies a topic about which a profile has facts.
type Cell uint8

// Topics that every profile except the neutral one covers.
const (
	// CellRoots covers which directories the host reads and in what order.
	CellRoots Cell = iota + 1
	// CellWalk covers depth, file names, symlinks and hidden directories.
	CellWalk
	// CellDelimiters covers how the host finds the frontmatter block.
	CellDelimiters
	// CellYAML covers the YAML that the host accepts, and the YAML that it repairs.
	CellYAML
	// CellFields covers the supported fields and the effect of an invalid value.
	CellFields
	// CellNames covers where a name comes from and which names are valid.
	CellNames
	// CellClashes covers what happens if two definitions have the same name.
	CellClashes
	// CellInstructions covers which instruction files the host reads, and their imports.
	CellInstructions
	// CellCommands covers command formats.
	CellCommands
	// CellAgents covers which agents the host reads.
	CellAgents
	// CellListing covers what the model sees before a definition is loaded.
	CellListing
	// CellRendering covers how the host replaces arguments, commands and file references.
	CellRendering
	// CellTrust covers whether the user must trust a project first.
	CellTrust
)

var cellNames = [...]string{
	"", "roots", "walk", "delimiters", "yaml", "fields", "names", "clashes", "instructions", "commands", "agents",
	"listing", "rendering", "trust",
}

// Cells returns all topics in order.
func Cells() []Cell {
	var all []Cell
	for c := CellRoots; c <= CellTrust; c++ {
		all = append(all, c)
	}
	return all
}

// String returns the topic's name.
func (c Cell) String() string { return cellNames[c] }

// MarshalText encodes a topic as its name.
func (c Cell) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Fact is a statement about a host. Facts are shown to users, and an explanation of how a host
// treats a file gives the basis of the facts about its topic. All other code uses the profile's
// tables.
type Fact struct {
	Cell  Cell
	Basis Basis
	// Text is the statement. From is its source: a recorded case, a row in the frontmatter matrix,
	// a documentation page, or a file in the host's source code.
	Text, From string
}

// Basis returns the weakest basis among the facts about a topic, or Inferred if there are none.
func (p *Profile) Basis(c Cell) Basis {
	weakest := Basis(0)
	for _, f := range p.Facts {
		if f.Cell == c {
			weakest = max(weakest, f.Basis)
		}
	}
	if weakest == 0 {
		return Inferred
	}
	return weakest
}
