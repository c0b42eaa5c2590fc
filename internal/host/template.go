package host

// Template describes how a host renders a body. It defines the placeholder syntax;
// package body finds the placeholders and package render replaces them.
type Template struct {
	// Steps are applied in order.
	Steps []Step
	// Split splits an argument line into words. nil means that the host does not split it.
	Split func(line string) []string
	// Trim means that whitespace around the body and around the result is removed.
	Trim bool
	// LineFeeds means that all line endings become line feeds. TrimBehind means that whitespace
	// around a body that follows frontmatter is removed.
	LineFeeds, TrimBehind bool
	// Whole means that the result is the whole file, including its frontmatter.
	Whole bool
	// Footer returns text that is appended to the body before the steps run, given the
	// definition's directory as an absolute path. nil adds nothing.
	Footer func(dir string) string
	// Variables returns the values of ${name} in the body. nil means that there are none.
	Variables func(Places) map[string]string
	// Turn holds the frontmatter keys that affect the turn.
	Turn TurnKeys
	// Wrap adds the host's text around the result. nil adds nothing.
	Wrap func(Wrapped) string
	// Resources is the maximum number of files and directories next to a skill that Wrap
	// receives; 0 means none. Directories named in Closed are not entered.
	Resources int
	Closed    []string
}

// TurnKeys holds the frontmatter keys that affect the turn that a call begins. A key is "" if the
// host does not have it. A true value of Fork starts a separate conversation.
type TurnKeys struct{ Model, Agent, Tools, Fork string }

// Called describes a user's call of a definition.
type Called struct {
	// Invocation is the complete input, and Arguments is the part after the name.
	Invocation, Arguments string
}

// Wrapped is the input of [Template.Wrap].
type Wrapped struct {
	Called
	Name, Body string
	// File is the absolute path of the definition, and Dir its directory, with forward slashes.
	File, Dir, Session string
	// Resources is the content of Dir, if the template requests it.
	Resources Folder
}

// Folder is the content of a directory, sorted by name.
type Folder struct {
	Files   []string
	Folders []Folder
	Name    string
	// Closed means that the directory was not read. MoreFiles and MoreFolders mean that some
	// entries were omitted.
	Closed, MoreFiles, MoreFolders bool
}

// Step is one pass over text. If both Shell and Places are set, commands are found
// before arguments are inserted, and both are replaced at once.
type Step struct {
	Places *Placeholders
	Shell  *ShellSyntax
	Files  *FileSyntax
	// Append returns the text to append to a body without placeholders.
	Append func(Called) string
	// InBody means that the step is skipped if the original body has none of the step's marks,
	// even if earlier steps inserted some.
	InBody bool
}

// Placeholders is the syntax of argument placeholders.
type Placeholders struct {
	// All holds the placeholders for all arguments. They yield the line as typed or, if Joined is
	// set, the words joined by spaces.
	All    []string
	Joined bool
	// Patterns means that patterns such as "$&" in the value of All are interpreted as in
	// JavaScript's String.replace.
	Patterns bool
	// Positions means that $1 is the first word, even if more characters follow the digits, and
	// that a missing word is empty. Rest means that the highest position in the text also takes
	// all later words.
	Positions, Rest bool
	// Zero returns the value of $0. If Rest is set, $0 may be the highest position.
	Zero func(words []string, highest bool) string
	// Slices means that ${@:2} expands to the words from the second on, and ${@:2:3} to three of
	// them.
	Slices bool
	// Defaults means that ${1:-text} and, for the names in All, ${@:-text} expand to the text if
	// there is no such word.
	Defaults bool
	// Inputs means that ${input:name} and ${input:name:hint} are replaced with the value of
	// name=value in the arguments, and kept if there is no such argument.
	Inputs bool
}

// ShellSyntax describes the syntax of commands in text and how they are processed.
type ShellSyntax struct {
	// Open begins a command and Close ends it. Braces means that a "}" at balanced braces ends
	// the command, and that surrounding whitespace is removed.
	Open, Close string
	Braces      bool
	// Quoted holds the argument placeholders in a command that Quote formats for a shell.
	Quoted []string
	Quote  func(string) string
	// Plain holds the argument placeholders in a command that Bare formats.
	Plain []string
	Bare  func(string) string
	// ErrorsToo means that stderr is part of the output.
	ErrorsToo bool
	// Status returns the text after a command's output, given the exit status. nil adds nothing.
	// LineEnd keeps line feeds at the end of the output.
	Status  func(command string, status int) string
	LineEnd bool
	// Refused returns the host's message for a forbidden command, or "". nil means that the host
	// forbids none.
	Refused func(name, command string) string
}

// FileSyntax is the syntax for including files in text.
type FileSyntax struct {
	// Open begins the path. A "}" at balanced braces ends it.
	Open string
	// Content returns the part of a file's text to include. nil includes all of it.
	Content func(text string) string
	// Begin and End surround the files of a directory, given the directory's path as written.
	// Each precedes a file, given the file's path in the directory.
	Begin, End, Each func(path string) string
	// Behind follows each file of a directory.
	Behind string
	// Ignored holds the names of ignore files.
	Ignored []string
}
