//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/vadehq/vade/internal/testenv"
)

// patience limits how long a test waits for an event. An event that takes longer counts as missing.
const patience = 30 * time.Second

// served is a running vade serve --http under test.
type served struct {
	cmd  *exec.Cmd
	url  string
	done chan error
	log  *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func serveProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		".git/HEAD":                     "ref: refs/heads/main\n",
		".agents/skills/greet/SKILL.md": "---\nname: greet\ndescription: How we greet people.\n---\nSay quokka-harbour.\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// serveCommand returns the command that runs vade serve on a small project.
func serveCommand(t *testing.T, binary string, args ...string) *exec.Cmd {
	t.Helper()
	home := t.TempDir()
	c := exec.Command(binary, append([]string{"serve", "-C", serveProject(t)}, args...)...)
	c.Env = []string{"HOME=" + home, "VADE_MANAGED_DIR=" + home, "PATH=" + os.Getenv("PATH")}
	return c
}

func startServed(t *testing.T) *served {
	t.Helper()
	testenv.SkipUnlessSlow(t)
	s := &served{cmd: serveCommand(t, buildVade(t), "--http", "127.0.0.1:0", "--no-auth"), done: make(chan error, 1), log: &lockedBuffer{}}
	out, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for s.url == "" {
		line, err := lines.ReadString('\n')
		if at := strings.Index(line, "http://"); at >= 0 {
			s.url = strings.TrimSpace(line[at:])
		} else if err != nil {
			t.Fatalf("it did not start: %s %v", line, err)
		}
	}
	go func() {
		_, _ = io.Copy(s.log, lines)
		s.done <- s.cmd.Wait()
	}()
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	return s
}

// ended waits for the server to exit.
func (s *served) ended(t *testing.T) {
	t.Helper()
	select {
	case err := <-s.done:
		if err != nil {
			t.Errorf("it ended with %v\n%s", err, s.log)
		}
	case <-time.After(patience):
		t.Errorf("it did not end\n%s", s.log)
	}
	if text := s.log.String(); strings.Contains(text, "panic") || strings.Contains(text, "goroutine ") {
		t.Errorf("it panicked:\n%s", text)
	}
}

// loadSkillCall returns a load_skill call in the protocol revision that does not require a
// handshake.
func loadSkillCall(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"load_skill","arguments":{"skillId":"greet"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, id)
}

func serveRequest(ctx context.Context, url, body string) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for key, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "load_skill",
	} {
		r.Header.Set(key, value)
	}
	return r, nil
}

