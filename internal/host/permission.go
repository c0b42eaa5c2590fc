package host

// Permission is a host's own check of the shell commands of bodies: which of
// them it would run without asking, and what it says of the others. It is what
// the host does, and no leave for anything here: Vade's policy decides beside it.
type Permission struct {
	// Tool is the tool that runs commands, as rules name it.
	Tool string
	// ReadTool and EditTool are those whose rules for paths hold for the paths of
	// commands as well, of which the second is for what is changed.
	ReadTool, EditTool string
	// MaxText is the length in UTF-16 units of the longest text that is looked
	// into; a longer one is always asked about.
	MaxText int
	// MaxDirs is how many directories a message lists before it counts the rest.
	MaxDirs int

	// Command says what the host knows of a command by its name; the zero value
	// is nothing.
	Command func(name string) ShellCommand
	// Wrapper returns how many words at the front of a command line only say how
	// the rest is run, such as "timeout 5"; 0 for none.
	Wrapper func(words []string) int
	// Assignable reports whether a variable may be set for a command without a
	// change to what the command does.
	Assignable func(name string) bool
	// Guarded reports whether a path below a working directory, relative to it
	// with slashes, is asked about in every mode before it is changed.
	Guarded func(path string) bool

	// Modes are the words of the permission modes.
	Modes []string
	// Bypass, Edits and Silent are the permission modes that run what would be
	// asked about, that run changes of files in the working directories, and that
	// refuse in place of asking.
	Bypass, Edits, Silent string

	Texts PermissionTexts
}

// ShellCommand is what a host knows of a command that is named by its first word.
type ShellCommand struct {
	// Reads: it changes nothing and runs without a rule, but for the flags in
	// Changing, with blanks between them. Partly: it has forms that only read,
	// which Vade's own table knows.
	Reads, Partly bool
	Changing      string
	// Exact: only a rule for the whole text of the command allows it, not one for
	// its beginning or with an asterisk. With a flag in Changing that is so too.
	Exact bool
	// Paths: its operands are paths that have to be in the working directories.
	// Of the first Skip they are not, unless one of the flags in Given stands
	// before; the flags in Values have a value in the next word. Until: they end
	// at the first flag that is not in Leading.
	Paths   bool
	Skip    int
	Given   string
	Values  string
	Until   bool
	Leading string
	// Writes: it creates, changes or removes what its operands name; with
	// WritesBy, only where one of these flags is given.
	Writes   bool
	WritesBy string
	// Edits: the mode that runs changes of files runs it.
	Edits bool
	// Moves: it changes the directory of what follows. Enters: that must not
	// stand before it.
	Moves, Enters bool
	// Verb says in messages what it does with paths ("create or modify files in").
	Verb string
}

// PermissionTexts are a host's messages. Paths are absolute; dirs is the list of
// working directories as a message holds it.
type PermissionTexts struct {
	// Approval is for a command that is not allowed, and Parts for several of one
	// text that are not, or one among several.
	Approval string
	Parts    func(parts []string) string
	// Variable, Braces and Substitution are for $X, ${X} and $(…).
	Variable, Braces, Substitution string
	// Inside is for a change in the working directories, Outside for a path that
	// is in none. what is the command and a preposition ("touch in").
	Inside  func(what, path, dirs, verb string) string
	Outside func(what, path, dirs, verb string) string
	// In follows the name of a command in what, and Redirection is what of the
	// output of one, with RedirectionVerb.
	In, Redirection, RedirectionVerb string
	// Denied is for a command that a rule denies, DeniedTool where it denies all.
	Denied     func(command string) string
	DeniedTool string
	// Asked is for one that a rule wants to be asked about.
	Asked func(rule string) string
	// Silent is for what would be asked about in the mode of that name.
	Silent string
	// Entered is for a change of the directory before a command that Enters,
	// Moved for one before a change of files.
	Entered, Moved string
	// More counts the directories that a list leaves out.
	More func(n int) string
}
