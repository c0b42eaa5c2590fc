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

	"github.com/vadehq/vade/internal/connect"
)

// lines is an output stream that another goroutine can read line by line.
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

// TestServeRunsNoShellOverHTTP checks that a command does not run for an HTTP client just because
// the policy allows it locally. The user's policy must also allow commands over HTTP.
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

// TestServeContactsNoServer checks that vade serve neither offers definitions
// from the user's MCP servers nor contacts those servers.
func TestServeContactsNoServer(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("a server of the user is asked: %s", r.URL)
		http.Error(w, "no", http.StatusTeapot)
	}))
	defer far.Close()
	if text := served(t, "", "", "Text.\n", "servers:\n  far: {url: '"+far.URL+"/mcp'}\n"); !strings.Contains(text, "Text.") {
		t.Error(text)
	}
}

// TestServeAppliesPolicyWithoutWatching checks that a policy change that removes permissions takes
// effect even with --no-watch.
func TestServeAppliesPolicyWithoutWatching(t *testing.T) {
	dir, home := serveWorld(t, "remote-shell: true\n", "", "Run !`echo ran-'42'` now.\n")
	ask := serving(t, home, "-C", dir, "--no-watch")
	if text := ask(); !strings.Contains(text, "ran-42") {
		t.Fatalf("it does not run in the beginning: %s", text)
	}
	if err := os.Remove(filepath.Join(home, ".config/vade/policy.yaml")); err != nil {
		t.Fatal(err)
	}
	until(t, "the command runs no more", func() bool { return !strings.Contains(ask(), "ran-42") })
}

// TestServeRecreatedDirectory checks that a project is served again after it was deleted and
// recreated, although the process's working directory no longer exists.
func TestServeRecreatedDirectory(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("a directory that somebody is in cannot be removed here")
	}
	dir, home := serveWorld(t, "", "", "The old text.\n")
	t.Chdir(dir)
	ask := serving(t, home)
	if text := ask(); !strings.Contains(text, "The old text.") {
		t.Fatal(text)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	writeAll(t, map[string]string{filepath.Join(dir, ".git/HEAD"): "", filepath.Join(dir, ".claude/commands/x.md"): "The new text.\n"})
	until(t, "the new text is served", func() bool { return strings.Contains(ask(), "The new text.") })
}

// until waits until a condition holds. The timeout is generous because the machine may be busy.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never comes about that " + what)
		}
	}
}

func writeAll(t *testing.T, files map[string]string) {
	t.Helper()
	for file, text := range files {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// serveWorld creates a home directory and a project with a command called x.
func serveWorld(t *testing.T, user, project, body string, servers ...string) (dir, home string) {
	t.Helper()
	dir, home = t.TempDir(), t.TempDir()
	writeAll(t, map[string]string{
		filepath.Join(dir, ".git/HEAD"): "", filepath.Join(dir, ".claude/commands/x.md"): "---\ndescription: x\n---\n" + body,
		filepath.Join(dir, ".vade/policy.yaml"): project, filepath.Join(home, ".config/vade/policy.yaml"): user,
		filepath.Join(home, ".config/vade/servers.yaml"): strings.Join(servers, ""),
	})
	return dir, home
}

// served serves a project that has one command over HTTP, and requests that command.
func served(t *testing.T, user, project, body string, servers ...string) string {
	t.Helper()
	dir, home := serveWorld(t, user, project, body, servers...)
	return serving(t, home, "-C", dir)()
}

// serving starts an HTTP server and returns a function that requests the command x. At the end of
// the test, the server stops as if it had received a signal.
func serving(t *testing.T, home string, more ...string) (ask func() string) {
	t.Helper()
	const token = "0123456789abcdef"
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	var stderr lines
	args := append([]string{"serve", "--http", ":0"}, more...)
	a := &app{args: args, world: World{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &stderr, LookupEnv: func(name string) (string, bool) {
		return map[string]string{connect.TokenVariable: token, "NO_COLOR": "1"}[name], name == connect.TokenVariable || name == "NO_COLOR"
	}}}
	root := a.root()
	root.SetArgs(args)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if strings.Contains(stderr.String(), token) {
			t.Error("the log contains the token")
		}
	})
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/mcp`)
	until(t, "it says where it listens: "+stderr.String(), func() bool { return address.MatchString(stderr.String()) })
	url := address.FindString(stderr.String())
	return func() string {
		t.Helper()
		r, err := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x"}}`))
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
}
