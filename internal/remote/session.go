package remote

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/diag"
)

// The extension's methods, with their parameters and results.
const (
	methodList = "skills/list"
	methodGet  = "skills/get"
)

type listParams struct {
	mcp.ParamsBase
	Cursor string `json:"cursor,omitempty"`
}

type listResult struct {
	mcp.ResultBase
	Skills     []json.RawMessage `json:"skills"`
	NextCursor string            `json:"nextCursor,omitempty"`
}

type getParams struct {
	mcp.ParamsBase
	URI string `json:"uri"`
}

type getResult struct {
	mcp.ResultBase
	Skill json.RawMessage `json:"skill"`
}

// session is a connection to a server.
type session struct {
	server *Server
	world  *Environment
	mcp    *mcp.ClientSession
	budget budget
	// http is nil unless the server uses HTTP.
	http *roundTripper
	// abort ends the connection immediately, even during an operation.
	abort func()
}

// dial connects to a server within the server's timeout.
func dial(ctx context.Context, w *Environment, s *Server) (*session, error) {
	c := &session{server: s, world: w}
	transport, err := c.transport(ctx)
	if err != nil {
		return nil, w.withLocation(s, err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "vade", Version: w.Version}, &mcp.ClientOptions{
		Logger: slog.New(slog.DiscardHandler), Capabilities: capabilities(),
	})
	if err := errors.Join(
		mcp.AddSendingCustomMethod[*listParams, *listResult](client, methodList),
		mcp.AddSendingCustomMethod[*getParams, *getResult](client, methodGet),
	); err != nil {
		c.abort()
		return nil, err
	}
	c.budget.reset(1 << 20)
	ctx, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	// Connect may ignore ctx while the server is silent; abort unblocks it.
	stop := context.AfterFunc(ctx, c.abort)
	defer stop()
	if c.mcp, err = client.Connect(ctx, transport, nil); err != nil {
		c.abort()
		return nil, c.translate(ctx, err)
	}
	return c, nil
}

// capabilities declares only the skills extension, so servers cannot request
// anything from this client.
func capabilities() *mcp.ClientCapabilities {
	c := &mcp.ClientCapabilities{}
	c.AddExtension(Extension, nil)
	return c
}

func (c *session) transport(ctx context.Context) (mcp.Transport, error) {
	s, w := c.server, c.world
	secret := ""
	if len(s.Helper) > 0 {
		var err error
		if secret, err = w.secret(ctx, s); err != nil {
			return nil, err
		}
	}
	if s.URL != "" {
		header, err := headers(s, w, secret)
		if err != nil {
			return nil, err
		}
		life, cancel := context.WithCancel(context.Background())
		client, gate, err := newHTTP(life, s, header, &c.budget)
		if err != nil {
			cancel()
			return nil, err
		}
		c.http = gate
		c.abort = func() { cancel(); gate.base.CloseIdleConnections() }
		return &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true}, nil
	}
	env, err := expandAll(s.Env, w.Getenv)
	if err != nil {
		return nil, err
	}
	if secret != "" {
		env[s.HelperEnv] = secret
	}
	p, err := w.start(s, env)
	if err != nil {
		return nil, err
	}
	c.abort = p.kill
	return &mcp.IOTransport{Reader: limitedBody{p, &c.budget}, Writer: p, MaxLineLength: -1}, nil
}

func headers(s *Server, w *Environment, secret string) (http.Header, error) {
	filled, err := expandAll(s.Headers, w.Getenv)
	if err != nil {
		return nil, err
	}
	h := http.Header{}
	for name, value := range filled {
		h.Set(name, value)
	}
	if secret != "" {
		h.Set("Authorization", "Bearer "+secret)
	}
	return h, nil
}

// close ends the connection, forcibly after a short wait.
func (c *session) close() {
	done := make(chan struct{})
	go func() {
		// ignore the outcome
		_ = c.mcp.Close()
		close(done)
	}()
	timer := time.NewTimer(2 * shutdownGrace)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
	c.abort()
	<-done
}

// translate describes why an operation failed. Error messages from servers and libraries may
// contain anything and are never shown.
func (c *session) translate(ctx context.Context, err error) error {
	var known *Error
	location := c.world.configLocation(c.server)
	switch {
	case errors.As(err, &known):
		return known
	case c.budget.exceeded.Load() || errors.Is(err, errLimit):
		return newError(diag.RemoteLimit, "report it to the server's operator", "the server sent too much data")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		fix := "start the server"
		if c.http == nil {
			fix = "run the server's command in a terminal to check that it works"
		}
		return newError(diag.RemoteSlow, fix+", or set a longer timeout in "+location, "the server did not respond within %s", c.server.timeout())
	case ctx.Err() != nil:
		return ctx.Err()
	case c.unauthorized():
		return c.httpError()
	case c.status() == 0 && c.http != nil && c.http.gotResponse.Load() && !isServerError(err):
		return newError(diag.RemoteInvalid, "check that the URL in "+location+" points to an MCP server", "the server sent an invalid response")
	case c.status() == 0 && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, mcp.ErrConnectionClosed)):
		return newError(diag.RemoteDown, c.fixDown(), "the server closed the connection")
	}
	if code, _ := errorCode(err); isServerError(err) {
		fix := fixList
		if c.mcp == nil {
			fix = "report it to the server's operator, or remove the server from " + location
		}
		return newError(diag.RemoteInvalid, fix, "the server returned error %d", code)
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) {
		return newError(diag.RemoteInvalid, "report it to the server's operator", "the server sent an invalid response")
	}
	if c.status() != 0 {
		return c.httpError()
	}
	return newError(diag.RemoteDown, c.fixDown(), "cannot connect to the server")
}

// fixDown returns the fix for a server that cannot be reached or closed the connection.
func (c *session) fixDown() string {
	location := c.world.configLocation(c.server)
	if c.http != nil {
		return "start the server, or remove it from " + location
	}
	return "run the server's command in a terminal to see its error, or remove the server from " + location
}

// isClientCode reports whether an error code comes from the client library, go-sdk 1.8.0, and not
// from the server. The library uses these codes for a connection that is closing, closed or
// refused.
func isClientCode(code int64) bool { return code >= -32005 && code <= -32003 }

// isServerError reports whether err came from the server.
func isServerError(err error) bool {
	code, ok := errorCode(err)
	return ok && !isClientCode(code)
}

// errorCode returns a JSON-RPC error's code.
func errorCode(err error) (int64, bool) {
	var wire *jsonrpc.Error
	if errors.As(err, &wire) {
		return wire.Code, true
	}
	return 0, false
}
