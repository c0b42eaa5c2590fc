package serve

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/vadehq/vade/internal/testenv"
)

// raw opens a connection, sends a text and returns what reads the answer.
func raw(t *testing.T, url, text string) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c, bufio.NewReader(c)
}

// TestARefusedBodyIsNotWaitedFor asserts that who may not ask is told so before his body
// is there, and that his connection ends.
func TestARefusedBodyIsNotWaitedFor(t *testing.T) {
	s := serverFor(t, project(t, some()))
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	for _, head := range []string{"Content-Length: 1000", "Transfer-Encoding: chunked"} {
		for path, want := range map[string]int{"POST /mcp": 401, "GET /metrics": 401} {
			_, in := raw(t, url, path+" HTTP/1.1\r\nHost: localhost\r\n"+head+"\r\n\r\n")
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatalf("%s %s: %v", path, head, err)
			}
			_, _ = io.Copy(io.Discard, res.Body)
			if res.StatusCode != want || !res.Close {
				t.Errorf("%s %s: %s, last: %v", path, head, res.Status, res.Close)
			}
			if _, err := in.ReadByte(); errors.Is(err, errTimeout(err)) {
				t.Errorf("%s %s: the connection stays", path, head)
			}
		}
	}
}

// errTimeout is an error itself if it is one of time, and else nil.
func errTimeout(err error) error {
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		return err
	}
	return errors.New("another")
}

// TestTimesOfTheServer asserts that each request and each answer has its time.
func TestTimesOfTheServer(t *testing.T) {
	s := serverFor(t, project(t, some()))
	h := s.httpServer(HTTPOptions{})
	if h.ReadTimeout != readTime || h.WriteTimeout != s.options.Timeout+writeMargin || h.IdleTimeout == 0 || h.ReadHeaderTimeout == 0 {
		t.Errorf("%v %v %v %v", h.ReadTimeout, h.WriteTimeout, h.IdleTimeout, h.ReadHeaderTimeout)
	}
}

// TestTooManyConnections asserts that beyond a number of connections others are closed,
// that there is room again once one of them goes, and who has to go: those that have never
// asked before those that are idle, the oldest first.
func TestTooManyConnections(t *testing.T) {
	g := newGuests()
	for range maxGuests - 1 {
		a, b := net.Pipe()
		b.Close()
		g.state(a, http.StateNew)
	}
	a, _ := net.Pipe()
	if g.full() {
		t.Error("it is full too early")
	}
	g.state(a, http.StateNew)
	if !g.full() {
		t.Error("there is no limit")
	}
	g.state(a, http.StateClosed)
	if g.full() {
		t.Error("there is no room again")
	}
	g = newGuests()
	list := make([]net.Conn, 5)
	for i, state := range []http.ConnState{http.StateActive, http.StateIdle, http.StateIdle, http.StateNew, http.StateNew} {
		list[i], _ = net.Pipe()
		g.state(list[i], state)
	}
	for _, next := range []int{3, 4, 1, 2} {
		if !g.dropWaiting() {
			t.Errorf("connection %d stays", next)
		}
		if err := list[next].SetDeadline(time.Time{}); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("connection %d is not the next one to go: %v", next, err)
		}
	}
	if g.dropWaiting() {
		t.Error("a connection with a request is closed")
	}
	l, _, err := Listen(t.Context(), ":0")
	if err != nil {
		t.Fatal(err)
	}
	full := true
	d := &door{Listener: l, full: func() bool { f := full; full = false; return f }}
	defer d.Close()
	got := make(chan error, 1)
	go func() {
		c, err := d.Accept()
		if err == nil {
			_, err = io.WriteString(c, "in")
			c.Close()
		}
		got <- err
	}()
	var texts []string
	for range 2 {
		_, in := raw(t, "http://"+l.Addr().String(), "")
		data, _ := io.ReadAll(in)
		texts = append(texts, string(data))
	}
	if err := <-got; err != nil || texts[0] != "" || texts[1] != "in" {
		t.Errorf("%q %v", texts, err)
	}
}

// TestHalfARequestShutsNobodyOut opens more connections than the server lets in, which
// wait for the rest of a request, or for another one, and asserts that a client is
// answered soon.
func TestHalfARequestShutsNobodyOut(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	for what, text := range map[string]string{
		"nothing":       "",
		"half a header": "POST /mcp HTTP/1.1\r\nHost: local",
		"no body":       "GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n",
		"kept alive":    "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		t.Run(what, func(t *testing.T) {
			s := serverFor(t, project(t, some()))
			url, _ := listening(t, s, HTTPOptions{Token: testToken})
			session := dial(t, url, "early", nil)
			for range 2 * maxGuests {
				raw(t, url, text)
			}
			begun := time.Now()
			client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
			eventually(t, "the server answers", func() bool {
				res, err := client.Get(url + "/healthz")
				if err != nil {
					return false
				}
				res.Body.Close()
				return res.StatusCode == http.StatusOK
			})
			if status, body := ask(t, "POST", url+"/mcp", getHello, legacy(nil)); status != http.StatusOK || !strings.Contains(body, "Hello you!") {
				t.Errorf("%d %s", status, body)
			}
			took := time.Since(begun)
			t.Log(took)
			if took > 10*time.Second {
				t.Errorf("it took %s", took)
			}
			if text := promptText(t, session, "hello", map[string]string{"arguments": "you"}); !strings.Contains(text, "Hello you!") {
				t.Errorf("a client from before: %q", text)
			}
		})
	}
}

