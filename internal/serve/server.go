// Package serve implements an MCP server for a catalog. It serves prompts, tools, skills and skill
// files over stdio or HTTP. No other package imports the server half of the MCP Go SDK.
//
// Definitions are not registered with the SDK. Lists and lookups are answered from one immutable
// state, which is replaced as a whole when files change.
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

// Options configures a [Server]. The zero value serves one local client.
type Options struct {
	// As names the host to render prompts for, regardless of the client. If empty, prompts are
	// rendered for the client's own host.
	As string
	// Remote reports whether clients may run on another machine or as another user. If it is set,
	// clients receive no local paths, except in the rendered text of a definition that contains its
	// own directory.
	Remote bool
	// Logger receives one line per request, and also reloads, refused requests and errors. If nil,
	// nothing is logged.
	Logger *slog.Logger
	// PageSize is the number of entries per list page. If 0, it defaults to 1,000.
	PageSize int
	// Timeout limits each request except streams and calls of run_definition. If 0, it defaults to
	// one minute.
	Timeout time.Duration
	// Run runs a definition on a coding agent. It returns the result as JSON and reports whether
	// the run's state is "done". If Run is set, the server offers it as a tool, provided that the
	// policy allows it and Remote is not set.
	Run func(ctx context.Context, host, agent, request string) (result string, done bool, err error)
}

// Server answers MCP requests from one catalog at a time. Callers must call [Server.Close].
type Server struct {
	options Options
	open    opener
	mcp     *mcp.Server
	methods map[string]handlerFunc
	logger  *slog.Logger
	meter   *meter
	root    string

	// current is the active state. Reload replaces it while holding reloading.
	current   atomic.Pointer[state]
	reloading sync.Mutex
	// newPolicy notifies the watcher that the policy changed.
	newPolicy chan struct{}

	entries publish.EntryCache
	// reported holds the unpublished skills that have already been logged.
	reportMu sync.Mutex
	reported map[string]bool

	// closing is canceled at shutdown to end streams, which do not end on their own.
	closing context.Context
	close   context.CancelFunc
}

// opener opens a catalog as a host sees it; "" selects the served view.
type opener func(ctx context.Context, host string) (*catalog.Catalog, error)

// handlerFunc answers one MCP method using a state that the caller has acquired.
type handlerFunc func(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error)

// Limits on how long clients may cache results: listTTL applies to lists and file contents, infoTTL
// to all other results. Clients with an open stream are notified of changes earlier.
const (
	listTTL = 5 * time.Second
	infoTTL = time.Minute
)

const (
	// listen is the method whose response is an endless stream.
	listen = "subscriptions/listen"
	// typedResults is the first protocol revision whose results include their type, according to
	// the schema of revision 2026-07-28.
	typedResults   = "2026-07-28"
	resultComplete = "complete"
)

// New opens the catalog and returns a server for it. Definitions are read later. open opens the
// catalog as seen by a host; if host is "", it opens the served view.
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
		Instructions: "Vade serves the skills, commands, agents and instructions available in the user's project. " +
			"At the start of a task, call list_skills or search_definitions. If a skill matches the task, " +
			"call load_skill and follow the text that it returns. " +
			"Before you edit a file, call get_instructions with the file's path.",
		Logger: slog.New(slog.DiscardHandler), Capabilities: capabilities, PageSize: o.PageSize,
		CompletionHandler: s.complete,
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			if c.TTLMs == 0 && c.CacheScope == "" {
				*c = cacheable(infoTTL)
			}
		},
	})
	s.methods = map[string]handlerFunc{
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

// cacheable returns cache settings that let a client cache a result for ttl. Results depend on the
// client, so shared caches must not store them.
func cacheable(ttl time.Duration) mcp.Cacheable {
	return mcp.Cacheable{TTLMs: int(ttl.Milliseconds()), CacheScope: "private"}
}

// announce makes the SDK notify clients that prompts and resources have changed. The only way to do
// that is to add an entry. The added entries never appear in a list, because this package answers
// prompts/list and resources/list itself.
func (s *Server) announce() {
	prompt := func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, invalid("unknown prompt \"vade\"; call prompts/list")
	}
	resource := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	s.mcp.AddPrompt(&mcp.Prompt{Name: "vade"}, prompt)
	s.mcp.AddResource(&mcp.Resource{URI: "vade:none", Name: "vade"}, resource)
}

// Close releases the server's catalog. Requests in progress keep what they need until they are
// done.
func (s *Server) Close() {
	s.close()
	if st := s.current.Swap(nil); st != nil {
		st.release()
	}
}

