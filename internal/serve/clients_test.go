package serve_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInspector asks with the official command line client, over HTTP and over
// standard input and output, and lets it check every digest.
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

// TestSkillsInstaller installs what is published with the installer that most use.
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
