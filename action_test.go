package vade_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/testenv"
	"github.com/vadehq/vade/internal/version"
)

// actionScript returns the script of the given step in action.yml.
func actionScript(t *testing.T, step string) string {
	t.Helper()
	data, err := os.ReadFile("action.yml")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(data), "    - name: "+step+"\n")
	_, block, run := strings.Cut(block, "      run: |\n")
	if !found || !run {
		t.Fatalf("action.yml has no script in a step %q", step)
	}
	var script strings.Builder
	for line := range strings.Lines(block) {
		text, ok := strings.CutPrefix(line, "        ")
		if !ok {
			break
		}
		script.WriteString(text)
	}
	if strings.Contains(script.String(), "${{") {
		t.Errorf("the script of %q contains an expression, so input would be part of its text", step)
	}
	return script.String()
}

// TestActionInstalls runs the step that downloads Vade. packaging/release tests
// it against a release.
func TestActionInstalls(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/install.sh" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintln(w, `mkdir "$VADE_INSTALL_DIR" && echo "$VADE_DOWNLOADS" >"$VADE_INSTALL_DIR/vade"`)
	}))
	defer server.Close()
	script := actionScript(t, "install vade")
	for _, test := range []struct {
		version, downloads string
		status             int
		want               string
	}{
		{"", server.URL, 0, "installing vade " + version.Number + " from"},
		{"v1.2.3-rc.1", server.URL, 0, "installing vade 1.2.3-rc.1 from"},
		{"$(touch x)", server.URL, 2, "use a version such as 1.2.3"},
		{"1.2.3/../4", server.URL, 2, "use a version such as 1.2.3"},
		{"1.2.3", server.URL + "/none", 22, "404"},
	} {
		temp := t.TempDir()
		c := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
		here, _ := os.Getwd()
		c.Env = append(os.Environ(), "RUNNER_TEMP="+temp, "GITHUB_PATH="+filepath.Join(temp, "path"), "ACTION_PATH="+here, "VADE_VERSION="+test.version, "VADE_DOWNLOADS="+test.downloads)
		out, err := c.CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if c.ProcessState.ExitCode() != test.status || !strings.Contains(string(out), test.want) {
			t.Errorf("version %q: status %d instead of %d, output %q without %q", test.version, c.ProcessState.ExitCode(), test.status, out, test.want)
		}
		if installed, _ := os.ReadFile(filepath.Join(temp, "vade-bin", "vade")); (len(installed) > 0) != (test.status == 0) {
			t.Errorf("version %q: installed %q", test.version, installed)
		}
	}
}

