//go:build unix

package remote

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/diag"

	"github.com/vadehq/vade/internal/testenv"
)

// serveStdio is the environment variable that makes the test binary a server.
const serveStdio = "VADE_TEST_SERVE"

func TestMain(m *testing.M) {
	if scenario := os.Getenv(suiteScenario); scenario != "" {
		os.Exit(suiteMain(scenario))
	}
	if file := os.Getenv(serveStdio); file != "" {
		// Tests that kill the process need its ID.
		if err := os.WriteFile(file, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
			panic(err)
		}
		_ = honest().server(nil).Run(context.Background(), &mcp.StdioTransport{})
		return
	}
	os.Exit(m.Run())
}

// child runs the test binary as a server, from a trusted location.
func child(t *testing.T) (s Server, pid func() int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(cacheIn(t).Dir())
	program := filepath.Join(dir, "server")
	in, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(program, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "pid")
	return Server{Name: "child", Command: []string{program}, Env: map[string]string{serveStdio: file}, Timeout: 20 * time.Second}, func() int {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(string(data))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

func gone(pid int) bool { return syscall.Kill(pid, 0) != nil }

// settled waits until the number of goroutines is at most before.
func settled(t *testing.T, before int) {
	t.Helper()
	for range 500 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	var b strings.Builder
	buf := make([]byte, 1<<20)
	b.Write(buf[:runtime.Stack(buf, true)])
	t.Errorf("%d goroutines, before %d\n%s", runtime.NumGoroutine(), before, b.String())
}

func TestStdio(t *testing.T) {
	server, pid := child(t)
	before := runtime.NumGoroutine()
	s := NewClient(world(t), []Server{server})
	list := listOf(t, s)
	if codes(list) != "" || len(list.Entries) != 1 {
		t.Fatalf("%q, %d entries", codes(list), len(list.Entries))
	}
	if data, err := s.Read(t.Context(), list.Entries[0], list.Entries[0].URI); err != nil || string(data) != refunds {
		t.Fatalf("%q, %v", data, err)
	}
	id := pid()
	s.Close()
	if !gone(id) {
		t.Error("the program is still there")
	}
	if _, err := s.Read(t.Context(), list.Entries[0], list.Entries[0].URI); codeOf(err) != diag.RemoteDown {
		t.Errorf("after the end: %v", err)
	}
	settled(t, before)
}

// TestKilledChild kills a server with SIGKILL between two reads. The server
// must be restarted, and nothing may hang or leak.
func TestKilledChild(t *testing.T) {
	server, pid := child(t)
	before := runtime.NumGoroutine()
	s := NewClient(world(t), []Server{server})
	e := listOf(t, s).Entries[0]
	first := pid()
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if data, err := s.Read(t.Context(), e, e.URI); err != nil || string(data) != refunds {
		t.Fatalf("%q, %v", data, err)
	}
	if second := pid(); second == first {
		t.Error("it was not started again")
	}
	s.Close()
	settled(t, before)
}

// TestFaultyPrograms checks the errors for programs that are not MCP servers.
func TestFaultyPrograms(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell on this system")
	}
	before := runtime.NumGoroutine()
	for _, c := range []struct {
		name, script string
		want         []diag.Code
	}{
		{"silent", "sleep 1000", []diag.Code{diag.RemoteSlow}},
		{"deaf to signals", "trap '' TERM HUP INT; sleep 1000; sleep 1000", []diag.Code{diag.RemoteSlow}},
		{"with a child", "sleep 1000 & sleep 1000", []diag.Code{diag.RemoteSlow}},
		{"gone at once", "exit 3", []diag.Code{diag.RemoteDown}},
		{"killed in the middle", "read x; kill -9 $$", []diag.Code{diag.RemoteDown}},
		{"no JSON", "read x; echo hello; sleep 1000", []diag.Code{diag.RemoteDown, diag.RemoteSlow, diag.RemoteInvalid}},
		{"half JSON", "read x; printf '{\"jsonrpc\":\"2.0\",'; sleep 1000", []diag.Code{diag.RemoteSlow}},
		{"1 GB", "read x; printf '{\"a\":\"'; head -c 1073741824 /dev/zero | tr '\\0' a; sleep 1000", []diag.Code{diag.RemoteLimit}},
		{"1 GB of lines", "read x; yes '{\"jsonrpc\":\"2.0\",\"method\":\"x\"}' | head -c 1073741824", []diag.Code{diag.RemoteLimit, diag.RemoteSlow}},
		{"no such program", "", []diag.Code{diag.RemoteDown}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := Server{Name: "x", Command: []string{"sh", "-c", c.script}, Timeout: time.Second}
			if c.script == "" {
				server.Command = []string{"vade-no-such-program"}
			}
			s := NewClient(world(t), []Server{server, {Name: "y", Command: []string{"sh", "-c", "sleep 1000"}, Timeout: time.Second}})
			defer s.Close()
			list := listOf(t, s)
			for _, want := range c.want {
				if codes(list) == string(want) {
					return
				}
			}
			t.Errorf("%q (%v), not %q", codes(list), list.Problem, c.want)
		})
	}
	settled(t, before)
}

