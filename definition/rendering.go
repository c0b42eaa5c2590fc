package definition

import (
	"encoding/json"
	"fmt"

	"github.com/vadehq/vade/diag"
)

// Message is a message or a tool result as the host sends it. Role is "user", "tool_result", or
// "tool_result!" for a tool result that is an error. In JSON it is [role, text].
type Message struct{ Role, Text string }

// MarshalJSON encodes a message as [role, text].
func (m Message) MarshalJSON() ([]byte, error) {
	b := AppendJSONString([]byte{'['}, m.Role)
	return append(AppendJSONString(append(b, ','), m.Text), ']'), nil
}

// UnmarshalJSON decodes [role, text].
func (m *Message) UnmarshalJSON(data []byte) error {
	var pair []string
	if err := json.Unmarshal(data, &pair); err != nil {
		return fmt.Errorf("message is not [role, text]: %w", err)
	}
	if len(pair) != 2 {
		return fmt.Errorf("message is not [role, text]: it has %d elements", len(pair))
	}
	m.Role, m.Text = pair[0], pair[1]
	return nil
}

// Rendering is what a host would send for a request.
type Rendering struct {
	Host     string    `json:"host"`
	Version  string    `json:"version"`
	Messages []Message `json:"messages"`
	// Attached lists the files that the host attaches, in its order.
	Attached []Attachment `json:"attached"`
	// NoListing means that the host sends no listing of skills and agents with this prompt.
	NoListing bool `json:"noListing,omitempty"`
	// Turn describes the turn that the messages start, or is nil for an ordinary turn.
	Turn *Turn `json:"turn,omitempty"`
	// Error is the error that the host reports. Its message is the host's own text.
	Error       *Error            `json:"error"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// Attachment is a file or directory that a host attaches.
type Attachment struct {
	// Path is absolute.
	Path string `json:"path"`
	// Tool is the tool that the host claims to have called, and Input the JSON object of its
	// arguments.
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	// Content is the text of the file, or nil if Vade is not allowed to read it, in which case
	// NotRead gives the reason. A directory has neither.
	Content *string `json:"content,omitempty"`
	NotRead string  `json:"notRead,omitempty"`
}

// Turn is what a definition requests for the turn that it starts.
type Turn struct {
	// Fork means that the messages start a separate conversation with the agent Agent. The final
	// answer is appended to ForkResult.
	Fork       bool   `json:"fork,omitempty"`
	Agent      string `json:"agent,omitempty"`
	ForkResult string `json:"forkResult,omitempty"`
	// System is the agent's system prompt.
	System string `json:"system,omitempty"`
	Model  string `json:"model,omitempty"`
	Effort string `json:"effort,omitempty"`
	// AllowedTools are granted and DisallowedTools removed for this turn.
	AllowedTools    []string `json:"allowedTools,omitempty"`
	DisallowedTools []string `json:"disallowedTools,omitempty"`
	// Hooks are active from this turn on. Vade never runs them.
	Hooks []TurnHook `json:"hooks,omitempty"`
}

// TurnHook is a hook of a definition.
type TurnHook struct {
	Event   string `json:"event"`
	Matcher string `json:"matcher,omitempty"`
	Type    string `json:"type"`
	// Command is the command line, URL or prompt, or the name of the tool.
	Command string `json:"command"`
}
