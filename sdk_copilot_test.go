package vade_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/testenv"
)

// TestCopilotSDK runs sessions of the real Copilot SDK against a stub model service, with exported
// definitions and with definitions from the client at run time, and checks what the SDK sends.
func TestCopilotSDK(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	dir := unified(t)
	modules := sdkModules(t, "@github/copilot-sdk@1.0.14")
	addClient(t, modules)
	x, err := export.To(t.Context(), openUnified(t, dir), export.Request{Host: "copilot-sdk"})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "sdk")
	for _, f := range x.Files {
		writeText(t, filepath.Join(out, f.Path), string(f.Data))
	}
	if err := os.CopyFS(out, os.DirFS(filepath.Join("testdata", "sdk", "copilot"))); err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(out, "package.json"), `{"type": "module"}`)
	if err := os.Symlink(modules, filepath.Join(out, "node_modules")); err != nil {
		t.Fatal(err)
	}
	runIn(t, out, nil, "node", filepath.Join(modules, "typescript", "bin", "tsc"), "-p", ".")
	vade := builtVade(t)
	for _, program := range []string{"exported.js", "client.js"} {
		for _, agent := range []string{"", "architect"} {
			t.Run(program+agent, func(t *testing.T) {
				service := &chatService{}
				server := httptest.NewServer(service)
				defer server.Close()
				home := t.TempDir()
				env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "VADE_BINARY=" + vade}
				args := []string{filepath.Join(out, program), server.URL, home}
				if agent != "" {
					args = append(args, agent)
				}
				if printed := runIn(t, dir, env, "node", args...); printed != "Done.\nDone.\n" {
					t.Errorf("it printed %q", printed)
				}
				service.check(t, agent)
			})
		}
	}
}

// addClient adds a copy of the TypeScript client to a node_modules directory.
func addClient(t *testing.T, modules string) {
	t.Helper()
	dir := filepath.Join(modules, "@vadehq", "vade")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("clients", "typescript"))); err != nil {
		t.Fatal(err)
	}
}

// chatService imitates a model that loads a skill and stops.
type chatService struct {
	mu       sync.Mutex
	requests []chatRequest
}

type chatRequest struct {
	Messages []struct {
		Role    string
		Content json.RawMessage
	}
	Tools []struct{ Function struct{ Name string } }
}

func (s *chatService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var request chatRequest
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") || json.Unmarshal(body, &request) != nil {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, request)
	first := len(s.requests) == 1
	s.mu.Unlock()
	message, reason := `{"role":"assistant","content":"Done."}`, "stop"
	if first {
		message, reason = `{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"loadSkill","arguments":"{\"skillId\": \"migrations\"}"}}]}`, "tool_calls"
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"id":"c","object":"chat.completion","created":1,"model":"gpt-4.1","choices":[{"index":0,"message":%s,"finish_reason":%q}]}`, message, reason)
}

// check looks for the definitions in the last request of a session. If agent is
// not "", the session runs as that agent.
func (s *chatService) check(t *testing.T, agent string) {
	t.Helper()
	if len(s.requests) != 3 {
		t.Fatalf("%d requests, want 3", len(s.requests))
	}
	r := s.requests[2]
	var system, all strings.Builder
	for _, m := range r.Messages {
		var text string
		if json.Unmarshal(m.Content, &text) != nil {
			text = string(m.Content)
		}
		all.WriteString(text)
		if m.Role == "system" {
			system.WriteString(text)
		}
	}
	var tools []string
	for _, x := range r.Tools {
		tools = append(tools, x.Function.Name)
	}
	has := func(what, text string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if n := strings.Count(text, want); n == 0 {
				t.Errorf("%s does not contain %q", what, want)
			}
		}
	}
	has("the system message", system.String(), "What the program says itself.", "## Available Skills", "Speak of parcels, not of packages.")
	if n := strings.Count(system.String(), "Speak of parcels, not of packages."); n != 1 {
		t.Errorf("the instructions are sent %d times", n)
	}
	has("the session", all.String(), "references/steps.md")
	wanted := []string{"loadSkill", "view", "grep"}
	if agent == "" {
		has("the system message", system.String(), "only for files that match **/*.go", "| migrations | How a table is changed while the service runs |")
		has("the session", all.String(), "**Carriers**: a carrier that does not answer must not stop the others.", "The pull request: 7")
		wanted = append(wanted, "orchestration-assign", "bash", "task")
	} else {
		has("the system message", system.String(), agentText, "## Skill: design-patterns", "Write plans to `plans/NAME.md`")
		has("the session", all.String(), "/review-pr 7", "is not for the agent 'architect'")
		if slices.Contains(tools, "bash") || slices.Contains(tools, "edit") {
			t.Errorf("the agent has the tools %q", tools)
		}
	}
	for _, tool := range wanted {
		if !slices.Contains(tools, tool) {
			t.Errorf("the session has no tool %s: %q", tool, tools)
		}
	}
}