// TestSlowReadersOfFiles asserts that clients which do not read hold so many bytes and
// not more, that others are told to come again, and that the protocol, the index and
// small pages go on.
func TestSlowReadersOfFiles(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	files := some()
	files[".claude/skills/go-style/big.bin"] = strings.Repeat("x", 15<<20)
	s := serverFor(t, project(t, files), func(o *Options) { o.Extensions = []func(*Server) Extension{Skills} })
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	const header = " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + testToken + "\r\n\r\n"
	var served, busy int
	for range 12 {
		_, in := raw(t, url, "GET /.well-known/agent-skills/go-style/big.bin"+header)
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		switch res.StatusCode {
		case 200:
			served++
		case 503:
			busy++
		default:
			t.Error(res.Status)
		}
	}
	if served != 4 || busy != 8 {
		t.Errorf("%d are served, %d refused", served, busy)
	}
	for _, path := range []string{"/.well-known/agent-skills/index.json", "/metrics", "/healthz", "/.well-known/agent-skills/go-style/ref.md", "/marketplace.json"} {
		if status, body := ask(t, "GET", url+path, "", map[string]string{"Authorization": "Bearer " + testToken}); status != 200 {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, _ := ask(t, "POST", url+"/mcp", getHello, legacy(nil)); status != 200 {
		t.Error(status)
	}
}

// TestPagesHavePlaces asserts that so many pages are made at a time, and that whether the
// server is well is told nevertheless.
func TestPagesHavePlaces(t *testing.T) {
	s := serverFor(t, project(t, some()))
	entered, leave := make(chan struct{}), make(chan struct{})
	slow := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { entered <- struct{}{}; <-leave })
	s.extensions = append(s.extensions, Extension{Pages: map[string]Page{"GET /slow": {Handler: slow}}})
	url, _ := listening(t, s, HTTPOptions{})
	const header = " HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for range maxPages {
		raw(t, url, "GET /slow"+header)
		<-entered
	}
	for path, want := range map[string]int{"/slow": 503, "/metrics": 503, "/healthz": 200} {
		if status, body := ask(t, "GET", url+path, "", nil); status != want {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	close(leave)
	eventually(t, "there is room again", func() bool { status, _ := ask(t, "GET", url+"/metrics", "", nil); return status == 200 })
}

// TestOnlyAStreamIsOne asserts that a header does not make a stream of another method.
func TestOnlyAStreamIsOne(t *testing.T) {
	s := serverFor(t, project(t, some()))
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	if status, body := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, legacy(map[string]string{"Mcp-Method": listen})); status != 400 {
		t.Error(status, body)
	}
}

// TestFormsOfNames asserts that a name of a host is that and nothing else.
func TestFormsOfNames(t *testing.T) {
	s := serverFor(t, project(t, some()))
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	for name, want := range map[string]int{
		"127.0.0.1": 200, "127.0.0.1:80": 200, "[::1]": 200, "[::1]:8808": 200, "LOCALHOST:1": 200,
		"127.0.0.1:80,evil": 403, "[localhost": 403, "[::1%25lo]": 403, "localhost:99999": 403, "localhost:": 403, "[::1]x": 403, "[::1]:x": 403,
	} {
		_, in := raw(t, url, "GET /healthz HTTP/1.1\r\nHost: "+name+"\r\n\r\n")
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		// What is no host at all the standard library refuses itself.
		if res.StatusCode != want && (want != 403 || res.StatusCode != 400) {
			t.Errorf("%s: %s", name, res.Status)
		}
	}
	for _, origin := range []string{"http://evil@localhost:1", "http://localhost:1/x", "http://localhost:1?x", "http://localhost:1#", "ftp://localhost:1", "http://"} {
		_, in := raw(t, url, fmt.Sprintf("GET /healthz HTTP/1.1\r\nHost: localhost:1\r\nOrigin: %s\r\n\r\n", origin))
		if res, err := http.ReadResponse(in, nil); err != nil || res.StatusCode != 403 {
			t.Errorf("%s: %v %v", origin, res, err)
		}
	}
}

// TestSlowReadersOfResources asserts the same of files that are read by the protocol.
func TestSlowReadersOfResources(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	files := some()
	files[".claude/skills/go-style/big.bin"] = strings.Repeat("x", 15<<20)
	for _, revision := range []string{"2025-11-25", typedResults} {
		t.Run(revision, func(t *testing.T) { slowResources(t, files, revision) })
	}
}

func slowResources(t *testing.T, files map[string]string, revision string) {
	s := serverFor(t, project(t, files), func(o *Options) { o.Extensions = []func(*Server) Extension{Skills} })
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	const uri = "skill://project/go-style/big.bin"
	body := `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"` + uri + `","_meta":{"io.modelcontextprotocol/protocolVersion":"` + typedResults + `","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	if revision != typedResults {
		body = `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"` + uri + `"}}`
	}
	var whole, busy int
	for range 6 {
		c, in := raw(t, url, fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Protocol-Version: %s\r\nMcp-Method: resources/read\r\nMcp-Name: %s\r\nContent-Length: %d\r\n\r\n%s", testToken, revision, uri, len(body), body))
		defer c.Close()
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		start := make([]byte, 90)
		n, err := io.ReadFull(res.Body, start)
		switch text := string(start[:n]); {
		case strings.Contains(text, "too many answers"):
			busy++
		case err == nil:
			whole++
		default:
			t.Error(text, err)
		}
	}
	if whole != 1 || busy != 5 {
		t.Errorf("%d are served, %d refused", whole, busy)
	}
	if status, body := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"skill://project/go-style/ref.md"}}`, legacy(nil)); status != 200 || !strings.Contains(body, "more") {
		t.Error(status, body)
	}
}
