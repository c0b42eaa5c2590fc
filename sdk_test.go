package vade_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/testenv"
)

// The packages and versions that the test uses.
const (
	sdkPackage = "@anthropic-ai/claude-agent-sdk@0.3.329"
	sdkTime    = 8 * time.Minute
)

// TestAgentSDK exports the fixture, type-checks the module against the real SDK, runs a session
// against a stub model service, and checks that the SDK sends the definitions. If VADE_TEST_SDK
// names a directory with node_modules, it is used instead of installing the packages.
func TestAgentSDK(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	dir := unified(t)
	modules := sdkModules(t, sdkPackage)
	addClient(t, modules)
	service := &modelService{}
	server := httptest.NewServer(service)
	defer server.Close()
	// This process serves the fixture's URLs.
	file := filepath.Join(dir, ".vscode", "mcp.json")
	servers := strings.ReplaceAll(readText(t, file), "https://tracker.example", server.URL)
	writeText(t, file, servers)

	// The SDK could also read these files itself. They must appear only once and must not run
	// anything.
	writeText(t, filepath.Join(dir, "CLAUDE.md"), "Stamps are paid in advance.")
	writeText(t, filepath.Join(dir, ".claude", "settings.json"), `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch hooked"}]}]}}`)

	// Add a project plugin, a plugin with a hook, and a file that a command mentions.
	writeText(t, filepath.Join(dir, ".claude-plugin", "marketplace.json"), `{"name": "kits", "owner": {"name": "o"}, "plugins": [
		{"name": "kit", "source": "./plugins/kit"}, {"name": "hooked", "source": "./plugins/hooked"}]}`)
	writeText(t, filepath.Join(dir, "plugins", "kit", ".claude-plugin", "plugin.json"), `{"name": "kit"}`)
	writeText(t, filepath.Join(dir, "plugins", "kit", "skills", "label", "SKILL.md"), "---\nname: label\ndescription: How a label is printed\n---\nIn black.\n")
	writeText(t, filepath.Join(dir, "plugins", "kit", ".mcp.json"), `{"mcpServers": {"started": {"command": "touch", "args": ["started"]}}}`)
	writeText(t, filepath.Join(dir, "plugins", "hooked", ".claude-plugin", "plugin.json"), `{"name": "hooked", "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch hooked"}]}]}}`)
	writeText(t, filepath.Join(dir, "plugins", "hooked", "skills", "seal", "SKILL.md"), "---\nname: seal\ndescription: How a letter is sealed\n---\nIn red.\n")
	review := filepath.Join(dir, ".github", "commands", "review-pr.command.md")
	writeText(t, review, readText(t, review)+"\nThe rates stand in @docs/rates.md\n")
	writeText(t, filepath.Join(dir, "docs", "rates.md"), "A stamp costs seven.\n")

	c := openUnified(t, dir)
	x, err := export.To(t.Context(), c, export.Request{Host: "claude-sdk"})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "sdk")
	for _, f := range x.Files {
		writeText(t, filepath.Join(out, filepath.FromSlash(f.Path)), string(f.Data))
	}
	for _, name := range []string{"run.ts", "client.ts", "tsconfig.json"} {
		writeText(t, filepath.Join(out, name), readText(t, filepath.Join("testdata", "sdk", name)))
	}
	writeText(t, filepath.Join(out, "package.json"), `{"type": "module"}`)
	if err := os.Symlink(modules, filepath.Join(out, "node_modules")); err != nil {
		t.Fatal(err)
	}
	tsc := filepath.Join(modules, "typescript", "bin", "tsc")
	runIn(t, out, nil, "node", tsc, "-p", ".", "--noEmit")
	runIn(t, out, nil, "node", tsc, "-p", ".")

	home := t.TempDir()
	env := []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "ANTHROPIC_BASE_URL=" + server.URL, "ANTHROPIC_API_KEY=sk-ant-none",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1",
		"CLAUDE_CONFIG_DIR=" + filepath.Join(home, ".claude"), "TMPDIR=" + t.TempDir(), "TRACKER_TOKEN=from-the-environment",
	}
	printed := runIn(t, dir, env, "node", filepath.Join(out, "run.js"))
	checkProgram(t, printed)
	sent := service.check(t,
		`Example: mcp__vade__loadSkill({ skillId: "design-patterns" })`,
		"Base directory for this skill: .github/skills/migrations", "Follow `.github/skills/migrations/references/steps.md`",
		"Skill 'nothing' not found. Available skills: design-patterns, migrations, rest-api-design, security",
		// The SDK inserts the mentioned file and lists the plugin's skill.
		"A stamp costs seven.", "kit:label: How a label is printed",
	)
	if strings.Contains(sent, "How a letter is sealed") {
		t.Error("a plugin with hooks is loaded")
	}
	service.requests, service.tracker = nil, nil
	runIn(t, dir, append(env, "VADE_BINARY="+builtVade(t)), "node", filepath.Join(out, "client.js"))
	service.check(t)
	for _, name := range []string{"hooked", "started"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("something of the project has run: %s", name)
		}
	}
}

