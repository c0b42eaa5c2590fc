package host

import "github.com/vadehq/vade/internal/shell"

// Permission describes a host's own check of the shell commands in bodies: which commands the
// host would run without asking, and its messages for other commands. It predicts the host's
// behavior and allows nothing in Vade, whose policy decides separately.
type Permission struct {
	// Tool is the name, in permission rules, of the tool that runs commands.
	Tool string
	// ReadTool and EditTool are the tools whose path rules also apply to the paths in commands.
	// EditTool's rules apply to paths that are changed.
	ReadTool, EditTool string
	// MaxText is the maximum length, in UTF-16 units, of a command that is parsed. For longer
	// commands the host always asks.
	MaxText int
	// MaxDirs is the number of directories that a message lists before it only counts the rest.
	MaxDirs int

	// Command returns what the host knows about a command. The zero value means that it knows
	// nothing.
	Command func(name string) ShellCommand
	// Wrapper returns the number of leading words of a command line that only wrap the rest, such
	// as "timeout 5". It returns 0 if there are none.
	Wrapper func(words []string) int
	// Assignable reports whether setting a variable for a command cannot change what
	// the command does.
	Assignable func(name string) bool
	// Guarded reports whether the host asks in every mode before changing a path, which
	// is relative to a working directory and has forward slashes.
	Guarded func(path string) bool

	// Modes are the names of the permission modes.
	Modes []string
	// Bypass is the mode that runs everything without asking, Edits the mode that runs file
	// changes in the working directories without asking, and Silent the mode that refuses instead
	// of asking.
	Bypass, Edits, Silent string

	Texts PermissionTexts
}

// ShellCommand is what a host knows about a command.
type ShellCommand struct {
	// Reads means that the command is read-only and needs no rule unless a flag in Changing, a
	// space-separated list, is given. Partly means that some forms of the command are read-only,
	// as Vade's own table lists.
	Reads, Partly bool
	Changing      string
	// Exact means that only a rule for the entire command text allows the command, not a prefix
	// or wildcard rule. The same applies if a flag in Changing is given.
	Exact bool
	// NeedsRule means that a read-only command after this wrapper runs only if a rule allows it.
	NeedsRule bool
	// Evaluates means that the command runs its arguments as shell code.
	Evaluates bool
	// Paths means that operands are paths that must be in the working directories, except for the
	// first Skip operands, unless one of the flags in Given precedes them. The flags in Values
	// take the next word as their value. Until means that the paths end at the first flag that is
	// not in Leading.
	Paths   bool
	Skip    int
	Given   string
	Values  string
	Until   bool
	Leading string
	// Writes means that the command creates, changes or removes its operands. If WritesBy is set,
	// one of those flags must be given.
	Writes   bool
	WritesBy string
	// Edits means that the command runs in the mode that allows file changes.
	Edits bool
	// Moves means that the command changes the directory for later commands. Enters means that no
	// directory change may precede it.
	Moves, Enters bool
	// Verb describes in messages how the command uses paths ("create or modify files in").
	Verb string
}

// PermissionTexts are a host's messages. Paths are absolute. dirs is the list of working
// directories as formatted for a message.
type PermissionTexts struct {
	// Approval is the message for a single command that is not allowed. Parts is the message if
	// the text has several commands and one or more of them are not allowed.
	Approval string
	Parts    func(parts []string) string
	// Opaque is for a part whose effect is unknown before the command runs. "" means Approval.
	Opaque func(shell.Opaque) string
	// Evaluates is for a command that runs its arguments as shell code. Background is for commands
	// that are allowed but run in the background.
	Evaluates  func(command string) string
	Background string
	// Inside is for a change in the working directories, and Outside for a path outside them.
	// what is the command and a preposition ("touch in").
	Inside  func(what, path, dirs, verb string) string
	Outside func(what, path, dirs, verb string) string
	// In follows a command's name in what. Redirection is the value of what for redirected output,
	// and RedirectionVerb is the corresponding verb.
	In, Redirection, RedirectionVerb string
	// Denied is for a command that a rule denies, and DeniedTool for a rule that denies all
	// commands.
	Denied     func(command string) string
	DeniedTool string
	// Asked is for a command that matches an ask rule.
	Asked func(rule string) string
	// Silent is for a command that the Silent mode refuses instead of asking.
	Silent string
	// Entered is for a directory change before a command with Enters, and Moved for a directory
	// change before a file change.
	Entered, Moved string
	// More counts the omitted directories of a list.
	More func(n int) string
}
