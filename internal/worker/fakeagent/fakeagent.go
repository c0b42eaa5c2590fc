// Package fakeagent implements an agent for tests. It uses the Agent Client Protocol, and
// an environment variable selects how it misbehaves.
package fakeagent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/vadehq/vade/internal/sandbox"
)

// Variable is the environment variable that selects the behavior: a name and, for some
// behaviors, a colon and a seed.
const Variable = "VADE_FAKE_AGENT"

// Main is the agent's main function.
func Main() { newFake(os.Getenv(Variable)).serve() }

// fake is one running agent.
type fake struct {
	behavior string
	in       *bufio.Scanner
	next     int
	random   *rand.Rand
}

type fakeMessage struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

func newFake(behavior string) *fake {
	name, seed, _ := strings.Cut(behavior, ":")
	var n uint64
	_, _ = fmt.Sscan(seed, &n)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	return &fake{behavior: name, in: in, next: 1000, random: rand.New(rand.NewPCG(n, n))}
}

func (f *fake) is(name string) bool { return f.behavior == name }

func (f *fake) send(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	_, _ = os.Stdout.Write(append(b, '\n'))
}

func (f *fake) reply(id json.RawMessage, result any) {
	f.send(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
}

func (f *fake) fail(id json.RawMessage, code int, message string) {
	f.send(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}})
}

func (f *fake) update(u map[string]any) {
	f.send(map[string]any{"jsonrpc": "2.0", "method": "session/update", "params": map[string]any{"sessionId": "s1", "update": u}})
}

func (f *fake) say(text string) {
	f.update(map[string]any{"sessionUpdate": "agent_message_chunk", "content": map[string]string{"type": "text", "text": text}})
}

func (f *fake) call(id, kind, title, status string, input any) {
	f.update(map[string]any{"sessionUpdate": "tool_call", "toolCallId": id, "kind": kind, "title": title, "status": status, "rawInput": input})
}

// ask sends a request and waits for the response.
func (f *fake) ask(method string, params any) fakeMessage {
	f.next++
	f.send(map[string]any{"jsonrpc": "2.0", "id": f.next, "method": method, "params": params})
	for f.in.Scan() {
		var m fakeMessage
		if json.Unmarshal(f.in.Bytes(), &m) == nil && string(m.ID) == fmt.Sprint(f.next) && m.Method == "" {
			return m
		}
	}
	os.Exit(0)
	return fakeMessage{}
}

func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

func (f *fake) serve() {
	loaded := false
	for f.in.Scan() {
		var m fakeMessage
		if json.Unmarshal(f.in.Bytes(), &m) != nil {
			continue
		}
		if m.Method != "" {
			f.disturb(m.Method)
		}
		switch m.Method {
		case "initialize":
			version := 1
			if f.is("version") {
				version = 7
			}
			f.reply(m.ID, map[string]any{"protocolVersion": version, "agentCapabilities": map[string]any{"loadSession": true}, "agentInfo": map[string]string{"name": "fake", "version": "1"}})
		case "session/new":
			if f.is("login") {
				f.fail(m.ID, -32000, "Authentication required")
				continue
			}
			f.reply(m.ID, map[string]any{"sessionId": "s1", "modes": map[string]any{"currentModeId": "auto", "availableModes": []map[string]string{{"id": "auto"}, {"id": "default"}}}})
		case "session/load":
			if f.is("lost") {
				f.fail(m.ID, -32603, "no such session")
				continue
			}
			loaded = true
			f.say("what was said before")
			f.reply(m.ID, map[string]any{})
		case "session/prompt":
			f.prompt(&m, loaded)
		case "":
		default:
			if len(m.ID) > 0 {
				f.reply(m.ID, map[string]any{})
			}
		}
	}
}