// checkProgram checks what the module prints.
func checkProgram(t *testing.T, printed string) {
	t.Helper()
	first, rest, _ := strings.Cut(printed, "\n")
	var said struct {
		AllowedTools                  []string
		Plugins                       []export.SDKPlugin
		Looks                         []float64
		Architecture                  bool
		Summary, Refused, Let, Blanks string
		AsAgent, AsOwn                export.SDKSystemPrompt
	}
	if err := json.Unmarshal([]byte(first), &said); err != nil {
		t.Fatalf("%v in %q", err, first)
	}
	if want := []string{"mcp__vade__loadSkill", "Read"}; !slices.Equal(said.AllowedTools, want) {
		t.Errorf("allowed tools %q", said.AllowedTools)
	}
	if want := []export.SDKPlugin{{Type: "local", Path: "./plugins/kit", SkipMCPDiscovery: true}}; !slices.Equal(said.Plugins, want) {
		t.Errorf("plugins %v", said.Plugins)
	}
	t.Logf("looks at each character of a long line: %v", said.Looks)
	// Each character in a long line is examined only a few times, regardless of the line's length.
	if len(said.Looks) != 2 || said.Looks[0] < 1 || said.Looks[1] > 10 || said.Looks[1] > said.Looks[0]+1 {
		t.Errorf("looks at each character: %v", said.Looks)
	}
	if !strings.Contains(said.Blanks, "Read the thread x to its end.") || !strings.HasSuffix(strings.TrimSpace(said.Blanks), "Thread: x") {
		t.Errorf("with many blanks the command became %d bytes", len(said.Blanks))
	}
	// An exported agent's prompt already contains the skills and instructions.
	if said.AsAgent.Append != "" || !strings.Contains(said.AsOwn.Append, "## Available Skills") {
		t.Errorf("appended to an agent's prompt: %q, to another agent's: %q", said.AsAgent.Append, said.AsOwn.Append)
	}
	if !said.Architecture {
		t.Error("the architect has lost its access to the architecture")
	}
	if want := "Read the thread a b to its end."; !strings.Contains(said.Summary, want) || !strings.Contains(said.Summary, `Thread: "a b" c`) {
		t.Errorf("the command became %q", said.Summary)
	}
	if want := "The command 'review-pr' is not for the agent 'architect'; it is for: reviewer, agent"; said.Refused != want {
		t.Errorf("the architect got %q", said.Refused)
	}
	if !strings.Contains(said.Let, "The pull request: 7") {
		t.Errorf("the reviewer got %q", said.Let)
	}
	if !strings.Contains(rest, `"result":"All done."`) {
		t.Errorf("the session ended with %q", rest)
	}
}

// modelService imitates a model that loads two skills, starts an agent and stops.
type modelService struct {
	mu       sync.Mutex
	requests []modelRequest
	tracker  []http.Header
}

type modelRequest struct {
	System   json.RawMessage
	Messages []struct {
		Role    string
		Content json.RawMessage
	}
	Tools []struct{ Name, Description string }
	text  string
}

// agentText identifies the started agent's requests.
const agentText = "You are the architect of the parcel service."

