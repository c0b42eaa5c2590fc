package vade_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// recording is one case: a file tree, the user's input, and what the real
// client sent. vectors/README.md documents the format.
type recording struct {
	ID, CWD  string
	Version  string
	Also     []string
	Origin   string
	Prompt   string
	Files    map[string]json.RawMessage
	Links    map[string]string
	Needs    []string
	Git      *bool
	Env      map[string]string
	Argv     []string
	Script   json.RawMessage
	Managed  bool
	MCP      bool
	Vade     map[string]string
	Library  bool
	Expect   expectation
	Expect88 *expectation `json:"expect_2.1.88"`
}

// expectation is the expected result for one version.
type expectation struct {
	Listing, Agents []string
	Attached        []string
	Rendered        [][2]packedText
	Result          string
	Created         []string `json:"created_files"`
	// Requests counts the requests that the client sent. Recordings from the
	// old version omit it, so it is 0 even if requests were sent.
	Requests int
}

// packedText is text in a case. Long text is compressed in the file.
type packedText string

func (p *packedText) UnmarshalJSON(raw []byte) error {
	data, err := unpack(raw)
	*p = packedText(data)
	return err
}

// step is one answer from the model: a tool call or text.
type step struct {
	Tool, Text string
	Input      map[string]any
}

func (s step) input(name string) string {
	text, _ := s.Input[name].(string)
	return text
}

// recordedDir returns the directory with the recorded cases that are not part of this repository.
func recordedDir() string {
	if dir := os.Getenv("VADE_CONFORMANCE"); dir != "" {
		return dir
	}
	return "../shared/conformance"
}

// recordings reads a host's recorded cases and skips the test if there are none.
func recordings(t *testing.T, host string) []recording {
	t.Helper()
	all := casesIn(t, filepath.Join(recordedDir(), host))
	if len(all) == 0 {
		t.Skipf("no recorded cases in %s; set VADE_CONFORMANCE to their directory", recordedDir())
	}
	return all
}

// casesIn reads the cases in a directory, sorted by name.
func casesIn(t *testing.T, dir string) []recording {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	must(t, err)
	var all []recording
	for _, name := range names {
		data, err := os.ReadFile(name)
		must(t, err)
		var r recording
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r.ID = strings.TrimSuffix(filepath.Base(name), ".json")
		all = append(all, r)
	}
	return all
}

// expected returns the expectation for a version: the version's own recording or, if both versions
// behave the same, the newest one.
func (r *recording) expected(version string) *expectation {
	if version == oldVersion && r.Expect88 != nil {
		return r.Expect88
	}
	return &r.Expect
}

// runsGit reports whether a body runs git.
func (r *recording) runsGit() bool {
	for _, raw := range r.Files {
		if data, err := unpack(raw); err == nil && bytes.Contains(data, []byte("!`git ")) {
			return true
		}
	}
	return false
}

// steps returns the model's answers.
func (r *recording) steps(t *testing.T, fill func(string) string) []step {
	t.Helper()
	var all []step
	if len(r.Script) > 0 {
		must(t, json.Unmarshal([]byte(fill(string(r.Script))), &all))
	}
	return all
}

// lay writes the case's tree and returns its project, home and managed directories.
func (r *recording) lay(t *testing.T) (project, home, managed string) {
	t.Helper()
	dir := shortDir(t)
	project, home, managed = filepath.Join(dir, "proj"), filepath.Join(dir, "home"), filepath.Join(dir, "managed")
	for _, d := range []string{project, home, managed} {
		must(t, os.MkdirAll(d, 0o755))
	}
	if r.Git == nil || *r.Git {
		initialize(t, project)
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
	fill := filler(project, home, "").Replace
	for name, raw := range r.Files {
		if name == "@mcp" {
			// This file only indicates that the MCP server with prompts is connected.
			continue
		}
		data := content(t, raw)
		if bytes.HasPrefix(raw, []byte{'"'}) {
			data = []byte(fill(string(data)))
		}
		must(t, os.MkdirAll(filepath.Dir(place(name)), 0o755))
		must(t, os.WriteFile(place(name), data, 0o644))
	}
	for name, target := range r.Links {
		must(t, os.MkdirAll(filepath.Dir(place(name)), 0o755))
		must(t, os.Symlink(fill(target), place(name)))
	}
	return project, home, managed
}

// shortDir returns a temporary directory with a short path, like the paths in the recordings. In
// some listings, the length of a path counts toward the budget.
func shortDir(t *testing.T) string {
	t.Helper()
	in := ""
	if runtime.GOOS != "windows" {
		in = "/tmp"
	}
	dir, err := os.MkdirTemp(in, "v")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	dir, err = filepath.EvalSymlinks(dir)
	must(t, err)
	return dir
}

// initialize creates a repository without commits, as git init does. Running git for hundreds of
// cases would take up most of the test's time.
func initialize(t *testing.T, dir string) {
	t.Helper()
	for _, d := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags"} {
		must(t, os.MkdirAll(filepath.Join(dir, ".git", d), 0o755))
	}
	const config = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": config} {
		must(t, os.WriteFile(filepath.Join(dir, ".git", name), []byte(text), 0o644))
	}
}

// today is the date on which the client was recorded. The suite runs the cases with this date.
var today = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// filler returns a replacer that replaces placeholders with the values for one run.
func filler(project, home, session string) *strings.Replacer {
	work := filepath.Dir(project)
	return strings.NewReplacer(
		// The recorder mounts the managed directory here.
		"/etc/claude-code", filepath.Join(work, "managed"), "@@W@@", work, "@@WDASH@@", dashed(work),
		"{PROJ}", project, "{HOME}", home, "{SESSION}", session, "{PROJ_DASHED}", dashed(project),
		"{DATE}", today.Format(time.DateOnly))
}

// dashed converts a path to the file name that the host uses for it. Everything except letters and
// digits becomes a dash. This rule is inferred.
func dashed(name string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, name)
}

func content(t *testing.T, raw json.RawMessage) []byte {
	t.Helper()
	data, err := unpack(raw)
	must(t, err)
	return data
}

// unpack returns a value from a case, which is a string or packed bytes.
func unpack(raw []byte) ([]byte, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []byte(text), nil
	}
	var packed struct{ Base64, Zlib string }
	if err := json.Unmarshal(raw, &packed); err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(packed.Base64 + packed.Zlib)
	if err != nil || packed.Zlib == "" {
		return data, err
	}
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
}
