package transcript

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/vadehq/vade/diag"

	"github.com/vadehq/vade/internal/testenv"
)

// told is what a session has, in short: "u:" messages, "c:" commands, "e:" edits, others
// by their kind; "!" marks what failed, "~" an interruption.
func told(s *Session) string {
	var list []string
	for _, it := range s.Items {
		switch {
		case it.Message != nil:
			mark := ""
			if it.Message.Interrupts {
				mark = "~"
			}
			list = append(list, mark+"u:"+it.Message.Text)
		default:
			c := it.Call
			what := kindWord(c.Kind) + ":" + c.Command + strings.Join(c.Paths, ",") + c.URL
			if what = strings.Replace(what, "command:", "c:", 1); c.Kind != Command && what == kindWord(c.Kind)+":" {
				what += c.Tool
			}
			if c.Result.Failed {
				what = "!" + what
			}
			if c.Result.HasStatus {
				what += fmt.Sprintf("=%d", c.Result.Status)
			}
			list = append(list, what)
		}
	}
	return strings.Join(list, "|")
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
		{"claude interrupt", `{"type":"user","uuid":"a","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}` + "\n" + `{"type":"user","uuid":"b","message":{"content":"do x"}}`, "~u:do x"},
		{"claude twice the same call", strings.Repeat(`{"type":"assistant","uuid":"a","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}`+"\n", 2), "c:ls"},
		{"claude result of nothing", `{"type":"user","uuid":"a","message":{"content":[{"type":"tool_result","tool_use_id":"x","content":"y"}]}}`, ""},
		{"claude odd input", `{"type":"assistant","uuid":"a","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":["ls"]},{"type":"tool_use","id":"u","name":"Edit","input":{"file_path":"a.go"}}]}}`, "c:|edit:a.go"},
		{"claude only a sub-agent", `{"type":"user","uuid":"a","isSidechain":true,"message":{"content":"look"}}`, "u:look"},
		{"claude a circle of parents", `{"type":"user","uuid":"a","parentUuid":"b","message":{"content":"one"}}` + "\n" + `{"type":"user","uuid":"b","parentUuid":"a","message":{"content":"two"}}` + "\n" + `{"type":"user","uuid":"c","parentUuid":"b","message":{"content":"three"}}`, "u:one|u:two|u:three"},
		{"codex", `{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}}` + "\n" + `{"type":"event_msg","payload":{"type":"user_message","message":"hello"}}`, "u:hello"},
		{"codex of before", `{"id":"x","timestamp":"t","instructions":null}` + "\n" + `{"record_type":"state"}` + "\n" + `{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}` + "\n" +
			`{"type":"local_shell_call","call_id":"c","status":"completed","action":{"type":"exec","command":["bash","-lc","ls | wc"]}}` + "\n" + `{"type":"function_call_output","call_id":"c","output":"{\"output\":\"1\",\"metadata\":{\"exit_code\":3}}"}`, "u:hello|!c:ls | wc=3"},
		{"codex words", `{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"git\",\"commit\",\"-m\",\"a b\"]}","call_id":"c"}}`, "c:git commit -m 'a b'"},
		{"codex patch as a command", `{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"apply_patch <<'EOF'\\n*** Begin Patch\\n*** Update File: a.go\\n*** Move to: b.go\\n*** End Patch\\nEOF\"]}","call_id":"c"}}`, "edit:a.go,b.go"},
		{"codex events only", `{"type":"event_msg","payload":{"type":"exec_command_begin","call_id":"c","command":["bash","-lc","make"]}}` + "\n" + `{"type":"event_msg","payload":{"type":"exec_command_end","call_id":"c","command":["bash","-lc","make"],"exit_code":2,"aggregated_output":"x"}}`, "!c:make=2"},
		{"codex editor", `{"type":"event_msg","payload":{"type":"user_message","message":"# Context from my IDE setup:\n\n## Active file: a\n\n## My request for Codex:\nfix it"}}`, "u:fix it"},
		{"codex own texts", `{"type":"event_msg","payload":{"type":"user_message","message":"<environment_context>x</environment_context>"}}` + "\n" + `{"type":"event_msg","payload":{"type":"user_message","message":"<b>bold</b> words"}}`, "u:<b>bold</b> words"},
		{"codex server", `{"type":"response_item","payload":{"type":"function_call","namespace":"mcp__docs__","name":"search","arguments":"{}","call_id":"c"}}`, "server:mcp__docs__search"},
		{"plain", "User: fix it\nand test\nAssistant: ok\n$ make test\nfine\nexit code: 0\n\nUser: thanks", "u:fix it\nand test|c:make test=0|u:thanks"},
		{"plain headings", "## User (10:00)\nfix it\n### Assistant\n```bash\nmake\n```\n```sh\n$ make -j \\\n  all\n```\n", "u:fix it|c:make -j all"},
		{"plain bold", "**User:** fix it\n**Assistant**\n- Edited `a/b.go`.\n", "u:fix it|edit:a/b.go"},
		{"plain alone", "$ make\n$ make test\nexit status 2\n", "c:make|!c:make test=2"},
		{"plain windows", "User: fix it\r\nAssistant: ok\r\n$ make\r\n", "u:fix it|c:make"},
		{"plain shell of the user", "User: say\n$ make\nAssistant: no\n", "u:say|c:make"},
		{"plain shell of the user, and words behind it", "User: say\n$ git push --force\nfine\nexit code: 0\nand go on\nthen\n$ make\nbad\n\nwhy\n", "u:say|c:git push --force=0|u:and go on\nthen|c:make|u:why"},
		{"plain quoted by the user", "User: say\n```\n$ make\n```\nAssistant: no\n", "u:say\n$ make"},
	} {
		s, err := Parse(t.Context(), strings.NewReader("\xef\xbb\xbf"+c.in), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := told(s); got != c.want {
			t.Errorf("%s: %q, want %q (%v)", c.name, got, c.want, s.Diagnostics)
		}
	}
}

