package serve

import (
	"context"
	"encoding/json"
	"sync"
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
	most time.Duration
}

// Connect implements [mcp.Transport].
func (f finishing) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := f.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &finishingConn{Connection: c, most: f.most, open: map[jsonrpc.ID]bool{}, idle: make(chan struct{}, 1), closed: make(chan struct{})}, nil
}

// finishingConn counts the requests without an answer.
type finishingConn struct {
	mcp.Connection
	most time.Duration

	mu sync.Mutex
	// open are the requests that have no answer yet; the end does not wait for those
	// that are streams, which are false.
	open map[jsonrpc.ID]bool
	// idle is told when none is open, closed when the connection is.
	idle   chan struct{}
	once   sync.Once
	closed chan struct{}
}

// Read implements [mcp.Connection].
func (c *finishingConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	for err == nil && c.cancelsNothing(m) {
		m, err = c.Connection.Read(ctx)
	}
	if err != nil {
		c.wait(ctx)
		return m, err
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.ID.IsValid() {
		c.mu.Lock()
		c.open[r.ID] = r.Method != listen
		c.mu.Unlock()
	}
	return m, err
}

// cancelsNothing reports whether a message is to cancel what is not asked. Each would
// take the SDK a third of a millisecond.
func (c *finishingConn) cancelsNothing(m jsonrpc.Message) bool {
	r, ok := m.(*jsonrpc.Request)
	if !ok || r.ID.IsValid() || r.Method != "notifications/cancelled" {
		return false
	}
	var params struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(r.Params, &params) != nil {
		return true
	}
	id, err := jsonrpc.MakeID(params.RequestID)
	if err != nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, open := c.open[id]
	return !open
}

// none reports whether no answer is owed. Its caller holds mu.
func (c *finishingConn) none() bool {
	for _, owed := range c.open {
		if owed {
			return false
		}
	}
	return true
}

// Write implements [mcp.Connection].
func (c *finishingConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, r.ID)
		none := c.none()
		c.mu.Unlock()
		if none {
			select {
			case c.idle <- struct{}{}:
			default:
			}
		}
	}
	return err
}

// Close implements [mcp.Connection].
func (c *finishingConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

// wait waits until no request is open.
func (c *finishingConn) wait(ctx context.Context) {
	limit := time.NewTimer(c.most)
	defer limit.Stop()
	for {
		c.mu.Lock()
		none := c.none()
		c.mu.Unlock()
		if none {
			return
		}
		select {
		case <-c.idle:
		case <-limit.C:
			return
		case <-c.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}