func (s *modelService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if strings.HasPrefix(r.URL.Path, "/mcp") {
		s.mu.Lock()
		s.tracker = append(s.tracker, r.Header)
		s.mu.Unlock()
		http.NotFound(w, r)
		return
	}
	if !strings.HasSuffix(r.URL.Path, "/v1/messages") {
		http.NotFound(w, r)
		return
	}
	var m modelRequest
	if err := json.Unmarshal(body, &m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.text = string(body)
	s.mu.Lock()
	s.requests = append(s.requests, m)
	id := len(s.requests)
	s.mu.Unlock()
	answers := 0
	for _, x := range m.Messages {
		if x.Role == "assistant" {
			answers++
		}
	}
	calls := []string{
		call("mcp__vade__loadSkill", `{"skillId": "migrations"}`), call("mcp__vade__loadSkill", `{"skillId": "nothing"}`),
		call("Agent", `{"description": "plan", "prompt": "Plan it.", "subagent_type": "architect"}`),
	}
	switch {
	case strings.Contains(string(m.System), agentText):
		stream(w, id, `{"type":"text","text":""}`, `{"type":"text_delta","text":"The plan."}`, "end_turn")
	case answers < len(calls) && len(m.Tools) > 0:
		block, delta, _ := strings.Cut(calls[answers], "\n")
		stream(w, id, block, delta, "tool_use")
	default:
		stream(w, id, `{"type":"text","text":""}`, `{"type":"text_delta","text":"All done."}`, "end_turn")
	}
}

func call(name, input string) string {
	text, _ := json.Marshal(input)
	return fmt.Sprintf(`{"type":"tool_use","id":"toolu_%s_%d","name":%q,"input":{}}`, strings.ToLower(name), len(input), name) +
		"\n" + fmt.Sprintf(`{"type":"input_json_delta","partial_json":%s}`, text)
}

// stream writes an answer with one content block.
func stream(w http.ResponseWriter, id int, block, delta, stop string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range []struct{ name, data string }{
		{"message_start", `{"type":"message_start","message":{"id":"msg_` + strconv.Itoa(id) + `","type":"message","role":"assistant","model":"claude-sonnet-5","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}`},
		{"content_block_start", `{"type":"content_block_start","index":0,"content_block":` + block + `}`},
		{"content_block_delta", `{"type":"content_block_delta","index":0,"delta":` + delta + `}`},
		{"content_block_stop", `{"type":"content_block_stop","index":0}`},
		{"message_delta", `{"type":"message_delta","delta":{"stop_reason":"` + stop + `"},"usage":{"output_tokens":2}}`},
		{"message_stop", `{"type":"message_stop"}`},
	} {
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.name, e.data)
	}
}

