package host

// Template describes how a host renders a body. It defines the placeholder
// syntax; package body finds the placeholders and package render replaces them.
type Template struct {
	// Steps holds the passes over the text, in order.
	Steps []Step
	// Split splits an argument line into words. nil means that the host does not split it.
	Split func(line string) []string
	// If Trim is set, whitespace around the body is removed before rendering, and whitespace around
	// the result is removed afterward.
	Trim bool
	// If LineFeeds is set, all line endings are converted to line feeds. If TrimAfter is set,
	// whitespace around a body that follows frontmatter is removed.
	LineFeeds, TrimAfter bool
	// If Whole is set, the whole file is rendered, including its frontmatter.
	Whole bool
	// Footer returns text to append to the body before the steps run, given the absolute path of
	// the definition's directory. If nil, no text is appended.
	Footer func(dir string) string
	// Variables returns the values of ${name} in the body. nil means that bodies have no variables.
	Variables func(Places) map[string]string
	// Turn holds the frontmatter keys that affect the turn that a call begins.
	Turn TurnKeys
	// Wrap adds the host's text around the result. If nil, no text is added.
	Wrap func(Wrapped) string
	// Resources is the maximum number of a skill's companion files and directories to pass to Wrap;
	// 0 means none. Directories whose names are in Closed are not entered.
	Resources int
	Closed    []string
}

// TurnKeys holds the frontmatter keys that affect the turn that a call begins. A key is "" if the
// host does not support it. If the value of Fork is true, the call starts a separate conversation.
type TurnKeys struct{ Model, Agent, Tools, Fork string }

// Called contains what a user typed to call a definition.
type Called struct {
	// Invocation is the full input, and Arguments is the part that follows the name.
	Invocation, Arguments string
}

// Wrapped is the input to [Template.Wrap].
type Wrapped struct {
	Called
	Name, Body string
	// File is the absolute path of the definition's file, and Dir is its directory, both with
	// forward slashes.
	File, Dir, Session string
	// Resources is the content of Dir if [Template.Resources] is greater than 0.
	Resources Folder
}

// Folder is a directory's content, sorted by name.
type Folder struct {
	Files   []string
	Folders []Folder
	Name    string
	// Closed is set if the directory was not read. MoreFiles and MoreFolders
	// are set if some entries were omitted.
	Closed, MoreFiles, MoreFolders bool
}

// Step is one pass over the text. If both Shell and Places are set, commands are found before
// arguments are inserted, and the commands and placeholders are replaced in the same pass.
type Step struct {
	Places *Placeholders
	Shell  *ShellSyntax
	Files  *FileSyntax
	// Append returns the text to append to a body that contains no placeholders.
	Append func(Called) string
	// If InBody is set, the step is skipped if the original body contains nothing to replace,
	// regardless of text that earlier steps inserted.
	InBody bool
}

// Placeholders describes the syntax of argument placeholders.
type Placeholders struct {
	// All lists the placeholders for all arguments. They expand to the argument line as typed or,
	// if Joined is set, to the words joined by spaces.
	All    []string
	Joined bool
	// If Patterns is set, patterns such as "$&" in the value of All are interpreted as in
	// JavaScript's String.replace.
	Patterns bool
	// If Positions is set, $1 is the first word, $2 the second, and so on, regardless of what
	// follows the digits. A missing word is empty. If Rest is set, the highest position in the text
	// includes all later words.
	Positions, Rest bool
	// If FromZero is set, $0 and $ARGUMENTS[0] are the first word. A missing word is empty. A
	// backslash before one of these placeholders is removed and makes the placeholder literal.
	FromZero bool
	// Zero returns the value of $0. If Rest is set, $0 can be the highest position.
	Zero func(words []string, highest bool) string
	// If Slices is set, ${@:2} expands to the second and all later words, and ${@:2:3} to three
	// words.
	Slices bool
	// If Defaults is set, ${1:-text} and, for the names in All, ${@:-text} are supported. They
	// expand to text if the word is missing.
	Defaults bool
	// If Inputs is set, ${input:name} and ${input:name:hint} are replaced with the value of
	// name=value in the arguments. Without a matching argument, they are left unchanged.
	Inputs bool
}

// ShellSyntax describes the syntax of commands in text and how a host processes them.
type ShellSyntax struct {
	// Open and Close delimit a command. If Braces is set, a command ends at the "}" that balances
	// its braces, and surrounding whitespace is removed.
	Open, Close string
	Braces      bool
	// Quoted lists the argument placeholders in a command that are replaced with values quoted for
	// the shell. Quote does the quoting.
	Quoted []string
	Quote  func(string) string
	// Plain lists the argument placeholders in a command that are replaced with values formatted by
	// Bare.
	Plain []string
	Bare  func(string) string
	// If ErrorsToo is set, the output includes stderr.
	ErrorsToo bool
	// Status returns the text to append to a command's output, given the exit status. If nil, no
	// text is appended. If LineEnd is set, line feeds at the end of the output are kept.
	Status  func(command string, status int) string
	LineEnd bool
	// Refused returns the host's message for a command that does not run. name is the definition's
	// name. If nil, Vade's own message is used.
	Refused func(name, command string) string
}

// FileSyntax is the syntax for including files in text.
type FileSyntax struct {
	// Open precedes the path. The path ends at the "}" that balances its braces.
	Open string
	// Content returns the part of a file's text to include. nil includes the entire text.
	Content func(text string) string
	// Begin and End return the text around a directory's files, given the directory's path as
	// written. Each returns the text before each file, given the file's path in the directory.
	Begin, End, Each func(path string) string
	// After is the text after each file in a directory.
	After string
	// Ignored lists the names of ignore files.
	Ignored []string
}
