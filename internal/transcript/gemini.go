package transcript

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/lazyregexp"
)

// geminiEntry is one line in a Gemini CLI session file: the session header, a message, or a change
// to the session, which may include the first message. Version 0.61.0 was observed to write a
// message again once its tool calls have finished. A session stored as a single JSON document with
// all messages is also accepted, although none has been observed.
type geminiEntry struct {
	Session  string          `json:"sessionId"`
	Hash     string          `json:"projectHash"`
	Kind     string          `json:"kind"`
	Start    string          `json:"startTime"`
	Set      *geminiEntry    `json:"$set"`
	Messages []geminiMessage `json:"messages"`
	geminiMessage
}

type geminiMessage struct {
	ID      string          `json:"id"`
	Time    string          `json:"timestamp"`
	Type    string          `json:"type"`
	Content json.RawMessage `json:"content"`
	// Display is what the user typed, if the host expanded it into Content.
	Display json.RawMessage `json:"displayContent"`
	Calls   []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Args struct {
			Command string `json:"command"`
			File    string `json:"file_path"`
			Name    string `json:"name"`
			Agent   string `json:"agent_name"`
		} `json:"args"`
		Status string          `json:"status"`
		Result json.RawMessage `json:"result"`
	} `json:"toolCalls"`
}

func claimsGemini(keys map[string]json.RawMessage) bool {
	return keys["sessionId"] != nil && keys["projectHash"] != nil
}

// geminiMarks are strings, at least one of which occurs in every line that invokes a skill or an
// agent, either in a tool call or in a command that the user typed.
var geminiMarks = []string{`"activate_skill"`, `"invoke_agent"`, `"displayContent"`}

// geminiLine reads a line in a Gemini CLI session file.
func (s *session) geminiLine(line []byte, n int) {
	var e geminiEntry
	if !s.decode(line, n, &e) {
		return
	}
	if e.Hash != "" {
		s.dirHash, s.main = cut(e.Hash, 100), e.Kind != "subagent"
		s.time(e.Start)
	}
	list := append(e.Messages, e.geminiMessage)
	if e.Set != nil {
		list = e.Set.Messages
	}
	for i := range list {
		s.geminiMessage(&list[i], n)
	}
}

func (s *session) geminiMessage(m *geminiMessage, n int) {
	s.time(m.Time)
	if m.Type == "user" {
		s.geminiUser(m, n)
	}
	for _, c := range m.Calls {
		known := s.calls[c.ID] != nil
		switch c.Name {
		case "activate_skill":
			s.invokes(false, c.Args.Name, c.ID)
		case "invoke_agent":
			s.invokes(true, c.Args.Agent, c.ID)
		case "run_shell_command":
			s.call(n, c.ID, &call{tool: c.Name, command: c.Args.Command})
		case "write_file", "replace":
			s.call(n, c.ID, &call{tool: c.Name, paths: []string{c.Args.File}})
		default:
			if strings.HasPrefix(c.Name, "mcp_") {
				s.call(n, c.ID, &call{tool: c.Name})
			}
		}
		if !known && s.calls[c.ID] != nil {
			s.result(c.ID, geminiOutcome(c.Name, c.Status, c.Result))
		}
	}
}

// workspaceLine captures the session's working directory, which Gemini CLI includes in the first
// message that it adds to a session.
var workspaceLine = lazyregexp.New(`(?m)^- \*\*Workspace Directories:\*\*\n +- (.+)$`)

func (s *session) geminiUser(m *geminiMessage, n int) {
	text := textOf(m.Content)
	if strings.HasPrefix(text, "<session_context>") {
		if found := workspaceLine().FindStringSubmatch(text); found != nil && s.dir == "" {
			s.dir = cut(found[1], 1<<10)
		}
		return
	}
	if said := textOf(m.Display); said != "" {
		if text = said; strings.HasPrefix(text, "/") {
			s.invokes(false, text, m.ID)
		}
	}
	s.message(n, text)
}

var geminiExit = lazyregexp.New(`(?m)^Exit Code: (-?\d+)`)

// geminiOutcome returns how a call ended. The status describes only the tool call itself: if a
// shell command exits with a nonzero code, only the result says so.
func geminiOutcome(tool, status string, result json.RawMessage) outcome {
	if tool != "run_shell_command" || status != "success" {
		return outcome{failed: status == "error" || status == "cancelled", refused: status == "cancelled"}
	}
	var parts []struct {
		Response struct {
			Response struct {
				Output string `json:"output"`
			} `json:"response"`
		} `json:"functionResponse"`
	}
	_ = json.Unmarshal(result, &parts)
	for _, p := range parts {
		if m := geminiExit().FindStringSubmatch(p.Response.Response.Output); m != nil {
			if code, err := strconv.Atoi(m[1]); err == nil {
				return exited(code)
			}
		}
	}
	return exited(0)
}