// TestAction runs the GitHub Action's script as GitHub does.
func TestAction(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not here")
	}
	script, temp := actionScript(t, "vade check"), t.TempDir()
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(temp, "vade-bin", "vade"), "./cmd/vade").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	broken := map[string]string{
		".claude/skills/a/SKILL.md":      "---\nname: a\ndescription: Use when: asked\n---\n",
		".claude/skills/b $(x)/SKILL.md": "---\nname: b\ndescription: 5\n---\n[gone](gone.md)\n",
	}
	clean := map[string]string{".claude/skills/a/SKILL.md": "---\nname: a\ndescription: A skill.\n---\nb\n"}
	linked := map[string]string{".claude/skills/a/SKILL.md": clean[".claude/skills/a/SKILL.md"], "LINKS": ""}
	for _, test := range []struct {
		name         string
		files        map[string]string
		env          []string
		status       int
		said, unsaid string
	}{
		{"nothing wrong", clean, nil, 0, "", "::error"},
		{"hosts", broken, []string{"VADE_HOSTS=claude-code\ncopilot-cli\n"}, 1, "::error file=.claude/skills/a/SKILL.md,line=3", ""},
		{"a path that is no option and no command", broken, []string{"VADE_HOSTS=all", "VADE_PATHS=.claude/skills/b $(x)\n"}, 1, "b $(x)/SKILL.md", "skills/a/SKILL.md"},
		{"wrong usage", clean, []string{"VADE_HOSTS=nohost"}, 2, "", "::error"},
		{"a link for the report", linked, []string{"VADE_SARIF=link.sarif"}, 2, "", "::error"},
		{"a linked directory for the report", linked, []string{"VADE_SARIF=out/x/new.sarif"}, 2, "", "::error"},
		{"a linked directory by its whole path", linked, []string{"VADE_SARIF=@/out/x/new.sarif"}, 2, "", "::error"},
		{"a directory of its own for the report", map[string]string{"out/keep": "", ".claude/skills/a/SKILL.md": clean[".claude/skills/a/SKILL.md"]}, []string{"VADE_SARIF=./out/new.sarif"}, 0, "", "::error"},
		{"a path like an option", clean, []string{"VADE_PATHS=--fix"}, 2, "", "::error"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := checkTree(t, test.files)
			sarif := filepath.Join(t.TempDir(), "out.sarif")
			if _, ok := test.files["LINKS"]; ok {
				outside := t.TempDir()
				if err := errors.Join(os.Mkdir(filepath.Join(outside, "x"), 0o755), os.Symlink(filepath.Join(outside, "x.sarif"), filepath.Join(dir, "link.sarif")), os.Symlink(outside, filepath.Join(dir, "out"))); err != nil {
					t.Fatal(err)
				}
				defer func() {
					if left, _ := filepath.Glob(filepath.Join(outside, "*.sarif")); len(left) > 0 {
						t.Errorf("outside there is now %v", left)
					}
					if left, _ := os.ReadDir(filepath.Join(outside, "x")); len(left) > 0 {
						t.Errorf("outside there is now %v", left)
					}
				}()
			}
			env := slices.Clone(test.env)
			for i := range env {
				if name, ok := strings.CutPrefix(env[i], "VADE_SARIF="); ok {
					env[i] = strings.ReplaceAll(env[i], "@", dir)
					sarif = filepath.Join(dir, strings.TrimPrefix(name, "@"))
				}
			}
			c := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
			c.Dir = dir
			c.Env = append(append(os.Environ(), "RUNNER_TEMP="+temp, "HOME="+t.TempDir(), "VADE_HOSTS=", "VADE_PATHS=",
				"VADE_BASELINE=", "VADE_STRICT=false", "VADE_SARIF="+sarif, "GITHUB_WORKSPACE="+dir), env...)
			var out, errs bytes.Buffer
			c.Stdout, c.Stderr = &out, &errs
			err := c.Run()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if c.ProcessState.ExitCode() != test.status {
				t.Errorf("status %d, not %d: %s%s", c.ProcessState.ExitCode(), test.status, out.String(), errs.String())
			}
			if !strings.Contains(out.String(), test.said) || test.unsaid != "" && strings.Contains(out.String(), test.unsaid) {
				t.Errorf("it says %q", out.String())
			}
			if test.said == "" && test.status != 0 {
				return
			}
			data, err := os.ReadFile(sarif)
			if err != nil || !json.Valid(data) {
				t.Errorf("no SARIF: %v", err)
			}
		})
	}
}

// TestHookFiles checks that the pre-commit hooks run only if a definition has changed.
func TestHookFiles(t *testing.T) {
	data, err := os.ReadFile(".pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^  files: '(.*)'$`).FindAllStringSubmatch(string(data), -1)
	if len(lines) != 2 || lines[0][1] != lines[1][1] {
		t.Fatalf("%d patterns, or not the same", len(lines))
	}
	pattern, err := regexp.Compile(lines[0][1])
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		".claude/skills/a/SKILL.md": true, "sub/AGENTS.md": true, "AGENTS.override.md": true, ".cursorrules": true,
		".github/prompts/x.prompt.md": true, ".gemini/commands/x.toml": true, ".vade/check.yaml": true,
		"skills/a/references/x.md": true, "README.md": false, "src/main.go": false, "docs/AGENTS.txt": false,
	} {
		if pattern.MatchString(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// TestHookProgram checks that the hooks install this version of Vade.
func TestHookProgram(t *testing.T) {
	data, err := os.ReadFile("pyproject.toml")
	if err != nil {
		t.Fatal(err)
	}
	if want := `dependencies = ["vade==` + version.Number + `"]`; !strings.Contains(string(data), want) {
		t.Errorf("pyproject.toml does not contain %s", want)
	}
}
