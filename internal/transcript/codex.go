package transcript

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/lazyregexp"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host/codex"
	"github.com/vadehq/vade/internal/shell"
)

// codexEntry is one line of a Codex session file. It consists of a type and a payload, as defined
// by RolloutItem in Codex's source code. In older files, the first line contains only an ID and a
// time, and every other line is an item in the format of the model API.
type codexEntry struct {
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
	Record  string          `json:"record_type"`
	ID      string          `json:"id"`
	Time    string          `json:"timestamp"`
}

// codexItem holds the payload fields that Vade uses. They are defined by ResponseItem and EventMsg
// in Codex's source code. Which of the fields a file contains depends on the Codex version.
type codexItem struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Dir     string          `json:"cwd"`
	// Source is an object in a sub-agent's session and a string otherwise.
	Source    json.RawMessage `json:"source"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	CallID    string          `json:"call_id"`
	Output    json.RawMessage `json:"output"`
	Action    struct {
		Command []string `json:"command"`
	} `json:"action"`
	Message  string          `json:"message"`
	Command  json.RawMessage `json:"command"`
	ExitCode *int            `json:"exit_code"`
	Turns    int             `json:"num_turns"`
	Success  *bool           `json:"success"`
}

func claimsCodex(keys map[string]json.RawMessage) bool {
	return keys["payload"] != nil && keys["type"] != nil || keys["record_type"] != nil ||
		keys["id"] != nil && keys["timestamp"] != nil && keys["type"] == nil
}

// codexLine reads a line of a Codex session file. It ignores lines whose type shows that they
// contain neither user messages nor actions.
func (s *session) codexLine(line []byte, n int) {
	var e codexEntry
	if !s.decode(line, n, &e) {
		return
	}
	s.time(e.Time)
	old := e.Payload == nil
	if old && (e.Record != "" || e.Type == "" && e.ID != "") {
		return
	}
	if old {
		e.Type, e.Payload = "response_item", line
	}
	var it codexItem
	if !s.decode(e.Payload, n, &it) {
		return
	}
	switch e.Type {
	case "session_meta", "turn_context":
		s.main = s.main || e.Type == "session_meta" && !strings.HasPrefix(string(it.Source), "{")
		if s.dir == "" {
			s.dir = cut(it.Dir, 1<<10)
		}
		return
	case "compacted":
		s.note(n, diag.TranscriptPart, "summaries of the session")
		return
	case "response_item", "event_msg":
	default:
		return
	}
	// Codex writes each user message twice, as an item and as an event.
	switch it.Type {
	case "":
		s.broken(n)
	case "message":
		switch it.Role {
		case "user":
			s.codexUser(textOf(it.Content), n)
		case "developer":
			if text, ok := between(textOf(it.Content), "<skills_instructions>", "</skills_instructions>"); ok {
				s.offers(false, listed(text)...)
			}
		}
	case "user_message":
		s.codexUser(it.Message, n)
	case "function_call", "custom_tool_call":
		s.codexInvocation(&it)
		s.call(n, it.CallID, codexCall(&it))
	case "local_shell_call":
		s.call(n, it.CallID, codexShell("local_shell", scriptOf(it.Action.Command)))
	case "exec_command_begin", "exec_command_end":
		s.call(n, it.CallID, codexShell("exec_command", codexCommand(it.Command)))
		if it.ExitCode != nil {
			s.result(it.CallID, exited(*it.ExitCode))
		}
	case "function_call_output", "custom_tool_call_output":
		s.result(it.CallID, codexResult(it.Output))
	case "patch_apply_end":
		if it.Success != nil {
			s.result(it.CallID, outcome{failed: !*it.Success})
		}
	case "thread_rolled_back":
		s.rollBack(it.Turns, n)
	}
}

// rollBack removes the given number of turns from the end of the session.
func (s *session) rollBack(turns, n int) {
	for i := len(s.items) - 1; i >= 0 && turns > 0; i-- {
		if s.items[i].message == "" {
			continue
		}
		if turns--; turns == 0 {
			s.items = s.items[:i]
			s.note(n, diag.TranscriptPart, "rollbacks of turns by the user")
		}
	}
}

// codexUser reads text with the user role. According to its source code, Codex also uses this role
// for text that it adds itself, which is either a single element in angle brackets or starts with a
// known heading.
func (s *session) codexUser(text string, n int) {
	text = strings.TrimSpace(text)
	if body, ok := between(text, "<user_shell_command>", "</user_shell_command>"); ok {
		command, _ := between(body, "<command>", "</command>")
		result, _ := between(body, "<result>", "</result>")
		s.call(n, "", &call{tool: "shell", command: strings.TrimSpace(command), byUser: true, outcome: execResult(result)})
		return
	}
	if body, ok := strings.CutPrefix(text, "<skill>\n<name>"); ok {
		name, _, _ := strings.Cut(body, "</name>")
		s.invokes(false, name, "")
		return
	}
	if strings.HasPrefix(text, "# AGENTS.md instructions") {
		return
	}
	if strings.HasPrefix(text, "# Context from my IDE setup:") {
		_, text, _ = strings.Cut(text, codex.EditorRequest)
	}
	if strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") {
		name := text[1:strings.IndexAny(text, " >")]
		if name == "image" || strings.HasSuffix(text, "</"+name+">") {
			return
		}
	}
	s.message(n, text)
}

// codexCall returns the call if the tool runs commands, edits files or belongs to an MCP server,
// and nil otherwise. According to Codex's source code, the name of the tool that runs commands
// depends on the version.
func codexCall(it *codexItem) *call {
	var in struct {
		Command json.RawMessage `json:"command"`
		Cmd     string          `json:"cmd"`
		Input   string          `json:"input"`
	}
	_ = json.Unmarshal([]byte(it.Arguments), &in)
	name := it.Name
	if it.Namespace != "" && !strings.HasPrefix(name, it.Namespace) {
		name = it.Namespace + name
	}
	switch name {
	case "shell", "container.exec", "local_shell", "shell_command", "exec_command", "unified_exec":
		if in.Cmd != "" {
			return codexShell(name, in.Cmd)
		}
		return codexShell(name, codexCommand(in.Command))
	case "apply_patch":
		return &call{tool: name, paths: patched(it.Input + in.Input)}
	}
	if strings.HasPrefix(name, "mcp__") {
		return &call{tool: name}
	}
	return nil
}

// codexMarks are strings, at least one of which occurs in every line that lists skills or invokes a
// skill or an agent: in a listing, in a message with a skill that the user mentioned, in a command
// that reads a skill, or in a call that starts an agent.
var codexMarks = []string{"<skills_instructions>", `<skill>\n<name>`, "SKILL.md", `"spawn_agent"`}

// skillRead matches the path of a SKILL.md file and captures the name of its directory.
var skillRead = lazyregexp.New(`([^\s/\\"'` + "`" + `]+)[/\\]+SKILL\.md\b`)

// codexInvocation records a command that reads a skill, or a call that starts an agent. In Codex,
// the model loads a skill by reading it.
func (s *session) codexInvocation(it *codexItem) {
	if strings.HasSuffix(it.Name, "spawn_agent") {
		var in struct {
			Agent string `json:"agent_type"`
		}
		_ = json.Unmarshal([]byte(it.Arguments), &in)
		s.invokes(true, in.Agent, it.CallID)
		return
	}
	if m := skillRead().FindStringSubmatch(it.Arguments + it.Input); m != nil {
		s.invokes(false, m[1], it.CallID)
	}
}

// codexCommand returns the command line from raw, which is a string or a list of words.
func codexCommand(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var words []string
	_ = json.Unmarshal(raw, &words)
	return scriptOf(words)
}

// scriptOf returns the script that a shell call runs. For other calls, it returns the words as a
// user would type them.
func scriptOf(words []string) string {
	if script, ok := shell.ScriptOf(words); ok {
		return script
	}
	return shell.Join(words)
}

// codexShell returns the call for a command. If the command applies a patch, the call is a file
// edit.
func codexShell(name, command string) *call {
	trimmed := strings.TrimSpace(command)
	if strings.HasPrefix(trimmed, "apply_patch") || strings.HasPrefix(trimmed, "*** Begin Patch") {
		if paths := patched(command); paths != nil {
			return &call{tool: "apply_patch", paths: paths}
		}
	}
	return &call{tool: name, command: command}
}

var patchHeader = lazyregexp.New(`(?m)^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$`)

// patched returns the paths of the files that a patch changes. The patch is in the format that
// Codex documents.
func patched(patch string) []string {
	var paths []string
	for _, m := range patchHeader().FindAllStringSubmatch(patch, maxPaths) {
		paths = append(paths, strings.TrimSpace(m[1]))
	}
	return paths
}

// codexResult reads a tool call's result, which is a string, a list of parts, or an object that
// contains a string. For a command, the string is either JSON with the exit code in its metadata,
// or text with the exit code in its first lines, according to the source code of three Codex
// versions.
func codexResult(raw json.RawMessage) outcome {
	text := textOf(raw)
	var wrapped struct {
		Content string `json:"content"`
		Success *bool  `json:"success"`
	}
	if text == "" && json.Unmarshal(raw, &wrapped) == nil {
		text = wrapped.Content
	}
	var structured struct {
		Metadata struct {
			ExitCode *int `json:"exit_code"`
		} `json:"metadata"`
	}
	if json.Unmarshal([]byte(text), &structured) == nil && structured.Metadata.ExitCode != nil {
		return exited(*structured.Metadata.ExitCode)
	}
	o := execResult(text)
	o.failed = o.failed || wrapped.Success != nil && !*wrapped.Success
	return o
}

var (
	exitLine   = lazyregexp.New(`(?m)^(?:Exit code: |Process exited with code )(-?\d+)\s*$`)
	execFailed = lazyregexp.New(`(?i)^(?:exec_command failed|execution error|failed )`)
)

// execResult returns a command's outcome based on the lines that precede its output.
func execResult(text string) outcome {
	head, _, found := strings.Cut(strings.TrimSpace(text), "Output:")
	if m := exitLine().FindStringSubmatch(head); found && len(head) < 600 && m != nil {
		if status, err := strconv.Atoi(m[1]); err == nil {
			return exited(status)
		}
	}
	refused := !found && strings.Contains(strings.ToLower(cut(text, 600)), "rejected by user")
	return outcome{failed: refused || execFailed().MatchString(text), refused: refused}
}
