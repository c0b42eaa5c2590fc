package host

import (
	"github.com/vadehq/vade/definition"
)

// Export says how definitions are written for a host: where their files stand,
// and the syntax of their bodies. Which fields a kind takes, and in which form, is
// what the host's Fields say. A profile without one has no files of its own to
// write.
type Export struct {
	// Place is where a definition of a kind goes; nil where the host has no such
	// kind.
	Place func(definition.Kind) *ExportPlace
	// CommandAsSkill: the host has no commands, and one becomes a skill that only
	// people call, where the host can say so.
	CommandAsSkill bool
	// CommandDir is where these go, if not among the skills: a directory that few other
	// hosts read, so that these do not have the command twice.
	CommandDir string
	// References: the host takes "#file:path" and "#tool:name" in a text for references.
	References bool
	// Manual is a file beside a skill by which the host knows that only people call
	// it; nil where a field says so, or nothing does.
	Manual *ExportExtra
	// Syntax is what the host puts into the bodies of a kind; nil where it puts in
	// nothing, so that a body is the text that it is.
	Syntax func(definition.Kind) *Syntax
	// Tools says how tools are named and listed.
	Tools *ExportTools
	// Model is the host's name of a model, by the name in a definition; ok is false
	// where none is known. "" leaves the field out, as what the host does anyway.
	Model func(name string) (host string, ok bool)
	// Keeps: a field that the table has not is kept as it is, since what reads the files
	// is no host.
	Keeps bool
	// Drops are fields of a kind that the host has, but in a form that no other
	// field can be written in.
	Drops func(definition.Kind, definition.Field) bool
	// Instructions says where instructions go; nil where the host has none.
	Instructions *ExportInstructions
	// Basis and Source say what the tables rest on.
	Basis  Basis
	Source string
}

// ExportPlace is where the files of one kind go.
type ExportPlace struct {
	// Dir is the directory, below the top of the project.
	Dir string
	// File is the name of the file in a directory that has the definition's name;
	// where it is "", the file is the name with Suffix.
	File, Suffix string
	Format       definition.Format
	// Body is the key that holds the body, in TOML.
	Body string
	// Join stands between the parts of a name: "/" where directories are parts of a
	// name, else what takes the place of a colon.
	Join string
	// Kebab: a name is of small letters, digits and single hyphens.
	Kebab bool
	// Name: the file has the name as a field too.
	Name bool
	// MaxBody is the greatest length of a body in characters, 0 for none.
	MaxBody int
	// Unquoted: the host's own parser knows no quotes and no blocks, so that a value
	// stands on its line as it is.
	Unquoted bool
}

// ExportExtra is a further file of a skill.
type ExportExtra struct{ Path, Text string }

// ExportInstructions says where instructions go.
type ExportInstructions struct {
	// Whole is the file for the whole project.
	Whole string
	// Nested: the host reads such a file in directories below too, so that
	// instructions for a directory can stand there.
	Nested bool
	// Imports: a file may import others by "@path".
	Imports bool
	// Dir and Suffix are of the files for some files only, Paths is the key of their
	// patterns; "" where there are none.
	Dir, Suffix, Paths string
	// List: the patterns are a list; else a text with commas. Always is the key that
	// says that a file always applies, Everything the pattern of all files: what a
	// file without patterns needs to apply, where it needs something.
	List               bool
	Always, Everything string
	Unquoted           bool
}

// ExportTools says how a host names tools.
type ExportTools struct {
	// Name is the host's word for a tool by its neutral one, which is that of Claude
	// Code; "" where it has none.
	Name func(neutral string) string
	// Server is the host's word for a tool of an MCP server, or for all of them
	// where tool is "".
	Server func(server, tool string) string
	// Rules: a tool may stand with a rule for its use behind it, as in
	// "Bash(git:*)".
	Rules bool
	// Aliases: the host takes the neutral words as well.
	Aliases bool
	// Blanks: allowed-tools is a text with blanks between the tools and nothing else.
	Blanks bool
	// Form is how tools are listed; Key is the field of switches.
	Form ToolForm
	Key  string
	// ReadOnly is a key that takes the place of a list where no tool in it writes,
	// with its value.
	ReadOnly *definition.Entry
}

// ToolForm is how a list of tools is written.
type ToolForm uint8

// The forms.
const (
	// ToolWords is the form that the field takes.
	ToolWords ToolForm = iota
	// ToolSwitches is a map in which all tools are off but those that are listed.
	ToolSwitches
)

// Syntax is how a body says what is put into it.
type Syntax struct {
	// Scanned: the grammar is the one that package body scans for, that of Claude
	// Code, in which the members below say what is written.
	Scanned bool
	// All stands for all arguments; Alls are further forms that are read.
	All  string
	Alls []string
	// Positions: "$1" is an argument, of which the first has the number Base.
	Positions bool
	Base      int
	// Rest: the highest position takes all that follow it.
	Rest bool
	// Slices: "${@:2}" are the arguments from the second on.
	Slices bool
	// Named: "$name" is an argument that the field for the names of arguments
	// declares.
	Named bool
	// Inputs: "${input:name}" is an argument that is given by its name.
	Inputs bool
	// Escapes: a backslash takes the meaning from a place for arguments.
	Escapes bool
	// Appended: arguments that no place takes stand behind the body.
	Appended bool
	// ShellOpen begins a command and ShellClose ends it, "" for none. BlockOpen and
	// BlockClose are those of one on lines of its own. Braces: braces in a command
	// are balanced.
	ShellOpen, ShellClose, BlockOpen, BlockClose string
	Braces                                       bool
	// ShellQuotes: arguments in a command are quoted for the shell.
	ShellQuotes bool
	// ShellAll stands for all arguments in a command, as does each of ShellAlls.
	ShellAll  string
	ShellAlls []string
	// FileOpen begins the path of a file that is put in, FileClose ends it; with ""
	// for the latter, the path ends where white space begins. Lines: a path may have
	// a range of lines behind it.
	FileOpen, FileClose string
	Lines               bool
	// Variable is the host's name of a variable by the neutral one, "" for none.
	Variable func(Variable) string
	// Own reports whether the host puts something in for a variable that no other host
	// has, such as what is selected in the editor; nil knows of none.
	Own func(name string) bool
}

// Variable is a place that has a variable in some host.
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

// OwnModel takes the names that none of the other hosts uses, and leaves out
// "inherit", which is what a host does without a model.
func OwnModel(name string) (string, bool) {
	if name == "inherit" || name == "default" {
		return "", true
	}
	return "", false
}