func TestNoTranscripts(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want error
	}{
		"text":         {"just some words\nand more\n", ErrFormat},
		"empty":        {"", ErrFormat},
		"other JSON":   {`{"a":1}` + "\n" + `{"b":2}` + "\n", ErrFormat},
		"binary":       {"\x7fELF\x00\x00", ErrBinary},
		"compressed":   {"\x28\xb5\x2f\xfd" + strings.Repeat("\xff\xfe\x81", 100), ErrBinary},
		"UTF-16":       {"\xff\xfeU\x00s\x00", ErrBinary},
		"JSON array":   {"[1,2]", ErrFormat},
		"only opening": {"{\n", ErrFormat},
	} {
		if _, err := Parse(t.Context(), strings.NewReader(c.in), Options{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	broken := errors.New("broken")
	if _, err := Parse(t.Context(), iotest.ErrReader(broken), Options{}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Parse(ctx, strings.NewReader("User: x\n"), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	s, err := Parse(t.Context(), strings.NewReader(`{"type":"system","uuid":"a","subtype":"x"}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewDraft(s, DraftOptions{}); !errors.Is(err, ErrEmpty) {
		t.Errorf("%v", err)
	}
}

// codes counts the diagnostics by their codes.
func codes(s *Session) map[diag.Code]int {
	found := map[diag.Code]int{}
	for _, d := range s.Diagnostics {
		found[d.Code]++
	}
	return found
}

// TestNothingIsSkippedSilently asserts that each line that is not used is accounted for.
func TestNothingIsSkippedSilently(t *testing.T) {
	message := `{"type":"user","uuid":"u","message":{"content":"hello"}}` + "\n"
	for name, c := range map[string]struct {
		in     string
		limits Limits
		want   diag.Code
	}{
		"not JSON":       {message + "{not JSON}\n" + message, Limits{}, diag.TranscriptLine},
		"no type":        {message + "{}\n" + message, Limits{}, diag.TranscriptLine},
		"wrong type":     {message + `{"type":5}` + "\n", Limits{}, diag.TranscriptLine},
		"unknown":        {message + `{"type":"new-thing"}` + "\n", Limits{}, diag.TranscriptUnknown},
		"unfinished":     {message + `{"type":"user","mess`, Limits{}, diag.TranscriptPart},
		"long line":      {message + `{"type":"user","x":"` + strings.Repeat("x", 5000) + "\"}\n" + message, Limits{Line: 1000}, diag.TranscriptLimit},
		"many":           {message + message + message, Limits{Items: 1}, ""},
		"many others":    {message + strings.Replace(message, "hello", "other", 1), Limits{Items: 1}, diag.TranscriptLimit},
		"much text":      {message + strings.Replace(message, "hello", strings.Repeat("other ", 100), 1), Limits{Text: 200}, diag.TranscriptLimit},
		"many bytes":     {strings.Repeat(message, 100), Limits{Bytes: 1000}, diag.TranscriptLimit},
		"a sub-agent":    {message + strings.Replace(strings.Replace(message, "hello", "look", 1), `"uuid"`, `"isSidechain":true,"uuid"`, 1), Limits{}, diag.TranscriptPart},
		"a summary":      {message + `{"type":"system","subtype":"compact_boundary","uuid":"c"}` + "\n", Limits{}, diag.TranscriptPart},
		"of the user":    {"User: go on\n$ make\n", Limits{}, diag.TranscriptPart},
		"user's quote":   {"User: go on\n```\n$ make\n```\n", Limits{}, diag.TranscriptPart},
		"many unknown":   {message + manyKinds(100), Limits{}, diag.TranscriptUnknown},
		"a hostile kind": {message + `{"type":"\u001b[31m$(id)"}` + "\n", Limits{}, diag.TranscriptUnknown},
	} {
		s, err := Parse(t.Context(), strings.NewReader(c.in), Options{Name: "x", Limits: c.limits})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if found := codes(s); c.want != "" && found[c.want] == 0 || c.want == "" && len(found) > 0 {
			t.Errorf("%s: %v, want %s", name, s.Diagnostics, c.want)
		}
		for _, d := range s.Diagnostics {
			checkInert(t, d.Message)
		}
		if len(s.Diagnostics) > maxUnknown+5 {
			t.Errorf("%s: %d diagnostics", name, len(s.Diagnostics))
		}
	}
}

func manyKinds(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"type\":\"kind-%d\"}\n", i)
	}
	return b.String()
}

// endless gives one line of JSON again and again, without holding it.
type endless struct {
	line string
	left int64
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) && e.left > 0 {
		k := copy(p[n:], e.line[e.at:])
		n, e.at, e.left = n+k, (e.at+k)%len(e.line), e.left-int64(k)
	}
	return n, nil
}

// TestMuchIsNotHeld reads far more than is kept: with lines that are kept until there is
// no room, and with one line that does not end.
func TestMuchIsNotHeld(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	size := int64(64 << 20)
	line := `{"type":"assistant","uuid":"a","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"` + strings.Repeat("make ", 400) + `"}}]}}` + "\n"
	s, err := Parse(t.Context(), &endless{line: line, left: size}, Options{Limits: Limits{Text: 1 << 20}})
	if err != nil || codes(s)[diag.TranscriptLimit] == 0 {
		t.Fatalf("%v %v", err, s.Diagnostics)
	}
	held := 0
	for _, it := range s.Items {
		held += len(it.Call.Command) + 64
	}
	if held > 1<<20 {
		t.Errorf("%d bytes are held", held)
	}
	lines := newLines(t.Context(), &endless{line: "x", left: size}, Limits{Line: 1 << 16}.orDefault())
	for lines.next() {
		if !lines.long || len(lines.text) > 0 {
			t.Errorf("a line of %d bytes", len(lines.text))
		}
	}
	if cap(lines.buffer) > 1<<18 {
		t.Errorf("%d bytes are held for one line", cap(lines.buffer))
	}
}
