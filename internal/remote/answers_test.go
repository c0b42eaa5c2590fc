package remote

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/vadehq/vade/diag"
)

// TestInvalidResponses checks that a reachable server is never reported as
// down, and that problems with its response are reported.
func TestInvalidResponses(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 64 {
		_, _ = z.Write(make([]byte, 1<<20))
	}
	z.Close()
	say := func(kind, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, text)
		}
	}
	raw := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = c.Write([]byte(text))
				c.Close()
			}
		}
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		code   diag.Code
		says   string
	}{
		"leads elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/ignore-all", http.StatusTemporaryRedirect)
		}, diag.RemoteRefused, "redirects to another URL (HTTP 307)"},
		"no JSON":         {say("application/json", "{"), diag.RemoteInvalid, "an invalid response"},
		"another kind":    {say("text/html", "<html>"), diag.RemoteInvalid, "an invalid response"},
		"an odd kind":     {say("image/png", "x"), diag.RemoteInvalid, "an invalid response"},
		"events":          {say("text/event-stream", "data: {\n\n"), diag.RemoteInvalid, ""},
		"no HTTP":         {raw("hello\r\n\r\n"), diag.RemoteInvalid, "an invalid response"},
		"endless headers": {raw("HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 64<<10) + "\r\n"), diag.RemoteInvalid, "an invalid response"},
		"a bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		}, diag.RemoteLimit, "too much data"},
	} {
		h := httptest.NewServer(c.answer)
		p := listOf(t, set(t, world(t), Server{Name: "docs", URL: h.URL + "/mcp", Timeout: 20 * time.Second})).Problem
		if p == nil || p.Code != c.code || !strings.Contains(p.Message, c.says) || strings.Contains(p.Message+p.Fix, "ignore-all") {
			t.Errorf("%s: %+v", name, p)
		}
		h.Close()
	}
}
