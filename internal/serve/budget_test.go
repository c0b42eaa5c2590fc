package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/internal/testenv"
)

// TestStdioWaitsForItsClient asserts that the answers of a client who does not read are
// not all made, and that all are once he reads.
func TestStdioWaitsForItsClient(t *testing.T) {
	files := some()
	files[".claude/skills/go-style/large.txt"] = strings.Repeat("x", 4<<20)
	s := serverFor(t, project(t, files), func(o *Options) { o.Extensions = []func(*Server) Extension{Skills} })
	const many = 12
	text := `{"jsonrpc":"2.0","id":100,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n"
	for i := range many {
		text += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"skill://project/go-style/large.txt"}}`+"\n", i)
	}
	to, out := io.Pipe()
	defer to.Close()
	ended := make(chan error, 1)
	// At the end of its input a server waits for so long only.
	in, from := io.Pipe()
	defer from.Close()
	go func() { err := s.Stdio(t.Context(), in, out); out.Close(); ended <- err }()
	go io.WriteString(from, text)
	state := func() (held int64, waiting int) {
		s.held.mu.Lock()
		defer s.held.mu.Unlock()
		return s.held.held, len(s.held.queue)
	}
	lines := bufio.NewReaderSize(to, 1<<20)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	eventually(t, "some wait", func() bool { _, waiting := state(); return waiting == maxMaking })
	if held, _ := state(); held == 0 || held > maxHeld {
		t.Errorf("%d bytes are held", held)
	}
	for range many {
		line, err := lines.ReadString('\n')
		if err != nil || !strings.Contains(line, `"result"`) {
			t.Errorf("%.200s %v", line, err)
		}
	}
	from.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if held, waiting := state(); held != 0 || waiting != 0 {
		t.Errorf("%d bytes are held, %d wait", held, waiting)
	}
	s.answers.Range(func(any, any) bool { t.Error("an answer is kept"); return false })
}

