package transcript

import (
	"encoding/json"
	"strings"

	"github.com/vadehq/vade/diag"
)

// copilotEntry is one event in a Copilot CLI session. The fields were observed in version 1.0.102,
// whose package includes a schema for the events.
type copilotEntry struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Time string `json:"timestamp"`
	// Agent is set in events from sub-agents.
	Agent string `json:"agentId"`
	Data  struct {
		Context struct {
			Dir string `json:"cwd"`
		} `json:"context"`
		// Content is a string in messages and has a different type in other events.
		Content json.RawMessage `json:"content"`
		// Source is set in messages that the user did not write.
		Source  string `json:"source"`
		Name    string `json:"name"`
		Trigger string `json:"trigger"`
		// AgentName names the agent that the event starts.
		AgentName string `json:"agentName"`
		CallID    string `json:"toolCallId"`
		Tool      string `json:"toolName"`
		Arguments struct {
			Command string `json:"command"`
			Path    string `json:"path"`
		} `json:"arguments"`
		Success *bool `json:"success"`
		Shell   struct {
			ExitCode *int `json:"exitCode"`
		} `json:"shellExecution"`
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	} `json:"data"`
}

func claimsCopilot(keys map[string]json.RawMessage) bool {
	return keys["type"] != nil && keys["data"] != nil && keys["id"] != nil && keys["timestamp"] != nil
}

// copilotMarks are strings, at least one of which occurs in every event that lists skills or
// invokes a skill or an agent.
var copilotMarks = []string{`"skill.invoked`, `"subagent.started"`, "<available_skills>"}

// copilotLine reads an event in a Copilot CLI session.
func (s *session) copilotLine(line []byte, n int) {
	var e copilotEntry
	if !s.decode(line, n, &e) {
		return
	}
	s.time(e.Time)
	d, from := &e.Data, len(s.items)
	switch e.Type {
	case "":
		s.broken(n)
	case "session.start":
		s.main = true
		if s.dir == "" {
			s.dir = cut(d.Context.Dir, 1<<10)
		}
	case "system.message":
		if list, ok := between(textOf(d.Content), "<available_skills>", "</available_skills>"); ok {
			s.offers(false, elements(list, "<name>", "</name>")...)
		}
	case "user.message":
		if d.Source == "" {
			s.message(n, textOf(d.Content))
		}
	case "skill.invoked", "skill.invoked_ref":
		// Do not count a skill that an agent preloads as invoked.
		if d.Trigger != "context-load" {
			s.invokes(false, d.Name, e.ID)
		}
	case "subagent.started":
		s.invokes(true, d.AgentName, e.ID)
	case "tool.execution_start":
		s.call(n, d.CallID, copilotCall(d.Tool, d.Arguments.Command, d.Arguments.Path))
	case "tool.execution_complete":
		o := outcome{failed: d.Success != nil && !*d.Success}
		if d.Shell.ExitCode != nil {
			o = exited(*d.Shell.ExitCode)
		}
		o.refused = o.failed && (d.Error.Code == "denied" || d.Error.Code == "rejected")
		s.result(d.CallID, o)
	case "session.compaction_complete":
		s.note(n, diag.TranscriptPart, "summaries of the session")
	}
	for i := from; i < len(s.items); i++ {
		s.items[i].apart = e.Agent != ""
	}
}

// copilotCall returns the call if the tool runs commands or edits files, and nil otherwise. It
// returns nil for MCP tools, because they cannot be distinguished from the host's own tools.
func copilotCall(tool, command, path string) *call {
	switch tool {
	case "bash", "powershell":
		return &call{tool: tool, command: command}
	case "create", "edit":
		return &call{tool: tool, paths: []string{path}}
	}
	return nil
}

// elements returns the text between each pair of open and end marks.
func elements(text, open, end string) []string {
	var list []string
	for {
		_, rest, ok := strings.Cut(text, open)
		inside, rest, closed := strings.Cut(rest, end)
		if !ok || !closed {
			return list
		}
		list, text = append(list, inside), rest
	}
}
