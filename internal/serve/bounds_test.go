package serve

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/internal/testenv"
)

// listOf is a list of requests, each of which has its own number.
func listOf(n int, request string) string {
	var pieces []string
	for i := range n {
		pieces = append(pieces, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i, request))
	}
	return "[" + strings.Join(pieces, ",") + "]"
}

// TestListsOverHTTP asserts that a list of requests has a limit, and that its answers
// have one budget together.
func TestListsOverHTTP(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	files := some()
	files[".claude/skills/big/SKILL.md"] = "---\nname: big\ndescription: Big\n---\n" + strings.Repeat("text ", 180<<10)
	s := serverFor(t, project(t, files))
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	for _, revision := range []string{"2025-03-26", "2024-11-05", ""} {
		old := legacy(map[string]string{"MCP-Protocol-Version": revision})
		if revision == "" {
			delete(old, "MCP-Protocol-Version")
		}
		for what, c := range map[string]struct {
			body string
			want int
		}{
			"some":        {listOf(3, `"method":"tools/list"`), 200},
			"too many":    {listOf(51, `"method":"tools/list"`), 400},
			"none":        {"[]", 400},
			"one id":      {`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`, 400},
			"no messages": {"[1]", 400},
		} {
			if status, body := ask(t, "POST", url+"/mcp", c.body, old); status != c.want {
				t.Errorf("%s, %s: %d %.200s", revision, what, status, body)
			}
		}
	}
	status, body := ask(t, "POST", url+"/mcp", listOf(50, `"method":"tools/call","params":{"name":"load_skill","arguments":{"skillId":"big"}}`), legacy(map[string]string{"MCP-Protocol-Version": "2025-03-26"}))
	whole, busy := strings.Count(body, `"result"`), strings.Count(body, "too many answers")
	if status != 200 || whole == 0 || busy == 0 || whole+busy != 50 || len(body) > maxHeld {
		t.Errorf("%d: %d whole, %d refused, %d bytes", status, whole, busy, len(body))
	}
	if status, body := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"load_skill","arguments":{"skillId":"big"}}}`, legacy(nil)); status != 200 || !strings.Contains(body, "text text") {
		t.Errorf("%d %.200s", status, body)
	}
}

// TestArgumentsAreBounded asserts that arguments have a limit, and what they can make of
// a text that repeats them.
func TestArgumentsAreBounded(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	files := some()
	files[".claude/commands/amp.md"] = strings.Repeat("$ARGUMENTS ", 200)
	dir := project(t, files)
	for _, remote := range []bool{true, false} {
		s := serverFor(t, dir, func(o *Options) { o.Remote = remote })
		for _, client := range []string{"any", "claude-code"} {
			session := connect(t, s, client, nil)
			for n, want := range map[int]bool{30 << 10: !remote, 60 << 10: false, 65 << 10: false} {
				word := strings.Repeat("a", n)
				res, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "amp", Arguments: map[string]string{"arguments": word}})
				if (err == nil) != want || err == nil && len(res.Messages) == 0 || err != nil && !strings.Contains(err.Error(), "shorter") {
					t.Errorf("remote %v, %s, prompt of %d: %v", remote, client, n, err)
				}
				text, failed := call(t, session, "load_command", map[string]any{"name": "amp", "arguments": word})
				if failed == want || failed && !strings.Contains(text, "shorter") {
					t.Errorf("remote %v, tool with %d: %.200s", remote, n, text)
				}
			}
		}
	}
}

// TestParametersAreBounded asserts that what is far too long is not repeated in an
// error, over both transports, and that the types of this program are in none.
func TestParametersAreBounded(t *testing.T) {
	s := serverFor(t, project(t, some()))
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	long := strings.Repeat("x", 1<<20)
	for what, params := range map[string]string{
		"completion/complete": `{"ref":{"type":5}}`,
		"prompts/get":         `{"name":5}`,
		"tools/call":          `{"name":[],"arguments":"` + long + `"}`,
		"prompts/list":        `{"cursor":5,"x":"` + long + `"}`,
		"resources/read":      `{"uri":["` + long + `"]}`,
	} {
		request := `{"jsonrpc":"2.0","id":7,"method":"` + what + `","params":` + params + `}`
		_, body := ask(t, "POST", url+"/mcp", request, legacy(nil))
		if !strings.Contains(body, `"error"`) || strings.Contains(body, "*mcp") || strings.Contains(body, "Go ") || len(body) > 1000 {
			t.Errorf("%s: %.300s", what, body)
		}
		var out safeBuffer
		if err := s.Stdio(t.Context(), strings.NewReader(request+"\n"), &out); err != nil {
			t.Error(err)
		}
		if text := out.String(); !strings.Contains(text, `"error"`) || !strings.Contains(text, `"id":7`) || strings.Contains(text, "*mcp") || len(text) > 1000 {
			t.Errorf("%s: %.300s", what, text)
		}
	}
}

// TestIdentifiersOverHTTP asserts that an identifier comes back as it was sent, or that
// it is refused.
func TestIdentifiersOverHTTP(t *testing.T) {
	s := serverFor(t, project(t, some()))
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	for id, want := range map[string]int{
		`1`: 200, `-5`: 200, `"é\"x"`: 200, `999999999999999`: 200,
		`99999999999999999999999`: 400, `1.5`: 400, `1e3`: 400, `-0`: 400, `{}`: 400, `"\ud800"`: 400, `"` + strings.Repeat("x", 2000) + `"`: 400,
		`1.5,"Id":"x"`: 400, `1,"ID":2`: 200,
	} {
		status, body := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/list"}`, legacy(nil))
		sent, _, _ := strings.Cut(id, `,"I`)
		if status != want || want == 200 && !strings.Contains(body, `"id":`+sent) {
			t.Errorf("%.50s: %d %.200s", id, status, body)
		}
	}
}

