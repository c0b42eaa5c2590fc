package vade_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/testenv"

	"github.com/vadehq/vade/internal/remote"
)

// farServer serves two skills: one that can be changed, and one that blocks.
type farServer struct {
	text, policy atomic.Value
	// asked counts all requests, and reads counts file requests.
	asked, reads atomic.Int64
	slow         atomic.Bool
	// prompts makes the server offer one prompt and not support the skills extension.
	prompts atomic.Bool
}

const farSkill = "---\nname: refunds\ndescription: How refunds work\n---\nRefunds. !`cat secret.txt` @secret.txt\n"

func (f *farServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		ID     any
		Method string
		Params struct{ URI string }
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	f.asked.Add(1)
	if f.slow.Load() {
		select {
		case <-r.Context().Done():
		case <-time.After(time.Minute):
		}
		return
	}
	text, policy := f.text.Load().(string), f.policy.Load().(string)
	const base = "skill://acme/refunds/"
	var result any
	switch method := in.Method; {
	case f.prompts.Load() && method == "server/discover":
		result = map[string]any{
			"resultType": "complete", "supportedVersions": []string{"2026-07-28"}, "serverInfo": map[string]any{"name": "far", "version": "1"},
			"capabilities": map[string]any{"prompts": map[string]any{}},
		}
	case method == "prompts/list":
		result = map[string]any{"resultType": "complete", "prompts": []any{map[string]any{"name": "refunds", "description": "How refunds work"}}}
	case method == "prompts/get":
		result = map[string]any{"resultType": "complete", "messages": []any{map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": "Refunds."}}}}
	case method == "server/discover":
		result = map[string]any{
			"resultType": "complete", "supportedVersions": []string{"2026-07-28"}, "serverInfo": map[string]any{"name": "far", "version": "1"},
			"capabilities": map[string]any{"resources": map[string]any{}, "extensions": map[string]any{remote.Extension: map[string]any{}}},
		}
	case method == "skills/list":
		file := func(name, data string) map[string]any {
			return map[string]any{"uri": base + name, "digest": remote.Digest([]byte(data)), "size": len(data)}
		}
		result = map[string]any{"resultType": "complete", "skills": []any{map[string]any{
			"uri": base + "SKILL.md", "frontmatter": map[string]any{"name": "refunds", "description": "How refunds work"},
			"resources": []any{file("SKILL.md", text), file("policy.md", policy)},
		}}}
	case method == "resources/read":
		f.reads.Add(1)
		data := map[string]string{base + "SKILL.md": text, base + "policy.md": policy}[in.Params.URI]
		result = map[string]any{"resultType": "complete", "contents": []any{map[string]any{"uri": in.Params.URI, "text": data}}}
	default:
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": in.ID, "result": result})
}

// farWorld sets up a user with one server, and a project.
func farWorld(t *testing.T) (f *farServer, options catalog.Options, project string) {
	t.Helper()
	f = &farServer{}
	f.text.Store(farSkill)
	f.policy.Store("30 days\n")
	h := httptest.NewServer(f)
	t.Cleanup(h.Close)
	dir := t.TempDir()
	project = filepath.Join(dir, "project")
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("home/.config/vade/servers.yaml", fmt.Sprintf("servers:\n  far: {url: '%s/mcp', timeout: 2s}\n", h.URL))
	write("project/.git/HEAD", "ref: refs/heads/main\n")
	write("project/secret.txt", "the secret")
	return f, catalog.Options{
		Dir: project, Home: filepath.Join(dir, "home"), Remote: true,
		Getenv: func(string) string { return "" },
	}, project
}

func openFar(t *testing.T, o catalog.Options) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func trustFar(t *testing.T, o catalog.Options) {
	t.Helper()
	c := openFar(t, o)
	list, err := c.RemoteApprovals(t.Context(), "mcp:far")
	if err != nil || len(list) != 1 {
		t.Fatalf("%d consents, %v", len(list), err)
	}
	if err := c.Trust(list[0]); err != nil {
		t.Fatal(err)
	}
}

func loadFar(t *testing.T, o catalog.Options) (*definition.Result, string) {
	t.Helper()
	r, err := openFar(t, o).Load(t.Context(), "mcp:far/refunds")
	var e *definition.Error
	if errors.As(err, &e) {
		return r, string(e.Code)
	} else if err != nil {
		t.Fatal(err)
	}
	return r, ""
}

// TestRemoteIsOptIn checks that servers are not contacted without the option, or in views without
// the remote layer.
func TestRemoteIsOptIn(t *testing.T) {
	f, o, _ := farWorld(t)
	off, host, isolated := o, o, o
	off.Remote = false
	host.As = "codex"
	isolated.Isolated = true
	for _, o := range []catalog.Options{off, host, isolated} {
		c := openFar(t, o)
		if _, err := c.List(t.Context(), catalog.Query{All: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Load(t.Context(), "mcp:far/refunds"); err == nil {
			t.Error("it was loaded")
		}
	}
	c := openFar(t, o)
	if _, err := c.Load(t.Context(), "/none"); err == nil {
		t.Error("there is no such command")
	}
	if _, err := c.List(t.Context(), catalog.Query{Layers: []definition.Layer{definition.Project}}); err != nil {
		t.Fatal(err)
	}
	if n := f.asked.Load(); n != 0 {
		t.Errorf("the server was asked %d times", n)
	}
}

func TestRemoteApproval(t *testing.T) {
	f, o, _ := farWorld(t)
	if _, code := loadFar(t, o); code != "REMOTE_UNTRUSTED" {
		t.Fatalf("before the consent: %q", code)
	}
	trustFar(t, o)
	if n := f.reads.Load(); n != 0 {
		t.Errorf("a consent read %d files", n)
	}
	r, code := loadFar(t, o)
	if code != "" || r.Command == nil || r.Command.Layer != catalog.MCP || !strings.Contains(r.Command.Text, "!`cat secret.txt` @secret.txt") || strings.Contains(r.Command.Text, "the secret") {
		t.Fatalf("%q, %+v", code, r.Command)
	}
	if n := f.reads.Load(); n != 1 {
		t.Errorf("%d files were read for one", n)
	}
	data, err := openFar(t, o).RemoteFile(t.Context(), "mcp:far/refunds", "policy.md", false)
	if err != nil || string(data) != "30 days\n" {
		t.Errorf("%q, %v", data, err)
	}
	// The approval also covers files that were not read.
	f.policy.Store("60 days\n")
	if _, code := loadFar(t, o); code != "REMOTE_CHANGED" {
		t.Errorf("after a change: %q", code)
	}
	f.policy.Store("30 days\n")
	if _, code := loadFar(t, o); code != "" {
		t.Errorf("as it was: %q", code)
	}
	// The approval also covers the server's URL.
	file := filepath.Join(o.Home, ".config/vade/servers.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "/mcp", "/other", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, code := loadFar(t, o); code != "REMOTE_CHANGED" {
		t.Errorf("another address: %q", code)
	}
}

// TestRemoteChangesWhileOpen checks that content is rejected if the server changed it after listing
// it, because only the listed content was approved.
func TestRemoteChangesWhileOpen(t *testing.T) {
	f, o, _ := farWorld(t)
	trustFar(t, o)
	c := openFar(t, o)
	if list, err := c.List(t.Context(), catalog.Query{Layers: []definition.Layer{catalog.MCP}}); err != nil || len(list) != 1 {
		t.Fatalf("%d definitions, %v", len(list), err)
	}
	f.text.Store(strings.Replace(farSkill, "Refunds.", "Refunds!", 1))
	if _, err := c.LoadSkill(t.Context(), "", "mcp:far/refunds"); err == nil || !strings.Contains(err.Error(), "REMOTE_DIGEST") {
		t.Errorf("%v", err)
	}
}

// TestRemoteApprovalRevokedWhileOpen checks that revoking an approval takes effect immediately,
// even for a prompt, which is not read in advance.
func TestRemoteApprovalRevokedWhileOpen(t *testing.T) {
	f, o, _ := farWorld(t)
	for _, prompts := range []bool{false, true} {
		f.prompts.Store(prompts)
		name := "mcp:far/refunds"
		c := openFar(t, o)
		list, err := c.RemoteApprovals(t.Context(), "mcp:far")
		if err != nil || len(list) != 1 {
			t.Fatalf("%d consents, %v", len(list), err)
		}
		if err := c.Trust(list[0]); err != nil {
			t.Fatal(err)
		}
		c = openFar(t, o)
		r, err := c.Load(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := json.Marshal(r); err != nil || !strings.Contains(string(data), "Refunds.") {
			t.Errorf("prompts %v: %s, %v", prompts, data, err)
		}
		if found, err := c.Revoke(list[0]); err != nil || !found {
			t.Fatal(found, err)
		}
		if r, err := c.Load(t.Context(), name); err == nil {
			t.Errorf("prompts %v: it is loaded without a consent: %+v", prompts, r)
		}
	}
}

// TestRemotePolicy checks that the user's policy can allow a server but the
// project's policy cannot.
func TestRemotePolicy(t *testing.T) {
	f, o, project := farWorld(t)
	trustFar(t, o)
	const grant = "version: 1\ntrust:\n  - mcp: far\n    shell: readonly\n    files: true\n"
	put := func(file string) {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(grant), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(project, ".vade/policy.yaml"))
	if r, code := loadFar(t, o); code != "" || strings.Contains(r.Command.Text, "the secret") {
		t.Fatalf("%q: the project's policy let it read", code)
	}
	if err := os.RemoveAll(filepath.Join(project, ".vade")); err != nil {
		t.Fatal(err)
	}
	f.text.Store(strings.Replace(farSkill, "Refunds. ", "Refunds. @policy.md ", 1))
	trustFar(t, o)
	// Without a grant, the message says how to allow the skill to read its own files.
	if r, code := loadFar(t, o); code != "" || !strings.Contains(problems(r), "{mcp: far, files: true}") || !strings.Contains(problems(r), "vade remote read mcp:far/refunds FILE") {
		t.Fatalf("%q: %s", code, problems(r))
	}
	put(filepath.Join(o.Home, ".config/vade/policy.yaml"))
	if r, code := loadFar(t, o); code != "" || strings.Contains(r.Command.Text, "30 days") || !strings.Contains(problems(r), "the file does not exist in your project") {
		t.Fatalf("%q: a file of the skill: %s", code, problems(r))
	}
	if r, code := loadFar(t, o); code != "" || strings.Count(r.Command.Text, "the secret") != 2 {
		t.Fatalf("%q: %q", code, r.Command.Text)
	}
}

// problems returns all of a result's diagnostics as JSON.
func problems(r *definition.Result) string {
	data, _ := json.Marshal(r)
	return string(data)
}

// TestRemoteReview checks that content can be read before it is approved, that content that differs
// from the server's listing is reported, and that changes are shown as a diff.
func TestRemoteReview(t *testing.T) {
	f, o, _ := farWorld(t)
	c := openFar(t, o)
	list, err := c.RemoteApprovals(t.Context(), "mcp:far/refunds")
	if err != nil || len(list) != 1 || list[0].Description != "How refunds work" || !strings.HasSuffix(list[0].Server, "/mcp") || list[0].Text != "" {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := c.RemoteReview(t.Context(), list[0]); err != nil || list[0].Text != farSkill || list[0].Unread != "" {
		t.Fatalf("%q, %q, %v", list[0].Text, list[0].Unread, err)
	}
	data, err := c.RemoteFile(t.Context(), "mcp:far/refunds", "policy.md", true)
	if err != nil || string(data) != "30 days\n" {
		t.Fatalf("%q, %v", data, err)
	}
	if _, err := c.RemoteFile(t.Context(), "mcp:far/refunds", "../secret.txt", true); err == nil {
		t.Error("a file that is not listed was read")
	}
	if err := c.Trust(list[0]); err != nil {
		t.Fatal(err)
	}
	if _, code := loadFar(t, o); code != "" {
		t.Fatalf("after the consent: %s", code)
	}
	f.text.Store(strings.Replace(farSkill, "Refunds. ", "Refunds! ", 1))
	f.policy.Store("60 days\n")
	c = openFar(t, o)
	if list, err = c.RemoteApprovals(t.Context(), "mcp:far/refunds"); err != nil || list[0].State != "changed" {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, change := range list[0].Changes {
		if change.Note == "differs (too large to show)" {
			t.Errorf("%+v", change)
		}
	}
	if err := c.RemoteReview(t.Context(), list[0]); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"SKILL.md": "+Refunds!", "policy.md": "-30 days\n+60 days"} {
		found := false
		for _, change := range list[0].Changes {
			found = found || strings.HasSuffix(change.Name, "/"+name) && strings.Contains(change.Diff, want)
		}
		if !found {
			t.Errorf("%s: no %q in %+v", name, want, list[0].Changes)
		}
	}
	// Content that differs from the listing cannot be approved.
	f.text.Store(strings.Replace(farSkill, "Refunds. ", "Refunds? ", 1))
	c = openFar(t, o)
	if list, err = c.RemoteApprovals(t.Context(), "mcp:far/refunds"); err != nil {
		t.Fatal(err)
	}
	f.text.Store(farSkill)
	if err := c.RemoteReview(t.Context(), list[0]); err != nil || list[0].Unread == "" || list[0].Text != "" {
		t.Errorf("%q, %q, %v", list[0].Text, list[0].Unread, err)
	}
}

// TestRemoteSlow checks that an unresponsive server affects only its own definitions, and delays
// others only until its timeout.
func TestRemoteSlow(t *testing.T) {
	t.Parallel()
	testenv.SkipUnlessSlow(t)
	f, o, _ := farWorld(t)
	f.slow.Store(true)
	c := openFar(t, o)
	list, err := c.List(t.Context(), catalog.Query{})
	if err != nil || len(list) == 0 {
		t.Fatalf("%d definitions, %v", len(list), err)
	}
	diags, err := c.Diagnostics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, d := range diags {
		found = found || d.Code == "REMOTE_SLOW" && d.Fix != ""
	}
	if !found {
		t.Errorf("%v", diags)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := openFar(t, o).List(ctx, catalog.Query{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestRemoteServerFileOwner checks that nothing is started if others can write the servers file.
func TestRemoteServerFileOwner(t *testing.T) {
	f, o, _ := farWorld(t)
	if err := os.Chmod(filepath.Join(o.Home, ".config/vade/servers.yaml"), 0o666); err != nil {
		t.Fatal(err)
	}
	states, diags, err := openFar(t, o).RemoteServers(t.Context())
	if err != nil || len(states) != 0 || len(diags) != 1 || diags[0].Code != "REMOTE_CONFIG" {
		t.Errorf("%v, %v, %v", states, diags, err)
	}
	if f.asked.Load() != 0 {
		t.Error("the server was asked")
	}
}
