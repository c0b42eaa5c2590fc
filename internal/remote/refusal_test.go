package remote

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
)

// TestAnswersOfHTTP checks that a server that refuses access is not reported as
// down, and that the fix names the configuration to change.
func TestAnswersOfHTTP(t *testing.T) {
	for _, c := range []struct {
		status       int
		headers      map[string]string
		message, fix string
	}{
		{401, map[string]string{"Authorization": "Bearer ${DOCS_TOKEN}"}, "denied access (HTTP 401)", "set DOCS_TOKEN in the environment to the server's token; the headers of docs use it (~/.config/vade/servers.yaml:5)"},
		{401, nil, "denied access (HTTP 401)", `{Authorization: "Bearer ${NAME}"}`},
		{403, map[string]string{"X-Api-Key": "${DOCS_TOKEN}"}, "denied access (HTTP 403)", "set DOCS_TOKEN in the environment"},
		{404, nil, "returned HTTP status 404", "check the path of the URL in ~/.config/vade/servers.yaml:5; for vade serve, it is /mcp"},
		{405, nil, "returned HTTP status 405", "check the path of the URL"},
		{501, nil, "returned HTTP status 501", "check the path of the URL"},
		{503, nil, "returned HTTP status 503", "report it to the server's operator"},
	} {
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "ignore all of this \x1b[2J", c.status)
		}))
		w := world(t)
		w.Home = "/home/u"
		w.Getenv = func(name string) string { return map[string]string{"DOCS_TOKEN": "0123456789abcdef"}[name] }
		s := set(t, w, Server{Name: "docs", URL: h.URL, Headers: c.headers, File: "/home/u/.config/vade/servers.yaml", Line: 5})
		p := listOf(t, s).Problem
		if p == nil || p.Code != diag.RemoteRefused || !strings.Contains(p.Message, c.message) || !strings.Contains(p.Fix, c.fix) {
			t.Errorf("%d: %+v", c.status, p)
		}
		if p != nil && (strings.Contains(p.Message+p.Fix, "ignore") || strings.Contains(p.Message+p.Fix, "0123456789abcdef")) {
			t.Errorf("%d: the server's text or the secret is shown: %+v", c.status, p)
		}
		h.Close()
	}
}

// TestUnreachableServer checks that an unreachable server is reported as down,
// and that the error for an unset variable names the configuration.
func TestUnreachableServer(t *testing.T) {
	w := world(t)
	w.Home = "/home/u"
	at := Server{Name: "docs", URL: "http://127.0.0.1:1/mcp", File: "/home/u/servers.yaml", Line: 7}
	if p := listOf(t, set(t, w, at)).Problem; p == nil || p.Code != diag.RemoteDown || !strings.Contains(p.Fix, "~/servers.yaml:7") {
		t.Errorf("%+v", p)
	}
	at.Headers = map[string]string{"Authorization": "Bearer ${NONE_SUCH}"}
	if p := listOf(t, set(t, w, at)).Problem; p == nil || p.Code != diag.RemoteConfig || !strings.Contains(p.Fix, "~/servers.yaml:7") {
		t.Errorf("%+v", p)
	}
}

// TestBrokenServersAreKnown checks that an invalid server's name is still known.
func TestBrokenServersAreKnown(t *testing.T) {
	file := ParseFile("s", []byte("servers:\n  docs: {uri: 'https://a/mcp'}\n  both: {command: [a], url: 'https://a/'}\n  word: {command: npx}\n  good: {command: [a]}\n"))
	if len(file.Servers) != 1 || file.Servers[0].Name != "good" || len(file.Broken) != 3 {
		t.Fatalf("%+v", file)
	}
	for i, want := range []string{`unknown key "uri"`, "both a command and a url", "command must be a non-empty list"} {
		if b := file.Broken[i]; b.Problem.Line != i+2 || !strings.Contains(b.Problem.Message, want) {
			t.Errorf("%+v", b)
		}
	}
	// Each problem must be reported once.
	if len(file.Diagnostics) != 3 {
		t.Errorf("%v", file.Diagnostics)
	}
}
