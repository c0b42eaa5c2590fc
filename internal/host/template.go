package host

// Template describes how a host renders a body. It defines the placeholder syntax;
// package body finds the placeholders and package render replaces them.
type Template struct {
	// Steps are applied in order.
	Steps []Step
	// Split splits an argument line into words; nil if the host does not split it.
	Split func(line string) []string
	// Trim: whitespace around the body and around the result is removed.
	Trim bool
	// LineFeeds: all line endings become line feeds. TrimBehind: whitespace around a
	// body that follows frontmatter is removed.
	LineFeeds, TrimBehind bool
	// Whole: the result is the whole file, including its frontmatter.
	Whole bool
	// Footer returns text that follows the body before the steps, given the definition's directory
	// as an absolute path; nil adds nothing.
	Footer func(dir string) string
	// Variables returns the values of ${name} in the body; nil means none.
	Variables func(Places) map[string]string
	// Turn are the frontmatter keys that affect the turn.
	Turn TurnKeys
	// Wrap adds the host's text around the result; nil adds nothing.
	Wrap func(Wrapped) string
	// Resources is the maximum number of files and directories next to a skill that Wrap
	// receives, 0 for none. Directories named in Closed are not entered.
	Resources int
	Closed    []string
}

// TurnKeys are the frontmatter keys that affect the turn that a call begins, each "" if
// the host does not have it. A true value of Fork starts a separate conversation.
type TurnKeys struct{ Model, Agent, Tools, Fork string }

// Called is a call.
type Called struct {
	// Invocation is the complete input, Arguments the part after the name.
	Invocation, Arguments string
}

// Wrapped is the input of [Template.Wrap].
type Wrapped struct {
	Called
	Name, Body string
	// File is the absolute path of the definition and Dir its directory, with forward
	// slashes.
	File, Dir, Session string
	// Resources is the content of Dir, if the template requests it.
	Resources Folder
}

// Folder is the content of a directory, sorted by name.
type Folder struct {
	Files   []string
	Folders []Folder
	Name    string
	// Closed: the directory was not read. MoreFiles, MoreFolders: entries were omitted.
	Closed, MoreFiles, MoreFolders bool
}

// Step is one pass over a text. If both Shell and Places are set, commands are found
// before arguments are inserted, and both are replaced at once.
type Step struct {
	Places *Placeholders
	Shell  *ShellSyntax
	Files  *FileSyntax
	// Append returns what is appended to a body without placeholders.
	Append func(Called) string
	// InBody: the step is skipped if the original body has none of its marks, whatever
	// earlier steps inserted.
	InBody bool
}

// Placeholders is the syntax of argument placeholders.
type Placeholders struct {
	// All are the placeholders for all arguments: the line as typed, or with Joined the
	// words joined by spaces.
	All    []string
	Joined bool
	// Patterns: "$&" and the like in the value of All are interpreted as in JavaScript's
	// String.replace.
	Patterns bool
	// Positions: $1 is the first word, whatever follows the digits; a missing word is
	// empty. Rest: the highest position in the text also takes all later words.
	Positions, Rest bool
	// Zero returns the value of $0; with Rest it may be the highest position.
	Zero func(words []string, highest bool) string
	// Slices: ${@:2} are the words from the second on, ${@:2:3} three of them.
	Slices bool
	// Inputs: ${input:name} and ${input:name:hint} are replaced by the value of
	// name=value in the arguments, and kept without one.
	Inputs bool
}

// ShellSyntax is the syntax of commands in a text and how they are processed.
type ShellSyntax struct {
	// Open begins a command and Close ends it. Braces: a "}" at balanced braces ends it,
	// and surrounding whitespace is removed.
	Open, Close string
	Braces      bool
	// Quoted are the argument placeholders in a command that Quote formats for a shell.
	Quoted []string
	Quote  func(string) string
	// Plain are the argument placeholders in a command that Bare formats.
	Plain []string
	Bare  func(string) string
	// ErrorsToo: standard error is part of the output.
	ErrorsToo bool
	// Status returns the text after a command's output, by exit status; nil adds
	// nothing. LineEnd keeps line feeds at the end of the output.
	Status  func(command string, status int) string
	LineEnd bool
	// Refused returns the host's message for a forbidden command, or ""; nil if the host
	// forbids none.
	Refused func(name, command string) string
}

// FileSyntax is the syntax for including files in a text.
type FileSyntax struct {
	// Open begins the path; a "}" at balanced braces ends it.
	Open string
	// Content returns the part of a file's text to include; nil includes all of it.
	Content func(text string) string
	// Begin and End surround the files of a directory, given its path as written. Each
	// precedes a file, given its path in the directory.
	Begin, End, Each func(path string) string
	// Behind follows each file of a directory.
	Behind string
	// Ignored are the names of ignore files.
	Ignored []string
}
