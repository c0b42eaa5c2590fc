package transcript

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/host/codex"
	"github.com/vadehq/vade/internal/shell"
)

// codexEntry is one line of a rollout of Codex: a type with its payload (source:
// RolloutItem of its protocol). In files of before that form each line is an item of the
// model's interface by itself, behind a first line that only has an id and a time.
type codexEntry struct {
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
	Record  string          `json:"record_type"`
	ID      string          `json:"id"`
}

// codexItem has the fields of all payloads that are of use (source: ResponseItem and
// EventMsg of its protocol; which of them are written down differs between versions).
type codexItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Dir       string          `json:"cwd"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	CallID    string          `json:"call_id"`
	Output    json.RawMessage `json:"output"`
	Action    struct {
		Command []string `json:"command"`
		URL     string   `json:"url"`
	} `json:"action"`
	Message  string                     `json:"message"`
	Command  json.RawMessage            `json:"command"`
	ExitCode *int                       `json:"exit_code"`
	Stdout   string                     `json:"aggregated_output"`
	Turns    int                        `json:"num_turns"`
	Success  *bool                      `json:"success"`
	Changes  map[string]json.RawMessage `json:"changes"`
}

// codexLine reads a line of a rollout.
func (s *state) codexLine(line []byte, n int) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	var e codexEntry
	if json.Unmarshal(line, &e) != nil {
		s.brokenLine(n)
		return
	}
	var it codexItem
	if e.Payload == nil {
		// The form of before.
		if e.Record != "" || e.Type == "" && e.ID != "" {
			return
		}
		if json.Unmarshal(line, &it) != nil || it.Type == "" {
			s.brokenLine(n)
			return
		}
		s.codexResponse(&it, n)
		return
	}
	if json.Unmarshal(e.Payload, &it) != nil {
		s.brokenLine(n)
		return
	}
	switch e.Type {
	case "session_meta", "turn_context":
		if s.session.Dir == "" {
			s.session.Dir = cut(it.Dir, 1<<10)
		}
	case "response_item":
		s.codexResponse(&it, n)
	case "event_msg":
		s.codexEvent(&it, n)
	case "compacted":
		s.session.Summaries++
	case "world_state", "inter_agent_communication", "inter_agent_communication_metadata":
		// What the host keeps to go on with, and what agents write to one another.
	default:
		s.unknownKind(e.Type, n)
	}
}

// codexResponse reads an item of the model's interface.
func (s *state) codexResponse(it *codexItem, n int) {
	switch it.Type {
	case "message":
		if it.Role == "user" {
			s.codexUser(textOf(it.Content), n)
		}
	case "function_call", "custom_tool_call":
		s.call(n, it.CallID, codexCall(it))
	case "local_shell_call":
		s.call(n, it.CallID, codexShell("local_shell", scriptOf(it.Action.Command)))
	case "function_call_output", "custom_tool_call_output":
		s.result(it.CallID, codexResult(it.Output))
	case "web_search_call":
		s.call(n, "", &Call{Kind: Search, Tool: "web_search", Result: Result{Known: true}})
	case "reasoning", "agent_message", "tool_search_call", "tool_search_output", "image_generation_call", "compaction", "compaction_summary", "context_compaction", "additional_tools", "ghost_snapshot", "other":
		// Nothing that the user said or that was done to the project.
	case "":
		s.brokenLine(n)
	default:
		s.unknownKind("response_item "+it.Type, n)
	}
}

// codexEvent reads an event. Messages of the user are written both as an item and as an
// event.
func (s *state) codexEvent(it *codexItem, n int) {
	switch it.Type {
	case "user_message":
		s.codexUser(it.Message, n)
	case "exec_command_begin":
		s.call(n, it.CallID, codexShell("exec_command", codexCommand(it.Command)))
	case "exec_command_end":
		s.call(n, it.CallID, codexShell("exec_command", codexCommand(it.Command)))
		if it.ExitCode != nil {
			s.result(it.CallID, Result{Known: true, HasStatus: true, Status: *it.ExitCode, Failed: *it.ExitCode != 0, Said: it.Stdout})
		}
	case "patch_apply_end":
		if c := s.calls[it.CallID]; c != nil && it.Success != nil {
			s.result(it.CallID, Result{Known: true, Failed: !*it.Success})
		}
	case "turn_aborted":
		s.interrupted = true
	case "thread_rolled_back":
		s.rollBack(it.Turns)
	case "":
		s.brokenLine(n)
	default:
		// The events are many and change with each version; none of the others says
		// what an item does not say too (source: what the host keeps in a rollout).
		s.known(it.Type, n)
	}
}

// known passes over the events that the host has, and counts the others.
func (s *state) known(typ string, n int) {
	switch typ {
	case "token_count", "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break", "task_started", "task_complete", "turn_started", "turn_complete",
		"context_compacted", "entered_review_mode", "exited_review_mode", "mcp_tool_call_begin", "mcp_tool_call_end", "web_search_begin", "web_search_end", "image_generation_begin", "image_generation_end",
		"patch_apply_begin", "patch_apply_updated", "turn_diff", "plan_update", "item_started", "item_completed", "thread_goal_updated", "sub_agent_activity", "error", "stream_error", "warning",
		"guardian_assessment", "guardian_warning", "view_image_tool_call", "session_configured", "thread_settings_applied", "thread_name_updated", "exec_command_output_delta", "exec_approval_request",
		"apply_patch_approval_request", "request_user_input", "request_permissions", "elicitation_request", "terminal_interaction", "shutdown_complete", "deprecation_notice", "hook_started", "hook_completed",
		"background_event", "undo_started", "undo_completed", "collab_agent_spawn_begin", "collab_agent_spawn_end", "collab_agent_interaction_begin", "collab_agent_interaction_end",
		"collab_waiting_begin", "collab_waiting_end", "collab_close_begin", "collab_close_end", "collab_resume_begin", "collab_resume_end", "dynamic_tool_call_request", "dynamic_tool_call_response",
		"model_reroute", "model_verification", "mcp_startup_update", "mcp_startup_complete", "raw_response_item":
	default:
		s.unknownKind("event_msg "+typ, n)
	}
}

// rollBack takes away the last turns, which the user undid.
func (s *state) rollBack(turns int) {
	x := s.session
	for i := len(x.Items) - 1; i >= 0 && turns > 0; i-- {
		if x.Items[i].Message != nil {
			if turns--; turns == 0 {
				x.Rewound += len(x.Items) - i
				x.Items = x.Items[:i]
			}
		}
	}
}

// codexUser reads a text in the user's place, where the host puts texts of its own too:
// each is one element in angle brackets, or begins with a heading that is known (source:
// its markers of instructions).
func (s *state) codexUser(text string, n int) {
	text = strings.TrimSpace(text)
	if body, ok := between(text, "<user_shell_command>", "</user_shell_command>"); ok {
		if command, ok := between(body, "<command>", "</command>"); ok {
			c := &Call{Kind: Command, Tool: "shell", Command: strings.TrimSpace(command), ByUser: true}
			result, _ := between(body, "<result>", "</result>")
			c.Result = execResult(strings.TrimSpace(result))
			c.Result.Said = tail(c.Result.Said, maxSaid)
			s.call(n, "", c)
		}
		return
	}
	if strings.HasPrefix(text, "<turn_aborted>") {
		s.interrupted = true
		return
	}
	if strings.HasPrefix(text, "# AGENTS.md instructions") {
		return
	}
	if strings.HasPrefix(text, "# Context from my IDE setup:") {
		_, text, _ = strings.Cut(text, codex.EditorRequest)
		text = strings.TrimSpace(text)
	}
	if strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") {
		if name := text[1:strings.IndexAny(text, " >")]; strings.HasSuffix(text, "</"+name+">") || name == "image" {
			return
		}
	}
	s.message(n, text)
}

// codexCall is a call of a tool of Codex, by the names that its versions have given to
// the one that runs commands (source).
func codexCall(it *codexItem) *Call {
	var in struct {
		Command json.RawMessage `json:"command"`
		Cmd     string          `json:"cmd"`
		Input   string          `json:"input"`
		Path    string          `json:"path"`
	}
	_ = json.Unmarshal([]byte(it.Arguments), &in)
	name := it.Name
	if it.Namespace != "" && !strings.HasPrefix(name, it.Namespace) {
		name = it.Namespace + name
	}
	switch name {
	case "shell", "container.exec", "local_shell", "shell_command", "exec_command", "unified_exec":
		command := in.Cmd
		if command == "" {
			command = codexCommand(in.Command)
		}
		return codexShell(name, command)
	case "apply_patch":
		patch := it.Input
		if patch == "" {
			patch = in.Input
		}
		return &Call{Kind: Edit, Tool: name, Paths: patched(patch)}
	case "view_image", "read_file":
		c := &Call{Kind: Read, Tool: name}
		if in.Path != "" {
			c.Paths = []string{in.Path}
		}
		return c
	case "list_dir", "grep_files", "web_search", "tool_search":
		return &Call{Kind: Search, Tool: name}
	case "spawn_agent", "send_input", "wait_agent", "close_agent", "resume_agent":
		return &Call{Kind: Agent, Tool: name}
	}
	if strings.HasPrefix(name, "mcp__") {
		return &Call{Kind: Server, Tool: name}
	}
	return &Call{Tool: name}
}

// codexCommand is the shell text of a command that is a text, or a list of words.
func codexCommand(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var words []string
	if json.Unmarshal(raw, &words) != nil {
		return ""
	}
	return scriptOf(words)
}

// scriptOf is the script of a call of a shell, or the words as one would type them.
func scriptOf(words []string) string {
	if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		switch words[0][strings.LastIndexByte(words[0], '/')+1:] {
		case "bash", "sh", "zsh", "dash":
			return words[2]
		}
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = shell.ForShell(w)
	}
	return strings.Join(quoted, " ")
}

// codexShell is a command, or the edit that is written as one.
func codexShell(name, command string) *Call {
	if strings.HasPrefix(strings.TrimSpace(command), "apply_patch") || strings.HasPrefix(command, "*** Begin Patch") {
		if paths := patched(command); paths != nil {
			return &Call{Kind: Edit, Tool: "apply_patch", Paths: paths}
		}
	}
	return &Call{Kind: Command, Tool: name, Command: command}
}

// patched are the files of a patch in the form of Codex (documented).
func patched(patch string) []string {
	var paths []string
	for line := range strings.Lines(patch) {
		for _, mark := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if name, ok := strings.CutPrefix(line, mark); ok && len(paths) < maxPaths {
				paths = append(paths, strings.TrimSpace(name))
			}
		}
	}
	return paths
}

// codexResult reads what came of a call: a text, parts, or an object with a text. The
// text of a command is JSON with its status in the metadata, or begins with lines that
// say it (source; three versions).
func codexResult(raw json.RawMessage) Result {
	text := textOf(raw)
	var wrapped struct {
		Content string `json:"content"`
		Success *bool  `json:"success"`
	}
	if text == "" && json.Unmarshal(raw, &wrapped) == nil {
		text = wrapped.Content
	}
	var structured struct {
		Output   string `json:"output"`
		Metadata struct {
			ExitCode *int `json:"exit_code"`
		} `json:"metadata"`
	}
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &structured) == nil && structured.Metadata.ExitCode != nil {
		status := *structured.Metadata.ExitCode
		return Result{Known: true, HasStatus: true, Status: status, Failed: status != 0, Said: structured.Output}
	}
	r := execResult(text)
	if wrapped.Success != nil && !*wrapped.Success {
		r.Failed = true
	}
	return r
}

// execResult reads the lines before the output of a command.
func execResult(text string) Result {
	r := Result{Known: true, Said: text}
	head, output, found := strings.Cut(text, "Output:\n")
	if !found {
		head, found = strings.CutSuffix(text, "Output:")
	}
	if len(head) > 600 || !found {
		low := strings.ToLower(text)
		if strings.HasPrefix(low, "exec_command failed") || strings.HasPrefix(low, "execution error") || strings.HasPrefix(low, "failed ") {
			r.Failed = true
		}
		if strings.Contains(low, "rejected by user") {
			r.Failed, r.Refused = true, true
		}
		return r
	}
	for line := range strings.Lines(head) {
		for _, mark := range []string{"Exit code: ", "Process exited with code "} {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), mark); ok {
				if status, err := strconv.Atoi(rest); err == nil {
					r.HasStatus, r.Status, r.Failed = true, status, status != 0
				}
			}
		}
	}
	if r.Said = output; !r.HasStatus {
		r.Known = false
	}
	return r
}