// TestAHeaderAndAKeyMakeNoStream asserts that keys are read as they are written.
func TestAHeaderAndAKeyMakeNoStream(t *testing.T) {
	s := serverFor(t, project(t, some()))
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"` + listen + `"}`,
		`{"jsonrpc":"2.0","id":1,"Method":"` + listen + `","method":"tools/list"}`,
		`[{"jsonrpc":"2.0","id":1,"method":"` + listen + `"}]`,
	} {
		for _, revision := range []string{"2025-11-25", "2025-03-26"} {
			header := legacy(map[string]string{"Mcp-Method": listen, "MCP-Protocol-Version": revision})
			if status, answer := ask(t, "POST", url+"/mcp", body, header); status != 400 {
				t.Errorf("%s: %d %.200s", body, status, answer)
			}
		}
	}
}

// TestThePagesAreNotToldOf asserts that who has no token, or comes from elsewhere, is
// not told which pages there are, and is counted.
func TestThePagesAreNotToldOf(t *testing.T) {
	s := serverFor(t, project(t, some()))
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	status := func(line, host, token string) int {
		text := line + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n"
		if token != "" {
			text += "Authorization: Bearer " + token + "\r\n"
		}
		_, in := raw(t, url, text+"\r\n")
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(line, err)
		}
		return res.StatusCode
	}
	for line, known := range map[string]int{"GET //mcp": 307, "GET /x/../mcp": 307, "GET /none": 404, "OPTIONS *": 404, "POST /metrics": 405, "GET /mcp": 405, "GET /metrics": 200} {
		if got := status(line, "localhost", ""); got != 401 {
			t.Errorf("%s without a token: %d", line, got)
		}
		if got := status(line, "evil.example", testToken); got != 403 {
			t.Errorf("%s of another host: %d", line, got)
		}
		if got := status(line, "localhost", testToken); got != known && !(known == 307 && got == 301) && !(line == "OPTIONS *" && got == 400) {
			t.Errorf("%s: %d, not %d", line, got, known)
		}
	}
	if got := status("GET /healthz", "localhost", ""); got != 200 {
		t.Errorf("whether it is well: %d", got)
	}
	if _, body := ask(t, "GET", url+"/metrics", "", legacy(nil)); !strings.Contains(body, `vade_http_refused_total{reason="path"}`) {
		t.Errorf("%s", body)
	}
}

// TestOffsetsHaveAnEnd asserts that no number of skills to pass over overflows.
func TestOffsetsHaveAnEnd(t *testing.T) {
	session := connect(t, serverFor(t, project(t, some())), "any", nil)
	for _, offset := range []int{1<<63 - 1, 1<<63 - 200, 1000, -1 << 63} {
		text, failed := call(t, session, "list_skills", map[string]any{"offset": offset})
		if failed || strings.Contains(text, "more:") || (offset > 0) != (text == "no skill matches") {
			t.Errorf("%d: %s", offset, text)
		}
	}
}

// TestPathsOfInstructions asserts that a path that no file can have is refused, and over
// HTTP an absolute one, wherever it leads.
func TestPathsOfInstructions(t *testing.T) {
	dir := project(t, some())
	for _, remote := range []bool{true, false} {
		session := connect(t, serverFor(t, dir, func(o *Options) { o.Remote = remote }), "any", nil)
		for file, wrong := range map[string]bool{
			"x.go": false, strings.Repeat("a/", 200) + "x": false,
			strings.Repeat("a/", 1000) + "x": true, strings.Repeat("a/", 30000) + "x": true, strings.Repeat(`a\`, 300) + "x": true, strings.Repeat("a", 5000): true,
			dir + "/x.go": remote, dir + "x/x.go": true,
		} {
			if text, failed := call(t, session, "get_instructions", map[string]any{"file": file}); failed != wrong || !failed && !strings.Contains(text, "Be kind") {
				t.Errorf("remote %v, %.50s: %.200s", remote, file, text)
			}
		}
	}
}

// TestKindsThatAreGone asserts that the metrics do not keep the number of what is gone.
func TestKindsThatAreGone(t *testing.T) {
	s := serverFor(t, project(t, some()))
	count := func() float64 {
		for _, m := range families(t, s.meter)["vade_definitions"].Metric {
			if m.Label[0].GetValue() == "command" {
				return m.Gauge.GetValue()
			}
		}
		return -1
	}
	st, err := s.hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.release()
	s.measure(st)
	if count() <= 0 {
		t.Fatal("there are none")
	}
	some := st.listed
	defer func() { st.listed = some }()
	st.listed = nil
	s.measure(st)
	if got := count(); got != 0 {
		t.Errorf("%v are left", got)
	}
}

// TestListsOverStdio asserts that a line that the SDK would end the session for is
// answered, in every revision, and that notifications do not keep a list from its
// answer.
func TestListsOverStdio(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":%d,"method":"ping"}`
	one, two := fmt.Sprintf(ping, 11), fmt.Sprintf(ping, 12)
	note := `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	for revision, lists := range map[string]bool{"2025-03-26": true, "2024-11-05": true, "2025-06-18": false, "": false, "1999": false, "9999": false} {
		begin := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + revision + `","ProtocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
		// A second one changes nothing.
		again := strings.NewReplacer(`"id":1,`, `"id":2,`, revision, "2024-11-05").Replace(begin)
		if revision == "" {
			again = note
		}
		for what, c := range map[string]struct {
			line string
			want bool
			has  []string
		}{
			"a list":         {"[" + one + "," + two + "]", lists, []string{`"id":11`, `"id":12`}},
			"notes in it":    {"[" + note + "," + one + "," + note + "," + two + "]", lists, []string{`"id":11`, `"id":12`}},
			"nothing but":    {"[" + note + "," + note + "]", lists, nil},
			"one id twice":   {"[" + one + "," + one + "]", false, nil},
			"another key":    {`{"jsonrpc":"2.0","id":1.5,"Id":"x","method":"ping"}`, false, nil},
			"a long list":    {listOf(51, `"method":"ping"`), false, nil},
			"a long name":    {`{"jsonrpc":"2.0","id":5,"method":"` + strings.Repeat("x", 1000) + `"}`, false, []string{`"id":5`}},
			"an id that was": {one + "\n" + one, true, []string{`"id":11`}},
		} {
			s := serverFor(t, project(t, some()))
			var out safeBuffer
			if err := s.Stdio(t.Context(), strings.NewReader(begin+"\n"+again+"\n"+c.line+"\n"+fmt.Sprintf(ping, 77)+"\n"), &out); err != nil {
				t.Errorf("%q, %s: %v", revision, what, err)
			}
			lines := strings.Split(out.String(), "\n")
			refused := slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, "-3260") && !strings.Contains(l, `"id":2,`) })
			text := out.String()
			if !strings.Contains(text, `"id":77`) || refused == c.want && what != "an id that was" {
				t.Errorf("%q, %s: %.600s", revision, what, text)
			}
			for _, has := range c.has {
				if (c.want || !lists) && !strings.Contains(text, has) && (c.want || what == "a long name") {
					t.Errorf("%q, %s: no %s in %.600s", revision, what, has, text)
				}
			}
		}
	}
}

