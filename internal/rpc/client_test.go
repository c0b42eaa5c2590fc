package rpc_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/vadehq/vade/internal/rpc"
)

// client talks to a server over pipes.
type client struct {
	tb    testing.TB
	in    io.WriteCloser
	ended chan error

	mu      sync.Mutex
	last    int
	waiting map[string]chan response
	// told receives the notifications.
	told chan response
}

type response struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *rpc.Error
}

// newClient starts a server and returns a client for it.
func newClient(tb testing.TB, o rpc.Options) *client {
	tb.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	c := &client{tb: tb, in: toServer, ended: make(chan error, 1), waiting: map[string]chan response{}, told: make(chan response, 100)}
	go func() {
		err := rpc.New(o).Serve(context.Background(), fromClient, toClient)
		toClient.Close()
		c.ended <- err
	}()
	go c.receive(fromServer)
	tb.Cleanup(func() {
		toServer.Close()
		if err := <-c.ended; err != nil {
			tb.Errorf("the server failed: %v", err)
		}
	})
	return c
}

func (c *client) receive(from io.Reader) {
	for r := bufio.NewReader(from); ; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var m response
		if err := json.Unmarshal(line, &m); err != nil {
			c.tb.Errorf("the server sent %q: %v", line, err)
			return
		}
		c.mu.Lock()
		to := c.waiting[string(m.ID)]
		delete(c.waiting, string(m.ID))
		c.mu.Unlock()
		if to == nil {
			to = c.told
		}
		to <- m
	}
}

// start sends a request. It returns the request's ID and a channel for the response.
func (c *client) start(method string, params any) (id string, to chan response) {
	c.tb.Helper()
	text, err := json.Marshal(params)
	if err != nil {
		c.tb.Fatal(err)
	}
	to = make(chan response, 1)
	c.mu.Lock()
	c.last++
	id = fmt.Sprint(c.last)
	c.waiting[id] = to
	c.mu.Unlock()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, text))
	return id, to
}

func (c *client) send(line string) {
	c.tb.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.tb.Fatal(err)
	}
}

// call sends a request and returns its result.
func (c *client) call(method string, params any) (json.RawMessage, *rpc.Error) {
	c.tb.Helper()
	_, to := c.start(method, params)
	m := <-to
	return m.Result, m.Error
}

// must is like call but fails the test on an error.
func (c *client) must(method string, params any) json.RawMessage {
	c.tb.Helper()
	result, err := c.call(method, params)
	if err != nil {
		c.tb.Fatalf("%s: %v (%+v)", method, err, err.Data)
	}
	return result
}

// p holds a request's parameters.
type p = map[string]any

// project writes files to a new repository and returns its directory.
func project(tb testing.TB, files map[string]string) string {
	tb.Helper()
	dir, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	put(tb, dir, ".git/HEAD", "ref: refs/heads/main\n")
	for name, text := range files {
		put(tb, dir, name, text)
	}
	return dir
}

func put(tb testing.TB, dir, name, text string) {
	tb.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}