func TestFaultyAddresses(t *testing.T) {
	before := runtime.NumGoroutine()
	stop := make(chan struct{})
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the request went elsewhere") }))
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		want    []diag.Code
	}{
		{"silent", func(_ http.ResponseWriter, r *http.Request) {
			// The server does not notice a disconnected client until it has read the request.
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				return
			}
			select {
			case <-r.Context().Done():
			case <-stop:
			}
		}, []diag.Code{diag.RemoteSlow}},
		{"an error", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusInternalServerError) }, []diag.Code{diag.RemoteRefused}},
		{"no JSON", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "{bad")
		}, []diag.Code{diag.RemoteDown, diag.RemoteInvalid}},
		{"1 GB", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			chunk := []byte(strings.Repeat("[", 1<<20))
			for range 1024 {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, []diag.Code{diag.RemoteLimit}},
		{"another address", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, []diag.Code{diag.RemoteRefused}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := httptest.NewServer(c.handler)
			defer h.Close()
			s := NewClient(world(t), []Server{{Name: "x", URL: h.URL, Timeout: time.Second}})
			defer s.Close()
			list := listOf(t, s)
			for _, want := range c.want {
				if codes(list) == string(want) {
					return
				}
			}
			t.Errorf("%q (%v), not %q", codes(list), list.Problem, c.want)
		})
	}
	close(stop)
	elsewhere.Close()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	settled(t, before)
}

// TestOneServerDownCostsNoOther lists a working server together with one that does not respond.
func TestOneServerDownCostsNoOther(t *testing.T) {
	dead := Server{Name: "dead", URL: "http://127.0.0.1:1/", Timeout: time.Second}
	s := set(t, world(t), dead, honest().serve(t))
	list, err := s.List(t.Context())
	if err != nil || codes(list[0]) != string(diag.RemoteDown) || len(list[1].Entries) != 1 {
		t.Fatalf("%q, %d entries, %v", codes(list[0]), len(list[1].Entries), err)
	}
}

func TestCancelled(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	s := NewClient(world(t), []Server{{Name: "x", Command: []string{"sleep", "1000"}, Timeout: time.Minute}})
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := s.List(ctx); err == nil {
		t.Error("a cancelled list is no error")
	}
	s.Close()
	settled(t, before)
}

func TestSecrets(t *testing.T) {
	for _, c := range []struct {
		name   string
		server Server
		want   string
		code   diag.Code
	}{
		{"a variable", Server{Headers: map[string]string{"Authorization": "Bearer ${TOKEN}"}}, "Bearer s3cret", ""},
		{"a helper", Server{Helper: []string{"echo", "from-helper"}}, "Bearer from-helper", ""},
		{"a variable that is not set", Server{Headers: map[string]string{"Authorization": "${NONE}"}}, "", diag.RemoteConfig},
		{"a helper that fails", Server{Helper: []string{"false"}}, "", diag.RemoteConfig},
		{"a helper that says nothing", Server{Helper: []string{"true"}}, "", diag.RemoteConfig},
		{"a helper that hangs", Server{Helper: []string{"sleep", "1000"}}, "", diag.RemoteConfig},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := make(chan string, 100)
			h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got <- r.Header.Get("Authorization")
				http.Error(w, "no", http.StatusTeapot)
			}))
			defer h.Close()
			w := world(t)
			getenv := w.Getenv
			w.Getenv = func(name string) string {
				if name == "TOKEN" {
					return "s3cret"
				}
				return getenv(name)
			}
			c.server.Name, c.server.URL, c.server.Timeout = "x", h.URL, time.Second
			list := listOf(t, set(t, w, c.server))
			close(got)
			if sent := <-got; sent != c.want {
				t.Errorf("sent %q, not %q", sent, c.want)
			}
			if c.code != "" && codes(list) != string(c.code) {
				t.Errorf("%q, not %q", codes(list), c.code)
			}
			if list.Problem == nil || strings.Contains(list.Problem.Message, "s3cret") {
				t.Errorf("%v", list.Problem)
			}
		})
	}
}

// TestEnvironment checks that a program receives only the environment variables that it needs.
func TestEnvironment(t *testing.T) {
	w := Environment{Getenv: func(name string) string {
		return map[string]string{"PATH": "/bin", "AWS_SECRET": "x", "HOME": "/h"}[name]
	}}
	got := strings.Join(w.environ(map[string]string{"A": "b"}), " ")
	if got != "PATH=/bin HOME=/h A=b" {
		t.Errorf("%q", got)
	}
}

// TestNoProgramOfAProject checks that a program inside a project is not started.
func TestNoProgramOfAProject(t *testing.T) {
	server, _ := child(t)
	w := world(t)
	w.ForbiddenDirs = []string{filepath.Dir(server.Command[0])}
	if list := listOf(t, set(t, w, server)); codes(list) != string(diag.RemoteDown) || len(list.Entries) != 0 {
		t.Errorf("%q, %d entries", codes(list), len(list.Entries))
	}
}
