package serve

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestNothingIsLeftRunning has clients that go away in the middle of a request, of a
// stream and of a body, and then ends the server: every goroutine that there is then
// was there before.
func TestNothingIsLeftRunning(t *testing.T) {
	once := func() {
		s := serverFor(t, project(t, some()))
		url, stop := listening(t, s, HTTPOptions{Token: testToken})
		client := &http.Client{Transport: &http.Transport{}}
		post := func(ctx context.Context, body io.Reader) {
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/mcp", body)
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range legacy(nil) {
				r.Header.Set(k, v)
			}
			if resp, err := client.Do(r); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		}
		for range 10 {
			ctx, cancel := context.WithCancel(t.Context())
			go cancel()
			post(ctx, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`))
			ctx, cancel = context.WithCancel(t.Context())
			half, w := io.Pipe()
			go func() {
				_, _ = io.WriteString(w, `{"jsonrpc":`)
				cancel()
				w.CloseWithError(io.ErrUnexpectedEOF)
			}()
			post(ctx, half)
			post(t.Context(), strings.NewReader("{"))
		}
		post(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":2,"method":"prompts/list"}`))
		if err := stop(); err != nil {
			t.Error(err)
		}
		s.Close()
		client.CloseIdleConnections()
	}
	once() // what is started once and stays, such as the poller's
	before := runtime.NumGoroutine()
	once()
	for end := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; {
		if time.Now().After(end) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
		time.Sleep(5 * time.Millisecond)
	}
}
