// Package serve is the MCP server of a catalog: prompts, tools, skills and their files,
// over standard input and output or over HTTP. It is the only package that imports the
// server of the protocol's Go SDK.
//
// Nothing is registered for a definition: lists and lookups are answered from one state,
// which is replaced as a whole when files change.
package serve

import (
	"cmp"
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

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/publish"
	"github.com/vadehq/vade/internal/version"
)

// Options configure a server. The zero value serves a client on this machine.
type Options struct {
	// As is the host that prompts are rendered for, whatever the client; "" renders
	// for the client's own.
	As string
	// Remote means that clients may be on another machine or belong to another user,
	// so that paths of this machine are not sent to them.
	Remote bool
	// Logger gets one line per request; nil logs nothing.
	Logger *slog.Logger
	// PageSize is the number of entries on a page of a list; 0 is 1,000.
	PageSize int
	// Timeout limits one request; 0 is a minute.
	Timeout time.Duration
}

// Server answers the protocol from one catalog at a time. The caller has to close it.
type Server struct {
	options Options
	open    opener
	mcp     *mcp.Server
	methods map[string]method
	logger  *slog.Logger
	meter   *meter
	root    string

	// current is the active state; Reload replaces it, one call at a time.
	current   atomic.Pointer[state]
	reloading sync.Mutex
	// newPolicy tells the watcher that the policy changed.
	newPolicy chan struct{}

	entries publish.Keeper
	// reported are the omitted skills that are in the log already.
	reportMu sync.Mutex
	reported map[string]bool

	// closing ends the streams, which do not end by themselves.
	closing context.Context
	close   context.CancelFunc
}

// opener opens a catalog in the view of a host; "" is the view that is served.
type opener func(ctx context.Context, host string) (*catalog.Catalog, error)

// method answers one method of the protocol from a state, which the caller holds.
type method func(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error)

// How long clients may cache lists and what they have read. Streams announce changes
// earlier.
const (
	listTTL = 5 * time.Second
	infoTTL = time.Minute
)

const (
	// listen is the method whose response is an endless stream.
	listen = "subscriptions/listen"
	// typedResults is the revision since which each result states its type
	// (documented: schema of 2026-07-28).
	typedResults   = "2026-07-28"
	resultComplete = "complete"
)

// New opens the catalog and returns a server for it, without reading any definition.
// open opens a catalog in the view of a host; "" is the view that is served.
func New(
	ctx context.Context, open func(ctx context.Context, host string) (*catalog.Catalog, error), o Options,
) (*Server, error) {
	o.PageSize = cmp.Or(max(o.PageSize, 0), 1000)
	o.Timeout = cmp.Or(max(o.Timeout, 0), time.Minute)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	c, err := open(ctx, "")
	if err != nil {
		return nil, err
	}
	s := &Server{
		options: o, open: open, logger: o.Logger, meter: newMeter(), newPolicy: make(chan struct{}, 1),
		root: c.ProjectDir(), reported: map[string]bool{},
	}
	s.closing, s.close = context.WithCancel(context.Background())
	s.current.Store(newState(1, c, open))
	capabilities := &mcp.ServerCapabilities{
		Prompts: &mcp.PromptCapabilities{ListChanged: true}, Tools: &mcp.ToolCapabilities{},
		Resources: &mcp.ResourceCapabilities{ListChanged: true},
	}
	capabilities.AddExtension(skillsExtension, map[string]any{"directoryRead": true})
	implementation := &mcp.Implementation{Name: "vade", Title: "Vade", Version: version.Number}
	s.mcp = mcp.NewServer(implementation, &mcp.ServerOptions{
		Instructions: "Skills, commands and instructions of this project. Before work that a skill is for, " +
			"find it with list_skills or search_definitions and load it with load_skill.",
		Logger: slog.New(slog.DiscardHandler), Capabilities: capabilities, PageSize: o.PageSize,
		CompletionHandler: s.complete,
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			if c.TTLMs == 0 && c.CacheScope == "" {
				*c = cacheable(infoTTL)
			}
		},
	})
	s.methods = map[string]method{
		"prompts/list": s.listPrompts, "prompts/get": s.getPrompt, "resources/list": s.listResources,
		"skills/list": s.listSkillEntries, "skills/get": s.getSkillEntry, "resources/directory/read": s.readDirectory,
	}
	s.mcp.AddReceivingMiddleware(s.receive)
	s.addTools()
	if err := s.addResources(); err != nil {
		s.Close()
		return nil, fmt.Errorf("serve: %w", err)
	}
	s.announce()
	return s, nil
}

// cacheable states how long a result may be kept: by this client only, because results
// depend on who asks.
func cacheable(ttl time.Duration) mcp.Cacheable {
	return mcp.Cacheable{TTLMs: int(ttl.Milliseconds()), CacheScope: "private"}
}

// announce makes the SDK notify clients that prompts and resources have changed: adding
// an entry is its only way to do so. The entries are never listed, because prompts/list
// and resources/list are answered here.
func (s *Server) announce() {
	prompt := func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, invalid("there is no such prompt")
	}
	resource := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	s.mcp.AddPrompt(&mcp.Prompt{Name: "vade"}, prompt)
	s.mcp.AddResource(&mcp.Resource{URI: "vade:none", Name: "vade"}, resource)
}

// Close releases what the server holds open. Requests that are being answered keep what
// they need until they end.
func (s *Server) Close() {
	s.close()
	if st := s.current.Swap(nil); st != nil {
		st.release()
	}
}

// acquire returns the active state, which the caller has to release; nil after Close.
func (s *Server) acquire() *state {
	for {
		if st := s.current.Load(); st == nil || st.hold() {
			return st
		}
	}
}

