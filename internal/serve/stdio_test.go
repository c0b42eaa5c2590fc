package serve

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n"

func TestStdioAnswersRequestsBeforeShutdown(t *testing.T) {
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

// TestStdioCancelsRun checks that a run ends when its request is canceled.
func TestStdioCancelsRun(t *testing.T) {
	home := t.TempDir()
	policy := filepath.Join(home, ".config/vade/policy.yaml")
	if err := os.MkdirAll(filepath.Dir(policy), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(policy, []byte("version: 1\nrun-tool: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	started, ended := make(chan string, 1), make(chan error, 1)
	s, err := New(t.Context(), opens(project(t, some()), home), Options{
		Run: func(ctx context.Context, host, _, request string) (string, bool, error) {
			started <- host + " " + request
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return "", false, ctx.Err()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	in, w := io.Pipe()
	defer w.Close()
	var out safeBuffer
	go func() { _ = s.Stdio(t.Context(), in, &out) }()
	io.WriteString(w, initialize+`{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_definition","arguments":{"host":"codex","request":"/x"}}}
`)
	if got := <-started; got != "codex /x" {
		t.Errorf("%q", got)
	}
	io.WriteString(w, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`+"\n")
	if err := <-ended; err == nil {
		t.Error("the run was not canceled")
	}
}

// TestStdioAnswersQueuedRequests checks that requests sent before the shutdown signal are answered,
// even if the server has not read them yet.
func TestStdioAnswersQueuedRequests(t *testing.T) {
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

// TestStrayLines checks that an invalid line gets an error response and that the server answers the
// following lines.
func TestStrayLines(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":77,"method":"ping"}` + "\n"
	const stream = `{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"notifications":{"promptsListChanged":true}}}` + "\n"
	for what, c := range map[string]struct{ line, want string }{
		"no JSON":           {"hello\n", "-32700"},
		"two on one line":   {strings.TrimSpace(ping) + ping, "-32700"},
		"half a message":    {`{"jsonrpc":` + "\n", "-32700"},
		"a number":          {"3\n", "-32600"},
		"another version":   {`{"jsonrpc":"1.0","id":1,"method":"ping"}` + "\n", "-32600"},
		"an empty list":     {"[]\n", "-32600"},
		"a list of numbers": {"[1]\n", "-32600"},
		"a list":            {"[" + strings.TrimSpace(ping) + "]\n", "-32600"},
		"an id in use":      {strings.TrimSpace(stream) + "\n" + stream, "-32600"},
		"too long":          {`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", maxLine) + `"}` + "\n", "-32600"},
		"an empty line":     {"\r\n\n", ""},
		"a mark of order":   {"", ""},
	} {
		t.Run(what, func(t *testing.T) {
			s := serverFor(t, project(t, some()))
			var out safeBuffer
			first := initialize
			if what == "a mark of order" {
				first = "\xef\xbb\xbf" + initialize
			}
			// The last message does not end in a newline.
			if err := s.Stdio(t.Context(), strings.NewReader(first+c.line+strings.TrimSpace(ping)), &out); err != nil {
				t.Error(err)
			}
			text := out.String()
			if !strings.Contains(text, `"serverInfo"`) || !strings.Contains(text, `"id":77`) || (c.want != "") != strings.Contains(text, `"error"`) || !strings.Contains(text, c.want) {
				t.Errorf("%.600s", text)
			}
		})
	}
}

// TestClientThatDoesNotRead checks that the server can shut down while a response is blocked.
func TestClientThatDoesNotRead(t *testing.T) {
	s := serverFor(t, project(t, some()))
	in, from := io.Pipe()
	to, out := io.Pipe()
	t.Cleanup(func() { from.Close(); to.Close() })
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.stdio(ctx, in, out, 100*time.Millisecond) }()
	if _, err := io.WriteString(from, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	// Receiving one byte of the response shows that it is being written.
	if _, err := bufio.NewReaderSize(to, 16).ReadByte(); err != nil {
		t.Fatal(err)
	}
	stop()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("it does not end")
	}
}

// TestRequestsInFlight checks that no requests are read beyond the pending limit, that answering a
// request makes room for another, and that shutdown does not wait for streams.
func TestRequestsInFlight(t *testing.T) {
	s := serverFor(t, project(t, some()))
	entered, leave := make(chan struct{}, 2*maxPending), make(chan struct{})
	s.methods["resources/list"] = func(ctx context.Context, _ *state, _ mcp.Request) (mcp.Result, error) {
		entered <- struct{}{}
		select {
		case <-leave:
		case <-ctx.Done():
		}
		return &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}, nil
	}
	in, from := io.Pipe()
	var out safeBuffer
	ended := make(chan error, 1)
	go func() { ended <- s.Stdio(t.Context(), in, &out) }()
	go func() {
		io.WriteString(from, initialize)
		for i := range maxPending + 10 {
			fmt.Fprintf(from, `{"jsonrpc":"2.0","id":%d,"method":"resources/list"}`+"\n", i+2)
		}
		from.Close()
	}()
	for range maxPending {
		<-entered
	}
	time.Sleep(50 * time.Millisecond)
	if len(entered) != 0 {
		t.Errorf("%d more are answered at a time", len(entered))
	}
	close(leave)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := strings.Count(out.String(), "\n"); n != maxPending+11 {
		t.Errorf("%d responses", n)
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
