// Package serve gives the definitions of a catalog to every client of the Model
// Context Protocol: as prompts, through tools, and by what other packages add, over
// standard input and output or over HTTP. It is the only package that imports the
// server of the protocol's Go SDK.
//
// Nothing is registered for a definition: the lists and the lookups of the protocol
// are answered from one [Store], which a change of the files replaces as a whole.
package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/version"
)

// Options say what is served.
type Options struct {
	// Open opens a catalog in the view of a host, "" being the one that is served.
	Open func(ctx context.Context, host string) (*catalog.Catalog, error)
	// As is the host that prompts are rendered for, whatever the client; "" renders
	// for the client's own.
	As string
	// Remote: clients are not on this machine, or not this user's: paths of the
	// machine are of no use to them.
	Remote bool
	// Logger gets one line a request; nil logs nothing.
	Logger *slog.Logger
	// PageSize is how many entries a page of a list has; 0 is 1,000.
	PageSize int
	// Timeout is how long one request may take; 0 is a minute.
	Timeout time.Duration
	// Extensions add methods of their own.
	Extensions []func(*Server) Extension
}

// Extension is what another part adds to a server.
type Extension struct {
	// Capabilities are filled in before the server is made.
	Capabilities func(*mcp.ServerCapabilities)
	// Methods take the place of what the SDK does for a method of its own. They
	// answer from the store, which is good until they return.
	Methods map[string]func(ctx context.Context, store Store, req mcp.Request) (mcp.Result, error)
	// Register adds what has to be registered with the server, once.
	Register func(*mcp.Server) error
	// Complete completes an argument; ok is false for what is not the extension's.
	Complete func(ctx context.Context, params *mcp.CompleteParams) (values []string, ok bool)
	// Changed is called when another store has taken the place of the one before.
	Changed func(*mcp.Server)
	// Pages are further pages of the HTTP server, by the patterns of
	// [net/http.ServeMux].
	Pages map[string]Page
}

// Server answers the protocol from one catalog at a time. It has to be closed.
type Server struct {
	options    Options
	mcp        *mcp.Server
	extensions []Extension
	methods    map[string]method
	logger     *slog.Logger
	meter      *meter
	root       string

	// current is the state in force; reload replaces it, one at a time.
	current   atomic.Pointer[state]
	reloading sync.Mutex
	// newPolicy holds a word for the watcher where another policy is in force.
	newPolicy chan struct{}
	// asked is how many requests there were.
	asked atomic.Uint64

	// held counts the answers that are in memory, making those that are made and may
	// be large. answers has, by what the SDK hands on of a request over standard input
	// and output, the answer that it is of.
	held    budget
	making  gate
	answers sync.Map

	// closing ends the streams that have no end of their own.
	closing context.Context
	close   context.CancelFunc
}

// method answers one method of the protocol from a state that is held meanwhile.
type method func(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error)

// The times for which a client may keep lists and what it has read, without asking
// again. Streams tell of changes earlier.
const (
	listTTL = 5 * time.Second
	infoTTL = time.Minute
)

// New opens the catalog and returns a server for it. It reads no definition yet.
func New(ctx context.Context, o Options) (*Server, error) {
	if o.PageSize <= 0 {
		o.PageSize = 1000
	}
	if o.Timeout <= 0 {
		o.Timeout = time.Minute
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	catalog, err := o.Open(ctx, "")
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, logger: o.Logger, meter: newMeter(), newPolicy: make(chan struct{}, 1), root: catalog.ProjectDir(), making: newGate(maxMaking)}
	s.closing, s.close = context.WithCancel(context.Background())
	s.current.Store(newState(1, catalog, o.Open))
	for _, extension := range o.Extensions {
		s.extensions = append(s.extensions, extension(s))
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "vade", Title: "Vade", Version: version.Number}, s.serverOptions())
	s.methods = s.ownMethods()
	s.mcp.AddReceivingMiddleware(s.receive)
	s.addTools()
	s.announcePrompts()
	for _, x := range s.extensions {
		if x.Register == nil {
			continue
		}
		if err := x.Register(s.mcp); err != nil {
			s.Close()
			return nil, fmt.Errorf("serve: %w", err)
		}
	}
	return s, nil
}

