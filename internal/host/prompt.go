package host

import "github.com/vadehq/vade/definition"

// Prompt says how a host turns what a user types, or a model asks for, into
// messages. The texts are the host's own, byte for byte.
type Prompt struct {
	// Calls says how definitions are called and rendered; nil where the slots below
	// say it.
	Calls *Calls

	// Fields divides an argument line into arguments.
	Fields func(line string) []string
	// KeepBlanks: blanks before the first argument count.
	KeepBlanks bool
	// OneByOne: the forms of placeholders are replaced one after the other, so
	// that a value can bring in a placeholder of a later form, and "$&" and its
	// like in the whole line of arguments mean what they mean to JavaScript's
	// String.replace. Else a value is never looked at again.
	OneByOne bool
	// Escapes: a backslash takes the meaning from a placeholder. MissingEmpty: a
	// position without an argument is empty; else it stays as it stands.
	Escapes, MissingEmpty bool
	// Guard changes a value so that no shell command can begin in it; nil
	// changes nothing.
	Guard func(value string) string
	// Append stands before the arguments that no placeholder has taken up.
	Append string
	// Place is the text before the body of a skill, by its directory.
	Place func(dir string) string
	// Effort is the effort that the host runs with, if nothing says another;
	// Efforts are the words that a definition may use.
	Effort  string
	Efforts []string

	// ForkAgent is the agent of a conversation of its own that names none.
	ForkAgent string

	// UserCall is what a user types to call a definition, ModelCall what a model
	// does; "" where it can not be called so.
	UserCall, ModelCall func(k definition.Kind, name string) string

	// Announce is the message before the body of what a user has called;
	// Preload that before a skill that an agent begins with.
	Announce func(name, args string) string
	Preload  func(name string) string
	// Join ends a text that another follows in the same message.
	Join string
	// AttachJoin is put behind a skill that a model calls and that has files
	// attached.
	AttachJoin string
	// TwinJoin is put behind a skill that a model calls while a directory below
	// has one of the same name: the host adds a text that is not rendered.
	TwinJoin string
	// UnknownIsText: a command that does not exist is sent as it was typed;
	// else the host ends with Unknown.
	UnknownIsText bool
	Unknown       func(name string) string
	// NotForUsers is what the host says where only the model may invoke.
	NotForUsers func(name string) string

	// Tool are the answers of the tool by which a model loads a skill.
	Tool SkillTool
	// Own are commands of the host itself that are no definitions.
	Own []string
	// ServerCommand is the name of a prompt of a server as a command.
	ServerCommand func(server, prompt string) string

	// Shell are the texts that commands in bodies become.
	Shell ShellTexts
	// Attach says how files that a text mentions are attached.
	Attach Attach
}

// SkillTool are the answers of the tool by which a model loads a skill.
type SkillTool struct {
	Launching func(name string) string
	// Unknown has the most similar name, or "".
	Unknown func(name, similar string) string
	// Disabled is for what only a user may invoke, Own for the host's commands.
	Disabled, Own func(name string) string
	// Denied is said where a rule of the settings forbids it, Asks where the
	// user would have to be asked.
	Denied string
	Asks   func(name string) string
	// Loaded takes the place of a body that the session has already; nil sends
	// it again.
	Loaded func(name string) string
	// Forked stands before the answer of a skill that ran on its own.
	Forked func(name string) string
	// Rule is the name of the tool in permission rules, Bypass the mode in which
	// nobody is asked.
	Rule, Bypass string
}

// ShellTexts are what a host prints for the commands in a body.
type ShellTexts struct {
	// NoOutput takes the place of an empty output, Off that of any command
	// where the settings switch commands off.
	NoOutput, Off string
	// Failed and Refused are the errors that end the whole invocation, by the
	// text of the command with its marks.
	Failed  func(pattern, output string) string
	Refused func(pattern, reason string) string
	// Silent: the error is empty where a user has called.
	Silent bool
	// Large is the number of characters from which an output is put into a
	// file; Saved is what stands for it then.
	Large int
	Saved func(Saved) string
}

// Saved is an output that a host puts into a file.
type Saved struct {
	// Config is the user's directory of the host, Project that of the project.
	Config, Project, Session string
	// Output is the whole of it.
	Output string
}

// Attach says how a host attaches the files that a text mentions.
type Attach struct {
	// ReadTool and ListTool are the names of the tools that it says it has
	// called for a file and for a directory.
	ReadTool, ListTool string
	// MaxBytes is the length of the longest file that is attached.
	MaxBytes int64
	// FromServers: also what the prompt of a server mentions.
	FromServers bool
}