// skillOf requests the skill and returns an error unless the server returns it.
func skillOf(url string, id int) error {
	r, err := serveRequest(context.Background(), url, loadSkillCall(id))
	if err != nil {
		return err
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err == nil && !bytes.Contains(data, []byte("quokka-harbour")) {
		err = fmt.Errorf("%s: %.300s", resp.Status, data)
	}
	return err
}

// TestServeEndsUnderLoad sends SIGTERM while clients send requests. No response may be truncated,
// later clients must be refused, and the process must exit with code 0.
func TestServeEndsUnderLoad(t *testing.T) {
	t.Parallel()
	s := startServed(t)
	if err := skillOf(s.url, 1); err != nil {
		t.Fatal(err)
	}
	var answered atomic.Int64
	var wg sync.WaitGroup
	cut := make(chan error, 64)
	for range 8 {
		wg.Go(func() {
			for {
				// Use a separate connection for each request.
				conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/mcp"))
				if err != nil {
					return
				}
				err = oneRequest(conn, s.url)
				conn.Close()
				if err != nil {
					cut <- err
					return
				}
				answered.Add(1)
			}
		})
	}
	for answered.Load() < 50 {
		time.Sleep(time.Millisecond)
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	s.ended(t)
	close(cut)
	for err := range cut {
		if _, refused := err.(refusal); !refused {
			t.Errorf("a request was lost: %v", err)
		}
	}
}

// oneRequest sends one request over a connection and checks the response.
func oneRequest(conn net.Conn, url string) error {
	_ = conn.SetDeadline(time.Now().Add(patience))
	r, err := serveRequest(context.Background(), url, loadSkillCall(7))
	if err != nil {
		return err
	}
	err = r.Write(conn)
	in := bufio.NewReader(conn)
	if err == nil {
		_, err = in.Peek(1)
	}
	if errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.EOF) {
		// A connection that the server has not accepted yet ends when the
		// listener closes, so the client retries.
		return refusal{err}
	}
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	resp, err := http.ReadResponse(in, r)
	if err != nil {
		return fmt.Errorf("a torn answer: %w", err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return fmt.Errorf("a torn answer: %w", err)
	case resp.StatusCode == http.StatusServiceUnavailable:
		return refusal{fmt.Errorf("%s", resp.Status)}
	case !bytes.Contains(data, []byte("quokka-harbour")):
		return fmt.Errorf("%s: %.300s", resp.Status, data)
	}
	return nil
}

// refusal reports that the server no longer accepts requests, or that a
// connection ended before a response.
type refusal struct{ error }

// TestServeOutlivesItsClients uses clients that disconnect during a request, response or body, send
// invalid JSON, or send too much data. Meanwhile, the server must answer other clients, and
// afterwards it must not retain anything for the failed ones.
func TestServeOutlivesItsClients(t *testing.T) {
	t.Parallel()
	s := startServed(t)
	if err := skillOf(s.url, 1); err != nil {
		t.Fatal(err)
	}
	before := threadsOf(s.cmd.Process.Pid)
	address := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/mcp")
	for i := range 40 {
		ctx, cancel := context.WithCancel(context.Background())
		r, err := serveRequest(ctx, s.url, loadSkillCall(i))
		if err != nil {
			t.Fatal(err)
		}
		go cancel()
		if resp, err := http.DefaultTransport.RoundTrip(r); err == nil {
			resp.Body.Close()
		}
		cancel()
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{\"jsonrpc\":", address)
		conn.Close()
	}
	for _, body := range []string{
		"", "{", "null", "[]", "{}", `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`,
		"\x00\xff\xfe", strings.Repeat("[", 100_000), `{"jsonrpc":"2.0","id":{},"method":7}`, `{"a":"` + strings.Repeat("x", 8<<20) + `"}`,
	} {
		r, err := serveRequest(context.Background(), s.url, body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			// The server may close the connection if a client sends too much.
			if len(body) < 4<<20 {
				t.Errorf("%.40q: %v", body, err)
			}
			continue
		}
		data, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK && !bytes.Contains(data, []byte(`"error"`)) {
			t.Errorf("%.40q is taken: %.200s", body, data)
		}
		if resp.StatusCode >= 500 {
			t.Errorf("%.40q: %s", body, resp.Status)
		}
	}
	if err := skillOf(s.url, 2); err != nil {
		t.Errorf("it does not answer any more: %v", err)
	}
	if after := threadsOf(s.cmd.Process.Pid); after > before+40 {
		t.Errorf("%d threads, %d before", after, before)
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.ended(t)
}

// threadsOf returns a process's thread count, or 0 if the system does not report it.
func threadsOf(pid int) int {
	entries, _ := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	return len(entries)
}

// TestServeStdioFaults starts a server on stdin and ends it in every way that a client can: by
// closing the stream, sending a signal, stopping mid-line, or sending invalid JSON.
func TestServeStdioFaults(t *testing.T) {
	t.Parallel()
	testenv.SkipUnlessSlow(t)
	binary := buildVade(t)
	for _, end := range []string{"close", "signal", "half a line", "no JSON"} {
		t.Run(end, func(t *testing.T) {
			c := serveCommand(t, binary)
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			log := &lockedBuffer{}
			c.Stderr = log
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Process.Kill() })
			if _, err := io.WriteString(in, loadSkillCall(1)+"\n"); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(out)
			line, err := lines.ReadString('\n')
			if err != nil || !strings.Contains(line, "quokka-harbour") || !json.Valid([]byte(line)) {
				t.Fatalf("%q %v\n%s", line, err, log)
			}
			switch end {
			case "signal":
				err = c.Process.Signal(syscall.SIGTERM)
			case "half a line":
				_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":2,"meth`)
			case "no JSON":
				_, err = io.WriteString(in, "\x00{]\n"+loadSkillCall(3)+"\n")
			}
			if err != nil {
				t.Fatal(err)
			}
			if end != "signal" {
				in.Close()
			}
			rest := make(chan []byte, 1)
			go func() {
				data, _ := io.ReadAll(lines)
				rest <- data
			}()
			select {
			case data := <-rest:
				for line := range bytes.Lines(data) {
					if !json.Valid(line) {
						t.Errorf("standard output has %q", line)
					}
				}
			case <-time.After(patience):
				t.Fatalf("it did not end\n%s", log)
			}
			_ = c.Wait()
			if text := log.String(); strings.Contains(text, "panic") {
				t.Errorf("it panicked:\n%s", text)
			}
		})
	}
}
