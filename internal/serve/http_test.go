package serve

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const testToken = "a-token-of-some-length"

// listening serves on the loopback interface until the test ends; stop ends it and
// waits.
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

// ask sends one request and returns the status and the body.
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

// TestOlderRevisions: a client that says its name only at the beginning is known by
// its User-Agent, because no session is kept.
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
		if status, body := ask(t, c.method, url+c.path, getHello, legacy(c.header)); status != c.want {
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
		"an empty body":           {``, 400},
	} {
		if status, body := ask(t, "POST", url+"/mcp", c.body, legacy(nil)); status != c.want {
			t.Errorf("%s: %d %s", what, status, body)
		}
	}
	if status, _ := ask(t, "POST", url+"/mcp", getHello, legacy(nil)); status != 200 {
		t.Errorf("it does not answer afterwards: %d", status)
	}
}

// TestTheEndFinishesWhatRuns: a request that is being answered gets its answer,
// streams end, and nothing else is taken.
func TestTheEndFinishesWhatRuns(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	slow := func(*Server) Extension {
		return Extension{Methods: map[string]func(context.Context, Store, mcp.Request) (mcp.Result, error){
			"resources/list": func(context.Context, Store, mcp.Request) (mcp.Result, error) {
				close(entered)
				<-leave
				return &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}, nil
			},
		}}
	}
	s := serverFor(t, project(t, some()), func(o *Options) { o.Extensions = append(o.Extensions, slow) })
	url, stop := listening(t, s, HTTPOptions{Token: testToken})
	// A client that listens for changes keeps a stream open.
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

func TestHTTPClientsAreToldOfChanges(t *testing.T) {
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

func TestStdioAnswersWhatWasAskedBeforeTheEnd(t *testing.T) {
	s := serverFor(t, project(t, some()))
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"load_skill","arguments":{"skillId":"go-style"}}}
`)
	var out safeBuffer
	if err := s.Stdio(t.Context(), in, &out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "Use gofmt.") || strings.Count(text, "\n") != 2 {
		t.Errorf("%s", text)
	}
}

// TestStdioAnswersWhatWaitsInTheStream: what the client had written when the signal came
// is answered, also what was not read yet.
func TestStdioAnswersWhatWaitsInTheStream(t *testing.T) {
	s := serverFor(t, project(t, some()))
	in, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var out safeBuffer
	ended := make(chan error, 1)
	go func() { ended <- s.Stdio(ctx, in, &out) }()
	const many = 50
	io.WriteString(w, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	cancel()
	for i := range many {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", i+2)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it does not end")
	}
	if n := strings.Count(out.String(), "\n"); n != many+1 {
		t.Errorf("%d answers", n)
	}
}

func TestStdioEndsWithItsContext(t *testing.T) {
	s := serverFor(t, project(t, some()))
	in, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Stdio(ctx, in, &safeBuffer{}) }()
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it does not end")
	}
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