func (s *Server) serverOptions() *mcp.ServerOptions {
	capabilities := &mcp.ServerCapabilities{
		Prompts: &mcp.PromptCapabilities{ListChanged: true}, Tools: &mcp.ToolCapabilities{},
	}
	for _, x := range s.extensions {
		if x.Capabilities != nil {
			x.Capabilities(capabilities)
		}
	}
	return &mcp.ServerOptions{
		Instructions: "Skills, commands and instructions of this project. Before work that a skill is for, find it with list_skills or search_definitions and load it with load_skill.",
		Logger:       slog.New(slog.DiscardHandler), Capabilities: capabilities, CompletionHandler: s.complete, PageSize: s.options.PageSize,
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			if c.TTLMs == 0 && c.CacheScope == "" {
				*c = s.cacheable(infoTTL)
			}
		},
	}
}

// cacheable says how long a result may be kept. It is this user's alone: what is
// served depends on who asks.
func (s *Server) cacheable(ttl time.Duration) mcp.Cacheable {
	return mcp.Cacheable{TTLMs: int(ttl.Milliseconds()), CacheScope: "private"}
}

// Cacheable is what the results of lists say of how long they may be kept.
func (s *Server) Cacheable() mcp.Cacheable { return s.cacheable(listTTL) }

// PageSize is how many entries a page of a list has.
func (s *Server) PageSize() int { return s.options.PageSize }

// Close gives back what the server holds open. Requests that are being answered keep
// what they need until they end.
func (s *Server) Close() {
	s.close()
	if st := s.current.Swap(nil); st != nil {
		st.release()
	}
}

// announcePrompts makes the SDK tell that prompts have changed. Its own list is
// never shown: prompts/list and prompts/get are answered here.
func (s *Server) announcePrompts() {
	s.mcp.AddPrompt(&mcp.Prompt{Name: "vade"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, invalid("there is no such prompt")
	})
}

// ownMethods are the methods that are answered from a state.
func (s *Server) ownMethods() map[string]method {
	all := map[string]method{"prompts/list": s.listPrompts, "prompts/get": s.getPrompt}
	for _, x := range s.extensions {
		for name, answer := range x.Methods {
			all[name] = func(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error) {
				return answer(ctx, catalogStore{st}, req)
			}
		}
	}
	return all
}

// errClosed is the error of requests that come after the end.
var errClosed = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server is shutting down"}

// acquire returns the state in force, which its caller has to release. After Close
// it is a state that has nothing.
func (s *Server) acquire() *state {
	for {
		st := s.current.Load()
		if st == nil || st.hold() {
			return st
		}
	}
}

// hold returns the state in force with everything read.
func (s *Server) hold(ctx context.Context) (*state, error) {
	st := s.acquire()
	if st == nil {
		return nil, errClosed
	}
	if err := st.load(ctx); err != nil {
		st.release()
		return nil, err
	}
	return st, nil
}

// Store returns the store in force. It is good until release is called.
func (s *Server) Store(ctx context.Context) (store Store, release func(), err error) {
	st, err := s.hold(ctx)
	if err != nil {
		return nil, nil, err
	}
	return catalogStore{st}, sync.OnceFunc(st.release), nil
}

// listen is the method whose answer is a stream without an end.
const listen = "subscriptions/listen"

// sameProgram marks the requests of another Vade, which has the bundled definitions.
type sameProgram struct{}

