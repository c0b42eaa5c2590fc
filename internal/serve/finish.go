package serve

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// finishing is a transport whose stream ends only when what was asked before is
// answered: the SDK drops the requests that run when its stream ends, and a client
// may well close its side behind its last request.
type finishing struct {
	mcp.Transport
	// most is how long the end waits.
	most   time.Duration
	flight *flight
}

// Connect implements [mcp.Transport].
func (f finishing) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := f.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &finishingConn{Connection: c, finishing: f}, nil
}

// finishingConn tells the flight of answers.
type finishingConn struct {
	mcp.Connection
	finishing
}

// Read implements [mcp.Connection].
func (c *finishingConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	for err == nil && c.cancelsNothing(m) {
		m, err = c.Connection.Read(ctx)
	}
	if err != nil {
		c.flight.wait(ctx, c.most)
		return m, err
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.ID.IsValid() {
		c.flight.begins(r)
	}
	return m, err
}

// cancelsNothing reports whether a message cancels a request that is not open, or that
// may not be canceled. Each would take the SDK a third of a millisecond.
func (c *finishingConn) cancelsNothing(m jsonrpc.Message) bool {
	r, ok := m.(*jsonrpc.Request)
	if !ok || r.ID.IsValid() || r.Method != "notifications/cancelled" {
		return false
	}
	var value any
	if json.Unmarshal(field(r.Params, "requestId"), &value) != nil {
		return true
	}
	id, err := jsonrpc.MakeID(value)
	return err != nil || !c.flight.cancelable(id)
}

// Write implements [mcp.Connection].
func (c *finishingConn) Write(ctx context.Context, m jsonrpc.Message) error {
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return c.Connection.Write(ctx, m)
	}
	written := c.flight.ends(r.ID)
	defer written()
	return c.Connection.Write(ctx, plain(r))
}

// Close implements [mcp.Connection].
func (c *finishingConn) Close() error {
	c.flight.close()
	return c.Connection.Close()
}
