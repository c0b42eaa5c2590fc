package definition

import (
	"encoding/json"
	"fmt"

	"github.com/vadehq/vade/diag"
)

// Message is one message, or one result of a tool, as the host sends it. Role is
// "user", "tool_result", or "tool_result!" for a result that is an error. Its
// JSON is [role, text].
type Message struct{ Role, Text string }

// MarshalJSON writes a message as an array of its role and its text.
func (m Message) MarshalJSON() ([]byte, error) {
	b := AppendJSONString([]byte{'['}, m.Role)
	return append(AppendJSONString(append(b, ','), m.Text), ']'), nil
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
