package host

import (
	"github.com/vadehq/vade/definition"
)

// Export describes how definitions are written for a host: where the files go and what syntax their
// bodies use. The profile's Fields describe the frontmatter. If a profile has no Export, Vade does
// not write files for the host.
type Export struct {
	// Place returns the location of files of the given kind, or nil if the host does not support
	// the kind.
	Place func(definition.Kind) *ExportPlace
	// CommandAsSkill is set if the host does not support commands. Each command then becomes a
	// skill that only users can call, if the host supports such skills.
	CommandAsSkill bool
	// CommandDir is the directory for skills made from commands, if it differs from the usual skill
	// directory. Few other hosts read this directory, so few of them load both the command and the
	// skill.
	CommandDir string
	// References is set if the host resolves "#file:path" and "#tool:name" in text.
	References bool
	// Manual is a file next to a skill that prevents models from calling the skill. It is nil if a
	// frontmatter field does that, or if the host has no such feature.
	Manual *ExportExtra
	// Syntax returns the substitution syntax in bodies of the given kind. If nil, the host sends
	// bodies unchanged.
	Syntax func(definition.Kind) *Syntax
	// Tools describes how tools are named and listed.
	Tools *ExportTools
	// Model converts a definition's model name to the host's name for the model. ok is false if the
	// host has no equivalent. If the result is "" and ok is true, the field is omitted because the
	// model is the host's default.
	Model func(name string) (host string, ok bool)
	// If Keeps is set, fields that are not in the host's table are kept, because other programs
	// also read the files.
	Keeps bool
	// Drops reports whether a field is omitted because values written for other hosts cannot be
	// converted to this host's.
	Drops func(definition.Kind, definition.Field) bool
	// Instructions describes where instructions are. It is nil if the host does not support them.
	Instructions *ExportInstructions
	// Basis and Source document the evidence for the tables.
	Basis  Basis
	Source string
}

// ExportPlace is the location of one kind's files.
type ExportPlace struct {
	// Dir is the directory, relative to the project root.
	Dir string
	// File is the file's name in a directory named after the definition. If empty, the file name is
	// the definition's name plus Suffix.
	File, Suffix string
	Format       definition.Format
	// Body is the key that contains the body if the file is TOML.
	Body string
	// Join separates the parts of a definition's name in the exported name. It is "/" if the parts
	// become directories; otherwise, it replaces the colon.
	Join string
	// Kebab is set if names may contain only lowercase letters, digits and single hyphens.
	Kebab bool
	// Name is set if the definition's name is also written to the frontmatter.
	Name bool
	// MaxBody is the maximum length of a body in characters. 0 means no limit.
	MaxBody int
	// Unquoted is set if the host's parser supports neither quotes nor block scalars. Each value is
	// then written literally on its key's line.
	Unquoted bool
}

// ExportExtra is an additional file for a skill.
type ExportExtra struct{ Path, Text string }

// ExportInstructions describes where a host's instructions are.
type ExportInstructions struct {
	// Whole is the instruction file for the entire project.
	Whole string
	// Nested is set if the host also reads files named Whole in subdirectories. Such a file can
	// hold a directory's instructions.
	Nested bool
	// Imports is set if a file may import others with "@path".
	Imports bool
	// Dir and Suffix locate instructions that apply only to some files. Paths is the key of the
	// field with the patterns. All three are "" if the host has no such instructions.
	Dir, Suffix, Paths string
	// List is set if the patterns are written as a list instead of a comma-separated string. Always
	// is the key of the field that makes a file always apply. Everything is a pattern that matches
	// all files, for hosts that ignore a file without patterns.
	List               bool
	Always, Everything string
	Unquoted           bool
}

// ExportTools describes how a host names tools.
type ExportTools struct {
	// Name returns the host's name for a tool, given its neutral name, which is Claude Code's. It
	// returns "" if the host has no equivalent.
	Name func(neutral string) string
	// Server returns the host's name for an MCP server's tool, or for all of
	// its tools if tool is "".
	Server func(server, tool string) string
	// Rules is set if a tool may have a usage rule, as in "Bash(git:*)".
	Rules bool
	// Aliases is set if the host also accepts the neutral names.
	Aliases bool
	// SpaceSeparated is set if allowed-tools must be a space-separated string.
	SpaceSeparated bool
	// Form determines how a tool list is written. Key is the frontmatter key of a map that turns
	// tools on and off.
	Form ToolForm
	Key  string
	// ReadOnly is a frontmatter entry that is written instead of a tool list if none of the listed
	// tools can write.
	ReadOnly *definition.Entry
}

// ToolForm determines how a tool list is written.
type ToolForm uint8

// Tool list forms.
const (
	// ToolWords writes the list in the field's usual form.
	ToolWords ToolForm = iota
	// ToolSwitches writes a map that turns off all tools except the listed ones.
	ToolSwitches
)

// Syntax is the substitution syntax in a body.
type Syntax struct {
	// Scanned is set if the syntax is Claude Code's, which package body parses itself. In that
	// case, the fields below only describe how to write the syntax.
	Scanned bool
	// All is the placeholder for all arguments. Alls lists other accepted forms.
	All  string
	Alls []string
	// Positions is set if "$1" is replaced by an argument. Base is the first argument's number.
	Positions bool
	Base      int
	// Rest is set if the highest position includes all later arguments.
	Rest bool
	// Slices is set if "${@:2}" expands to the second and all later arguments.
	Slices bool
	// Named is set if "$name" refers to an argument that the frontmatter declares.
	Named bool
	// Inputs is set if "${input:name}" is a named argument.
	Inputs bool
	// Escapes is set if a backslash makes a placeholder literal.
	Escapes bool
	// Appended is set if arguments that no placeholder uses are appended to the body.
	Appended bool
	// ShellOpen and ShellClose delimit a command. They are "" if bodies cannot contain commands.
	// BlockOpen and BlockClose delimit a command on separate lines. Braces is set if braces in a
	// command must be balanced.
	ShellOpen, ShellClose, BlockOpen, BlockClose string
	Braces                                       bool
	// ShellQuotes is set if arguments in a command are quoted for the shell.
	ShellQuotes bool
	// ShellAll and the elements of ShellAlls are placeholders for all arguments in a command.
	ShellAll  string
	ShellAlls []string
	// FileOpen and FileClose delimit the path of a file to insert. If FileClose is "", whitespace
	// ends the path. Lines is set if a line range may follow the path.
	FileOpen, FileClose string
	Lines               bool
	// Variable returns the host's name for a variable, or "" if the host does not have it.
	Variable func(Variable) string
	// Own reports whether this host is the only one with the given variable, such as a variable for
	// the editor's selection. If Own is nil, the host has no such variables.
	Own func(name string) bool
}

// Variable identifies a value, such as a directory, that some hosts let bodies refer to by name.
type Variable uint8

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

// OwnModel is an [Export.Model] function for hosts that do not share model names with other hosts.
// It returns "" and true for "inherit" and "default", which mean the host's default model, and ""
// and false for all other names.
func OwnModel(name string) (string, bool) {
	if name == "inherit" || name == "default" {
		return "", true
	}
	return "", false
}
