package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"
)

const (
	// maxLine limits the size of a message, in bytes.
	maxLine = 4 << 20
	// maxPending is the maximum number of in-flight requests. Once it is reached, the server stops
	// reading requests until one is answered.
	maxPending = 256
	// drainTime is how long the input must pause after a shutdown signal before
	// the server stops reading. Requests received until then are answered.
	drainTime = 50 * time.Millisecond
)

// Stdio serves one client over two streams, with one message per line, until the client closes its
// stream or ctx is done. It then finishes the requests in progress.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return s.stdio(ctx, in, out, shutdownTime)
}

func (s *Server) stdio(ctx context.Context, in io.Reader, out io.Writer, finish time.Duration) error {
	c := &lineConn{
		lines: make(chan []byte), stopping: ctx.Done(), out: out, shutdownTime: finish,
		slots: semaphore.NewWeighted(maxPending), pending: map[jsonrpc.ID]bool{},
	}
	c.closed, c.close = context.WithCancel(context.WithoutCancel(ctx))
	defer c.close()
	go c.pump(in)
	session, err := s.mcp.Connect(context.WithoutCancel(ctx), c, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.close()
	select {
	case <-ended:
	case <-time.After(finish + time.Second):
		// Close waits until the current response is written, which takes forever if the client does
		// not read it.
		go func() { _ = session.Close() }()
	}
	return nil
}

// lineConn is a connection with one message per line. The SDK's own transport ends the session on a
// malformed line, and drops requests in progress if the client closes stdin after its last request.
type lineConn struct {
	lines    chan []byte
	stopping <-chan struct{}
	closed   context.Context
	close    context.CancelFunc
	// shutdownTime is how long drain waits for responses.
	shutdownTime time.Duration
	// slots has one slot per pending request, not counting streams.
	slots *semaphore.Weighted

	mu sync.Mutex
	// pending holds the unanswered requests. The value is true for a stream, which drain does not
	// wait for.
	pending map[jsonrpc.ID]bool
	streams int

	writing sync.Mutex
	out     io.Writer
}

// Connect implements [mcp.Transport].
func (c *lineConn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements [mcp.Connection].
func (c *lineConn) SessionID() string { return "" }

// Close implements [mcp.Connection].
func (c *lineConn) Close() error {
	c.close()
	return nil
}

// pump reads lines in its own goroutine, because a read from a terminal cannot be interrupted. It
// truncates lines longer than maxLine, which message then rejects.
func (c *lineConn) pump(in io.Reader) {
	defer close(c.lines)
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		var line []byte
		for {
			piece, err := r.ReadSlice('\n')
			if len(line) <= maxLine {
				line = append(line, piece...)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			select {
			case c.lines <- line:
			case <-c.closed.Done():
				return
			}
			if err != nil {
				return
			}
			break
		}
	}
}

// Read implements [mcp.Connection]. It answers malformed lines itself, returning an error to the
// client.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var line []byte
		ok := false
		select {
		case line, ok = <-c.lines:
		case <-c.closed.Done():
		case <-c.stopping:
			select {
			case line, ok = <-c.lines:
			case <-time.After(drainTime):
			}
		}
		if !ok {
			c.drain()
			return nil, io.EOF
		}
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
		if len(line) == 0 {
			continue
		}
		m, rpcErr := c.message(line)
		if rpcErr == nil {
			return m, nil
		}
		data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": rpcErr})
		if err != nil {
			return nil, err
		}
		if err := c.writeLine(data); err != nil {
			return nil, err
		}
	}
}

// message decodes a line. If the message is a request, it first waits for a slot.
func (c *lineConn) message(line []byte) (jsonrpc.Message, *jsonrpc.Error) {
	fail := func(code int64, text string) (jsonrpc.Message, *jsonrpc.Error) {
		return nil, &jsonrpc.Error{Code: code, Message: text}
	}
	switch {
	case len(line) > maxLine:
		return fail(jsonrpc.CodeInvalidRequest, "the line is longer than 4 MiB")
	case !json.Valid(line):
		return fail(jsonrpc.CodeParseError, "the line is not valid JSON")
	case line[0] == '[':
		return fail(jsonrpc.CodeInvalidRequest, "JSON-RPC batches are not supported; send one message per line")
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return fail(jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC 2.0 message")
	}
	r, ok := m.(*jsonrpc.Request)
	if !ok || !r.ID.IsValid() {
		return m, nil
	}
	stream := r.Method == listen
	if !stream && c.slots.Acquire(c.closed, 1) != nil {
		return m, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, duplicate := c.pending[r.ID]; duplicate {
		if !stream {
			c.slots.Release(1)
		}
		return fail(jsonrpc.CodeInvalidRequest, "a request with this id is still in progress")
	}
	if stream {
		if c.streams == maxStreams {
			return fail(jsonrpc.CodeInvalidRequest, "too many streams; end one first")
		}
		c.streams++
	}
	c.pending[r.ID] = stream
	return m, nil
}

// drain waits until all requests except streams are answered, but at most c.shutdownTime.
func (c *lineConn) drain() {
	ctx, cancel := context.WithTimeout(c.closed, c.shutdownTime)
	defer cancel()
	_ = c.slots.Acquire(ctx, maxPending)
}

// Write implements [mcp.Connection].
func (c *lineConn) Write(_ context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if r, ok := m.(*jsonrpc.Response); ok {
		// The client may reuse the ID as soon as it receives the response.
		c.mu.Lock()
		stream, known := c.pending[r.ID]
		delete(c.pending, r.ID)
		if stream {
			c.streams--
		} else if known {
			defer c.slots.Release(1)
		}
		c.mu.Unlock()
	}
	return c.writeLine(data)
}

func (c *lineConn) writeLine(data []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(data, '\n'))
	return err
}
