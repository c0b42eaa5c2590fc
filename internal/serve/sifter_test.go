package serve

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// TestStrayLines asserts that a line that is no message has an answer, and that the
// server answers what comes behind it.
func TestStrayLines(t *testing.T) {
	const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n"
	const ping = `{"jsonrpc":"2.0","id":77,"method":"ping"}` + "\n"
	for what, c := range map[string]struct{ line, want string }{
		"no JSON":           {"hello\n", "-32700"},
		"two on one line":   {strings.TrimSpace(ping) + ping, "-32700"},
		"half a message":    {`{"jsonrpc":` + "\n", "-32700"},
		"a number":          {"3\n", "-32600"},
		"another version":   {`{"jsonrpc":"1.0","id":1,"method":"ping"}` + "\n", "-32600"},
		"an empty list":     {"[]\n", "-32600"},
		"a list of numbers": {"[1]\n", "-32600"},
		"a list":            {"[" + strings.TrimSpace(ping) + "]\n", "-32600"},
		"an id of a half":   {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}` + "\n", "-32600"},
		"a huge id":         {`{"jsonrpc":"2.0","id":99999999999999999999999,"method":"ping"}` + "\n", "-32600"},
		"too long":          {`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", maxLine) + `"}` + "\n", "-32600"},
		"an empty line":     {"\r\n\n", ""},
		"a mark of order":   {"", ""},
	} {
		t.Run(what, func(t *testing.T) {
			s := serverFor(t, project(t, some()))
			var out safeBuffer
			first := begin
			if what == "a mark of order" {
				first = "\xef\xbb\xbf" + begin
			}
			// The last message has no end of its line.
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

// TestAClientThatDoesNotRead asserts that the end comes also while an answer can not be
// written.
func TestAClientThatDoesNotRead(t *testing.T) {
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
	// One byte of the answer shows that it is being written.
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

// TestAStreamIsCancelled asserts that the cancellation of a stream, for which the end
// does not wait, reaches the SDK.
func TestAStreamIsCancelled(t *testing.T) {
	c := &finishingConn{finishing: finishing{flight: newFlight(&sync.Map{})}}
	cancel := &jsonrpc.Request{Method: "notifications/cancelled", Params: []byte(`{"requestId":5}`)}
	if !c.cancelsNothing(cancel) {
		t.Error("nothing is open")
	}
	found, _, err := messagesOf([]byte(`{"jsonrpc":"2.0","id":5,"method":"` + listen + `"}`))
	if err != nil || c.flight.admit(found) != nil {
		t.Fatal(err)
	}
	if c.cancelsNothing(cancel) || c.flight.owed != 0 {
		t.Error("a stream is open")
	}
}

// TestManyCancellations asserts that what cancels nothing does not reach the SDK.
func TestManyCancellations(t *testing.T) {
	s := serverFor(t, project(t, some()))
	before := s.asked.Load()
	var out safeBuffer
	text := strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`+"\n", 1000) + `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	if err := s.Stdio(t.Context(), strings.NewReader(text), &out); err != nil || !strings.Contains(out.String(), `"id":1`) {
		t.Error(err, out.String())
	}
	if got := s.asked.Load() - before; got > 10 {
		t.Errorf("%d requests", got)
	}
}