// receive is what every request goes through: a limit of time, the methods that are
// answered from the store, a line in the log.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, name string, req mcp.Request) (res mcp.Result, err error) {
		begun := time.Now()
		s.asked.Add(1)
		ctx, cancel := s.bound(ctx, name)
		defer cancel()
		defer func() {
			if strings.HasPrefix(name, "notifications/") {
				return
			}
			err = s.wire(name, err)
			defer s.caught(name, nil)
			s.account(name, req, res, err, time.Since(begun))
		}()
		defer s.caught(name, func() {
			res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
		})
		withParams(req)
		ctx = s.counting(ctx, req)
		defer func() {
			if err == nil && name != listen && !counted(ctx) {
				if err = s.held.hold(ctx, costOf(res)); err != nil {
					res = nil
				}
			}
		}()
		if name == "skills/list" {
			if client, _ := clientOf(req); client == "vade" {
				ctx = context.WithValue(ctx, sameProgram{}, true)
			}
		}
		answer, ours := s.methods[name]
		if !ours {
			res, err = next(ctx, name, req)
			if r, ok := res.(*mcp.InitializeResult); ok && r != nil && err == nil && s.options.Remote {
				return untold(r), nil
			}
			return res, err
		}
		st, err := s.hold(ctx)
		if err != nil {
			return nil, err
		}
		defer st.release()
		return answer(ctx, st, req)
	}
}

// withParams gives a request of a method of our own that came without parameters empty
// ones: the SDK hands on a nil pointer, and then follows it when it is asked who the
// client is.
func withParams(req mcp.Request) {
	switch r := req.(type) {
	case *mcp.ServerRequest[*pageParams]:
		if r.Params == nil {
			r.Params = &pageParams{}
		}
	case *mcp.ServerRequest[*uriParams]:
		if r.Params == nil {
			r.Params = &uriParams{}
		}
	}
}

// caught, deferred, keeps a panic from ending the server for all others: the SDK answers
// each request in a goroutine of its own. It is logged, and then is called.
func (s *Server) caught(name string, then func()) {
	r := recover()
	if r == nil {
		return
	}
	s.logger.Error("panic", "method", name, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
	if then != nil {
		then()
	}
}

// bound gives a request its time; a stream ends with the server.
func (s *Server) bound(ctx context.Context, name string) (context.Context, context.CancelFunc) {
	if name != listen {
		return context.WithTimeout(ctx, s.options.Timeout)
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.closing, cancel)
	return ctx, func() { stop(); cancel() }
}

// wire makes an error what a client may see: one of the protocol stays, of any other
// the text stays in the log, because it may name places of this machine.
func (s *Server) wire(name string, err error) error {
	var e *jsonrpc.Error
	switch {
	case err == nil || errors.As(err, &e):
		return err
	case errors.Is(err, errHeld):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: errHeld.Error()}
	case errors.Is(err, context.DeadlineExceeded):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the request took too long"}
	case errors.Is(err, context.Canceled):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the request was cancelled"}
	case s.methods[name] == nil && name != "tools/call":
		// The SDK's own errors know their codes.
		return err
	}
	s.logger.Error("failed", "method", name, "error", err.Error())
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
}

// account writes the line of a request and counts it. Arguments and texts are not in
// it: they may be secret.
func (s *Server) account(name string, req mcp.Request, res mcp.Result, err error, took time.Duration) {
	code := "ok"
	var e *jsonrpc.Error
	switch {
	case errors.As(err, &e):
		code = fmt.Sprint(e.Code)
	case err != nil:
		code = "error"
	default:
		if r, ok := res.(*mcp.CallToolResult); ok && r != nil && r.IsError {
			code = "tool error"
		}
	}
	s.meter.request(name, code, took)
	if !s.logger.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	client, _ := clientOf(req)
	attributes := []slog.Attr{slog.String("method", name), slog.String("code", code), slog.Duration("took", took), slog.String("client", cut(client, 100))}
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		attributes = append(attributes, slog.String("name", cut(p.Name, 100)))
	case *mcp.GetPromptParams:
		attributes = append(attributes, slog.String("name", cut(p.Name, 100)))
	}
	s.logger.LogAttrs(context.Background(), slog.LevelInfo, "request", attributes...)
}

// shown is a path as a client may see it: in the project, from its top.
func (s *Server) shown(path string) string {
	if rel, ok := strings.CutPrefix(path, s.root+"/"); ok && s.root != "" {
		return rel
	}
	return path
}
