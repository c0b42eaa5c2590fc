package transcript

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// claudeEntry is one line of a session file of Claude Code. There is no published
// schema; the fields are those of lines that users have published, of the versions 2.0
// to 2.1 (observed).
type claudeEntry struct {
	Type       string          `json:"type"`
	Subtype    string          `json:"subtype"`
	UUID       string          `json:"uuid"`
	Parent     string          `json:"parentUuid"`
	Sidechain  bool            `json:"isSidechain"`
	Meta       bool            `json:"isMeta"`
	Compact    bool            `json:"isCompactSummary"`
	ScreenOnly bool            `json:"isVisibleInTranscriptOnly"`
	Dir        string          `json:"cwd"`
	Message    claudeMessage   `json:"message"`
	Result     json.RawMessage `json:"toolUseResult"`
	Attachment claudeAttached  `json:"attachment"`
}

type claudeMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type claudeAttached struct {
	Type   string          `json:"type"`
	Prompt json.RawMessage `json:"prompt"`
}

// claudeBlock is a part of a message: text, tool_use or tool_result.
type claudeBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Use     string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
	Error   bool            `json:"is_error"`
}

// claudeLine reads a line of a session file of Claude Code.
func (s *state) claudeLine(line []byte, n int) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	var e claudeEntry
	if err := json.Unmarshal(line, &e); err != nil {
		s.brokenLine(n)
		return
	}
	if s.session.Dir == "" && !e.Sidechain {
		s.session.Dir = cut(e.Dir, 1<<10)
	}
	from := len(s.session.Items)
	prompt := false
	switch e.Type {
	case "user":
		prompt = s.claudeUser(&e, n)
	case "assistant":
		for _, b := range blocks(e.Message.Content) {
			if b.Type == "tool_use" {
				s.call(n, b.ID, claudeCall(b.Name, b.Input))
			}
		}
	case "attachment":
		// What the user writes while the agent is at work.
		if e.Attachment.Type == "queued_command" {
			s.message(n, typed(textOf(e.Attachment.Prompt)))
		}
	case "system":
		if e.Subtype == "compact_boundary" {
			s.session.Summaries++
		}
	case "summary", "progress", "file-history-snapshot", "file-history-delta", "queue-operation", "last-prompt", "custom-title", "ai-title", "agent-name", "agent-color",
		"agent-setting", "mode", "permission-mode", "tag", "pr-link", "worktree-state", "speculation-accept", "content-replacement", "attribution-snapshot",
		"marble-origami-commit", "marble-origami-snapshot", "task-summary", "cost-state", "saved_hook_context", "result":
		// Bookkeeping of the host's own (observed).
	case "":
		s.brokenLine(n)
	default:
		s.unknownKind(e.Type, n)
	}
	for i := from; i < len(s.session.Items); i++ {
		s.session.Items[i].id, s.session.Items[i].apart = e.UUID, e.Sidechain
	}
	s.link(e.UUID, e.Parent, prompt && !e.Sidechain)
}

// claudeUser reads a line of the user's side, where results of tools stand too, and
// reports whether it has a message that the user wrote.
func (s *state) claudeUser(e *claudeEntry, n int) bool {
	if e.Compact {
		return false
	}
	var said []string
	for _, b := range blocks(e.Message.Content) {
		switch b.Type {
		case "text":
			said = append(said, b.Text)
		case "tool_result":
			s.claudeResult(&b, e.Result, n)
		}
	}
	if e.Meta || e.ScreenOnly {
		return false
	}
	text := strings.Join(said, "\n")
	if command, ok := between(text, "<bash-input>", "</bash-input>"); ok {
		s.call(n, "", &Call{Kind: Command, Tool: "Bash", Command: command, ByUser: true})
		return false
	}
	if strings.HasPrefix(strings.TrimSpace(text), "[Request interrupted by user") {
		s.interrupted = true
		return false
	}
	return s.message(n, typed(text)) != nil
}

// blocks are the parts of a message, which may be one text.
func blocks(raw json.RawMessage) []claudeBlock {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []claudeBlock{{Type: "text", Text: text}}
	}
	var list []claudeBlock
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// textOf is the text of a value that is one, or a list of parts.
func textOf(raw json.RawMessage) string {
	var all []string
	for _, b := range blocks(raw) {
		// Parts of Codex are input_text and output_text.
		if strings.HasSuffix(b.Type, "text") {
			all = append(all, b.Text)
		}
	}
	return strings.Join(all, "\n")
}

