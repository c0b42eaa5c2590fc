package fact

// ShellFacts are what commands of shells do.
type ShellFacts struct {
	Commands []Command
	// Pipes are the pipelines of two and more commands.
	Pipes []Pipe

	// byPath are the indices of the files, looked how much was read of them for
	// commands that name them.
	byPath map[string]int
	looked int
}

// Command is one simple command, wherever it stands: in a block, in a span of code,
// in a script, in an argument of another one (sh -c '…'), in a call of a script
// (subprocess.run("…")).
type Command struct {
	Place
	Standing
	// Name is the program without its directory, in small letters; of a method that
	// PowerShell calls it is the method's name.
	Name string
	// Args are the words behind the name; what only shows when it runs is kept as
	// it is written ($HOME, $(…)).
	Args []string
	// Text is the whole command as it is written.
	Text string
	// Assigns are the variables that are set for it: NAME=text.
	Assigns []string
	// Reads and Writes are the files that its streams are joined to.
	Reads, Writes []string
	// Inner are the indices of commands whose output becomes part of it.
	Inner []int
	// Outer is the index of the command that runs this one as an argument of it
	// (sudo, sh -c, xargs, ssh, eval); -1 where there is none.
	Outer int
	// Wraps is the index of the command that it runs with its own streams (sudo, env,
	// nohup, xargs), From that of the one whose output it reads; -1 where there is none.
	Wraps, From int
	// Input is text that it gets as its standard input, as from a here-document.
	Input string
	// How names the encodings that the command came out of, the outermost first.
	How []string
	// Native: it is of PowerShell or of the prompt of Windows.
	Native bool
	// Unit is a number that the commands of one text have in common.
	Unit int
}

// Pipe is a pipeline: indices of commands, the output of each being the input of the
// next.
type Pipe struct {
	Place
	Standing
	Stages []int
}
