package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/testenv"
)

const testToken = "a-token-of-some-length"

// listening runs a server on the loopback interface until the test ends. stop shuts the server down
// and waits until it has stopped.
func listening(t testing.TB, s *Server, o HTTPOptions) (url string, stop func() error) {
	t.Helper()
	l, remote, err := Listen(t.Context(), ":0")
	if err != nil || remote {
		t.Fatal(remote, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.ServeHTTP(ctx, l, o) }()
	stop = sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() { _ = stop() })
	return "http://" + l.Addr().String(), stop
}

type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

func dial(t testing.TB, url, name string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, o).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: bearer{testToken}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func TestHTTPServesTheSame(t *testing.T) {
	s := serverFor(t, project(t, some()), func(o *Options) { o.Remote = true })
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	session := dial(t, url, "claude-code", nil)
	if text := promptText(t, session, "hello", map[string]string{"arguments": "you"}); !strings.Contains(text, "Hello you!") || !strings.Contains(text, "<command-name>") {
		t.Errorf("%q", text)
	}
	if text, failed := call(t, session, "load_skill", map[string]any{"skillId": "go-style"}); failed || !strings.Contains(text, "gofmt") {
		t.Errorf("%q", text)
	}
	_, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "none"})
	wantCode(t, err, jsonrpc.CodeInvalidParams)
}

// ask sends one request and returns the response's status and body.
func ask(t testing.TB, method, url, body string, header map[string]string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		if k == "Host" {
			r.Host = v
			continue
		}
		r.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

func legacy(more map[string]string) map[string]string {
	h := map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + testToken,
		"MCP-Protocol-Version": "2025-11-25",
	}
	for k, v := range more {
		h[k] = v
	}
	return h
}

const getHello = `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"hello","arguments":{"arguments":"you"}}}`

// TestOlderRevisions checks that a client that sends its name only at the start of a session is
// recognized by its User-Agent, because the server does not keep sessions.
func TestOlderRevisions(t *testing.T) {
	s := serverFor(t, project(t, some()))
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	for agent, tags := range map[string]bool{"claude-code/2.1.329 (cli)": true, "curl/8": false} {
		status, body := ask(t, "POST", url+"/mcp", getHello, legacy(map[string]string{"User-Agent": agent}))
		if status != 200 || !strings.Contains(body, "Hello you!") || strings.Contains(body, "command-name") != tags {
			t.Errorf("%s: %d %s", agent, status, body)
		}
	}
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26"} {
		status, body := ask(t, "POST", url+"/mcp",
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
			legacy(map[string]string{"MCP-Protocol-Version": version}))
		if status != 200 || !strings.Contains(body, `"protocolVersion":"`+version+`"`) {
			t.Errorf("%s: %d %s", version, status, body)
		}
	}
}

func TestWhoMayAsk(t *testing.T) {
	s := serverFor(t, project(t, some()))
	url, _ := listening(t, s, HTTPOptions{Token: testToken, Hosts: []string{"vade.internal"}, Origins: []string{"https://ok.example"}})
	for _, c := range []struct {
		what   string
		method string
		path   string
		header map[string]string
		want   int
	}{
		{"all is right", "POST", "/mcp", nil, 200},
		{"no token", "POST", "/mcp", map[string]string{"Authorization": ""}, 401},
		{"another token", "POST", "/mcp", map[string]string{"Authorization": "Bearer a-token-of-some-lengtH"}, 401},
		{"another scheme", "POST", "/mcp", map[string]string{"Authorization": "Basic " + testToken}, 401},
		{"another host", "POST", "/mcp", map[string]string{"Host": "evil.example"}, 403},
		{"another host, without a token", "POST", "/mcp", map[string]string{"Host": "evil.example", "Authorization": ""}, 403},
		{"a host like an address", "POST", "/mcp", map[string]string{"Host": "127.0.0.1.evil.example"}, 403},
		{"localhost", "POST", "/mcp", map[string]string{"Host": "localhost:1"}, 200},
		{"a host that is allowed", "POST", "/mcp", map[string]string{"Host": "vade.internal"}, 200},
		{"another origin", "POST", "/mcp", map[string]string{"Origin": "http://evil.example"}, 403},
		{"no origin", "POST", "/mcp", map[string]string{"Origin": "null"}, 403},
		{"its own origin", "POST", "/mcp", map[string]string{"Origin": url}, 200},
		{"an origin that is allowed", "POST", "/mcp", map[string]string{"Origin": "https://ok.example"}, 200},
		{"no POST", "GET", "/mcp", nil, 405},
		{"metrics without a token", "GET", "/metrics", map[string]string{"Authorization": ""}, 401},
		{"metrics", "GET", "/metrics", nil, 200},
		{"health without a token", "GET", "/healthz", map[string]string{"Authorization": ""}, 200},
		{"health of another host", "GET", "/healthz", map[string]string{"Host": "evil.example"}, 403},
		{"nothing", "GET", "/", nil, 404},
	} {
		text := ""
		if c.method == "POST" {
			text = getHello
		}
		if status, body := ask(t, c.method, url+c.path, text, legacy(c.header)); status != c.want {
			t.Errorf("%s: %d, not %d: %s", c.what, status, c.want, body)
		}
	}
	if _, body := ask(t, "GET", url+"/metrics", "", legacy(nil)); !strings.Contains(body, `vade_requests_total{code="ok",method="prompts/get"}`) ||
		!strings.Contains(body, `vade_http_refused_total{reason="no-token"}`) {
		t.Errorf("the metrics say nothing of it:\n%s", body)
	}
}

