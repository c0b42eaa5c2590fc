package transcript

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// claudeEntry is one line of a session file of Claude Code or the Claude Agent SDK. No schema is
// published. The fields were observed in sessions recorded with versions 2.0 to 2.1.330, and in
// lines that users have published.
type claudeEntry struct {
	Type       string `json:"type"`
	Subtype    string `json:"subtype"`
	UUID       string `json:"uuid"`
	Parent     string `json:"parentUuid"`
	Sidechain  bool   `json:"isSidechain"`
	Meta       bool   `json:"isMeta"`
	Compact    bool   `json:"isCompactSummary"`
	ScreenOnly bool   `json:"isVisibleInTranscriptOnly"`
	Dir        string `json:"cwd"`
	Time       string `json:"timestamp"`
	// Sessions of the Claude Agent SDK have ParentTool and Synthetic instead of Sidechain and Meta.
	ParentTool string `json:"parent_tool_use_id"`
	Synthetic  bool   `json:"isSynthetic"`
	Message    struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	Result json.RawMessage `json:"toolUseResult"`
	// Denial says who or what denied a tool call, for example "permission-rule".
	Denial     string `json:"toolDenialKind"`
	Attachment struct {
		Type   string          `json:"type"`
		Prompt json.RawMessage `json:"prompt"`
		// Content and Names hold the skill listing, and Agents holds the agent listing.
		Content json.RawMessage `json:"content"`
		Names   []string        `json:"names"`
		Agents  []string        `json:"addedTypes"`
	} `json:"attachment"`
}

// contentBlock is a part of a message: text, tool_use or tool_result.
type contentBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Use     string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
	Error   bool            `json:"is_error"`
}

func claimsClaude(keys map[string]json.RawMessage) bool {
	// A sessionId is not sufficient, because Gemini CLI sessions also have one.
	return keys["sessionId"] != nil && keys["projectHash"] == nil || keys["uuid"] != nil || keys["leafUuid"] != nil ||
		keys["messageId"] != nil && keys["type"] != nil
}

// claudeLine reads a line of a Claude Code session file.
func (s *session) claudeLine(line []byte, n int) {
	var e claudeEntry
	if !s.decode(line, n, &e) {
		return
	}
	e.Sidechain = e.Sidechain || e.ParentTool != ""
	s.time(e.Time)
	s.main = s.main || e.UUID != "" && !e.Sidechain
	if s.dir == "" {
		s.dir = cut(e.Dir, 1<<10)
	}
	from, prompt := len(s.items), false
	switch e.Type {
	case "":
		s.broken(n)
	case "user":
		prompt = s.claudeUser(&e, n)
	case "assistant":
		for _, b := range blocks(e.Message.Content) {
			if b.Type == "tool_use" {
				s.claudeInvocation(&b)
				s.call(n, b.ID, claudeCall(b.Name, b.Input))
			}
		}
	case "attachment":
		// The user typed a queued command while the agent was working.
		switch a := &e.Attachment; a.Type {
		case "queued_command":
			s.message(n, typed(textOf(a.Prompt)))
		case "skill_listing":
			if a.Names == nil {
				a.Names = listed(textOf(a.Content))
			}
			s.offers(false, a.Names...)
		case "agent_listing_delta":
			s.offers(true, a.Agents...)
		}
	case "system":
		if e.Subtype == "compact_boundary" {
			s.note(n, diag.TranscriptPart, "summaries of the session")
		}
	default:
		if !isBookkeeping(e.Type) {
			s.note(n, diag.TranscriptPart, "lines of an unknown type")
		}
	}
	for i := from; i < len(s.items); i++ {
		s.items[i].id, s.items[i].apart = e.UUID, e.Sidechain
	}
	if e.UUID != "" && e.Parent != "" && max(len(e.UUID), len(e.Parent)) < 100 && len(s.lineage) < 200_000 {
		s.lineage = append(s.lineage, link{e.UUID, e.Parent, prompt && !e.Sidechain})
	}
}

