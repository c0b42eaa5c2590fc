package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// server is a process that serves HTTP.
type server struct {
	cmd    *exec.Cmd
	url    string
	client *http.Client
}

func (c *config) startVade(work, dir string) (*server, error) {
	cmd := exec.Command(c.vade, "serve", "--http", "127.0.0.1:0", "--no-auth", "--log", c.log, "-C", dir)
	home := filepath.Join(work, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return nil, err
	}
	cmd.Env = []string{"HOME=" + home, "VADE_MANAGED_DIR=" + home, "PATH=" + os.Getenv("PATH")}
	return run(cmd, c.workers)
}

func (c *config) startBare(file, prompt string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return run(exec.Command(self, bareCommand, file, prompt), c.workers)
}

// run starts a server, reads the address that the server prints, and waits until the server
// responds to a request.
func run(cmd *exec.Cmd, workers int) (*server, error) {
	out, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd: cmd, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers,
		DisableCompression: true}, Timeout: 5 * time.Minute}}
	lines := bufio.NewReader(out)
	var said strings.Builder
	for s.url == "" {
		line, err := lines.ReadString('\n')
		said.WriteString(line)
		if at := strings.Index(line, "http://"); at >= 0 && strings.Contains(line, "serving") {
			s.url = strings.TrimSpace(line[at:])
		}
		if err != nil && s.url == "" {
			return nil, errors.Join(fmt.Errorf("%s did not start: %s", cmd.Path, said.String()), cmd.Wait())
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	resp, err := s.client.Get(strings.TrimSuffix(s.url, "/mcp") + "/healthz")
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, resp.Body.Close()
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
}

// memory returns the process's resident memory and its peak in MiB, or 0 if the
// operating system does not report them.
func (s *server) memory() (now, peak float64) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/status")
	if err != nil {
		return 0, 0
	}
	size := func(key string) float64 {
		_, rest, _ := strings.Cut(string(data), key+":")
		kb, _ := strconv.Atoi(strings.TrimSpace(strings.Split(rest, "kB")[0]))
		return float64(kb) / 1024
	}
	return size("VmRSS"), size("VmHWM")
}

// request is a JSON-RPC request. The method and the name are also sent as HTTP headers.
type request struct{ method, name, body string }

// revision is the protocol version to use.
const revision = "2026-07-28"

func call(method, name string, params map[string]any) request {
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion":    revision,
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "bench", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	return request{method, name, string(body)}
}

func callTool(skill string) request {
	return call("tools/call", "load_skill", map[string]any{"name": "load_skill", "arguments": map[string]any{"skillId": skill}})
}

func getPrompt(name string) request { return call("prompts/get", name, map[string]any{"name": name}) }

// post sends a request and reads the response into a buffer. It returns an error if the response is
// an error response.
func (s *server) post(r request, into *bytes.Buffer) error {
	req, err := http.NewRequest(http.MethodPost, s.url, strings.NewReader(r.body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("MCP-Protocol-Version", revision)
	req.Header.Set("Mcp-Method", r.method)
	if r.name != "" {
		req.Header.Set("Mcp-Name", r.name)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	into.Reset()
	if _, err := into.ReadFrom(resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || bytes.Contains(into.Bytes(), []byte(`"error":{`)) || bytes.Contains(into.Bytes(), []byte(`"isError":true`)) {
		return fmt.Errorf("%s: %s: %.300s", r.method, resp.Status, into.String())
	}
	return nil
}

// call sends a request and returns the first text in the response.
func (s *server) call(r request) (string, error) {
	var buf bytes.Buffer
	if err := s.post(r, &buf); err != nil {
		return "", err
	}
	var answer struct {
		Result struct {
			Content  []struct{ Text string }
			Messages []struct{ Content struct{ Text string } }
		}
	}
	if err := json.Unmarshal(buf.Bytes(), &answer); err != nil {
		return "", err
	}
	switch {
	case len(answer.Result.Content) > 0:
		return answer.Result.Content[0].Text, nil
	case len(answer.Result.Messages) > 0:
		return answer.Result.Messages[0].Content.Text, nil
	}
	return "", fmt.Errorf("%s: response without text: %.300s", r.method, buf.String())
}

// pages requests all pages of skills/list, one after another. It returns the response times of the
// first and the last page, the number of pages, and the number of skills.
func (s *server) pages() (first, last time.Duration, pages, skills int, err error) {
	cursor := ""
	var buf bytes.Buffer
	for {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		began := time.Now()
		if err := s.post(call("skills/list", "", params), &buf); err != nil {
			return 0, 0, 0, 0, err
		}
		last = time.Since(began)
		if pages++; pages == 1 {
			first = last
		}
		var answer struct {
			Result struct {
				Skills     []struct{ URI string }
				NextCursor string
			}
		}
		if err := json.Unmarshal(buf.Bytes(), &answer); err != nil {
			return 0, 0, 0, 0, err
		}
		skills += len(answer.Result.Skills)
		if cursor = answer.Result.NextCursor; cursor == "" {
			return first, last, pages, skills, nil
		}
	}
}
