package host

import "github.com/vadehq/vade/definition"

// Prompt describes how a host turns a user's input or a model's call into messages. The texts are
// the host's own, byte for byte.
type Prompt struct {
	// Calls describes how definitions are called and rendered. nil means that the fields below
	// describe it.
	Calls *Calls

	// Fields splits an argument line into arguments.
	Fields func(line string) []string
	// KeepBlanks means that spaces before the first argument are kept.
	KeepBlanks bool
	// OneByOne means that the placeholder forms are replaced one after another. A value can then
	// insert a placeholder of a later form, and patterns such as "$&" in the argument line are
	// interpreted as in JavaScript's String.replace. Otherwise a value is never scanned again.
	OneByOne bool
	// Escapes means that a backslash makes a placeholder literal. MissingEmpty means that a
	// position without an argument becomes empty; otherwise it stays as written.
	Escapes, MissingEmpty bool
	// Guard escapes a value so that it cannot start a shell command. nil leaves values unchanged.
	Guard func(value string) string
	// Append precedes arguments that no placeholder uses.
	Append string
	// Place returns the text before the body of a skill, given the skill's directory.
	Place func(dir string) string
	// Effort is the host's default reasoning effort. Efforts are the values that a
	// definition may use.
	Effort  string
	Efforts []string

	// ForkAgent is the default agent of a forked conversation.
	ForkAgent string

	// UserCall returns what a user types to call a definition, and ModelCall the model's call.
	// Each returns "" if the definition cannot be called that way.
	UserCall, ModelCall func(k definition.Kind, name string) string

	// Announce is the message before a body that a user called. Preload is the message before a
	// skill that an agent preloads.
	Announce func(name, args string) string
	Preload  func(name string) string
	// Join ends text if another text follows in the same message.
	Join string
	// AttachJoin follows a model-called skill that has attached files.
	AttachJoin string
	// TwinJoin follows a model-called skill if a subdirectory has a skill with the same name. The
	// host adds text there that Vade does not render.
	TwinJoin string
	// UnknownIsText means that an unknown command is sent as typed; otherwise the host fails with
	// Unknown. If a prompt begins with "/" and a name that no command can have, it is then sent
	// without attachments and without a listing.
	UnknownIsText bool
	Unknown       func(name string) string
	// Reminder is the message before an unknown command that is sent as typed. nil means that
	// there is none.
	Reminder func(UnknownCommand) string
	// TrimText means that whitespace around a prompt is removed before the prompt is interpreted.
	// Otherwise a prompt with a leading space is not a command.
	TrimText bool
	// SwitchedOff returns the error for a definition that the settings disable. nil treats such a
	// definition as unknown.
	SwitchedOff func(name string) string
	// NotForUsers returns the error for a definition that only the model may call.
	NotForUsers func(name string) string

	// Workflow is the text for a workflow that was called. nil means that the host has no
	// workflows.
	Workflow func(WorkflowCall) string
	// Tool holds the results of the tool that loads skills.
	Tool SkillTool
	// Own are built-in commands that are not definitions.
	Own []string
	// ServerCommand returns the command name of an MCP server's prompt.
	ServerCommand func(server, prompt string) string

	// Shell holds the texts for shell commands in bodies.
	Shell ShellTexts
	// Attach describes how mentioned files are attached.
	Attach Attach
}

// UnknownCommand is a call of a command that does not exist.
type UnknownCommand struct {
	// Similar is the most similar name that users can call, or "".
	Name, Similar string
	// Available lists the names that both users and models can call, in listing order, including the
	// host's own. Manual is the number of definitions that only users can call.
	Available []string
	Manual    int
}

// WorkflowCall is a call of a workflow. The texts are those in its meta; Arguments are without
// surrounding whitespace.
type WorkflowCall struct {
	Name, Description, WhenToUse, Arguments string
	Phases                                  []WorkflowPhase
}

// WorkflowPhase is a phase that a workflow announces; Detail may be "".
type WorkflowPhase struct{ Title, Detail string }

// SkillTool holds the results of the tool that loads skills.
type SkillTool struct {
	Launching func(name string) string
	// Unknown receives the most similar name, or "".
	Unknown func(name, similar string) string
	// Disabled is the result for a skill that only users may call, and Own for a built-in
	// command.
	Disabled, Own func(name string) string
	// Overridden is for a skill that the settings turn off for the model. If it is nil, such a
	// skill is treated as unknown if it is off, and like Disabled if only users may call it.
	Overridden func(name string) string
	// Denied is the result if a settings rule denies the skill, and Asks if a rule requires the
	// user's approval.
	Denied string
	Asks   func(name string) string
	// Loaded replaces a body that is the same as in the skill's last call. Again precedes a body
	// that has changed since then. nil means that the body is sent as in the first call.
	Loaded func(name, args string) string
	Again  func(name string) string
	// Forked precedes the result of a skill that ran in a forked conversation.
	Forked func(name string) string
	// Rule is the tool's name in permission rules. Bypass is the mode that never asks.
	Rule, Bypass string
}

// ShellTexts holds the texts that a host prints for the shell commands in a body.
type ShellTexts struct {
	// NoOutput replaces empty output. Off replaces the output of every command if the settings
	// disable commands.
	NoOutput, Off string
	// Failed and Refused are the errors that end the entire call. They receive the command's text
	// with its marks.
	Failed  func(pattern, output string) string
	Refused func(pattern, reason string) string
	// Silent means that the error is empty in a user's call.
	Silent bool
	// Large is the length in characters from which the host saves output to a file. Saved returns
	// the replacement for such output.
	Large int
	Saved func(Saved) string
}

// Saved is output that a host saves to a file.
type Saved struct {
	// Config is the user's configuration directory of the host, and Project is the project's
	// directory in it.
	Config, Project, Session string
	// Output is the complete output.
	Output string
}

// Attach describes how a host attaches files that text mentions.
type Attach struct {
	// ReadTool and ListTool are the tools that the host claims to have called for a file
	// and for a directory.
	ReadTool, ListTool string
	// MaxBytes is the size of the largest file that is attached.
	MaxBytes int64
	// FromServers means that files mentioned in an MCP server's prompt are attached too.
	FromServers bool
}
