package fact

// ScriptFacts are what the code of scripts does.
type ScriptFacts struct {
	Calls []Call
	Flows []Flow
}

// Call is one call in code that is of interest.
type Call struct {
	Place
	Standing
	// Name is what is called, with the names that imports gave it undone:
	// "requests.post", "child_process.exec", "os.environ.copy".
	Name string
	// Args are its literal arguments, "" for each other one.
	Args []string
	// Does is what the call does.
	Does Effect
}

// Effect is what a piece of code does.
type Effect uint8

// The effects.
const (
	NoEffect Effect = iota
	// RunShell gives a text to a shell, RunProgram starts a program.
	RunShell
	RunProgram
	// Evaluate runs text as code.
	Evaluate
	// LoadCode loads code by a name or path that the call computes.
	LoadCode
	// Fetch reads from the network, Send writes to it, Connect opens a stream.
	Fetch
	Send
	Connect
	// DecodeData undoes an encoding, a packing or an encryption.
	DecodeData
	// ReadFile and WriteFile touch files, RemoveTree removes directories.
	ReadFile
	WriteFile
	RemoveTree
	// ReadEnv reads a variable, ReadAllEnv all of them.
	ReadEnv
	ReadAllEnv
	// ReadSecret reads what is secret by its place: keys, tokens, stores of browsers.
	ReadSecret
	// Listen waits for connections.
	Listen
	// Bind joins the streams of a shell to a connection.
	Bind
)

// Flow says that what one effect gives reaches another one in the same file, through
// variables, arguments and returns.
type Flow struct {
	From, To Effect
	// At is where it is used, Source where it comes from.
	At, Source Place
	Standing
	// What names what flows: a variable of the environment, a path, an address; ""
	// where it does not show.
	What string
	// Where is the address or the path that it flows to, as far as it shows.
	Where string
	// Class is the class of the file that it comes from.
	Class PathClass
	// Sink is the name of the call that it reaches. Part says where in it: "header",
	// "address" or "body" of what is sent, "client" where it was given to what sends, "file" where a file that was written is run,
	// "pickle" where objects are loaded.
	Sink, Part string
	// Picked: a part of it was taken out by name. Literal: what is decoded stands in the
	// code.
	Picked, Literal bool
}
