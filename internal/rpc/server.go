// Package rpc answers JSON-RPC 2.0 requests about catalogs over two streams, with one message per
// line. The TypeScript and Python clients use it. docs/rpc.md describes the protocol.
package rpc

import (
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
	"github.com/vadehq/vade/internal/chars"
)

// protocol is the protocol version.
const protocol = 1

const (
	// maxMessage limits the size of a message, in bytes.
	maxMessage = 64 << 20
	// maxWorking limits how many requests are answered concurrently. At the
	// limit, the server stops reading until it has sent a response.
	maxWorking = 64
	// maxCatalogs limits the number of open catalogs, and maxWatches limits the number of watches
	// per catalog.
	maxCatalogs = 64
	maxWatches  = 64
	// finishTime is how long requests may continue after the last message, and stopTime is how long
	// they may continue after being canceled.
	finishTime = 5 * time.Second
	stopTime   = time.Second
)

// Options configures a [Server].
type Options struct {
	// Catalog holds the options for all catalogs. Each open request adds its own.
	Catalog catalog.Options
	// Logger receives internal server errors and problems with watching files. If nil, nothing is
	// logged.
	Logger *slog.Logger
}

// Server answers requests from one client.
type Server struct {
	options Options
	methods map[string]handler

	mu       sync.Mutex
	catalogs map[int]*session
	// last is the most recently assigned catalog or watch number. Numbers are not reused.
	last int
	// following counts the goroutines that watch the catalogs' files.
	following sync.WaitGroup

	working *semaphore.Weighted
	// running holds the unanswered requests, keyed by ID.
	running map[string]context.CancelFunc

	// writing guards out. lost is closed when writing to out fails.
	writing sync.Mutex
	out     io.Writer
	lost    chan struct{}
	failed  bool
}

// New returns a server. It does not open a catalog yet.
func New(o Options) *Server {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Server{
		options: o, methods: methods(), catalogs: map[int]*session{}, working: semaphore.NewWeighted(maxWorking),
		running: map[string]context.CancelFunc{}, lost: make(chan struct{}),
	}
}

// Serve answers messages from in until in ends, ctx is done, or out fails. It then waits a few
// seconds for the requests in progress. Serve must be called only once.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s.out = out
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	ended := make(chan error, 1)
	// Read in a goroutine, because a read from a terminal or pipe cannot be interrupted.
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

// wait waits until all requests have been answered, or until the time in most has passed.
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
			continue // a response, although the server sends no requests
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
		// The client may reuse the ID as soon as it has the response.
		s.mu.Lock()
		delete(s.running, id)
		s.mu.Unlock()
		s.reply(m.ID, result, err)
	}()
}

// call runs a request's method and encodes the result.
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

// cancel cancels the request whose ID is in a notification's parameters.
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

// reply sends a response. A nil ID is sent as null.
func (s *Server) reply(id json.RawMessage, result json.RawMessage, err error) {
	if id == nil {
		id = json.RawMessage("null")
	}
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	if err == nil {
		b = append(append(b, `,"result":`...), result...)
	} else {
		// An Error consists of strings and numbers, so encoding cannot fail.
		text, _ := encode(errorOf(err))
		b = append(append(b, `,"error":`...), text...)
	}
	s.write(append(b, "}\n"...))
}

// write sends a line, blocking until the client reads it.
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

// closeAll closes the catalogs. It waits only briefly, because the client may not be reading.
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

// shorten shortens text from a client for use in a message.
func shorten(text string) string { return chars.Clip(text, 200) }