// disturb performs the selected misbehavior before the agent answers a message.
func (f *fake) disturb(method string) {
	if f.is("deaf") && method == "initialize" {
		// Send requests without reading the responses, so that the other side cannot send
		// anything else.
		for n := range 5000 {
			f.send(map[string]any{"jsonrpc": "2.0", "id": 10_000 + n, "method": "fs/read_text_file", "params": map[string]string{"path": strings.Repeat("x", 1000)}})
		}
	}
	at := map[string]string{"deaf": "session/new", "hang-start": "initialize", "hang-new": "session/new", "hang": "session/prompt", "die-start": "initialize", "die-new": "session/new", "half": "session/prompt", "exit": "session/prompt"}[f.behavior]
	if at != method {
		if f.is("garbage") {
			fmt.Println("warning: \x1b[31mthis is not JSON {", f.random.Uint64())
			fmt.Println(`{"jsonrpc":"2.0","id":{"a":1},"result":3}`)
			fmt.Println(`[1,2,3]`)
		}
		if f.is("order") {
			f.reply(json.RawMessage(`999`), "an answer to no request")
			f.send(map[string]any{"jsonrpc": "2.0", "method": "session/update", "params": []int{1}})
			f.send(map[string]any{"jsonrpc": "2.0", "id": 5, "method": "no/such/method"})
		}
		return
	}
	switch f.behavior {
	case "half":
		fmt.Print(`{"jsonrpc":"2.0","method":"session/upd`)
		os.Exit(3)
	case "exit", "die-start", "die-new":
		fmt.Fprintln(os.Stderr, "fatal: out of luck")
		os.Exit(3)
	}
	forever()
}

