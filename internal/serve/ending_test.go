package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestTheEndLosesNothing ends the server while many clients ask, each in one of two
// ways: over a connection of its own for each request, and over one that it keeps. What
// was sent whole over a connection that the server's system had let in is answered;
// who comes later is refused the connection.
func TestTheEndLosesNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only there can the system be told to let nobody else in")
	}
	s := serverFor(t, project(t, some()))
	url, stop := listening(t, s, HTTPOptions{Token: testToken})
	address := strings.TrimPrefix(url, "http://")
	var answered, refused, late atomic.Int64
	var begun atomic.Bool
	var wg sync.WaitGroup
	lost := make(chan error, 100)
	ask := func(in *bufio.Reader, c net.Conn) (last bool, err error) {
		const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		if _, err := fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2025-11-25\r\nContent-Length: %d\r\n\r\n%s",
			address, testToken, len(body), body); err != nil {
			return false, fmt.Errorf("not sent: %w", err)
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return false, fmt.Errorf("no answer: %w", err)
		}
		data, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(data), "load_skill") {
			return false, fmt.Errorf("%s %.100s %w", res.Status, data, err)
		}
		answered.Add(1)
		if begun.Load() {
			late.Add(1)
		}
		return res.Close, nil
	}
	for i := range 32 {
		keep := i%2 == 0
		wg.Go(func() {
			for {
				c, err := net.DialTimeout("tcp", address, 30*time.Second)
				if err != nil {
					refused.Add(1)
					return
				}
				in := bufio.NewReader(c)
				last, err := ask(in, c)
				for keep && err == nil && !last {
					last, err = ask(in, c)
				}
				c.Close()
				if err != nil {
					lost <- err
					return
				}
			}
		})
	}
	eventually(t, "the clients are answered", func() bool { return answered.Load() > 200 })
	begun.Store(true)
	if err := stop(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	close(lost)
	for err := range lost {
		t.Errorf("lost: %v", err)
	}
	if refused.Load() != 32 {
		t.Errorf("%d clients were refused", refused.Load())
	}
	t.Logf("%d answers, %d of them since the end began", answered.Load(), late.Load())
}

// TestIdleConnectionsDoNotHoldTheEnd: a client that keeps a connection and asks nothing
// is not waited for longer than it takes to notice.
func TestIdleConnectionsDoNotHoldTheEnd(t *testing.T) {
	s := serverFor(t, project(t, some()))
	url, stop := listening(t, s, HTTPOptions{})
	c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	in := bufio.NewReader(c)
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	if err := stop(); err != nil {
		t.Error(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the connection is still open: %v", err)
	}
}
