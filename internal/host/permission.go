package host

import "github.com/vadehq/vade/internal/shell"

// Permission describes how a host itself checks shell commands in bodies: which commands it runs
// without asking, and what it reports about the others. It is used only to predict the host's
// behavior. Vade's policy decides separately which commands Vade runs.
type Permission struct {
	// Tool is the name, in permission rules, of the tool that runs commands.
	Tool string
	// ReadTool and EditTool are the tools whose path rules also apply to paths
	// in commands. EditTool's rules apply to paths that a command changes.
	ReadTool, EditTool string
	// MaxText is the maximum length, in UTF-16 units, of a command that the
	// host parses. The host always asks about longer commands.
	MaxText int
	// MaxDirs is the maximum number of directories that a message lists. For the others, the
	// message gives only their number.
	MaxDirs int

	// Command returns what the host knows about a command. The zero value means that the host does
	// not know the command.
	Command func(name string) ShellCommand
	// Wrapper returns the number of words at the start of a command line that wrap another command,
	// such as "timeout 5".
	Wrapper func(words []string) int
	// Assignable reports whether setting a variable for a command leaves the command's effect
	// unchanged.
	Assignable func(name string) bool
	// Guarded reports whether the host asks in every mode before changing a path. The path is
	// relative to a working directory and uses forward slashes.
	Guarded func(path string) bool

	// Modes lists the permission modes.
	Modes []string
	// Bypass, Edits and Silent are modes. Bypass runs everything without asking, Edits changes
	// files in the working directories without asking, and Silent refuses instead of asking.
	Bypass, Edits, Silent string

	Texts PermissionTexts
}

// ShellCommand describes what a host knows about a command.
type ShellCommand struct {
	// Reads is set if the command is read-only. A read-only command needs a rule only if it has one
	// of the flags in Changing, a space-separated list. Partly is set if only some arguments, which
	// are listed in Vade's own table, make the command read-only.
	Reads, Partly bool
	Changing      string
	// Exact is set if a rule must match the entire command text; a prefix or wildcard rule is not
	// enough. A flag in Changing has the same effect.
	Exact bool
	// NeedsRule is set if the command is a wrapper and even a read-only command needs a rule when
	// wrapped.
	NeedsRule bool
	// Evaluates is set if the command runs its arguments as shell code.
	Evaluates bool
	// Paths is set if the command's operands are paths that must be in the working directories. The
	// first Skip operands are not paths, unless a flag in Given precedes them. The flags in Values
	// take the next word as their value. If Until is set, the paths end at the first flag that is
	// not in Leading.
	Paths   bool
	Skip    int
	Given   string
	Values  string
	Until   bool
	Leading string
	// Writes is set if the command creates, changes or removes its operands. If WritesBy is set, it
	// does so only with one of the flags in WritesBy.
	Writes   bool
	WritesBy string
	// Edits is set if the command does not need approval in the [Permission.Edits] mode.
	Edits bool
	// Moves is set if the command changes the directory for later commands. Enters is set if the
	// command needs approval when it follows a directory change.
	Moves, Enters bool
	// Verb describes in messages what the command does with paths, as in "create or modify files
	// in".
	Verb string
}

// PermissionTexts holds a host's messages. Paths are absolute. dirs is the formatted list of
// working directories.
type PermissionTexts struct {
	// Approval is the message for a single command that is not allowed. Parts returns the message
	// for a script with several commands, at least one of which is not allowed.
	Approval string
	Parts    func(parts []string) string
	// Opaque returns the message for a part of a command whose effect is unknown until the command
	// runs. If it returns "", Approval is used.
	Opaque func(shell.Opaque) string
	// Evaluates returns the message for a command that runs its arguments as shell code. Background
	// is the message for a command that is allowed but runs in the background.
	Evaluates  func(command string) string
	Background string
	// Inside returns the message for a change in the working directories, and Outside returns the
	// message for a path outside them. The comment on In describes the operation argument.
	Inside  func(operation, path, dirs, verb string) string
	Outside func(operation, path, dirs, verb string) string
	// In is the text that follows a command's name in the operation argument of Inside and Outside,
	// as in "touch in". For redirected output, operation is Redirection and verb is
	// RedirectionVerb.
	In, Redirection, RedirectionVerb string
	// Denied returns the message for a command that a rule denies. DeniedTool is the message if a
	// rule denies all commands.
	Denied     func(command string) string
	DeniedTool string
	// Asked returns the message for a command that matches an ask rule.
	Asked func(rule string) string
	// Silent is the message for a command that the Silent mode refuses instead of asking.
	Silent string
	// Entered is the message for a directory change that precedes a command with Enters set. Moved
	// is the message for a directory change that precedes a file change.
	Entered, Moved string
	// More returns the text that states how many directories a list omits.
	More func(n int) string
}
