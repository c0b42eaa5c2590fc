//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vadehq/vade/internal/testenv"
)

// clientPackage is the client under test. Gemini CLI is pure JavaScript (96 MB) and supports both
// prompts and tools.
const clientPackage = "@google/gemini-cli@0.61.0"

// installClient installs the client from npm.
func installClient(t *testing.T) (node, script string) {
	t.Helper()
	dir := installNPM(t, "node_modules/@google/gemini-cli/bundle/gemini.js", clientPackage)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	return node, filepath.Join(dir, "node_modules/@google/gemini-cli/bundle/gemini.js")
}

// installNPM installs packages from npm and returns the directory. If VADE_NPM names a directory in
// which the packages are already installed, it returns that one. entry is a file in the first
// package.
func installNPM(t *testing.T, entry string, packages ...string) (dir string) {
	t.Helper()
	testenv.SkipUnlessSlow(t)
	if dir := os.Getenv("VADE_NPM"); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, entry)); err != nil {
			t.Skipf("%s has no %s", dir, packages[0])
		}
		return dir
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("there is no npm")
	}
	dir = t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	args := append([]string{"install", "--prefix", dir, "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"}, packages...)
	if out, err := exec.CommandContext(ctx, npm, args...).CombinedOutput(); err != nil {
		t.Skipf("npm cannot install %s here: %v\n%s", packages[0], err, out)
	}
	return dir
}

// built returns the path of the vade binary. It builds the binary the way that users get it, once
// for all tests. builtDir is the directory that contains the binary, or "" if no test has needed it
// yet.
var (
	builtDir string
	built    = sync.OnceValues(func() (file string, err error) {
		if builtDir, err = os.MkdirTemp("", "vade-built-"); err != nil {
			return "", err
		}
		file = filepath.Join(builtDir, "vade")
		c := exec.Command("go", "build", "-o", file, ".")
		c.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := c.CombinedOutput(); err != nil {
			return file, fmt.Errorf("%w\n%s", err, out)
		}
		return file, nil
	})
)

// buildVade returns the path of a vade binary built the way users get it.
func buildVade(t *testing.T) string {
	t.Helper()
	file, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// model stubs the model service that the client calls. It calls one tool once
// and then ends its turn.
type model struct {
	tool string
	args map[string]any

	mu   sync.Mutex
	sent []modelRequest
}

type modelRequest struct {
	Contents []struct {
		Role  string
		Parts []struct {
			Text             string
			FunctionResponse *struct {
				Name     string
				Response json.RawMessage
			}
		}
	}
	Tools []struct {
		FunctionDeclarations []struct{ Name, Description string }
	}
}

func (r *modelRequest) tools() []string {
	var names []string
	for _, t := range r.Tools {
		for _, f := range t.FunctionDeclarations {
			names = append(names, f.Name)
		}
	}
	return names
}

// answers returns the tool results in the request.
func (r *modelRequest) answers() []string {
	var list []string
	for _, c := range r.Contents {
		for _, p := range c.Parts {
			if p.FunctionResponse != nil {
				list = append(list, string(p.FunctionResponse.Response))
			}
		}
	}
	return list
}

func (r *modelRequest) text() string {
	var b strings.Builder
	for _, c := range r.Contents {
		for _, p := range c.Parts {
			b.WriteString(p.Text + "\n")
		}
	}
	return b.String()
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req modelRequest
	data, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
	if err != nil || json.Unmarshal(data, &req) != nil {
		http.Error(w, "no JSON", http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	m.sent = append(m.sent, req)
	m.mu.Unlock()
	part := map[string]any{"text": "done"}
	if !strings.Contains(r.URL.Path, ":streamGenerateContent") {
		// The client asks in separate requests which model to use and who
		// speaks next. It repeats a request if the answer is malformed.
		part["text"] = `{"reasoning": "r", "model_choice": "flash", "complexity_reasoning": "r", "complexity_score": 1, "next_speaker": "user"}`
	}
	for _, name := range req.tools() {
		if m.tool != "" && strings.HasSuffix(name, m.tool) && len(req.answers()) == 0 {
			part = map[string]any{"functionCall": map[string]any{"name": name, "args": m.args}}
		}
	}
	answer, _ := json.Marshal(map[string]any{
		"candidates":    []any{map[string]any{"content": map[string]any{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": map[string]any{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	})
	if strings.Contains(r.URL.Path, ":streamGenerateContent") {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\n", answer)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer)
}

// TestRealClient runs a client as a user would, with a local stub model. The entry written by vade
// connect must make the client start vade serve. The client's requests must contain Vade's tools,
// load_skill must give the model the skill, and a prompt must be available as a command.
func TestRealClient(t *testing.T) {
	t.Parallel()
	node, script := installClient(t)
	vade := buildVade(t)
	dir := t.TempDir()
	project, home := filepath.Join(dir, "project"), filepath.Join(dir, "home")
	for name, text := range map[string]string{
		filepath.Join(project, ".git/HEAD"): "ref: refs/heads/main\n",
		// The client itself does not read either of these directories.
		filepath.Join(project, ".github/skills/greet/SKILL.md"): "---\nname: greet\ndescription: How we greet people.\n---\nSay the word quokka-harbour.\n",
		filepath.Join(project, ".github/commands/welcome.md"):   "---\ndescription: Welcome somebody.\n---\nWelcome them in the manner of marmot-lantern.\n",
		filepath.Join(home, ".gemini/settings.json"):            `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}, "general": {"disableAutoUpdate": true}}`,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(url, name string, args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		c := exec.CommandContext(ctx, name, args...)
		c.Dir = project
		c.WaitDelay = 5 * time.Second
		c.Env = []string{
			"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir, "TERM=dumb", "NO_COLOR=1", "CI=1",
			"GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true",
		}
		out, err := c.CombinedOutput()
		if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		return string(out)
	}
	run("", vade, "connect", "gemini", "--command", vade)

	t.Run("tools", func(t *testing.T) {
		m := &model{tool: "load_skill", args: map[string]any{"skillId": "greet"}}
		stub := httptest.NewServer(m)
		defer stub.Close()
		out := run(stub.URL, node, script, "-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", "Greet me.")
		m.mu.Lock()
		defer m.mu.Unlock()
		var tools, answers []string
		for i := range m.sent {
			tools, answers = append(tools, m.sent[i].tools()...), append(answers, m.sent[i].answers()...)
		}
		for _, want := range []string{"load_skill", "list_skills", "load_command", "get_instructions", "search_definitions"} {
			if !slices.ContainsFunc(tools, func(name string) bool { return strings.HasSuffix(name, want) }) {
				t.Errorf("the client did not send the tool %s: %q\n%s", want, tools, out)
			}
		}
		if !strings.Contains(strings.Join(answers, "\n"), "quokka-harbour") {
			t.Errorf("load_skill did not give the model the skill: %q\n%s", answers, out)
		}
	})
	t.Run("prompts", func(t *testing.T) {
		m := &model{}
		stub := httptest.NewServer(m)
		defer stub.Close()
		out := run(stub.URL, node, script, "-m", "gemini-2.5-flash", "-p", "/welcome")
		m.mu.Lock()
		defer m.mu.Unlock()
		if !slices.ContainsFunc(m.sent, func(r modelRequest) bool { return strings.Contains(r.text(), "marmot-lantern") }) {
			var texts []string
			for i := range m.sent {
				texts = append(texts, m.sent[i].text())
			}
			t.Errorf("the prompt is in nothing that the client sent: %q\n%s", texts, out)
		}
	})
}