// typed is what the user wrote of a text, without what the host put beside it in tags of
// its own. A slash command is given back as it was called.
func typed(text string) string {
	if name, ok := between(text, "<command-name>", "</command-name>"); ok {
		args, _ := between(text, "<command-args>", "</command-args>")
		return strings.TrimSpace("/" + strings.TrimPrefix(strings.TrimSpace(name), "/") + " " + args)
	}
	for _, tag := range []string{"system-reminder", "local-command-stdout", "local-command-stderr", "local-command-caveat", "bash-stdout", "bash-stderr", "task-notification",
		"ide_opened_file", "ide_selection", "user-prompt-submit-hook", "command-message", "user-memory-input", "new-diagnostics"} {
		text = without(text, "<"+tag, "</"+tag+">")
	}
	text = strings.TrimSpace(text)
	for _, own := range []string{"Caveat: The messages below", "This session is being continued from a previous conversation", "[Image"} {
		if strings.HasPrefix(text, own) {
			return ""
		}
	}
	return text
}

// between is what stands between two marks.
func between(s, open, end string) (string, bool) {
	_, rest, ok := strings.Cut(s, open)
	if !ok {
		return "", false
	}
	inside, _, ok := strings.Cut(rest, end)
	return inside, ok
}

// without takes out all that stands between two marks, with these.
func without(s, open, end string) string {
	if !strings.Contains(s, open) {
		return s
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, open)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		_, after, closed := strings.Cut(rest, end)
		if !closed {
			return b.String()
		}
		s = after
	}
}

// claudeInput has the fields of the host's own tools that say what they are about
// (observed; the names of the tools are those of its documentation).
type claudeInput struct {
	Command  string `json:"command"`
	File     string `json:"file_path"`
	Notebook string `json:"notebook_path"`
	Path     string `json:"path"`
	URL      string `json:"url"`
}

// claudeCall is a call of a tool of Claude Code.
func claudeCall(name string, input json.RawMessage) *Call {
	var in claudeInput
	_ = json.Unmarshal(input, &in)
	c := &Call{Tool: name}
	switch name {
	case "Bash", "PowerShell":
		c.Kind, c.Command = Command, in.Command
		if name != "Bash" {
			c.Kind = Other
		}
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		c.Kind = Edit
	case "Read", "NotebookRead":
		c.Kind = Read
	case "Grep", "Glob", "LS", "WebSearch", "ToolSearch":
		c.Kind = Search
		return c
	case "WebFetch":
		c.Kind, c.URL = Fetch, in.URL
	case "Task", "Agent":
		c.Kind = Agent
	default:
		if strings.HasPrefix(name, "mcp__") {
			c.Kind = Server
		}
		return c
	}
	for _, p := range []string{in.File, in.Notebook} {
		if p != "" && (c.Kind == Edit || c.Kind == Read) {
			c.Paths = append(c.Paths, p)
		}
	}
	return c
}

// claudeResult reads what came of a call. A command that failed says so with "Exit code
// N" in its first line, and a refusal has a sentence of its own, behind which may stand
// what the user said (observed).
func (s *state) claudeResult(b *claudeBlock, whole json.RawMessage, n int) {
	text := textOf(b.Content)
	r := Result{Known: true, Failed: b.Error, Said: text}
	if rest, ok := strings.CutPrefix(strings.TrimPrefix(text, "Error: "), "Exit code "); ok {
		first, said, _ := strings.Cut(rest, "\n")
		if status, err := strconv.Atoi(strings.TrimSpace(first)); err == nil {
			r.HasStatus, r.Status, r.Failed, r.Said = true, status, status != 0, said
		}
	}
	var streams struct {
		Interrupted bool `json:"interrupted"`
	}
	if json.Unmarshal(whole, &streams) == nil && streams.Interrupted {
		r.Failed, s.interrupted = true, true
	}
	if strings.HasPrefix(text, "The user doesn't want to ") {
		r.Refused, r.Failed, r.Said = true, true, ""
	}
	if c := s.calls[b.Use]; c != nil && c.Kind == Command && !r.Failed && !r.HasStatus {
		// The host marks every command that does not end with 0.
		r.HasStatus = true
	}
	s.result(b.Use, r)
	if r.Refused {
		if _, why, ok := strings.Cut(text, "the user said:"); ok {
			s.message(n, typed(why))
		}
	}
}
