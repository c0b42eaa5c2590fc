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

// The methods of the extension, and the forms of what they carry.
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

// session is one connection to a server.
type session struct {
	server *Server
	world  *World
	mcp    *mcp.ClientSession
	budget budget
	// gate is there for HTTP only.
	gate *gate
	// cut ends the connection at once, whatever is going on in it.
	cut func()
}

// dial connects to a server. It returns by the deadline of the server, whatever
// the server does.
func dial(ctx context.Context, w *World, s *Server) (*session, error) {
	c := &session{server: s, world: w}
	transport, err := c.transport(ctx)
	if err != nil {
		return nil, w.placed(s, err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "vade", Version: w.Version}, &mcp.ClientOptions{
		Logger: slog.New(slog.DiscardHandler), Capabilities: capabilities(),
	})
	if err := errors.Join(
		mcp.AddSendingCustomMethod[*listParams, *listResult](client, methodList),
		mcp.AddSendingCustomMethod[*getParams, *getResult](client, methodGet),
	); err != nil {
		c.cut()
		return nil, err
	}
	c.budget.allow(1 << 20)
	ctx, cancel := context.WithTimeout(ctx, s.deadline())
	defer cancel()
	// What waits for a server that says nothing is waked up by cutting it off.
	stop := context.AfterFunc(ctx, c.cut)
	defer stop()
	if c.mcp, err = client.Connect(ctx, transport, nil); err != nil {
		c.cut()
		return nil, c.fault(ctx, err)
	}
	return c, nil
}

// capabilities say that this client knows the extension, and nothing else: no
// server asks it for anything.
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
		c.gate = gate
		c.cut = func() { cancel(); gate.base.CloseIdleConnections() }
		return &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true}, nil
	}
	env, err := fillAll(s.Env, w.Getenv)
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
	c.cut = p.kill
	return &mcp.IOTransport{Reader: metered{p, &c.budget}, Writer: p, MaxLineLength: -1}, nil
}

func headers(s *Server, w *World, secret string) (http.Header, error) {
	filled, err := fillAll(s.Headers, w.Getenv)
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

// close ends the connection. A server that does not agree is cut off.
func (c *session) close() {
	done := make(chan struct{})
	go func() {
		// How the server takes the end of it changes nothing.
		_ = c.mcp.Close()
		close(done)
	}()
	timer := time.NewTimer(2 * grace)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
	c.cut()
	<-done
}

// fault says in our words why an operation failed. Texts of servers and libraries
// may hold anything and are not passed on.
func (c *session) fault(ctx context.Context, err error) error {
	var known *Error
	place := c.world.place(c.server)
	switch {
	case errors.As(err, &known):
		return known
	case c.budget.spent.Load() || errors.Is(err, errTooMuch):
		return failed(diag.RemoteLimit, "tell whoever runs the server", "the server sent more than is read")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return failed(diag.RemoteSlow, "start it, or give it a longer timeout in "+place, "the server did not answer in %s", c.server.deadline())
	case ctx.Err() != nil:
		return ctx.Err()
	case c.unauthorized():
		return c.refused()
	case c.status() == 0 && c.gate != nil && c.gate.answered.Load() && !isWire(err):
		return failed(diag.RemoteInvalid, "is it an MCP server? see "+place, "the server sent what is no answer")
	case c.status() == 0 && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, mcp.ErrConnectionClosed)):
		return failed(diag.RemoteDown, "run its command by itself and see, or take it out of "+place, "the server ended the connection")
	}
	if code, _ := wireCode(err); isWire(err) {
		return failed(diag.RemoteInvalid, "see what the server offers with: vade servers", "the server answered with the error %d", code)
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) {
		return failed(diag.RemoteInvalid, "tell whoever runs the server", "the server sent what is no answer")
	}
	if c.status() != 0 {
		return c.refused()
	}
	return failed(diag.RemoteDown, "start it, or take it out of "+place, "the server can not be reached")
}

// local reports whether a code is one that the client's own library gives to a
// connection that is closing, closed or refused (source: go-sdk 1.8.0).
func local(code int64) bool { return code >= -32005 && code <= -32003 }

// isWire reports whether an error is one that the server answered with.
func isWire(err error) bool {
	code, ok := wireCode(err)
	return ok && !local(code)
}

// wireCode returns the code of an error that a server answered with.
func wireCode(err error) (int64, bool) {
	var wire *jsonrpc.Error
	if errors.As(err, &wire) {
		return wire.Code, true
	}
	return 0, false
}
