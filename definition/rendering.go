package definition

import (
	"encoding/json"
	"fmt"

	"github.com/vadehq/vade/diag"
)

// Message is user input or a tool result that the host sends. Role is "user", "tool_result", or
// "tool_result!" for a tool result that is an error. In JSON it is [role, text].
type Message struct{ Role, Text string }

// MarshalJSON encodes the message as [role, text].
func (m Message) MarshalJSON() ([]byte, error) {
	b := AppendJSONString([]byte{'['}, m.Role)
	return append(AppendJSONString(append(b, ','), m.Text), ']'), nil
}

// UnmarshalJSON decodes [role, text].
func (m *Message) UnmarshalJSON(data []byte) error {
	var pair []string
	if err := json.Unmarshal(data, &pair); err != nil {
		return fmt.Errorf("message must be [role, text]: %w", err)
	}
	if len(pair) != 2 {
		return fmt.Errorf("message must be [role, text], but it has %d elements", len(pair))
	}
	m.Role, m.Text = pair[0], pair[1]
	return nil
}

// Rendering holds the messages that a host would send to the model for a request.
type Rendering struct {
	Host     string    `json:"host"`
	Version  string    `json:"version"`
	Messages []Message `json:"messages"`
	// Attached lists the files and directories that the host attaches, in the host's order.
	Attached []Attachment `json:"attached"`
	// NoListing reports whether the host sends this prompt without a listing of skills and agents.
	NoListing bool `json:"noListing,omitempty"`
	// Turn describes the turn that the messages start. It is nil if the definition requests no
	// settings for the turn.
	Turn *Turn `json:"turn,omitempty"`
	// Error is the error that the host reports, with the host's own message.
	Error       *Error            `json:"error"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// Attachment is a file or directory that a host attaches.
type Attachment struct {
	// Path is the absolute path.
	Path string `json:"path"`
	// Tool is the tool that the host claims to have called. Input is a JSON object with the tool's
	// arguments.
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	// Content is the file's text. It is nil for directories and for files that Vade may not read.
	// In the latter case, NotRead gives the reason.
	Content *string `json:"content,omitempty"`
	NotRead string  `json:"notRead,omitempty"`
}

// Turn holds the settings that a definition requests for the conversation turn that it starts.
type Turn struct {
	// Fork reports whether the messages start a separate conversation with Agent, whose final
	// answer is appended to ForkResult.
	Fork       bool   `json:"fork,omitempty"`
	Agent      string `json:"agent,omitempty"`
	ForkResult string `json:"forkResult,omitempty"`
	// System is the agent's system prompt.
	System string `json:"system,omitempty"`
	Model  string `json:"model,omitempty"`
	Effort string `json:"effort,omitempty"`
	// AllowedTools are the tools that the definition grants for this turn, and DisallowedTools are
	// the tools that it removes.
	AllowedTools    []string `json:"allowedTools,omitempty"`
	DisallowedTools []string `json:"disallowedTools,omitempty"`
	// Hooks holds the hooks that are active from this turn on. Vade never runs them.
	Hooks []TurnHook `json:"hooks,omitempty"`
}

// TurnHook is a hook declared in a definition.
type TurnHook struct {
	Event   string `json:"event"`
	Matcher string `json:"matcher,omitempty"`
	Type    string `json:"type"`
	// Command is the command line, URL, prompt or tool name.
	Command string `json:"command"`
}
