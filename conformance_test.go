package vade_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade"
)

// recording is one recorded case: a tree, and what the real client listed.
type recording struct {
	ID, CWD string
	Files   map[string]json.RawMessage
	Links   map[string]string
	Git     *bool
	Env     map[string]string
	Argv    []string
	Script  json.RawMessage
	Managed bool
	MCP     bool
	Expect  struct {
		Listing, Agents []string
		Requests        int
	}
}

func recordings(t *testing.T, host string) []recording {
	t.Helper()
	dir := os.Getenv("VADE_CONFORMANCE")
	if dir == "" {
		dir = "../shared/conformance"
	}
	names, err := filepath.Glob(filepath.Join(dir, host, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Skipf("no recorded cases in %s; set VADE_CONFORMANCE to their directory", dir)
	}
	var all []recording
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var r recording
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r.ID = strings.TrimSuffix(filepath.Base(name), ".json")
		all = append(all, r)
	}
	return all
}

// lay writes the tree of a case and returns its project and home.
func (r *recording) lay(t *testing.T) (project, home, managed string) {
	t.Helper()
	dir := t.TempDir()
	project, home, managed = filepath.Join(dir, "proj"), filepath.Join(dir, "home"), filepath.Join(dir, "managed")
	for _, d := range []string{project, home, managed} {
		must(t, os.MkdirAll(d, 0o755))
	}
	if r.Git == nil || *r.Git {
		must(t, os.MkdirAll(filepath.Join(project, ".git"), 0o755))
	}
	place := func(name string) string {
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			return filepath.Join(home, rest)
		}
		if rest, ok := strings.CutPrefix(name, "@managed/"); ok {
			return filepath.Join(managed, rest)
		}
		return filepath.Join(project, name)
	}
	for name, raw := range r.Files {
		must(t, os.MkdirAll(filepath.Dir(place(name)), 0o755))
		must(t, os.WriteFile(place(name), content(t, raw), 0o644))
	}
	for name, target := range r.Links {
		target = strings.NewReplacer("{PROJ}", project, "{HOME}", home).Replace(target)
		must(t, os.MkdirAll(filepath.Dir(place(name)), 0o755))
		must(t, os.Symlink(target, place(name)))
	}
	return project, home, managed
}

func content(t *testing.T, raw json.RawMessage) []byte {
	t.Helper()
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []byte(text)
	}
	var packed struct{ Base64, Zlib string }
	must(t, json.Unmarshal(raw, &packed))
	data, err := base64.StdEncoding.DecodeString(packed.Base64 + packed.Zlib)
	must(t, err)
	if packed.Zlib == "" {
		return data
	}
	z, err := zlib.NewReader(bytes.NewReader(data))
	must(t, err)
	data, err = io.ReadAll(z)
	must(t, err)
	return data
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
}

// TestClaudeCodeFinds compares what the view of Claude Code finds with what the
// real client listed, by name, in every recorded case that shows it.
func TestClaudeCodeFinds(t *testing.T) {
	all := recordings(t, "claude-code")
	same, skipped := 0, 0
	for _, r := range all {
		if r.Expect.Requests == 0 || len(r.Script) > 0 && string(r.Script) != "null" || skipsFinding[r.ID] != "" {
			skipped++
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			skills, agents := found(t, &r)
			if diff := cmp.Diff(listedNames(r.Expect.Listing), skills); diff != "" {
				t.Errorf("skills and commands (- recorded, + found):\n%s", diff)
			}
			if diff := cmp.Diff(listedNames(r.Expect.Agents), agents); diff != "" {
				t.Errorf("agents (- recorded, + found):\n%s", diff)
			}
			if !t.Failed() {
				same++
			}
		})
	}
	t.Logf("claude-code: %d of %d cases find the same names, %d do not show it", same, len(all), skipped)
}

// skipsFinding are cases whose listing depends on more than what is found.
var skipsFinding = map[string]string{
	"m23-very-many":        "the recording holds a name of the client's own",
	"m37-agents-json":      "an agent comes from a flag of the client",
	"m38-skill-overrides":  "settings hide what is found",
	"m54-agent-fields":     "the recording ends at a description of several lines",
	"m55-agent-skill-flag": "a flag of the client takes the tool away that agents are listed for",
	"m58-disable-slash":    "a flag of the client switches skills off",
	"m59-bare":             "a flag of the client switches skills off",
}

func found(t *testing.T, r *recording) (skills, agents []string) {
	t.Helper()
	project, home, managed := r.lay(t)
	var plugins []string
	for i, arg := range r.Argv {
		if arg == "--plugin-dir" {
			plugins = append(plugins, strings.NewReplacer("{PROJ}", project, "{HOME}", home).Replace(r.Argv[i+1]))
		}
	}
	ctx := context.Background()
	c, err := vade.Open(ctx, vade.Options{
		Dir: filepath.Join(project, r.CWD), Home: home, ManagedDir: managed, As: "claude-code", PluginDirs: plugins,
		Getenv: func(name string) string { return r.Env[name] },
	})
	must(t, err)
	defer c.Close()
	list, err := c.List(ctx, vade.Query{})
	must(t, err)
	skills, agents = []string{}, []string{}
	for _, d := range list {
		switch {
		case d.Kind() == vade.Agent:
			agents = append(agents, d.Name())
		case d.Kind() != vade.Instruction && d.ModelInvocable() && len(d.Paths()) == 0:
			skills = append(skills, d.Name())
		}
	}
	sort.Strings(skills)
	sort.Strings(agents)
	return skills, agents
}

// listedNames takes the names from listing lines: what stands before ": " or
// before the second name in parentheses.
func listedNames(lines []string) []string {
	names := []string{}
	for _, line := range lines {
		name, _, _ := strings.Cut(line, ": ")
		name, _, _ = strings.Cut(name, " (")
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