// TestInitializeIsNotCancelled asserts that a client that cancels its first request, which
// the protocol does not let it do, gets the answer.
func TestInitializeIsNotCancelled(t *testing.T) {
	s := serverFor(t, project(t, some()))
	begin := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	end := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	for range 50 {
		var out safeBuffer
		if err := s.Stdio(t.Context(), strings.NewReader(begin+"\n"+strings.Repeat(end+"\n", 20)), &out); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); !strings.Contains(text, `"id":1,"result"`) {
			t.Fatalf("%q", text)
		}
	}
}

// FuzzMessages: what is taken for messages is what the SDK takes for the same.
func FuzzMessages(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `[{"jsonrpc":"2.0","method":"a","params":{"x":[{},"\"}"]}}, {"jsonrpc":"2.0","id":"x","result":{}}]`,
		` { "jsonrpc" : "2.0" , "id" : -5 , "params" : [ 1.5e3 , true ] , "method" : null } `, `{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}`,
		`{"jsonrpc":"2.0","id":3,"m\u0065thod":"x"}`, `{"jsonrpc":"2.0","Id":1,"method":"a","ID":[]}`, `{}`, `[]`, `{"jsonrpc":"2.0","id":1,"error":5}`,
		`{"jsonrpc":"2.0","method":"x","params":` + strings.Repeat("[", 950) + strings.Repeat("]", 950) + `}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		found, list, err := messagesOf(data)
		if err != nil {
			if len(refusal(err)) == 0 {
				t.Error("it has no answer")
			}
			return
		}
		if !list && len(found) != 1 {
			t.Fatalf("%d messages", len(found))
		}
		for _, m := range found {
			decoded, err := jsonrpc.DecodeMessage(m.data)
			r, request := decoded.(*jsonrpc.Request)
			if err == nil && request && (r.Method != m.method || r.ID != m.id || string(r.Params) != string(m.params)) {
				t.Errorf("%q: %q %v %q, not %q %v %q", m.data, r.Method, r.ID, r.Params, m.method, m.id, m.params)
			}
		}
	})
}
