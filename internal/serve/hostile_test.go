package serve

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lockedLog is a log that is written by many.
type lockedLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestRequestsWithoutParameters asserts that each method of ours answers a request that
// has none, with the log on, and that the server is there afterwards.
func TestRequestsWithoutParameters(t *testing.T) {
	var log lockedLog
	s := serverFor(t, project(t, some()), func(o *Options) {
		o.Extensions, o.Logger = []func(*Server) Extension{Skills}, slog.New(slog.NewTextHandler(&log, nil))
	})
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	for _, method := range []string{"skills/list", "skills/get", "resources/directory/read", "resources/list", "prompts/list", "prompts/get", "tools/list", "completion/complete"} {
		for _, params := range []string{"", `,"params":null`, `,"params":{}`, `,"params":{"_meta":null}`, `,"params":[]`, `,"params":"x"`} {
			status, body := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"`+method+`"`+params+`}`, legacy(nil))
			if status == 0 || body == "" || strings.Contains(body, "internal error") {
				t.Errorf("%s %s: %d %s", method, params, status, body)
			}
			if strings.HasSuffix(method, "s/list") && len(params) < 16 && !strings.Contains(body, `"result"`) && !strings.HasSuffix(params, "]") && !strings.HasSuffix(params, `"x"`) {
				t.Errorf("%s %s: %d %s", method, params, status, body)
			}
		}
	}
	if text := log.String(); strings.Contains(text, "panic") || !strings.Contains(text, "method=skills/list code=ok") {
		t.Error(text)
	}
}

// brokenHandler is a log that panics for each line of a request.
type brokenHandler struct{ slog.Handler }

func (b brokenHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "request" {
		panic("the log is broken")
	}
	return b.Handler.Handle(ctx, r)
}

// TestAPanicEndsOneRequest asserts that neither a method nor the account of a request
// takes the server down.
func TestAPanicEndsOneRequest(t *testing.T) {
	broken := func(*Server) Extension {
		return Extension{Methods: map[string]func(context.Context, Store, mcp.Request) (mcp.Result, error){
			"resources/list": func(context.Context, Store, mcp.Request) (mcp.Result, error) { panic("a method is broken") },
		}}
	}
	var log lockedLog
	s := serverFor(t, project(t, some()), func(o *Options) {
		o.Extensions = append(o.Extensions, broken)
		o.Logger = slog.New(brokenHandler{slog.NewTextHandler(&log, nil)})
	})
	url, _ := listening(t, s, HTTPOptions{Token: testToken})
	if _, body := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, legacy(nil)); !strings.Contains(body, "internal error") {
		t.Error(body)
	}
	if _, body := ask(t, "POST", url+"/mcp", getHello, legacy(nil)); !strings.Contains(body, "Hello you!") {
		t.Error(body)
	}
	if text := log.String(); !strings.Contains(text, "a method is broken") || !strings.Contains(text, "the log is broken") {
		t.Error(text)
	}
}