func TestHTTPLimits(t *testing.T) {
	s := serverFor(t, project(t, some()))
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	for what, c := range map[string]struct {
		body string
		want int
	}{
		"a body that is too long": {`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", maxBody) + `"}`, 413},
		"no JSON":                 {`{"jsonrpc":`, 400},
		"a list":                  {"[" + getHello + "]", 400},
		"an empty body":           {``, 400},
	} {
		if status, body := ask(t, "POST", url+"/mcp", c.body, legacy(nil)); status != c.want {
			t.Errorf("%s: %d %s", what, status, body)
		}
	}
	if status, body := ask(t, "GET", url+"/healthz", "x", nil); status != 400 {
		t.Errorf("a page with a body: %d %s", status, body)
	}
	if status, _ := ask(t, "POST", url+"/mcp", getHello, legacy(nil)); status != 200 {
		t.Errorf("it does not answer afterwards: %d", status)
	}
}

// TestShutdownFinishesRequests checks that, during shutdown, requests in
// progress are answered, streams end, and new requests are refused.
func TestShutdownFinishesRequests(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	s := serverFor(t, project(t, some()))
	s.methods["resources/list"] = func(context.Context, *state, mcp.Request) (mcp.Result, error) {
		close(entered)
		<-leave
		return &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}, nil
	}
	url, stop := listening(t, s, HTTPOptions{Token: testToken})
	// A client that listens for changes holds a stream open.
	dial(t, url, "any", &mcp.ClientOptions{PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) {}})
	answered := make(chan int, 1)
	go func() {
		r, _ := http.NewRequest("POST", url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`))
		for k, v := range legacy(nil) {
			r.Header.Set(k, v)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			answered <- 0
			return
		}
		res.Body.Close()
		answered <- res.StatusCode
	}()
	<-entered
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	eventually(t, "no further connection is taken", func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	select {
	case <-ended:
		t.Fatal("it ended before the answer")
	default:
	}
	close(leave)
	if status := <-answered; status != 200 {
		t.Errorf("the request that ran got %d", status)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestHTTPClientsAreNotifiedOfChanges(t *testing.T) {
	dir := project(t, some())
	s := serverFor(t, dir)
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	told := make(chan struct{}, 100)
	session := dial(t, url, "any", &mcp.ClientOptions{PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { told <- struct{}{} }})
	if _, err := session.ListPrompts(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	put(t, dir, ".claude/commands/new.md", "---\ndescription: New\n---\nx\n")
	for {
		if err := s.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		select {
		case <-told:
			return
		case <-time.After(200 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("the client was not told")
		}
	}
}

// TestPagesAreNotDisclosed checks that clients without a token or from another origin cannot find
// out which pages exist, and that their requests are counted.
func TestPagesAreNotDisclosed(t *testing.T) {
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

// TestIdleConnectionsDoNotDelayShutdown checks that an idle client connection
// does not noticeably delay shutdown.
func TestIdleConnectionsDoNotDelayShutdown(t *testing.T) {
	s := serverFor(t, project(t, some()))
	url, stop := listening(t, s, HTTPOptions{})
	c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	in := bufio.NewReader(c)
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	if err := stop(); err != nil {
		t.Error(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the connection is still open: %v", err)
	}
}

// raw opens a connection, sends text, and returns the connection and a reader for the response.
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

// TestRefusedRequestDoesNotWaitForBody checks that an unauthorized client is
// refused before its body arrives, and that its connection is then closed.
func TestRefusedRequestDoesNotWaitForBody(t *testing.T) {
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

// errTimeout returns err if it is a timeout, and nil otherwise.
func errTimeout(err error) error {
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		return err
	}
	return errors.New("another")
}

// TestServerTimeouts checks that every phase of a request has a timeout.
func TestServerTimeouts(t *testing.T) {
	s := serverFor(t, project(t, some()))
	h := s.httpServer(HTTPOptions{})
	if h.ReadTimeout != readTime || h.WriteTimeout != s.options.Timeout+writeMargin || h.IdleTimeout == 0 || h.ReadHeaderTimeout == 0 {
		t.Errorf("%v %v %v %v", h.ReadTimeout, h.WriteTimeout, h.IdleTimeout, h.ReadHeaderTimeout)
	}
}

// TestTooManyConnections checks that connections beyond the limit are closed, and that a new
// connection is accepted once another one ends.
func TestTooManyConnections(t *testing.T) {
	h := serverFor(t, project(t, some())).httpServer(HTTPOptions{})
	closed := func() bool {
		c, other := net.Pipe()
		defer other.Close()
		h.ConnState(c, http.StateNew)
		return errors.Is(c.SetDeadline(time.Time{}), io.ErrClosedPipe)
	}
	for range maxConnections {
		if closed() {
			t.Fatal("it is full too early")
		}
	}
	if !closed() {
		t.Error("there is no limit")
	}
	c, _ := net.Pipe()
	h.ConnState(c, http.StateClosed)
	h.ConnState(c, http.StateClosed)
	if closed() {
		t.Error("there is no room again")
	}
}

// TestIncompleteRequestsDoNotBlockClients opens more connections than the server accepts, which are
// idle or send incomplete requests, and checks that a client is served once they time out.
func TestIncompleteRequestsDoNotBlockClients(t *testing.T) {
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
			for range 2 * maxConnections {
				raw(t, url, text)
			}
			begun := time.Now()
			client := &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
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
			if took > headerTime+idleTime {
				t.Errorf("it took %s", took)
			}
			if text := promptText(t, session, "hello", map[string]string{"arguments": "you"}); !strings.Contains(text, "Hello you!") {
				t.Errorf("a client from before: %q", text)
			}
		})
	}
}

// TestPageLimit checks the limit on concurrently served pages.
func TestPageLimit(t *testing.T) {
	s := serverFor(t, project(t, some()))
	w := &web{s: s, pages: make(chan struct{}, maxPages)}
	entered, leave := make(chan struct{}), make(chan struct{})
	slow := httptest.NewServer(w.page(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { entered <- struct{}{}; <-leave })))
	defer slow.Close()
	for range maxPages {
		raw(t, slow.URL, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		<-entered
	}
	if status, body := ask(t, "GET", slow.URL, "", nil); status != 503 {
		t.Errorf("%d %s", status, body)
	}
	close(leave)
	go func() { <-entered }()
	if status, body := ask(t, "GET", slow.URL, "", nil); status != 200 {
		t.Errorf("there is no room again: %d %s", status, body)
	}
}

// TestStreamDetection checks that a request is treated as a stream only if both its method and its
// header say so.
func TestStreamDetection(t *testing.T) {
	s := serverFor(t, project(t, some()))
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	if status, body := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"`+typedResults+`","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, legacy(map[string]string{"Mcp-Method": listen, "MCP-Protocol-Version": typedResults})); status != 400 {
		t.Error(status, body)
	}
	status, body := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"promptsListChanged":true}}}`, legacy(nil))
	if status != 200 || !strings.Contains(body, "requires protocol revision") {
		t.Error(status, body)
	}
}