// acquire returns the active state, or nil after Close. The caller must release the state.
func (s *Server) acquire() *state {
	for {
		if st := s.current.Load(); st == nil || st.retain() {
			return st
		}
	}
}

// acquireLoaded is like acquire but returns a state that has read all definitions.
func (s *Server) acquireLoaded(ctx context.Context) (*state, error) {
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

// receive wraps every request: it sets the timeout, answers the methods that
// this package implements, maps errors to MCP errors, and logs the outcome.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, name string, req mcp.Request) (res mcp.Result, err error) {
		started := time.Now()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if name == listen {
			stop := context.AfterFunc(s.closing, cancel)
			defer stop()
		} else {
			timeout := s.options.Timeout
			call, ok := req.(*mcp.CallToolRequest)
			if ok && call.Params != nil && call.Params.Name == runTool {
				timeout = runTime
			}
			var done context.CancelFunc
			ctx, done = context.WithTimeout(ctx, timeout)
			defer done()
		}
		defer func() {
			// The SDK runs each request in its own goroutine, where a panic would end the
			// server for all clients.
			if p := recover(); p != nil {
				s.logger.Error("panic", "method", name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				res, err = nil, internal("internal error")
			}
			if !strings.HasPrefix(name, "notifications/") {
				err = s.protocolError(name, err)
				s.logRequest(name, req, res, err, time.Since(started))
			}
		}()
		// If a custom method is called without parameters, the SDK sets the parameters to nil and
		// later dereferences them to look up the client.
		switch r := req.(type) {
		case *mcp.ServerRequest[*pageParams]:
			r.Params = cmp.Or(r.Params, &pageParams{})
		case *mcp.ServerRequest[*uriParams]:
			r.Params = cmp.Or(r.Params, &uriParams{})
		}
		if extra := req.GetExtra(); name == listen && extra != nil && extra.Header != nil {
			// Older protocol revisions have neither this method nor the header that selects a
			// stream slot.
			if extra.Header.Get("Mcp-Protocol-Version") < typedResults {
				return nil, invalid("%s requires protocol revision %s or later", listen, typedResults)
			}
		}
		if answer, ok := s.methods[name]; ok {
			st, err := s.acquireLoaded(ctx)
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

// withoutNotifications returns a copy of an initialize response without the capabilities for change
// notifications. It is used for HTTP clients with older protocol revisions, which do not get a
// stream.
func withoutNotifications(r *mcp.InitializeResult) *mcp.InitializeResult {
	result, capabilities := *r, *r.Capabilities
	capabilities.Prompts = &mcp.PromptCapabilities{}
	capabilities.Resources = &mcp.ResourceCapabilities{}
	capabilities.Tools = &mcp.ToolCapabilities{}
	result.Capabilities = &capabilities
	return &result
}

// protocolError returns the error to send to the client. Errors that are not
// MCP errors may contain local paths, so their text is only logged.
func (s *Server) protocolError(name string, err error) error {
	var e *jsonrpc.Error
	switch {
	case err == nil || errors.As(err, &e):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return internal("the request timed out")
	case errors.Is(err, context.Canceled):
		return internal("the request was canceled")
	}
	s.logger.Error("failed", "method", name, "error", err.Error())
	return internal("internal error")
}

// internal returns an MCP error for a server failure.
func internal(text string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: text}
}

// invalid returns an MCP error about the request's parameters.
func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// callError converts a *definition.Error to an MCP error. It returns other errors unchanged.
func callError(err error) error {
	var e *definition.Error
	if errors.As(err, &e) {
		return invalid("%s", errorText(e))
	}
	return err
}

// errorText formats a *definition.Error for a client. It includes the suggested fix only if the
// client can apply it; other fixes are for the command line.
func errorText(e *definition.Error) string {
	text := cut(e.Message, maxToolError)
	if e.Code == diag.SizeLimit {
		text = cmp.Or(text, "the text is too long") + "; " + e.Fix
	}
	return text + " [" + string(e.Code) + "]"
}

// logRequest counts and logs a request. It does not log arguments or results, which may contain
// secrets.
func (s *Server) logRequest(name string, req mcp.Request, res mcp.Result, err error, took time.Duration) {
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

// clientOf returns the client's name and version. Over HTTP, clients that use older protocol
// revisions do not send them with each request, so clientOf uses the product in the User-Agent
// header instead.
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

// cut shortens s to at most n bytes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-len("…")], "") + "…"
}
