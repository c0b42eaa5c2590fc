package host

import "github.com/vadehq/vade/definition"

// Prompt describes how a host turns a user's input or a model's call into messages. The messages
// match the host's byte for byte.
type Prompt struct {
	// Calls describes how definitions are called and rendered. If Calls is nil, the fields below
	// are used instead.
	Calls *Calls

	// Fields splits an argument line into arguments.
	Fields func(line string) []string
	// If KeepLeadingSpaces is set, spaces before the first argument are kept.
	KeepLeadingSpaces bool
	// If OneByOne is set, each placeholder form is replaced in a separate pass. A value can then
	// insert a placeholder that a later pass replaces, and patterns such as "$&" in the argument
	// line are interpreted as in JavaScript's String.replace. Otherwise, values are never scanned
	// again.
	OneByOne bool
	// If Escapes is set, a backslash makes a placeholder literal. If MissingEmpty is set, a
	// positional placeholder without an argument is removed; otherwise, it is left as written.
	Escapes, MissingEmpty bool
	// Guard escapes a value so it cannot start a shell command. nil leaves values unchanged.
	Guard func(value string) string
	// Append is the text that separates a body from arguments that are appended because no
	// placeholder uses them.
	Append string
	// Place returns the text that precedes a skill's body, given the skill's directory.
	Place func(dir string) string
	// Effort is the host's default reasoning effort. Efforts lists the values that a definition may
	// specify.
	Effort  string
	Efforts []string

	// ForkAgent is the default agent for a skill that runs in a separate conversation.
	ForkAgent string

	// UserCall returns what a user types to call a definition, and ModelCall returns what the model
	// writes. Each returns "" if the definition cannot be called that way.
	UserCall, ModelCall func(k definition.Kind, name string) string

	// Announce returns the message that precedes a body when a user calls the definition. Preload
	// returns the message that precedes a skill that an agent preloads.
	Announce func(name, args string) string
	Preload  func(name string) string
	// Join separates a text from the next text in the same message.
	Join string
	// AttachJoin is appended to the text of a skill that the model calls if files are attached to
	// the skill.
	AttachJoin string
	// TwinJoin is appended to the text of a skill that the model calls if a subdirectory has a
	// skill with the same name. In that case, the host also adds text that Vade does not render.
	TwinJoin string
	// If UnknownIsText is set, an unknown command is sent as typed. If no command can have the
	// unknown name, attached files and the listing of definitions are omitted. If UnknownIsText is
	// not set, the host fails with the error Unknown, unless no command can have the name.
	UnknownIsText bool
	Unknown       func(name string) string
	// Reminder returns the message that precedes an unknown command that is sent as typed. nil
	// means that there is no message.
	Reminder func(UnknownCommand) string
	// If TrimText is set, whitespace around a prompt is removed before the prompt is interpreted.
	// Otherwise, a prompt with a leading space is not a command.
	TrimText bool
	// SwitchedOff returns the error for a definition that the settings disable. If nil, such a
	// definition is treated as unknown.
	SwitchedOff func(name string) string
	// NotForUsers returns the error for a definition that only the model may call.
	NotForUsers func(name string) string

	// Workflow returns the text that the host sends when a workflow is called. nil means that the
	// host does not support workflows.
	Workflow func(WorkflowCall) string
	// Tool holds the results of the tool that loads skills.
	Tool SkillTool
	// Own lists built-in commands that are not definitions. Others lists built-in commands that the
	// host does not suggest for an unknown name.
	Own, Others []string
	// ServerCommand returns the command name for an MCP server's prompt.
	ServerCommand func(server, prompt string) string

	// Shell holds the messages for shell commands in bodies.
	Shell ShellTexts
	// Attach describes how mentioned files are attached.
	Attach Attach
}

// UnknownCommand describes a call to a command that does not exist.
type UnknownCommand struct {
	// Similar is the name most similar to Name among the names that users can call, or "" if none
	// is similar.
	Name, Similar string
	// Available lists the names that both users and models can call, in listing order, including
	// the host's built-in ones. Manual is the number of definitions that only users can call.
	Available []string
	Manual    int
}

// WorkflowCall is a call to a workflow. Its strings come from the workflow's meta object. Arguments
// has no leading or trailing whitespace.
type WorkflowCall struct {
	Name, Description, WhenToUse, Arguments string
	Phases                                  []WorkflowPhase
}

// WorkflowPhase is a phase that a workflow declares. Detail may be "".
type WorkflowPhase struct{ Title, Detail string }

// SkillTool holds the results of the tool that loads skills.
type SkillTool struct {
	Launching func(name string) string
	// Unknown returns the result for an unknown name. similar is the most similar known name, or ""
	// if none is similar.
	Unknown func(name, similar string) string
	// Disabled returns the result for a skill that only users may call, and Own returns the result
	// for a built-in command.
	Disabled, Own func(name string) string
	// Overridden returns the result for a skill that the settings hide from the model. If nil, a
	// skill that is off is treated as unknown, and Disabled is used for a skill that only users may
	// call.
	Overridden func(name string) string
	// Denied is the result if a settings rule denies the skill. Asks returns the result if a rule
	// requires the user's approval.
	Denied string
	Asks   func(name string) string
	// Loaded and Changed are used if the skill was called before. Loaded returns the text that
	// replaces the body if the body is the same as in the last call. Changed returns the text that
	// precedes the body if the body has changed. If a function is nil, the body is sent as in the
	// first call.
	Loaded  func(name, args string) string
	Changed func(name string) string
	// Forked returns the text that precedes the result of a skill that ran in a separate
	// conversation.
	Forked func(name string) string
	// Rule is the tool's name in permission rules. Bypass is the mode that never asks.
	Rule, Bypass string
}

// ShellTexts holds the messages that a host prints for shell commands in a body.
type ShellTexts struct {
	// NoOutput replaces empty output. Off replaces the output of every command if the settings
	// disable commands.
	NoOutput, Off string
	// Failed and Refused return the errors that end the entire call. pattern is the command's text,
	// including its delimiters.
	Failed  func(pattern, output string) string
	Refused func(pattern, reason string) string
	// If Silent is set, the error is empty for calls by users.
	Silent bool
	// Large is the length, in UTF-16 units, above which the host saves output to a file. 0 means no
	// limit. Saved returns the text that replaces such output.
	Large int
	Saved func(Saved) string
}

// Saved is output that a host saves to a file.
type Saved struct {
	// Config is the host's configuration directory for the user, Project is the working directory,
	// and Session is the session ID.
	Config, Project, Session string
	// Output is the full output.
	Output string
}

// Attach describes how a host attaches files that text mentions.
type Attach struct {
	// ReadTool and ListTool are the names of the tools that, according to the host's messages, read
	// a file or list a directory.
	ReadTool, ListTool string
	// MaxBytes is the maximum size of an attached file.
	MaxBytes int64
	// If FromServers is set, files mentioned in an MCP server's prompt are also attached.
	FromServers bool
}

// Calls returns what a user and a model write to call a definition. Each is "" if the definition
// cannot be called that way.
func (p *Profile) Calls(d *definition.Definition) (user, model string) {
	x := p.Prompt
	if x == nil || d.Kind == definition.Instruction {
		return "", ""
	}
	if x.UserCall != nil && (d.Fields.UserInvocable == nil || *d.Fields.UserInvocable) {
		user = x.UserCall(d.Kind, d.Name)
	}
	if x.ModelCall != nil && !d.Fields.DisableModelInvocation {
		model = x.ModelCall(d.Kind, d.Name)
	}
	return user, model
}
