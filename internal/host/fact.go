package host

// Basis says what a statement about a host rests on.
type Basis uint8

// The bases, the surest first.
const (
	// Observed: seen in what the running host sent or printed.
	Observed Basis = iota + 1
	// FromSource: read in the host's source.
	FromSource
	// Documented: said by the host's documentation.
	Documented
	// Inferred: concluded from the others, and nowhere shown.
	Inferred
)

var basisNames = [...]string{"", "observed", "source", "documented", "inferred"}

// String returns the word: "observed", "source", "documented", "inferred".
func (b Basis) String() string { return basisNames[b] }

// MarshalText makes a basis a word in JSON.
func (b Basis) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// Cell names one part of what is known of a host.
type Cell uint8

// The cells that every profile but the neutral one fills.
const (
	// CellRoots: which directories are looked into, and in which order.
	CellRoots Cell = iota + 1
	// CellWalk: how deep, which file names, what of links and hidden directories.
	CellWalk
	// CellDelimiters: how the frontmatter block is found.
	CellDelimiters
	// CellYAML: what is taken for YAML, and what is mended.
	CellYAML
	// CellFields: which fields there are, and what a wrong value does.
	CellFields
	// CellNames: where a name comes from and which are taken.
	CellNames
	// CellClashes: what becomes of two definitions of one name.
	CellClashes
	// CellInstructions: which instruction files are read, with their imports.
	CellInstructions
	// CellCommands: the formats of commands.
	CellCommands
	// CellAgents: which agents are read.
	CellAgents
	// CellListing: what the model sees before anything is loaded.
	CellListing
	// CellRendering: what becomes of arguments, commands and file references.
	CellRendering
	// CellTrust: whether a project has to be trusted first.
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

// String returns the cell's word.
func (c Cell) String() string { return cellNames[c] }

// MarshalText makes a cell a word in JSON.
func (c Cell) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Fact is one statement about a host in words, for people: the tables of the
// profile are what the code goes by.
type Fact struct {
	Cell  Cell
	Basis Basis
	// Text is the statement, From where it is known from: a recorded case, a row
	// of the frontmatter matrix, a page or a file of the host's source.
	Text, From string
}

// Basis returns the least sure basis of the facts of a cell; Inferred where there
// are none.
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