// check looks for the definitions in the SDK's requests, and for the other strings in the session's
// last request. It returns the last request.
func (s *modelService) check(t *testing.T, others ...string) string {
	t.Helper()
	var session, agent *modelRequest
	for i := range s.requests {
		r := &s.requests[i]
		switch {
		case strings.Contains(string(r.System), agentText):
			agent = r
		case len(r.Tools) > 0:
			session = r
		}
	}
	if session == nil || agent == nil {
		t.Fatalf("of %d requests none is the session's, or none is the agent's", len(s.requests))
	}
	t.Logf("%d requests; the session's last has %d bytes, the agent's %d", len(s.requests), len(session.text), len(agent.text))
	has := func(what, text string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			quoted, _ := json.Marshal(want)
			plain, _ := jsonc.Marshal(want, "")
			bare := strings.Trim(string(plain), `"`)
			if !strings.Contains(text, bare) && !strings.Contains(text, strings.Trim(string(quoted), `"`)) {
				t.Errorf("%s has not %q", what, want)
			}
		}
	}
	has("the session", session.text,
		"architect: Designs changes to the parcel service, file by file", "reviewer: Reviews changes of others", "own: An agent of the program",
		"What the program says itself.\n\n## Available Skills", "| migrations | How a table is changed while the service runs |",
		`<custom-instructions source="repo">`, "Speak of parcels, not of packages.", "&lt;/custom-instructions>",
		// The results for the loaded skill and the missing skill.
		"Skill 'nothing' not found. Available skills: ",
		// The prompt: the command's text.
		"**Carriers**: a carrier that does not answer must not stop the others.", "The pull request: 7",
		// The agent's answer.
		"The plan.",
		// The SDK lists the servers' tools by name and loads them on request.
		"mcp__orchestration__assign",
	)
	has("the session", session.text, others...)
	has("the agent", agent.text,
		"## Skill: design-patterns\n\n## Ports", "## Skill: rest-api-design", `<custom-instructions source="repo" agent="architect">`,
		"Write plans to `plans/NAME.md`", "| security | What may go wrong",
	)
	if n := strings.Count(session.text, "Stamps are paid in advance."); n != 1 {
		t.Errorf("CLAUDE.md comes %d times", n)
	}
	var tools, agentTools []string
	for _, x := range session.Tools {
		tools = append(tools, x.Name)
	}
	for _, x := range agent.Tools {
		agentTools = append(agentTools, x.Name)
	}
	for _, want := range []string{"mcp__vade__loadSkill", "Agent"} {
		if !slices.Contains(tools, want) {
			t.Errorf("the session has no %s: %q", want, tools)
		}
	}
	slices.Sort(agentTools)
	if !slices.Contains(agentTools, "mcp__vade__loadSkill") || !slices.Contains(agentTools, "Read") || slices.Contains(agentTools, "Bash") || slices.Contains(agentTools, "Write") {
		t.Errorf("the agent's tools: %q", agentTools)
	}
	if len(s.tracker) == 0 || s.tracker[0].Get("Authorization") != "Bearer from-the-environment" {
		t.Errorf("the tracker was asked with %v", s.tracker)
	}
	return session.text
}

// sdkModules installs an SDK and returns its node_modules directory.
func sdkModules(t *testing.T, sdk string) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s here", program)
		}
	}
	if dir := os.Getenv("VADE_TEST_SDK"); dir != "" {
		return filepath.Join(dir, "node_modules")
	}
	dir := t.TempDir()
	writeText(t, filepath.Join(dir, "package.json"), `{"private": true}`)
	ctx, cancel := context.WithTimeout(t.Context(), sdkTime)
	defer cancel()
	begin := time.Now()
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", sdk, "typescript", "@types/node@20")
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("the SDK cannot be installed here: %v\n%s", err, text)
	}
	t.Logf("installed for %s/%s in %s", runtime.GOOS, runtime.GOARCH, time.Since(begin).Round(time.Second))
	return filepath.Join(dir, "node_modules")
}

// runIn runs a program and returns what it writes to stdout.
func runIn(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), sdkTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %v: %v\n%s\n%s", name, args, err, out.String(), problems.String())
	}
	return out.String()
}

// TestModulePatternsAreLinear checks that the modules' regular expressions match only single
// characters, which ensures that they are fast for any input.
func TestModulePatternsAreLinear(t *testing.T) {
	for _, file := range []string{"export/vade-definitions.ts", "host/agentsdk/vade-options.ts", "host/copilotcli/vade-options.ts"} {
		module := readText(t, filepath.Join("internal", filepath.FromSlash(file)))
		patterns := 0
		for _, line := range strings.Split(module, "\n") {
			if at := strings.Index(line, "//"); at >= 0 && strings.TrimSpace(line[:at]) == "" {
				continue
			}
			for _, call := range []string{"replace(/", "search(/", "split(/", "match(/", "matchAll(/", "replaceAll(/", "= /", "(/"} {
				_, rest, ok := strings.Cut(line, call)
				if !ok {
					continue
				}
				patterns++
				pattern, _, _ := strings.Cut(strings.ReplaceAll(rest, `\/`, "|"), "/")
				if strings.ContainsAny(pattern, "*+{?") {
					t.Errorf("it has the pattern %q", pattern)
				}
			}
		}
		if patterns == 0 && strings.Contains(file, "definitions") || strings.Contains(module, "new RegExp") {
			t.Errorf("%s: %d patterns are found: the test is broken", file, patterns)
		}
	}
}
