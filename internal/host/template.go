package host

// Template says what a host makes of a body that is called. The syntax of its
// places is data here; package body finds them and package render fills them.
type Template struct {
	// Steps are done one after the other.
	Steps []Step
	// Split divides a line of arguments into words; nil has none.
	Split func(line string) []string
	// Trim: white space at both ends of the body, and of the finished text, goes.
	Trim bool
	// LineFeeds: line ends of every kind become line feeds. TrimBehind: white space
	// at both ends of a body behind frontmatter goes.
	LineFeeds, TrimBehind bool
	// Whole: the text is that of the file, with its frontmatter.
	Whole bool
	// Variables are the values of ${name} in the body, by the places of the
	// definition; nil has none.
	Variables func(Places) map[string]string
	// Turn are the keys of frontmatter that change the turn.
	Turn TurnKeys
	// Wrap puts the text into what stands around it; nil puts nothing around.
	Wrap func(Wrapped) string
	// Resources is the number of files and directories beside a skill that Wrap is
	// told, 0 for none; a directory of one of the names Closed is not entered.
	Resources int
	Closed    []string
}

// TurnKeys are the keys of frontmatter that say something of the turn which a
// call begins, each "" where the host has none. A true value of Fork begins a
// conversation of its own.
type TurnKeys struct{ Model, Agent, Tools, Fork string }

// Called is what was called.
type Called struct {
	// Invocation is all that was typed, Arguments the part behind the name.
	Invocation, Arguments string
}

// Wrapped is a text that [Template.Wrap] puts something around.
type Wrapped struct {
	Called
	Name, Body string
	// File is the absolute path of the definition and Dir its directory, with
	// forward slashes.
	File, Dir, Session string
	// Resources is what stands in Dir, where the template asks for it.
	Resources Folder
}

// Folder is what stands in a directory, by name.
type Folder struct {
	Files   []string
	Folders []Folder
	Name    string
	// Closed: it was not looked into. MoreFiles, MoreFolders: there are others.
	Closed, MoreFiles, MoreFolders bool
}

// Step is one pass over a text. With both Shell and Places, the commands are found
// before any argument is put in, and the two are done at once.
type Step struct {
	Places *Placeholders
	Shell  *ShellSyntax
	Files  *FileSyntax
	// Append is what is put behind a body in which no place takes arguments.
	Append func(Called) string
	// InBody: the step is left out where the body as it was written has none of
	// its marks, whatever the steps before it have put in.
	InBody bool
}

// Placeholders is the syntax of the places for arguments.
type Placeholders struct {
	// All are the texts that stand for all arguments: the line as it was typed,
	// or with Joined the words with blanks between them.
	All    []string
	Joined bool
	// Patterns: "$&" and its like in what takes the place of All mean what they
	// mean to JavaScript's String.replace.
	Patterns bool
	// Positions: $1 is the first word, whatever follows the digits; a missing one
	// is empty. Rest: the highest position of the text takes all that follow it.
	Positions, Rest bool
	// Zero is what $0 is; with Rest it may be the highest.
	Zero func(words []string, highest bool) string
	// Slices: ${@:2} are the words from the second on, ${@:2:3} three of them.
	Slices bool
	// Inputs: ${input:name} and ${input:name:hint} are what name=value in the
	// arguments says, and stay without it.
	Inputs bool
}

// ShellSyntax is the syntax of commands in a text, and what becomes of them.
type ShellSyntax struct {
	// Open begins a command and Close ends it. Braces: "}" ends it where the
	// braces in it are balanced; white space around it goes.
	Open, Close string
	Braces      bool
	// Quoted are the places of arguments in a command that Quote writes for a
	// shell.
	Quoted []string
	Quote  func(string) string
	// Plain are the places of arguments in a command that Bare writes.
	Plain []string
	Bare  func(string) string
	// ErrorsToo: what a command writes as an error is part of its output.
	ErrorsToo bool
	// Status is what stands behind the output of a command, by its exit status;
	// nil puts nothing. LineEnd keeps the line feeds at the end of an output.
	Status  func(command string, status int) string
	LineEnd bool
	// Refused is what the host says of a command that it is forbidden to run, ""
	// or nil where it forbids none.
	Refused func(name, command string) string
}

// FileSyntax is the syntax by which a text puts in the content of a file.
type FileSyntax struct {
	// Open begins the path; "}" ends it where the braces in it are balanced.
	Open string
	// Content is what is put in of a file's text; nil puts in all of it.
	Content func(text string) string
	// Begin and End stand around the files of a directory, by its path as it was
	// written; Each before a file of it, by its path in it.
	Begin, End, Each func(path string) string
	// Behind stands behind each file of a directory.
	Behind string
	// Ignored are the names of the files that say what is left out.
	Ignored []string
}