func (f *fake) prompt(m *fakeMessage, loaded bool) {
	end := func() {
		f.reply(m.ID, map[string]any{"stopReason": "end_turn", "usage": map[string]int{"inputTokens": 3, "outputTokens": 4, "totalTokens": 7}})
	}
	switch f.behavior {
	case "flood":
		for {
			f.say("x")
		}
	case "long-line":
		fmt.Println(strings.Repeat("x", 11<<20))
	case "loop", "pairs", "deaf-loop":
		if loaded && f.is("deaf-loop") {
			f.say("done after all")
			end()
			return
		}
		for i := 0; ; i++ {
			title := "go test"
			if f.is("pairs") && i%2 == 1 {
				title = "go build"
			}
			id := fmt.Sprint("c", i)
			f.call(id, "execute", title, "pending", map[string]string{"command": title})
			f.update(map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed"})
			time.Sleep(time.Millisecond)
			if i > 50 {
				break
			}
		}
		f.untilCanceled()
		f.reply(m.ID, map[string]any{"stopReason": "cancelled"})
		return
	case "edits":
		// Change a file back and forth, and do something new in between.
		for i := range 50 {
			id := fmt.Sprint("e", i)
			f.call(id, "execute", id, "completed", nil)
			f.update(map[string]any{
				"sessionUpdate": "tool_call", "toolCallId": id + "e", "kind": "edit", "title": id, "status": "completed",
				"content": []map[string]string{{"type": "diff", "path": "a.txt", "newText": fmt.Sprint(i % 2)}},
			})
			time.Sleep(time.Millisecond)
		}
		f.untilCanceled()
		f.reply(m.ID, map[string]any{"stopReason": "cancelled"})
		return
	case "busy":
		for end := time.Now().Add(2500 * time.Millisecond); time.Now().Before(end); {
			f.random.Uint64()
		}
	case "wait":
		f.untilCanceled()
		f.reply(m.ID, map[string]any{"stopReason": "cancelled"})
		return
	case "limit":
		if !loaded {
			f.fail(m.ID, -32603, "429 Too Many Requests: rate limit")
			return
		}
	case "error":
		f.fail(m.ID, -32603, "the model is gone")
		return
	case "full":
		f.fail(m.ID, -32603, "ENOSPC: no space left on device, write")
		return
	case "refuse":
		f.reply(m.ID, map[string]any{"stopReason": "refusal"})
		return
	case "forks":
		for range 20 {
			_, _ = sandbox.Unsandboxed{Args: []string{"sleep", "1000"}}.Start()
		}
	case "orphan":
		_, _ = sandbox.Unsandboxed{Args: []string{"sleep", "1000"}, Stdout: os.Stdout}.Start()
		os.Exit(0)
	case "outside":
		f.say(string(f.ask("fs/read_text_file", map[string]any{"sessionId": "s1", "path": "/etc/hostname"}).Error))
		f.say(string(f.ask("fs/write_text_file", map[string]any{"sessionId": "s1", "path": "../escaped.txt", "content": "x"}).Error))
		f.say(string(f.ask("fs/read_text_file", map[string]any{"sessionId": "s1", "path": ".env"}).Error))
	case "files":
		f.say(string(f.ask("fs/read_text_file", map[string]any{"sessionId": "s1", "path": "a.txt", "line": 2, "limit": 1}).Result))
		f.ask("fs/read_text_file", map[string]any{"sessionId": "s1", "path": "a.txt", "line": 2, "limit": math.MaxInt64})
		w := f.ask("fs/write_text_file", map[string]any{"sessionId": "s1", "path": "new.txt", "content": "made\n"})
		f.say(string(w.Error))
	case "terminal":
		t := f.ask("terminal/create", map[string]any{"sessionId": "s1", "command": "cat", "args": []string{"a.txt"}})
		var id struct {
			ID string `json:"terminalId"`
		}
		_ = json.Unmarshal(t.Result, &id)
		_ = f.ask("terminal/wait_for_exit", map[string]any{"sessionId": "s1", "terminalId": id.ID})
		f.say(string(f.ask("terminal/output", map[string]any{"sessionId": "s1", "terminalId": id.ID}).Result))
		f.say(string(f.ask("terminal/create", map[string]any{"sessionId": "s1", "command": "rm", "args": []string{"a.txt"}}).Error))
	case "permission":
		for _, c := range []map[string]any{
			{"toolCallId": "p1", "kind": "execute", "title": "ls", "rawInput": map[string]string{"command": "ls"}},
			{"toolCallId": "p2", "kind": "execute", "title": "rm -rf x", "rawInput": map[string]any{"command": []string{"bash", "-lc", "rm -rf x"}}},
			{"toolCallId": "p3", "kind": "edit", "title": "edit", "locations": []map[string]string{{"path": "a.txt"}}},
			{"toolCallId": "p4", "kind": "switch_mode", "title": "yolo"},
			{"toolCallId": "p5", "kind": "read", "title": "read", "locations": []map[string]string{{"path": ".env"}}},
			{"toolCallId": "p6", "kind": "execute", "title": "ls", "rawInput": map[string]any{"command": []string{"rm", "-rc", "ls"}}},
			{"toolCallId": "p7", "kind": "execute", "title": "ls", "rawInput": map[string]string{"cmd": "rm -rf x"}},
			{"toolCallId": "p8", "kind": "search", "title": "find", "rawInput": map[string]string{"command": "find . -delete"}},
			{"toolCallId": "p9", "kind": "edit", "title": "edit", "locations": []map[string]string{{"path": ".git"}}},
			{"toolCallId": "p10", "kind": "search", "title": "list", "rawInput": map[string]string{"dir_path": "/etc"}},
			{"toolCallId": "p11", "kind": "execute", "title": "find", "rawInput": map[string]any{"command": "find", "args": []string{".", "-delete"}}},
			{"toolCallId": "p12", "kind": "execute", "title": "nothing", "rawInput": map[string]any{"command": []string{}}},
			{"toolCallId": "p13", "kind": "read", "title": "read", "rawInput": map[string]any{"path": "a.txt", "paths": []string{"/etc/hostname"}}},
		} {
			r := f.ask("session/request_permission", map[string]any{"sessionId": "s1", "toolCall": c, "options": []map[string]string{
				{"optionId": "always", "kind": "allow_always"}, {"optionId": "yes", "kind": "allow_once"}, {"optionId": "no", "kind": "reject_once"}}})
			f.say(string(r.Result) + "\n")
		}
	case "task":
		// Create a file named after the prompt.
		var p struct {
			Prompt []struct {
				Text string `json:"text"`
			} `json:"prompt"`
		}
		_ = json.Unmarshal(m.Params, &p)
		time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond)
		name := p.Prompt[len(p.Prompt)-1].Text + ".txt"
		if strings.HasPrefix(name, "wait") {
			f.untilCanceled()
			f.reply(m.ID, map[string]any{"stopReason": "cancelled"})
			return
		}
		if w := f.ask("fs/write_text_file", map[string]any{"sessionId": "s1", "path": name, "content": name + "\n"}); w.Error != nil || strings.HasPrefix(name, "bad") {
			f.fail(m.ID, -32603, "no file: "+string(w.Error))
			return
		}
		time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond)
	case "copies":
		// Without asking, read a file and change a definition that git ignores.
		for _, name := range []string{".env", ".claude/commands/.env"} {
			data, _ := os.ReadFile(name)
			f.say(string(data))
		}
		_ = os.WriteFile(".claude/commands/local.md", []byte("Changed.\n"), 0o600)
	case "lost":
		if !strings.Contains(string(m.Params), "interrupted") {
			os.Exit(3)
		}
		f.say(string(m.Params))
	case "echo":
		f.say(string(m.Params))
	}
	f.say("the answer")
	end()
}

// untilCanceled waits until the turn is canceled.
func (f *fake) untilCanceled() {
	if f.is("deaf-loop") {
		forever()
	}
	for f.in.Scan() {
		if strings.Contains(f.in.Text(), `"session/cancel"`) {
			return
		}
	}
}