// isBookkeeping reports whether lines of this type contain neither messages nor tool calls. Claude
// Code 2.1.330 does not treat them as part of the conversation either, as its session reader shows.
func isBookkeeping(kind string) bool {
	switch kind {
	case "progress", "summary", "custom-title", "ai-title", "tag", "mode", "last-prompt", "queue-operation",
		"file-history-snapshot", "file-history-delta", "attribution-snapshot", "content-replacement",
		"agent-name", "agent-color", "agent-setting", "permission-mode", "memory-mode", "repl-mode", "dev-mods",
		"api-request", "api-request-resumed", "api-request-shape", "api-request-blob",
		"tools-used", "cost-state", "atis-latch", "isolation-latch", "worktree-state", "bridge-session",
		"session-owner", "host-row", "hybrid-organization", "relocated", "pr-link", "frame-link",
		"observer-ref", "fork-context-ref", "derived-from", "continued-in", "resume-head-vouch",
		"ended-by-model", "history-suppression", "data-flow-records", "data-flow-incomplete",
		"artifact-comment-monitor", "artifact-autoreact-ledger",
		// These types are from SDKMessage in sdk.d.ts, version 0.3.318 of the Claude Agent SDK.
		"result", "stream_event", "rate_limit_event", "tool_progress", "tool_use_summary",
		"prompt_suggestion", "conversation_reset", "auth_status":
		return true
	}
	return false
}

// claudeUser reads a line with the user role, which tool results also have. It reports whether the
// line contains a message that the user wrote.
func (s *session) claudeUser(e *claudeEntry, n int) bool {
	if e.Compact {
		return false
	}
	var said []string
	for _, b := range blocks(e.Message.Content) {
		switch b.Type {
		case "text":
			said = append(said, b.Text)
		case "tool_result":
			s.claudeResult(&b, e, n)
		}
	}
	text := strings.Join(said, "\n")
	if name, ok := between(text, "<command-name>", "</command-name>"); ok {
		s.invokes(false, name, e.UUID)
	}
	if e.Meta || e.Synthetic || e.ScreenOnly || strings.HasPrefix(strings.TrimSpace(text), "[Request interrupted by user") {
		return false
	}
	if command, ok := between(text, "<bash-input>", "</bash-input>"); ok {
		s.call(n, "", &call{tool: "Bash", command: command, byUser: true})
		return false
	}
	return s.message(n, typed(text))
}

// claudeMarks are strings, at least one of which occurs in every line that lists or invokes a skill
// or an agent: in a tool's input, in a command that the user typed, or in a listing.
var claudeMarks = []string{`"skill":"`, `"name":"Skill"`, `"subagent_type":"`, "<command-name>", `"skill_listing"`, `"agent_listing_delta"`}

// claudeInvocation records a tool call that invokes a skill or an agent. It also accepts input that
// has the skill's name in the command field, although no session with such input has been observed.
func (s *session) claudeInvocation(b *contentBlock) {
	var in struct {
		Skill, Command string
		Agent          string `json:"subagent_type"`
	}
	switch _ = json.Unmarshal(b.Input, &in); b.Name {
	case "Skill":
		s.invokes(false, cmp.Or(in.Skill, in.Command), b.ID)
	case "Agent", "Task":
		s.invokes(true, in.Agent, b.ID)
	}
}

// listed returns the names in a listing whose lines look like "- name: description".
func listed(text string) []string {
	var names []string
	for line := range strings.Lines(text) {
		line, entry := strings.CutPrefix(line, "- ")
		if name, _, ok := strings.Cut(line, ": "); entry && ok {
			names = append(names, name)
		}
	}
	return names
}