// hold returns the active state with all definitions read.
func (s *Server) hold(ctx context.Context) (*state, error) {
	st := s.acquire()
	if st == nil {
		return nil, internal("the server is shutting down")
	}
	if err := st.load(ctx); err != nil {
		st.release()
		return nil, err
	}
	return st, nil
}

// receive handles every request: it sets the time limit, answers the methods of this
// package, turns errors into those of the protocol and logs the outcome.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, name string, req mcp.Request) (res mcp.Result, err error) {
		begun := time.Now()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if name == listen {
			stop := context.AfterFunc(s.closing, cancel)
			defer stop()
		} else {
			var done context.CancelFunc
			ctx, done = context.WithTimeout(ctx, s.options.Timeout)
			defer done()
		}
		defer func() {
			// The SDK runs each request in a goroutine of its own: a panic in one must not
			// end the server for all.
			if p := recover(); p != nil {
				s.logger.Error("panic", "method", name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				res, err = nil, internal("internal error")
			}
			if !strings.HasPrefix(name, "notifications/") {
				err = s.protocolError(name, err)
				s.account(name, req, res, err, time.Since(begun))
			}
		}()
		// The SDK passes nil for missing parameters of its custom methods, and then
		// dereferences it when asked for the client.
		switch r := req.(type) {
		case *mcp.ServerRequest[*pageParams]:
			r.Params = cmp.Or(r.Params, &pageParams{})
		case *mcp.ServerRequest[*uriParams]:
			r.Params = cmp.Or(r.Params, &uriParams{})
		}
		if extra := req.GetExtra(); name == listen && extra != nil && extra.Header != nil {
			// Older revisions do not have it, nor the header by which a stream gets its place.
			if extra.Header.Get("Mcp-Protocol-Version") < typedResults {
				return nil, invalid("%s needs the revision %s", listen, typedResults)
			}
		}
		if answer, ok := s.methods[name]; ok {
			st, err := s.hold(ctx)
			if err != nil {
				return nil, err
			}
			defer st.release()
			return answer(ctx, st, req)
		}
		res, err = next(ctx, name, req)
		if r, ok := res.(*mcp.InitializeResult); ok && r != nil && err == nil && s.options.Remote {
			return withoutNotifications(r), nil
		}
		return res, err
	}
}

// withoutNotifications removes the announcement of change notifications from the
// response to a client of an older revision over HTTP: no stream is kept for it.
func withoutNotifications(r *mcp.InitializeResult) *mcp.InitializeResult {
	result, capabilities := *r, *r.Capabilities
	capabilities.Prompts = &mcp.PromptCapabilities{}
	capabilities.Resources = &mcp.ResourceCapabilities{}
	capabilities.Tools = &mcp.ToolCapabilities{}
	result.Capabilities = &capabilities
	return &result
}

// protocolError returns the error that a client may see. The text of an error that is
// not one of the protocol goes to the log only, because it may name paths of this machine.
func (s *Server) protocolError(name string, err error) error {
	var e *jsonrpc.Error
	switch {
	case err == nil || errors.As(err, &e):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return internal("the request took too long")
	case errors.Is(err, context.Canceled):
		return internal("the request was cancelled")
	}
	s.logger.Error("failed", "method", name, "error", err.Error())
	return internal("internal error")
}

// internal is the error of what failed on this side.
func internal(text string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: text}
}

// invalid is the error of wrong parameters.
func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// callError turns an error of the library into one of the protocol.
func callError(err error) error {
	var e *definition.Error
	if errors.As(err, &e) {
		return invalid("%s", errorText(e))
	}
	return err
}

// errorText is the text of an error of the library for a client. The suggested fix is
// meant for the command line, except where the client itself can follow it.
func errorText(e *definition.Error) string {
	text := cut(e.Message, maxToolError)
	if e.Code == diag.SizeLimit {
		text = cmp.Or(text, "the text would be too long") + "; " + e.Fix
	}
	return text + " [" + string(e.Code) + "]"
}

// account counts a request and logs it, without arguments and texts, which may be secret.
func (s *Server) account(name string, req mcp.Request, res mcp.Result, err error, took time.Duration) {
	code := "ok"
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		code = fmt.Sprint(e.Code)
	} else if r, ok := res.(*mcp.CallToolResult); ok && r != nil && r.IsError {
		code = "tool error"
	}
	s.meter.request(name, code, took)
	if !s.logger.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	client, _ := clientOf(req)
	attributes := []slog.Attr{
		slog.String("method", name), slog.String("code", code), slog.Duration("took", took),
		slog.String("client", cut(client, 100)),
	}
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		attributes = append(attributes, slog.String("name", cut(p.Name, 100)))
	case *mcp.GetPromptParams:
		attributes = append(attributes, slog.String("name", cut(p.Name, 100)))
	}
	s.logger.LogAttrs(context.Background(), slog.LevelInfo, "request", attributes...)
}

// clientOf returns the name and version of the client of a request. Clients of older
// revisions do not send it with each request over HTTP: for them it is the product of
// their User-Agent.
func clientOf(req mcp.Request) (name, version string) {
	if r, ok := req.(interface{ ClientInfo() *mcp.Implementation }); ok {
		if info := r.ClientInfo(); info != nil && info.Name != "" {
			return info.Name, info.Version
		}
	}
	if extra := req.GetExtra(); extra != nil && extra.Header != nil {
		product, _, _ := strings.Cut(extra.Header.Get("User-Agent"), " ")
		name, version, _ = strings.Cut(product, "/")
	}
	return name, version
}

// cut returns the beginning of a text, at most n bytes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-len("…")], "") + "…"
}
