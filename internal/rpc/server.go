// Package rpc answers JSON-RPC 2.0 requests about catalogs, one message per line over two streams.
// It is what the TypeScript and Python clients use. docs/rpc.md describes the protocol.
package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/vadehq/vade/internal/catalog"
)

// protocol is the version of the protocol.
const protocol = 1

const (
	// maxMessage limits a message in bytes.
	maxMessage = 64 << 20
	// maxWorking limits the requests that are answered at a time. At the limit, the server reads
	// no further message until it has sent a response.
	maxWorking = 64
	// maxCatalogs limits the open catalogs, and maxWatches the watches of one.
	maxCatalogs = 64
	maxWatches  = 64
	// finishTime is how long requests may continue after the last message, and stopTime how long
	// after they were canceled.
	finishTime = 5 * time.Second
	stopTime   = time.Second
)

// Options configures a [Server].
type Options struct {
	// Catalog holds the options for all catalogs. The options in each open request are added to them.
	Catalog catalog.Options
	// Logger receives failures of the server itself. If nil, nothing is logged.
	Logger *slog.Logger
}

// Server answers the requests of one client.
type Server struct {
	options Options
	methods map[string]handler

	mu       sync.Mutex
	catalogs map[int]*session
	// last is the last number of a catalog or a watch. Numbers are not used again.
	last int
	// following are the goroutines that follow the files of the catalogs.
	following sync.WaitGroup

	working *semaphore.Weighted
	// running holds the requests without a response, keyed by id.
	running map[string]context.CancelFunc

	// writing guards out. lost is closed when out fails.
	writing sync.Mutex
	out     io.Writer
	lost    chan struct{}
	failed  bool
}

// New returns a server. It opens no catalog yet.
func New(o Options) *Server {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Server{
		options: o, methods: methods(), catalogs: map[int]*session{}, working: semaphore.NewWeighted(maxWorking),
		running: map[string]context.CancelFunc{}, lost: make(chan struct{}),
	}
}

// Serve answers the messages of in until it ends, ctx is done or out fails. Then it finishes the
// requests in progress, but waits for them only a few seconds. It must be called once.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s.out = out
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	ended := make(chan error, 1)
	// A read from a terminal or a pipe cannot be interrupted.
	go func() { ended <- s.read(work, newReader(in)) }()
	var err error
	finish := finishTime
	select {
	case err = <-ended:
	case <-ctx.Done():
	case <-s.lost:
		finish = 0
	}
	s.wait(finish)
	cancel()
	s.wait(stopTime)
	s.closeAll()
	return err
}

// wait waits until no request is in progress, at most for some time.
func (s *Server) wait(most time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	if s.working.Acquire(ctx, maxWorking) == nil {
		s.working.Release(maxWorking)
	}
}

// read handles messages until the end of the input.
func (s *Server) read(ctx context.Context, r *reader) error {
	for {
		line, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err != nil && err != errTooLong {
			return fmt.Errorf("cannot read the next message: %w", err)
		}
		m, problem := message{}, (*Error)(nil)
		if err != nil {
			problem = invalidRequest(fmt.Sprintf("the message is longer than %d MiB", maxMessage>>20))
		} else if m, problem = parseMessage(line); problem == nil && m.Method == "" {
			continue // A response: the server asks nothing.
		}
		switch {
		case problem != nil:
			s.reply(m.ID, nil, problem)
		case m.ID != nil:
			if s.working.Acquire(ctx, 1) != nil {
				return nil
			}
			s.begin(ctx, m)
		case m.Method == "cancel":
			s.cancel(m.Params)
		}
	}
}

// begin answers a request in its own goroutine.
func (s *Server) begin(ctx context.Context, m message) {
	id := string(m.ID)
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	_, duplicate := s.running[id]
	if !duplicate {
		s.running[id] = cancel
	}
	s.mu.Unlock()
	if duplicate {
		cancel()
		s.working.Release(1)
		s.reply(m.ID, nil, invalidRequest("a request with this id is still in progress"))
		return
	}
	go func() {
		defer s.working.Release(1)
		defer cancel()
		result, err := s.call(ctx, m)
		// The client may use the id again as soon as it has the response.
		s.mu.Lock()
		delete(s.running, id)
		s.mu.Unlock()
		s.reply(m.ID, result, err)
	}()
}

// call runs the method of a request and encodes its result.
func (s *Server) call(ctx context.Context, m message) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.options.Logger.Error("panic", "method", m.Method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			result, err = nil, rpcError(codeInternal, "INTERNAL", "internal error")
		}
	}()
	method, ok := s.methods[m.Method]
	if !ok {
		return nil, rpcError(codeNoMethod, "UNKNOWN_METHOD", fmt.Sprintf("unknown method %q", shorten(m.Method)))
	}
	result, err = method(ctx, s, m.Params)
	if err != nil && ctx.Err() != nil {
		err = canceled()
	}
	return result, err
}

// cancel cancels the request that a notification names.
func (s *Server) cancel(params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.running[string(p.ID)]; cancel != nil {
		cancel()
	}
}

// reply sends a response. A nil id is sent as null.
func (s *Server) reply(id json.RawMessage, result json.RawMessage, err error) {
	if id == nil {
		id = json.RawMessage("null")
	}
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	if err == nil {
		b = append(append(b, `,"result":`...), result...)
	} else {
		// An Error consists of strings and numbers, so marshaling cannot fail.
		text, _ := encode(errorOf(err))
		b = append(append(b, `,"error":`...), text...)
	}
	s.write(append(b, "}\n"...))
}

// write sends one line. It waits for the client to read it.
func (s *Server) write(line []byte) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.failed {
		return
	}
	if _, err := s.out.Write(line); err != nil {
		s.failed = true
		close(s.lost)
	}
}

// closeAll closes the catalogs. It does not wait for long, because the client may read nothing.
func (s *Server) closeAll() {
	s.mu.Lock()
	all := s.catalogs
	s.catalogs = nil
	s.mu.Unlock()
	for _, c := range all {
		c.close()
	}
	done := make(chan struct{})
	go func() { defer close(done); s.following.Wait() }()
	select {
	case <-done:
	case <-time.After(stopTime):
	}
}

// shorten shortens a client's text for a message.
func shorten(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return string(bytes.ToValidUTF8([]byte(text[:most]), nil)) + "…"
}
