package cli

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// lines is a stream that another goroutine reads.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestServeRunsNoShellOverHTTP: a command that the policy allows anybody on this
// machine stays in the text for a client over HTTP, unless the user's policy says otherwise.
func TestServeRunsNoShellOverHTTP(t *testing.T) {
	for _, c := range []struct{ user, project, has, not string }{
		{"", "", "!`echo ran-", "ran-42"},
		{"shell: readonly\n", "", "!`echo ran-", "ran-42"},
		{"remote-shell: true\n", "", "ran-42", "echo"},
		{"", "remote-shell: true\n", "!`echo ran-", "ran-42"},
		{"remote-shell: true\n", "remote-shell: false\n", "!`echo ran-", "ran-42"},
		{"remote-shell: true\nshell: off\n", "", "!`echo ran-", "ran-42"},
	} {
		text := served(t, c.user, c.project, "Run !`echo ran-'42'` now.\n")
		if !strings.Contains(text, c.has) || strings.Contains(text, c.not) {
			t.Errorf("%+v: %s", c, text)
		}
	}
}

// TestServeAsksNoServer: what the user's MCP servers offer is not served, and they are
// not asked.
func TestServeAsksNoServer(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("a server of the user is asked: %s", r.URL)
		http.Error(w, "no", http.StatusTeapot)
	}))
	defer far.Close()
	if text := served(t, "", "", "Text.\n", "servers:\n  far: {url: '"+far.URL+"/mcp'}\n"); !strings.Contains(text, "Text.") {
		t.Error(text)
	}
}

// served serves one command over HTTP, asks for it, and ends the server as a signal
// does.
func served(t *testing.T, user, project, body string, servers ...string) string {
	t.Helper()
	dir := t.TempDir()
	home := t.TempDir()
	for file, text := range map[string]string{
		filepath.Join(dir, ".git/HEAD"): "", filepath.Join(dir, ".claude/commands/x.md"): "---\ndescription: x\n---\n" + body,
		filepath.Join(dir, ".vade/policy.yaml"): project, filepath.Join(home, ".config/vade/policy.yaml"): user,
		filepath.Join(home, ".config/vade/servers.yaml"): strings.Join(servers, ""),
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const token = "0123456789abcdef"
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	var stderr lines
	args := []string{"serve", "--http", ":0", "-C", dir}
	a := &app{args: args, world: World{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &stderr, LookupEnv: func(name string) (string, bool) {
		return map[string]string{tokenVariable: token, "NO_COLOR": "1"}[name], name == tokenVariable || name == "NO_COLOR"
	}}}
	root := a.root()
	root.SetArgs(args)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if strings.Contains(stderr.String(), token) {
			t.Error("the token stands in the log")
		}
	}()
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/mcp`)
	for until := time.Now().Add(30 * time.Second); !address.MatchString(stderr.String()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("it does not say where it listens: %s", stderr.String())
		}
	}
	r, err := http.NewRequestWithContext(ctx, "POST", address.FindString(stderr.String()),
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Authorization": "Bearer " + token, "MCP-Protocol-Version": "2025-11-25",
	} {
		r.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		t.Fatal(res.StatusCode, err, string(text))
	}
	return string(text)
}
