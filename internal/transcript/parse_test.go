package transcript

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/vadehq/vade/diag"
)

// told abbreviates a session: "u:" for messages, "c:" for commands, "e:" for edits, and "t:" for
// other tools. "!" marks failures, and "=" precedes an exit code.
func told(s *session) string {
	var list []string
	for _, it := range s.items {
		c := it.call
		if c == nil {
			list = append(list, "u:"+it.message)
			continue
		}
		what := "t:" + c.tool
		switch {
		case len(c.paths) > 0:
			what = "e:" + strings.Join(c.paths, ",")
		case !strings.HasPrefix(c.tool, "mcp__"):
			what = "c:" + c.command
		}
		if c.outcome.failed {
			what = "!" + what
		}
		if c.outcome.status != nil {
			what += fmt.Sprintf("=%d", *c.outcome.status)
		}
		list = append(list, what)
	}
	return strings.Join(list, "|")
}

func read(t testing.TB, text, format string) (*session, error) {
	return parse(t.Context(), strings.NewReader(text), format)
}

func TestReaders(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"claude string", `{"type":"user","uuid":"a","message":{"role":"user","content":"hello"}}`, "u:hello"},
		{"claude parts", `{"type":"user","uuid":"a","message":{"content":[{"type":"text","text":"a"},{"type":"image","source":{}},{"type":"text","text":"b"}]}}`, "u:a\nb"},
		{"claude meta", `{"type":"user","uuid":"a","isMeta":true,"message":{"content":"x"}}` + "\n" + `{"type":"user","uuid":"b","isCompactSummary":true,"message":{"content":"x"}}`, ""},
		{"claude command", `{"type":"user","uuid":"a","message":{"content":"<command-message>r</command-message>\n<command-name>/review</command-name>\n<command-args>12</command-args>"}}`, "u:/review 12"},
		{"claude shell of the user", `{"type":"user","uuid":"a","message":{"content":"<bash-input>git status</bash-input>"}}`, "c:git status"},
		{"claude reminder", `{"type":"user","uuid":"a","message":{"content":"go on<system-reminder>x</system-reminder>"}}`, "u:go on"},
		{"claude unfinished tag", `{"type":"user","uuid":"a","message":{"content":"go on<system-reminder>x"}}`, "u:go on"},
		{"claude interrupt", `{"type":"user","uuid":"a","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}` + "\n" + `{"type":"user","uuid":"b","message":{"content":"do x"}}`, "u:do x"},
		{"claude twice the same call", strings.Repeat(`{"type":"assistant","uuid":"a","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}`+"\n", 2), "c:ls"},
		{"claude result of nothing", `{"type":"user","uuid":"a","message":{"content":[{"type":"tool_result","tool_use_id":"x","content":"y"}]}}`, ""},
		{"claude odd input", `{"type":"assistant","uuid":"a","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":["ls"]},{"type":"tool_use","id":"u","name":"Edit","input":{"file_path":"a.go"}}]}}`, "c:|e:a.go"},
		{"claude denied by the program", `{"type":"assistant","uuid":"a","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"touch x"}}]}}` + "\n" +
			`{"type":"user","uuid":"b","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"User refused permission to run tool","is_error":true}]},"toolDenialKind":"permission-rule"}`, "!c:touch x"},
		{"messages of the SDK", `{"type":"system","subtype":"init","session_id":"s","uuid":"a","cwd":"/p"}` + "\n" +
			`{"type":"user","session_id":"s","uuid":"b","parent_tool_use_id":null,"message":{"content":"hello"}}` + "\n" +
			`{"type":"assistant","session_id":"s","uuid":"c","parent_tool_use_id":"t","message":{"content":[{"type":"tool_use","id":"u","name":"Bash","input":{"command":"ls"}}]}}` + "\n" +
			`{"type":"user","session_id":"s","uuid":"d","isSynthetic":true,"message":{"content":"go on"}}` + "\n" + `{"type":"result","subtype":"success","session_id":"s","uuid":"e"}`, "u:hello"},
		{"claude only a sub-agent", `{"type":"user","uuid":"a","isSidechain":true,"message":{"content":"look"}}`, "u:look"},
		{"codex", `{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}}` + "\n" + `{"type":"event_msg","payload":{"type":"user_message","message":"hello"}}`, "u:hello"},
		{"codex of before", `{"id":"x","timestamp":"t","instructions":null}` + "\n" + `{"record_type":"state"}` + "\n" + `{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}` + "\n" +
			`{"type":"local_shell_call","call_id":"c","status":"completed","action":{"type":"exec","command":["bash","-lc","ls | wc"]}}` + "\n" + `{"type":"function_call_output","call_id":"c","output":"{\"output\":\"1\",\"metadata\":{\"exit_code\":3}}"}`, "u:hello|!c:ls | wc=3"},
		{"codex words", `{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"git\",\"commit\",\"-m\",\"a b\"]}","call_id":"c"}}`, "c:git commit -m 'a b'"},
		{"codex patch as a command", `{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"apply_patch <<'EOF'\\n*** Begin Patch\\n*** Update File: a.go\\n*** Move to: b.go\\n*** End Patch\\nEOF\"]}","call_id":"c"}}`, "e:a.go,b.go"},
		{"codex events only", `{"type":"event_msg","payload":{"type":"exec_command_begin","call_id":"c","command":["bash","-lc","make"]}}` + "\n" + `{"type":"event_msg","payload":{"type":"exec_command_end","call_id":"c","command":["bash","-lc","make"],"exit_code":2,"aggregated_output":"x"}}`, "!c:make=2"},
		{"codex editor", `{"type":"event_msg","payload":{"type":"user_message","message":"# Context from my IDE setup:\n\n## Active file: a\n\n## My request for Codex:\nfix it"}}`, "u:fix it"},
		{"codex own texts", `{"type":"event_msg","payload":{"type":"user_message","message":"<environment_context>x</environment_context>"}}` + "\n" + `{"type":"event_msg","payload":{"type":"user_message","message":"<b>bold</b> words"}}`, "u:<b>bold</b> words"},
		{"codex server", `{"type":"response_item","payload":{"type":"function_call","namespace":"mcp__docs__","name":"search","arguments":"{}","call_id":"c"}}`, "t:mcp__docs__search"},
		{"plain", "User: fix it\nand test\nAssistant: ok\n$ make test\nfine\nexit code: 0\n\nUser: thanks", "u:fix it\nand test|c:make test=0|u:thanks"},
		{"plain headings", "## User (10:00)\nfix it\n### Assistant\n```bash\nmake\n```\n```sh\n$ make -j \\\n  all\n```\n", "u:fix it|c:make -j all"},
		{"plain bold", "**User:** fix it\n**Assistant**\n- Edited `a/b.go`.\n", "u:fix it|e:a/b.go"},
		{"plain alone", "$ make\n$ make test\nexit status 2\n", "c:make|!c:make test=2"},
		{"plain windows", "User: fix it\r\nAssistant: ok\r\n$ make\r\n", "u:fix it|c:make"},
		{"plain shell of the user", "User: say\n$ make\nAssistant: no\n", "u:say|c:make"},
		{"plain shell of the user, and words behind it", "User: say\n$ git push --force\nfine\nexit code: 0\nand go on\nthen\n$ make\nbad\n\nwhy\n", "u:say|c:git push --force=0|u:and go on\nthen|c:make|u:why"},
		{"plain quoted by the user", "User: say\n```\n$ make\n```\nAssistant: no\n", "u:say\n$ make"},
	} {
		s, err := read(t, "\xef\xbb\xbf"+c.in, "")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := told(s); got != c.want {
			t.Errorf("%s: %q, want %q (%v)", c.name, got, c.want, s.notes)
		}
	}
}

