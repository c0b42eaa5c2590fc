package catalog

import (
	"context"

	"github.com/vadehq/vade/definition"
)

// ClientOptions holds the command-line options of a host program that affect what it loads, and the
// state of its session. The zero value is a new session without options. The neutral view does not
// support any options, and each host supports only some of them. [Open] fails if an option is
// unsupported or invalid.
type ClientOptions struct {
	// SettingSources lists the sources of settings and definitions to read: "user", "project" and
	// "local". nil means all sources. Managed sources are always read.
	SettingSources []string
	// If Bare is set, no definitions or instructions are loaded. If NoCommands is set, no skills or
	// commands are loaded.
	Bare, NoCommands bool
	// PermissionMode is the host's permission mode. "" means the host's default mode.
	PermissionMode string
	// Agents is a JSON object that maps names to agents, in the format of the
	// client's command line.
	Agents string
	// Agent is the agent that the session runs as, or "" if it runs without one.
	Agent string
	// AddDirs lists additional directories with definitions.
	AddDirs []string
	// ContextTokens is the size of the model's context window. 0 means the host's default.
	ContextTokens int
	// Touched lists the files that the session read or changed, absolute or relative to the working
	// directory. A touched file activates definitions whose path patterns match it, and definitions
	// in its parent directories.
	Touched []string
}

// PromptServer is a connected server that provides prompts, such as an MCP server.
type PromptServer interface {
	// Name is the server's name in the host's configuration.
	Name() string
	// Prompts lists the server's prompts. Prompt returns the messages of one prompt.
	Prompts(ctx context.Context) ([]Prompt, error)
	Prompt(ctx context.Context, name string, arguments map[string]string) ([]definition.Message, error)
}

// Prompt is a prompt that a server offers.
type Prompt struct {
	Name, Description string
	// Arguments holds the argument names, in order.
	Arguments []string
}

// RenderRequest is what a user types or a model requests.
type RenderRequest struct {
	// Prompt is the text that the user types. If ByModel is set, Prompt is the name of a skill,
	// optionally followed by arguments.
	Prompt string
	// ByModel indicates that the model calls the host's skill tool.
	ByModel bool
	// Interactive indicates that the user types the prompt in the host's interactive program. It
	// matters only for hosts that behave differently there.
	Interactive bool
	// Arguments holds the arguments of the model's call if Prompt is only the name.
	Arguments string
	// Caller is the calling agent, or "" for a person; see [Catalog.LoadFor]. It applies to the
	// neutral view only, because hosts do not check the caller.
	Caller string
	// Subagent is an agent that the model starts. Prompt is its task.
	Subagent string
	// Session and Effort are the values of the host variables for the session ID and the effort
	// level. If they are "", the session ID is [Options.Session] or derived from the working
	// directory, and the effort level is the host's default.
	Session, Effort string
	// History holds the session's previous messages, because hosts do not send the same body
	// twice.
	History []definition.Message
}
