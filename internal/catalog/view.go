package catalog

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/vadehq/vade/diag"
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

// Message is one message, or one result of a tool, as the host sends it. Role is
// "user", "tool_result", or "tool_result!" for a result that is an error. Its
// JSON is [role, text].
type Message struct{ Role, Text string }

// MarshalJSON writes a message as an array of its role and its text.
func (m Message) MarshalJSON() ([]byte, error) {
	b := appendJSONString([]byte{'['}, m.Role)
	return append(appendJSONString(append(b, ','), m.Text), ']'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Message) UnmarshalJSON(data []byte) error {
	var pair []string
	if err := json.Unmarshal(data, &pair); err != nil {
		return fmt.Errorf("a message is [role, text]: %w", err)
	}
	if len(pair) != 2 {
		return fmt.Errorf("a message is [role, text], not %d texts", len(pair))
	}
	m.Role, m.Text = pair[0], pair[1]
	return nil
}

// PromptServer is a server of prompts, such as one of MCP, that a caller is
// connected to.
type PromptServer interface {
	// Name is the name of the server in the host's configuration.
	Name() string
	// Prompts lists what it offers, Prompt returns the texts of one.
	Prompts(ctx context.Context) ([]Prompt, error)
	Prompt(ctx context.Context, name string, arguments map[string]string) ([]Message, error)
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
	AskedBy string
	// Subagent is an agent that the model starts: Prompt is its task.
	Subagent string
	// Session and Effort are the values of the host's variables; "" is a new
	// session and the host's default.
	Session, Effort string
	// Earlier are the messages that the session has already: a host does not
	// send the same body twice.
	Earlier []Message
}

// Rendering is what a host would send for a request.
type Rendering struct {
	Host     string    `json:"host"`
	Version  string    `json:"version"`
	Messages []Message `json:"messages"`
	// Attached are the files that the host attaches, in its order.
	Attached []Attachment `json:"attached"`
	// Turn says how the turn runs that the messages begin; nil if as usual.
	Turn *Turn `json:"turn,omitempty"`
	// Error is the error that the host ends with. Its message is the host's own
	// text.
	Error       *Error            `json:"error"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// Attachment is a file or directory that a host attaches.
type Attachment struct {
	// Path is the absolute path.
	Path string `json:"path"`
	// Tool is the tool that the host says it has called, and Input what it says
	// it was called with, as one JSON object.
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	// Content is the text of a file that Vade may read. Where it may not it is
	// nil, and NotRead says why; a directory has neither.
	Content *string `json:"content,omitempty"`
	NotRead string  `json:"notRead,omitempty"`
}

// Turn says what a definition asks of the turn that it begins.
type Turn struct {
	// Fork: the messages begin a conversation of their own, for the agent
	// Agent; ForkResult is the text that its last answer is put behind.
	Fork       bool   `json:"fork,omitempty"`
	Agent      string `json:"agent,omitempty"`
	ForkResult string `json:"forkResult,omitempty"`
	// System is the text that an agent runs under.
	System string `json:"system,omitempty"`
	Model  string `json:"model,omitempty"`
	Effort string `json:"effort,omitempty"`
	// AllowedTools are granted, DisallowedTools taken away, for the turn.
	AllowedTools    []string `json:"allowedTools,omitempty"`
	DisallowedTools []string `json:"disallowedTools,omitempty"`
}