// TestHostNameForms checks which spellings of a host name are accepted.
func TestHostNameForms(t *testing.T) {
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
		// net/http itself rejects invalid hosts with status 400.
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

// TestInvalidToken checks that each kind of invalid token gets its own
// response, and that no response repeats the token.
func TestInvalidToken(t *testing.T) {
	s := serverFor(t, project(t, some()))
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	for _, c := range []struct{ sent, want string }{
		{"", "missing token; send the header Authorization: Bearer TOKEN"},
		{testToken, "missing token; send the header Authorization: Bearer TOKEN"},
		{"Bearer another-token-hunter2", "wrong token"},
		{"Bearer ${VADE_SERVE_TOKEN}", "a variable name"},
	} {
		status, body := ask(t, "POST", url+"/mcp", getHello, legacy(map[string]string{"Authorization": c.sent}))
		if status != 401 || !strings.Contains(body, c.want) || strings.Contains(body, "hunter2") {
			t.Errorf("%q: %d %s", c.sent, status, body)
		}
	}
	_, body := ask(t, "GET", url+"/metrics", "", legacy(nil))
	for _, want := range []string{`{reason="no-token"} 2`, `{reason="wrong-token"} 2`, `vade_reloads_total{outcome="done"} 0`} {
		if !strings.Contains(body, want) {
			t.Errorf("the metrics have no %s:\n%s", want, body)
		}
	}
}

// TestNotificationsOfferedByRevision checks that clients using older revisions are offered change
// notifications over stdio but not over HTTP, where the server could not deliver them.
func TestNotificationsOfferedByRevision(t *testing.T) {
	dir := project(t, some())
	for _, remote := range []bool{true, false} {
		s := serverFor(t, dir, func(o *Options) { o.Remote = remote })
		url, _ := listening(t, s, HTTPOptions{Token: testToken})
		status, body := ask(t, "POST", url+"/mcp", initialize, legacy(nil))
		if status != 200 || !strings.Contains(body, `"prompts":{`) || !strings.Contains(body, `"resources":{`) || strings.Contains(body, `"listChanged":true`) == remote {
			t.Errorf("remote %v: %d %s", remote, status, body)
		}
	}
}

// TestAddressAsWritten checks that listening on an IPv4 address does not include IPv6.
func TestAddressAsWritten(t *testing.T) {
	l, remote, err := Listen(t.Context(), "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	at, err := netip.ParseAddrPort(l.Addr().(*net.TCPAddr).String())
	if err != nil || !at.Addr().Is4() || !remote {
		t.Errorf("%v, %v, %v", at, remote, err)
	}
}

// TestBundledSkillsAreNotOfferedToVade checks that the bundled skills are
// listed for every client except another Vade.
func TestBundledSkillsAreNotOfferedToVade(t *testing.T) {
	s := serverFor(t, project(t, some()))
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	has := func(client string) bool {
		status, body := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"skills/list","params":{}}`, legacy(map[string]string{"User-Agent": client + "/1"}))
		if status != 200 {
			t.Fatal(status, body)
		}
		return strings.Contains(body, "skill://"+definition.Bundled.String()+"/")
	}
	if !has("other") {
		t.Error("another client does not get them")
	}
	if has("vade") {
		t.Error("another Vade gets them too")
	}
}

// TestRequestsWithoutParameters checks that, with logging enabled, each custom method answers a
// request without parameters, and that the server still works afterwards.
func TestRequestsWithoutParameters(t *testing.T) {
	var log safeBuffer
	s := serverFor(t, project(t, some()), func(o *Options) {
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	})
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	for _, method := range []string{"skills/list", "skills/get", "resources/directory/read", "resources/list", "prompts/list", "prompts/get", "tools/list", "completion/complete"} {
		for _, params := range []string{"", `,"params":null`, `,"params":{}`, `,"params":{"_meta":null}`, `,"params":[]`, `,"params":"x"`} {
			status, body := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"`+method+`"`+params+`}`, legacy(nil))
			if status == 0 || body == "" || strings.Contains(body, "internal error") {
				t.Errorf("%s %s: %d %s", method, params, status, body)
			}
			if strings.HasSuffix(method, "s/list") && len(params) < 16 && !strings.Contains(body, `"result"`) && !strings.HasSuffix(params, "]") && !strings.HasSuffix(params, `"x"`) {
				t.Errorf("%s %s: %d %s", method, params, status, body)
			}
		}
	}
	if text := log.String(); strings.Contains(text, "panic") || !strings.Contains(text, "method=skills/list code=ok") {
		t.Error(text)
	}
}

// TestPanicEndsOneRequest checks that a panic in a method does not end the server.
func TestPanicEndsOneRequest(t *testing.T) {
	var log safeBuffer
	s := serverFor(t, project(t, some()), func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	s.methods["resources/list"] = func(context.Context, *state, mcp.Request) (mcp.Result, error) { panic("a method is broken") }
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	if _, body := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, legacy(nil)); !strings.Contains(body, "internal error") {
		t.Error(body)
	}
	if _, body := ask(t, "POST", url+"/mcp", getHello, legacy(nil)); !strings.Contains(body, "Hello you!") {
		t.Error(body)
	}
	if text := log.String(); !strings.Contains(text, "a method is broken") {
		t.Error(text)
	}
}
