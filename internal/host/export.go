package host

import (
	"github.com/vadehq/vade/definition"
)

// Export describes how definitions are written for a host: the locations of their files
// and the syntax of their bodies. The host's Fields define which fields a kind has and
// in which form. A profile without Export has no files of its own to write.
type Export struct {
	// Place returns the location of a kind's files, or nil if the host does not have the kind.
	Place func(definition.Kind) *ExportPlace
	// CommandAsSkill means that the host has no commands. A command becomes a skill that only
	// users can call, if the host supports that.
	CommandAsSkill bool
	// CommandDir is the directory of such skills if it is not the usual one. Few other hosts read
	// this directory, so that they do not load the command twice.
	CommandDir string
	// References means that the host resolves "#file:path" and "#tool:name" in text.
	References bool
	// Manual is a file next to a skill that makes the skill callable by users only. It is nil if
	// a frontmatter field does so, or if the host has no such feature.
	Manual *ExportExtra
	// Syntax returns the syntax of substitutions in the bodies of a kind. nil means that the host
	// sends bodies unchanged.
	Syntax func(definition.Kind) *Syntax
	// Tools describes how tools are named and listed.
	Tools *ExportTools
	// Model translates a definition's model name to the host's. ok is false if there is no
	// equivalent. "" omits the field, because the host behaves the same by default.
	Model func(name string) (host string, ok bool)
	// Keeps means that fields outside the table are kept, because several programs read the
	// files.
	Keeps bool
	// Drops reports whether the host's field for a kind has a form that no other host's value can
	// be converted to.
	Drops func(definition.Kind, definition.Field) bool
	// Instructions describes the locations of instructions. It is nil if the host has none.
	Instructions *ExportInstructions
	// Basis and Source state the evidence for the tables.
	Basis  Basis
	Source string
}

// ExportPlace is the location of one kind's files.
type ExportPlace struct {
	// Dir is the directory, relative to the project root.
	Dir string
	// File is the file's name in a directory named after the definition. If it is "",
	// the file is the definition's name with Suffix.
	File, Suffix string
	Format       definition.Format
	// Body is the key that contains the body, in TOML.
	Body string
	// Join separates the parts of a name. It is "/" if directories are parts of the name, and
	// otherwise the replacement for a colon.
	Join string
	// Kebab means that names have only lowercase letters, digits and single hyphens.
	Kebab bool
	// Name means that the file also has the name as a field.
	Name bool
	// MaxBody is the maximum length of a body in characters; 0 means no limit.
	MaxBody int
	// Unquoted means that the host's parser supports neither quotes nor blocks, so a value is
	// written literally on its line.
	Unquoted bool
}

// ExportExtra is an additional file of a skill.
type ExportExtra struct{ Path, Text string }

// ExportInstructions describes the locations of instructions.
type ExportInstructions struct {
	// Whole is the instruction file for the whole project.
	Whole string
	// Nested means that the host also reads such a file in subdirectories, so it can hold the
	// instructions for a directory.
	Nested bool
	// Imports means that a file may import others by "@path".
	Imports bool
	// Dir and Suffix locate instructions that apply only to some files. Paths is the key of their
	// patterns. All three are "" if the host has no such instructions.
	Dir, Suffix, Paths string
	// List means that the patterns are a list instead of a comma-separated string. Always is the
	// key that makes a file always apply. Everything is the pattern that matches all files, for
	// hosts in which a file without patterns does not apply.
	List               bool
	Always, Everything string
	Unquoted           bool
}

// ExportTools describes how a host names tools.
type ExportTools struct {
	// Name translates a neutral tool name (Claude Code's) to the host's name, or to "" if there
	// is no equivalent.
	Name func(neutral string) string
	// Server returns the host's name of an MCP server's tool, or of all of its tools if
	// tool is "".
	Server func(server, tool string) string
	// Rules means that a tool may have a rule for its use, as in "Bash(git:*)".
	Rules bool
	// Aliases means that the host also accepts the neutral names.
	Aliases bool
	// Blanks means that allowed-tools must be a space-separated string.
	Blanks bool
	// Form is the form of a tool list. Key is the field of the switches.
	Form ToolForm
	Key  string
	// ReadOnly is a field, with its value, that replaces a list of tools if none of them can
	// write.
	ReadOnly *definition.Entry
}

// ToolForm is the form of a tool list.
type ToolForm uint8

// The forms.
const (
	// ToolWords is the form of the field's own type.
	ToolWords ToolForm = iota
	// ToolSwitches is a map that turns off all tools except the listed ones.
	ToolSwitches
)

// Syntax is the syntax of substitutions in a body.
type Syntax struct {
	// Scanned means that the syntax is Claude Code's, which package body scans. The fields below
	// then describe how to write it.
	Scanned bool
	// All is the placeholder for all arguments. Alls are other accepted forms.
	All  string
	Alls []string
	// Positions means that "$1" is an argument. The first argument has the number Base.
	Positions bool
	Base      int
	// Rest means that the highest position also takes all arguments after it.
	Rest bool
	// Slices means that "${@:2}" means all arguments from the second on.
	Slices bool
	// Named means that "$name" is an argument declared in the field for argument names.
	Named bool
	// Inputs means that "${input:name}" is a named argument.
	Inputs bool
	// Escapes means that a backslash makes a placeholder literal.
	Escapes bool
	// Appended means that arguments that no placeholder uses are appended to the body.
	Appended bool
	// ShellOpen begins a command and ShellClose ends it; "" means that bodies have no commands.
	// BlockOpen and BlockClose delimit a command on separate lines. Braces means that braces in a
	// command must be balanced.
	ShellOpen, ShellClose, BlockOpen, BlockClose string
	Braces                                       bool
	// ShellQuotes means that arguments in a command are quoted for the shell.
	ShellQuotes bool
	// ShellAll and each of ShellAlls are placeholders for all arguments in a command.
	ShellAll  string
	ShellAlls []string
	// FileOpen begins the path of an inserted file, and FileClose ends it; if FileClose is "",
	// whitespace ends the path. Lines means that a path may be followed by a line range.
	FileOpen, FileClose string
	Lines               bool
	// Variable returns the host's name of a neutral variable, or "".
	Variable func(Variable) string
	// Own reports whether the host replaces a variable that no other host has, such as the
	// selection in the editor. nil means that there are none.
	Own func(name string) bool
}

// Variable is a value that some hosts provide as a variable.
type Variable uint8

// The variables.
const (
	NoVariable Variable = iota
	SkillDir
	ProjectDir
	PluginDir
	SessionID
)

func ReadOnlyKey(key string, v definition.Value) *definition.Entry {
	return &definition.Entry{Key: key, Value: v}
}

// OwnModel is an [Export.Model] for hosts that share no model names with other hosts. It omits
// "inherit", which is the default in these hosts.
func OwnModel(name string) (string, bool) {
	if name == "inherit" || name == "default" {
		return "", true
	}
	return "", false
}