// claudeResult reads a tool call's result. A failed command's output starts with "Exit code N". The
// result of a denied call is either a fixed sentence, which the user's comment may follow, or a
// sentence written by the program that uses the SDK. In the latter case, the line's Denial field
// says what denied the call. This was observed in sessions. The values of Denial are those that
// Claude Code 2.1.330 uses.
func (s *session) claudeResult(b *contentBlock, e *claudeEntry, n int) {
	text := textOf(b.Content)
	o := outcome{failed: b.Error}
	var streams struct {
		Interrupted bool `json:"interrupted"`
	}
	rest, exitCode := strings.CutPrefix(strings.TrimPrefix(text, "Error: "), "Exit code ")
	first, _, _ := strings.Cut(rest, "\n")
	status, err := strconv.Atoi(strings.TrimSpace(first))
	denied := e.Denial == "user-rejected" || e.Denial == "permission-rule" || strings.HasPrefix(e.Denial, "automode-")
	switch {
	case denied || strings.HasPrefix(text, "The user doesn't want to "):
		s.result(b.Use, outcome{failed: true, refused: true})
		if _, why, ok := strings.Cut(text, "the user said:"); ok {
			s.message(n, typed(why))
		}
		return
	case exitCode && err == nil:
		o = exited(status)
	case json.Unmarshal(e.Result, &streams) == nil && streams.Interrupted:
		o.failed = true
	case !b.Error && s.calls[b.Use] != nil && s.calls[b.Use].command != "":
		// The host sets is_error for every command with a nonzero exit code.
		o = exited(0)
	}
	s.result(b.Use, o)
}

// claudeCall returns the call if the tool runs commands, edits files or belongs to an MCP server,
// and nil otherwise. Tools are recognized by their documented names. The fields of their input were
// observed in sessions.
func claudeCall(name string, input json.RawMessage) *call {
	var in struct {
		Command  string `json:"command"`
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
	}
	_ = json.Unmarshal(input, &in)
	switch name {
	case "Bash", "PowerShell":
		return &call{tool: name, command: in.Command}
	case "Edit", "Write", "MultiEdit":
		return &call{tool: name, paths: []string{in.File}}
	case "NotebookEdit":
		return &call{tool: name, paths: []string{in.Notebook}}
	}
	if strings.HasPrefix(name, "mcp__") {
		return &call{tool: name}
	}
	return nil
}

// blocks returns the parts of a message, which is either a list or a single string.
func blocks(raw json.RawMessage) []contentBlock {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []contentBlock{{Type: "text", Text: text}}
	}
	var list []contentBlock
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// textOf returns the text in raw, which is a string or a list of parts.
func textOf(raw json.RawMessage) string {
	var all []string
	for _, b := range blocks(raw) {
		// Codex uses the part types input_text and output_text. In Gemini CLI, parts have no type.
		if b.Type == "" || strings.HasSuffix(b.Type, "text") {
			all = append(all, b.Text)
		}
	}
	return strings.Join(all, "\n")
}

const claudeTagNames = "system-reminder|local-command-stdout|local-command-stderr|local-command-caveat|bash-stdout|" +
	"bash-stderr|task-notification|ide_opened_file|ide_selection|user-prompt-submit-hook|command-message|" +
	"user-memory-input|new-diagnostics"

// claudeTags matches the elements that the host adds to a user message.
var claudeTags = lazyregexp.New(`(?s)<(?:` + claudeTagNames + `).*?(?:</(?:` + claudeTagNames + `)>|$)`)

// typed returns the part of a message that the user typed, without the host's additions. It returns
// a slash command as the user entered it.
func typed(text string) string {
	if name, ok := between(text, "<command-name>", "</command-name>"); ok {
		args, _ := between(text, "<command-args>", "</command-args>")
		return strings.TrimSpace("/" + strings.TrimPrefix(strings.TrimSpace(name), "/") + " " + args)
	}
	text = strings.TrimSpace(claudeTags().ReplaceAllString(text, ""))
	for _, own := range []string{
		"Caveat: The messages below", "This session is being continued from a previous conversation", "[Image",
	} {
		if strings.HasPrefix(text, own) {
			return ""
		}
	}
	return text
}

func between(s, open, end string) (string, bool) {
	_, rest, ok := strings.Cut(s, open)
	inside, _, closed := strings.Cut(rest, end)
	return inside, ok && closed
}