func TestNoTranscripts(t *testing.T) {
	for name, in := range map[string]string{
		"text": "just some words\nand more\n", "empty": "", "other JSON": "{\"a\":1}\n{\"b\":2}\n",
		"binary": "\x7fELF\x00\x00", "compressed": "\x28\xb5\x2f\xfd" + strings.Repeat("\xff\xfe\x81", 100),
		"UTF-16": "\xff\xfeU\x00s\x00", "JSON array": "[1,2]", "only opening": "{\n",
	} {
		if _, err := read(t, in, ""); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := errors.New("broken")
	if _, err := parse(t.Context(), iotest.ErrReader(broken), ""); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// TestLeftOut checks that omitted content is reported.
func TestLeftOut(t *testing.T) {
	message := `{"type":"user","uuid":"u","message":{"content":"hello"}}` + "\n"
	other := strings.Replace(message, "hello", "other", 1)
	long := `{"type":"user","message":{"content":"` + strings.Repeat("other ", 600)
	for _, c := range []struct {
		name, in string
		want     diag.Code
		items    int
	}{
		{"not JSON", message + "{not JSON}\n" + other, diag.TranscriptLine, 2},
		{"no type", message + "{}\n" + other, diag.TranscriptLine, 2},
		{"wrong type", message + `{"type":5}` + "\n", diag.TranscriptLine, 1},
		{"unfinished", message + `{"type":"user","mess`, diag.TranscriptPart, 1},
		{"long line", message + `{"type":"user","x":"` + strings.Repeat("x", maxLine) + "\"}\n" + other, diag.TranscriptLimit, 2},
		{"much text", strings.Repeat(long+`1"}}`+"\n"+long+`2"}}`+"\n", 3000), diag.TranscriptLimit, maxText / (maxMessage + 64)},
		{"a sub-agent", message + strings.Replace(other, `"uuid"`, `"isSidechain":true,"uuid"`, 1), diag.TranscriptPart, 1},
		{"a summary", message + `{"type":"system","subtype":"compact_boundary","uuid":"c"}` + "\n", diag.TranscriptPart, 1},
		{"another type", message + `{"type":"\u001b[31m$(id)"}` + "\n" + `{"type":"new"}` + "\n", diag.TranscriptPart, 1},
		{"bookkeeping of the SDK", message + `{"type":"api-request-blob","hash":"x","message":{"role":"user","content":"again"},"sessionId":"s"}` + "\n" +
			`{"type":"tools-used","tools":["Bash"],"sessionId":"s"}` + "\n" + `{"type":"cost-state","sessionId":"s"}` + "\n", "", 1},
	} {
		s, err := read(t, c.in, "claude-code")
		if err != nil || len(s.items) < c.items {
			t.Errorf("%s: %d items, %v, %v", c.name, len(s.items), s.notes, err)
			continue
		}
		if len(s.notes) > 1 || (len(s.notes) == 1) != (c.want != "") || c.want != "" && s.notes[0].code != c.want {
			t.Errorf("%s: %v, want %s", c.name, s.notes, c.want)
		}
	}
}

// endless generates repeated text without storing it.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = 'x'
	}
	e.left -= len(p)
	return len(p), nil
}

// TestEndlessLine checks that a line that never ends is not held in memory.
func TestEndlessLine(t *testing.T) {
	line, long, err := readLine(bufio.NewReaderSize(&endless{left: 2 * maxLine}, headSize), maxLine)
	if line != nil || !long || err != io.EOF {
		t.Errorf("%d bytes, %v, %v", len(line), long, err)
	}
}
