package script

// Op is what a node of an expression is.
type Op uint8

// The kinds of nodes.
const (
	// None is what was stepped over.
	None Op = iota
	// Const is a text or a number, Ident a name.
	Const
	Num
	Ident
	// Attr is Kids[0].Text, Index Kids[0][Kids[1]], Call Kids[0](Kids[1:]).
	Attr
	Index
	Call
	// Keyword is an argument Text=Kids[0]; Spread is *x, **x and ...x.
	Keyword
	Spread
	// Binary are operands with the marks between them in Text; Compare has only true
	// and false as its value; Either is one of its kids.
	Binary
	Compare
	Either
	// List are the items of a list, a tuple or a set, Dict keys and values in turn;
	// the key of a spread is None.
	List
	Dict
	// Joined are the parts of a template.
	Joined
	// Assign gives Kids[0] the value Kids[1].
	Assign
	// Comp is a comprehension: what it gives, and then pairs of targets and sources.
	// Sieve has the condition in Kids[0].
	Comp
	Sieve
	// Lambda is a function without a name.
	Lambda
)

// Node is a node of an expression.
type Node struct {
	Op         Op
	Start, End int
	// Text is the name, value or marks. Marks are one byte each: see [Binary].
	Text string
	Kids []*Node
	// Func is the function of a Lambda.
	Func *Func
}

// Func is a function; the code outside of all is one too.
type Func struct {
	// Name is "" where it has none.
	Name   string
	Params []Param
	Body   []Stmt
	// Parent is the one that it stands in, Class the class.
	Parent *Func
	Class  string
	Start  int
	// Globals are names that belong to the outermost one.
	Globals []string
}

// Param is a parameter. Names are several where it takes a value apart.
type Param struct {
	Name    string
	Fields  []string
	Default *Node
}

// StmtKind is the kind of a statement.
type StmtKind uint8

// The kinds.
const (
	// Do is an expression whose value is not used.
	Do StmtKind = iota
	// Let gives Targets the value; Add adds the value to what is there.
	Let
	Add
	// Each gives Targets the items of the value in turn.
	Each
	// Use is a module: Module, with the names in Names; Return gives a value back.
	Use
	Return
	// Define is a function with a name.
	Define
)

// Stmt is a statement. Blocks are flat: Depth is how deep it stands.
type Stmt struct {
	Kind    StmtKind
	Start   int
	Depth   int
	Targets []*Node
	Value   *Node
	Module  string
	// Names are what is taken from a module; "" as From is the module as a whole, and
	// "*" all that it has.
	Names []Import
	Func  *Func
	// Declares: the names are new ones.
	Declares bool
}

// Import is a name that is taken from a module under another name.
type Import struct{ From, As string }

// Program is a piece of code.
type Program struct {
	Main *Func
	// Funcs are all functions, the outermost first.
	Funcs []*Func
	// Complete: nothing was left out.
	Complete bool
	// Odd is how many tokens had to be stepped over, of All.
	Odd, All int
}
