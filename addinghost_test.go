package vade_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/testenv"
)

// TestAddingAHost builds Vade with the package and row from the page on adding
// a host, and runs that page's commands.
func TestAddingAHost(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	page, err := os.ReadFile("docs/adding-a-host.md")
	must(t, err)
	file := between(t, string(page), "\n```go\n", "\n```\n")
	row := strings.TrimSpace(between(t, string(page), "add this row to `hosts`:\n\n```\n", "\n```\n"))
	const registry, first = "internal/host/registry/registry.go", "return []host.Host{\n"
	table, err := os.ReadFile(registry)
	must(t, err)
	if !strings.Contains(string(table), first) {
		t.Fatal("the list of the hosts is not where the test looks for it")
	}
	with := strings.Replace(string(table), first, first+row+"\n", 1)
	with = strings.Replace(with, "import (\n", "import (\n\"github.com/vadehq/vade/internal/host/crush\"\n", 1)
	work := t.TempDir()
	here, err := os.Getwd()
	must(t, err)
	overlay := map[string]string{}
	for name, text := range map[string]string{"internal/host/crush/crush.go": file + "\n", registry: with} {
		at := filepath.Join(work, filepath.Base(name))
		must(t, os.WriteFile(at, []byte(text), 0o600))
		overlay[filepath.Join(here, filepath.FromSlash(name))] = at
	}
	data, err := json.Marshal(map[string]any{"Replace": overlay})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(work, "overlay.json"), data, 0o600))
	program := filepath.Join(work, "vade")
	build := exec.Command("go", "build", "-overlay", filepath.Join(work, "overlay.json"), "-buildvcs=false", "-o", program, "./cmd/vade")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	test := exec.Command("go", "test", "-overlay", filepath.Join(work, "overlay.json"), "-vet=off", "./internal/host/registry")
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("the tests of the registry with the host of the page: %v\n%s", err, out)
	}

	lay(t, work, map[string]string{
		"p/.git/HEAD": "", "h/.keep": "",
		"p/.crush/skills/good/SKILL.md":  "---\nname: good\ndescription: Does it well\n---\nBody\n",
		"p/.claude/commands/ship.md":     "---\ndescription: Ships it\n---\nShip it\n",
		"p/.crush/skills/other/SKILL.md": "---\nname: another\ndescription: Has the name of no directory\n---\nBody\n",
	})
	for _, tc := range []struct {
		args     string
		want     []string
		mayFail  bool
		unwanted string
	}{
		{args: "list --host crush", want: []string{"good", "Does it well"}, unwanted: "another"},
		{args: "list --host crush --all", want: []string{"other", "dropped"}},
		{args: "explain --host crush", want: []string{"Repairs nothing.", "source", "inferred"}},
		{args: "explain good", want: []string{"crush"}, mayFail: true},
		{args: "check --host crush", want: []string{"NAME_DIR_MISMATCH"}, mayFail: true},
		{args: "export crush --stdout", want: []string{".crush/skills/ship/SKILL.md", "disable-model-invocation: true"}, mayFail: true},
		{args: "schema skill --host crush", want: []string{"disable-model-invocation", "maxLength"}},
	} {
		c := exec.Command(program, strings.Fields(tc.args)...)
		c.Dir = filepath.Join(work, "p")
		c.Env = []string{"HOME=" + filepath.Join(work, "h"), "NO_COLOR=1"}
		out, err := c.CombinedOutput()
		if err != nil && !tc.mayFail {
			t.Errorf("vade %s: %v\n%s", tc.args, err, out)
		}
		for _, want := range tc.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("vade %s does not say %q:\n%s", tc.args, want, out)
			}
		}
		if tc.unwanted != "" && strings.Contains(string(out), tc.unwanted) {
			t.Errorf("vade %s says %q:\n%s", tc.args, tc.unwanted, out)
		}
	}
}

func between(t *testing.T, text, begin, end string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, begin)
	part, _, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("the page has nothing between %q and %q", begin, end)
	}
	return part
}