// TestRequestsInFlight asserts that beyond a number of requests the next one is not
// read, and that streams have a number of their own.
func TestRequestsInFlight(t *testing.T) {
	s := serverFor(t, project(t, some()))
	f := newFlight(&s.answers)
	id := 0
	admit := func(method string) error {
		id++
		found, _, err := messagesOf(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"%s"}`, id, method))
		if err != nil {
			t.Fatal(err)
		}
		return f.admit(found)
	}
	for range maxStreams {
		if err := admit(listen); err != nil {
			t.Fatal(err)
		}
	}
	if admit(listen) == nil {
		t.Error("there is no limit of streams")
	}
	first := id + 1
	for range maxFlight {
		if err := admit("ping"); err != nil {
			t.Fatal(err)
		}
	}
	if f.room(&passage{left: 1}) {
		t.Error("there is no limit")
	}
	got := make(chan error, 1)
	go func() { got <- admit("ping") }()
	found, _, _ := messagesOf(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, first))
	f.ends(found[0].id)()
	if err := <-got; err != nil {
		t.Error(err)
	}
	go func() { got <- admit("ping") }()
	f.close()
	if err := <-got; err != io.EOF {
		t.Error(err)
	}
}

// TestBudgetIsKept asserts that what is taken never goes beyond the limit but for one
// alone, that those who wait come in turn, and that all is given back.
func TestBudgetIsKept(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		var b budget
		var gives []func()
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			if len(gives) > 0 && rapid.Bool().Draw(t, "give") {
				gives[0]()
				gives = gives[1:]
				continue
			}
			n := rapid.Int64Range(1, 2*maxHeld).Draw(t, "n")
			want := b.held == 0 || b.held+n <= maxHeld
			give, err := b.reserve(n)
			if err == nil {
				gives = append(gives, give)
			}
			if (err == nil) != want {
				t.Fatalf("%d of %d: %v", n, b.held, err)
			}
		}
		for _, give := range gives {
			give()
		}
		if b.held != 0 {
			t.Fatalf("%d are held", b.held)
		}
	})
	var b budget
	give, _ := b.reserve(maxHeld)
	order := make(chan int, 2)
	for i := range 2 {
		go func() {
			mine, err := b.wait(t.Context(), maxHeld)
			if err == nil {
				order <- i
				mine()
			}
		}()
		eventually(t, "it waits", func() bool { b.mu.Lock(); defer b.mu.Unlock(); return len(b.queue) == i+1 })
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := b.wait(gone, 1); err == nil {
		t.Error("who is gone has not waited in the row")
	}
	give()
	if a, z := <-order, <-order; a != 0 || z != 1 {
		t.Error("not in turn", a, z)
	}
}

// TestCostIsNoLess asserts that a text is not longer in JSON than was reckoned.
func TestCostIsNoLess(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("\x00\x1f\"\\\n\u2028\u2029é€😀<>&"))), rapid.Custom(func(t *rapid.T) string {
			return string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		})).Draw(t, "text"), rapid.IntRange(1, 400).Draw(t, "times"))
		b, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		written := int64(len(b) - 2)
		if got := textCost(text); got < copies*written {
			t.Fatalf("%q: %d, %d", text, got, written)
		}
		if data := []byte(text); utf8.Valid(data) && dataCost(data) < copies*written {
			t.Fatalf("%q", text)
		}
	})
	for _, res := range []mcp.Result{(*mcp.CallToolResult)(nil), (*mcp.ReadResourceResult)(nil), nil, &mcp.ListToolsResult{}} {
		if costOf(res) != plainResult {
			t.Errorf("%T", res)
		}
	}
}

// TestMemoryIsGivenBack asserts that after large answers memory is given back, however
// few definitions there are.
func TestMemoryIsGivenBack(t *testing.T) {
	s := serverFor(t, project(t, some()))
	h := &heap{given: usualPercent}
	h.rest(s)
	h.rest(s)
	large := make([]byte, 64<<20)
	for i := range large {
		large[i] = 1
	}
	runtime.KeepAlive(large)
	before := taken()
	s.asked.Add(1)
	h.rest(s)
	h.rest(s)
	if after := taken(); before < 64<<20 || after > before-(48<<20) {
		t.Errorf("%d bytes before, %d after", before, after)
	}
}

// TestSlowReadersOfTexts asserts that the answers of tools and prompts count like files.
func TestSlowReadersOfTexts(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	files := some()
	files[".claude/skills/big/SKILL.md"] = "---\nname: big\ndescription: Big\n---\n" + strings.Repeat("text \x01\x01\x01\x01\x01", 150<<10)
	s := serverFor(t, project(t, files))
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"load_skill","arguments":{"skillId":"big"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"big"}}`,
	} {
		whole, busy := 0, 0
		var open []io.Closer
		for range 5 {
			c, in := raw(t, url, fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2025-11-25\r\nContent-Length: %d\r\n\r\n%s", testToken, len(body), body))
			open = append(open, c)
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			start := make([]byte, 80)
			n, _ := io.ReadFull(res.Body, start)
			if strings.Contains(string(start[:n]), "too many answers") {
				busy++
			} else {
				whole++
			}
		}
		if whole == 0 || busy == 0 {
			t.Errorf("%s: %d whole, %d refused", body, whole, busy)
		}
		if status, body := ask(t, "POST", url+"/mcp", getHello, legacy(nil)); status != 200 || !strings.Contains(body, "Hello you!") {
			t.Errorf("what is small is not answered: %d %s", status, body)
		}
		for _, c := range open {
			c.Close()
		}
		eventually(t, "there is room again", func() bool { s.held.mu.Lock(); defer s.held.mu.Unlock(); return s.held.held == 0 })
	}
}

// TestAnIDThatWaits asserts that a request can not take the identifier of one that has
// no answer yet, alone or in a list.
func TestAnIDThatWaits(t *testing.T) {
	f := newFlight(nil)
	read := func(line string) []message {
		found, _, err := messagesOf([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	id := func(n float64) jsonrpc.ID {
		id, err := jsonrpc.MakeID(n)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	one, list := read(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), read(`[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`)
	if err := f.admit(one); err != nil {
		t.Fatal(err)
	}
	if f.admit(one) == nil || f.admit(list) == nil || f.owed != 1 {
		t.Error("it is taken")
	}
	f.ends(id(1))()
	if err := f.admit(list); err != nil || f.owed != 2 {
		t.Fatal(err, f.owed)
	}
	f.ends(id(2))()
	if f.owed != 2 || f.admit(read(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)) == nil {
		t.Error("a list is answered as a whole")
	}
	f.ends(id(1))()
	if f.owed != 0 || len(f.open) != 0 {
		t.Errorf("%d are owed", f.owed)
	}
}
