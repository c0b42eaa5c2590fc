package catalog

import (
	"context"

	"github.com/vadehq/vade/definition"
)

// ClientOptions are the switches of a host's own program that change what it
// loads, and what its session has done so far. The zero value is a new session
// without any switch. The neutral view has none of them, and each host only some:
// [Open] fails where one is set that the view has not, as it does for a word or a
// number that no host takes.
type ClientOptions struct {
	// SettingSources are the sources of settings and definitions that are read:
	// "user", "project" and "local"; nil reads all. Managed ones always are.
	SettingSources []string
	// Bare loads no definitions and no instructions, NoCommands no skills and
	// commands.
	Bare, NoCommands bool
	// PermissionMode is the host's word for how it asks, "" its default.
	PermissionMode string
	// Agents is a JSON object of agents by name, as the client takes it from
	// its command line.
	Agents string
	// Agent is the agent that the session itself runs as, "" for none.
	Agent string
	// AddDirs are further directories whose definitions are read.
	AddDirs []string
	// ContextTokens is the length of the model's context, 0 the host's default.
	ContextTokens int
	// Touched are the files that the session has read or changed, absolute or
	// relative to the working directory: they activate what has paths, and what
	// stands in directories above them.
	Touched []string
}

// PromptServer is a server of prompts, such as one of MCP, that a caller is
// connected to.
type PromptServer interface {
	// Name is the name of the server in the host's configuration.
	Name() string
	// Prompts lists what it offers, Prompt returns the texts of one.
	Prompts(ctx context.Context) ([]Prompt, error)
	Prompt(ctx context.Context, name string, arguments map[string]string) ([]definition.Message, error)
}

// Prompt is one prompt of a server.
type Prompt struct {
	Name, Description string
	// Arguments are the names of its arguments, in their order.
	Arguments []string
}

// RenderRequest is what a user types, or what a model asks for.
type RenderRequest struct {
	// Prompt is the text that the user types; with ByModel it is the name of a
	// skill, or the name and its arguments.
	Prompt string
	// ByModel: the model calls the host's tool for skills.
	ByModel bool
	// Arguments are those of the model's call where Prompt is the name alone.
	Arguments string
	// AskedBy is the agent that asks, "" a person; see [Catalog.LoadFor]. It is for
	// the neutral view: hosts do not ask who calls.
	Caller string
	// Subagent is an agent that the model starts: Prompt is its task.
	Subagent string
	// Session and Effort are the values of the host's variables; "" is a new
	// session and the host's default.
	Session, Effort string
	// Earlier are the messages that the session has already: a host does not
	// send the same body twice.
	History []definition.Message
}
