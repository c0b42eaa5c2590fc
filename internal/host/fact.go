package host

// Basis is the evidence for a statement about a host.
type Basis uint8

// The kinds of evidence, strongest first.
const (
	// Observed: seen in what the running host sent or printed.
	Observed Basis = iota + 1
	// FromSource: read in the host's source.
	FromSource
	// Documented: stated in the host's documentation.
	Documented
	// Inferred: concluded from other evidence and not confirmed.
	Inferred
)

var basisNames = [...]string{"", "observed", "source", "documented", "inferred"}

// String returns "observed", "source", "documented" or "inferred".
func (b Basis) String() string { return basisNames[b] }

// MarshalText encodes a basis as its name.
func (b Basis) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// Cell is one topic of the knowledge about a host.
type Cell uint8

// The topics that every profile except the neutral one covers.
const (
	// CellRoots: which directories the host reads, and in which order.
	CellRoots Cell = iota + 1
	// CellWalk: depth, file names, symlinks and hidden directories.
	CellWalk
	// CellDelimiters: how the frontmatter block is found.
	CellDelimiters
	// CellYAML: which YAML the host accepts and repairs.
	CellYAML
	// CellFields: the supported fields and the effect of an invalid value.
	CellFields
	// CellNames: where a name comes from and which names are valid.
	CellNames
	// CellClashes: what happens to two definitions with the same name.
	CellClashes
	// CellInstructions: which instruction files are read, with their imports.
	CellInstructions
	// CellCommands: the formats of commands.
	CellCommands
	// CellAgents: which agents are read.
	CellAgents
	// CellListing: what the model sees before a definition is loaded.
	CellListing
	// CellRendering: how arguments, commands and file references are replaced.
	CellRendering
	// CellTrust: whether the user has to trust a project first.
	CellTrust
)

var cellNames = [...]string{
	"", "roots", "walk", "delimiters", "yaml", "fields", "names", "clashes", "instructions", "commands", "agents",
	"listing", "rendering", "trust",
}

// Cells returns all cells in their order.
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

// Fact is one statement about a host in words, for people. The code uses the tables of
// the profile instead.
type Fact struct {
	Cell  Cell
	Basis Basis
	// Text is the statement. From is its source: a recorded case, a row of the
	// frontmatter matrix, a page or a file of the host's source.
	Text, From string
}

// Basis returns the weakest basis of the facts about a topic; Inferred if there are
// none.
func (p *Profile) Basis(c Cell) Basis {
	least := Basis(0)
	for _, f := range p.Facts {
		if f.Cell == c {
			least = max(least, f.Basis)
		}
	}
	if least == 0 {
		return Inferred
	}
	return least
}
