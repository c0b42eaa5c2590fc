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
	// maxLine is the longest message of a client, in bytes.
	maxLine = 4 << 20
	// maxOpen is how many requests may wait for a response: the next one is not read
	// before there is room.
	maxOpen = 256
	// quietTime is how long nothing may come before the end, once the server is told to
	// end: what the client has written by then is answered.
	quietTime = 50 * time.Millisecond
)

// Stdio serves one client over two streams, one message per line, until the client closes
// its stream or ctx ends. Requests that are being answered then are finished first.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return s.stdio(ctx, in, out, shutdownTime)
}

func (s *Server) stdio(ctx context.Context, in io.Reader, out io.Writer, finish time.Duration) error {
	c := &lineConn{
		lines: make(chan []byte), ending: ctx.Done(), out: out, finish: finish,
		room: semaphore.NewWeighted(maxOpen), open: map[jsonrpc.ID]bool{},
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
		// Closing waits for the response that is being written, and so forever if the
		// client does not read.
		go func() { _ = session.Close() }()
	}
	return nil
}

// lineConn is the connection to a client that writes one message per line. The SDK's own
// ends the session for a line that is not a message, and drops the requests that run when
// the client closes its stream after the last one.
type lineConn struct {
	lines  chan []byte
	ending <-chan struct{}
	closed context.Context
	close  context.CancelFunc
	// finish is how long the end waits for responses.
	finish time.Duration
	// room has a place for each request without a response, except streams.
	room *semaphore.Weighted

	mu sync.Mutex
	// open are the requests without a response; true for streams, for which the end does
	// not wait.
	open    map[jsonrpc.ID]bool
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

// pump reads lines until the stream ends: a read from a terminal cannot be interrupted. Of
// a line that is too long it keeps the beginning.
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

// Read implements [mcp.Connection]. It responds itself to lines that are not messages.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var line []byte
		ok := false
		select {
		case line, ok = <-c.lines:
		case <-c.closed.Done():
		case <-c.ending:
			select {
			case line, ok = <-c.lines:
			case <-time.After(quietTime):
			}
		}
		if !ok {
			c.wait()
			return nil, io.EOF
		}
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
		if len(line) == 0 {
			continue
		}
		m, problem := c.message(line)
		if problem == nil {
			return m, nil
		}
		data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": problem})
		if err != nil {
			return nil, err
		}
		if err := c.writeLine(data); err != nil {
			return nil, err
		}
	}
}

// message decodes a line, and waits for room if it is a request.
func (c *lineConn) message(line []byte) (jsonrpc.Message, *jsonrpc.Error) {
	wrong := func(code int64, text string) (jsonrpc.Message, *jsonrpc.Error) {
		return nil, &jsonrpc.Error{Code: code, Message: text}
	}
	switch {
	case len(line) > maxLine:
		return wrong(jsonrpc.CodeInvalidRequest, "the line is longer than 4 MiB")
	case !json.Valid(line):
		return wrong(jsonrpc.CodeParseError, "the line is not JSON")
	case line[0] == '[':
		return wrong(jsonrpc.CodeInvalidRequest, "send one message per line; lists of messages are not supported")
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return wrong(jsonrpc.CodeInvalidRequest, "the line is not a message of JSON-RPC 2.0")
	}
	r, ok := m.(*jsonrpc.Request)
	if !ok || !r.ID.IsValid() {
		return m, nil
	}
	stream := r.Method == listen
	if !stream && c.room.Acquire(c.closed, 1) != nil {
		return m, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, same := c.open[r.ID]; same {
		if !stream {
			c.room.Release(1)
		}
		return wrong(jsonrpc.CodeInvalidRequest, "another request with this id has no response yet")
	}
	if stream {
		if c.streams == maxStreams {
			return wrong(jsonrpc.CodeInvalidRequest, "too many streams; end one")
		}
		c.streams++
	}
	c.open[r.ID] = stream
	return m, nil
}

// wait waits until all requests but the streams have a response.
func (c *lineConn) wait() {
	ctx, cancel := context.WithTimeout(c.closed, c.finish)
	defer cancel()
	_ = c.room.Acquire(ctx, maxOpen)
}

// Write implements [mcp.Connection].
func (c *lineConn) Write(_ context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if r, ok := m.(*jsonrpc.Response); ok {
		// The client may use the id again as soon as it has the response.
		c.mu.Lock()
		stream, known := c.open[r.ID]
		delete(c.open, r.ID)
		if stream {
			c.streams--
		} else if known {
			defer c.room.Release(1)
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
