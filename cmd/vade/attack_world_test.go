//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// systemPath is the PATH for the programs that set up the environment.
const systemPath = "/usr/local/bin:/usr/bin:/bin"

// template creates the environment for every case: a repository whose main branch has a.txt in two
// commits, a bare clone next to it, a separate home directory, and a secret outside the repository.
const template = `set -e
mkdir -p home/.ssh outside config managed repo
printf '[user]\n\tname = A U Thor\n\temail = author@example.invalid\n' > home/.gitconfig
echo ` + secret + ` > home/.ssh/id_dummy
echo ` + secret + ` > outside/secret.txt
git init -q -b main --template= repo
cd repo
echo one > a.txt; git add a.txt; git commit -q -m first
echo two >> a.txt; git commit -q -a -m second
git clone -q --bare --template= . ../other.git`

func newTemplate(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"bash", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	dir := t.TempDir()
	w := &world{base: dir}
	if out, err := w.bash(dir, template); err != nil {
		t.Fatalf("the set-up fails: %v\n%s", err, out)
	}
	return dir
}

// world is the disposable environment for one case.
type world struct {
	base, tools string
	port        string
	// heard counts the connections that the listener has accepted.
	heard atomic.Int64
}

func (b *bench) world(t *testing.T, a attack) *world {
	t.Helper()
	w := &world{base: filepath.Join(t.TempDir(), "w"), tools: t.TempDir()}
	if err := os.CopyFS(w.base, os.DirFS(b.template)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.reap)
	w.listen(t, a)
	if a.Setup != "" {
		if out, err := w.bash(w.repo(), w.expand(a.Setup)); err != nil {
			t.Fatalf("the set-up fails: %v\n%s", err, out)
		}
	}
	if err := os.RemoveAll(w.marker()); err != nil {
		t.Fatal(err)
	}
	if a.Check != "" && w.checks(a) {
		t.Fatalf("the check %q succeeds before anything was run", a.Check)
	}
	return w
}

func (w *world) repo() string   { return filepath.Join(w.base, "repo") }
func (w *world) marker() string { return filepath.Join(w.base, "marker") }

// expand replaces the placeholders in a case's string with the paths of this world.
func (w *world) expand(s string) string {
	return strings.NewReplacer(
		"@M@", w.marker(), "@S@", filepath.Join(w.base, "outside/secret.txt"), "@SD@", filepath.Join(w.base, "outside"),
		"@E@", filepath.Join(w.base, "evil"), "@PORT@", w.port,
	).Replace(s)
}

// listen opens a port for cases that need one.
func (w *world) listen(t *testing.T, a attack) {
	t.Helper()
	if !strings.Contains(a.Command+a.Setup, "@PORT@") {
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback here: %v", err)
	}
	t.Cleanup(func() { _ = l.Close() })
	w.port = strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			w.heard.Add(1)
			_ = c.Close()
		}
	}()
}

// define writes a definition that contains the command and claims every permission, both in the
// repository and in the subdirectory where vade will run.
func (w *world) define(t *testing.T, cwd, command string) {
	t.Helper()
	line := "!`" + command + "`"
	if strings.Contains(command, "`") {
		line = "```!\n" + command + "\n```"
	}
	text := "---\ndescription: Looks at the project\nallowed-tools: Bash\n---\nThe state: " + line + "\n"
	for _, dir := range []string{"", cwd} {
		w.write(t, filepath.Join(w.repo(), dir, ".claude/commands/x.md"), text)
	}
}

// consent approves the definition for the commands that the policy allows, as a
// careless user would. It fails if nothing needs approval.
func (w *world) consent(binary string) {
	c := exec.Command(binary, "trust", "/x", "--yes")
	c.Dir, c.Env = w.repo(), w.environ()
	_ = c.Run()
}

// setPolicy writes the user's policy file, or removes it if text is empty.
func (w *world) setPolicy(t *testing.T, text string) {
	t.Helper()
	dir := filepath.Join(w.base, "config/vade")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if text != "" {
		w.write(t, filepath.Join(dir, "policy.yaml"), text)
	}
}

func (w *world) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (w *world) environ() []string {
	home := filepath.Join(w.base, "home")
	return []string{
		"PATH=" + systemPath, "HOME=" + home, "USERPROFILE=" + home, "XDG_CONFIG_HOME=" + filepath.Join(w.base, "config"),
		// Cached verdicts are stored outside the world so they do not count as harm.
		"XDG_CACHE_HOME=" + filepath.Join(w.tools, "cache"),
		"VADE_MANAGED_DIR=" + filepath.Join(w.base, "managed"), "DUMMY_API_KEY=" + secret, "LC_ALL=C.UTF-8", "TERM=xterm",
	}
}

// hostile returns the environment variables, including those that the case sets.
func (w *world) hostile(a attack) []string {
	env := w.environ()
	if a.Path != "" {
		env = append(env, "PATH="+filepath.Join(w.repo(), a.Path)+":"+systemPath)
	}
	for _, key := range slices.Sorted(maps.Keys(a.Env)) {
		env = append(env, key+"="+w.expand(a.Env[key]))
	}
	return env
}

func (w *world) bash(dir, script string) ([]byte, error) {
	c := exec.Command("bash", "-c", script)
	c.Dir, c.Env = dir, w.environ()
	return c.CombinedOutput()
}

func (w *world) checks(a attack) bool {
	_, err := w.bash(w.repo(), w.expand(a.Check))
	return err == nil
}

// outcome describes a run's effects.
type outcome struct {
	exit     int
	hung     bool
	out, err []byte
	written  int64
	memory   int64
}

// vade runs vade with the case's settings.
func (w *world) vade(t *testing.T, a attack, binary string, args ...string) outcome {
	t.Helper()
	return w.run(t, a, time.Minute, append([]string{binary}, args...))
}

// shell runs the case's command in a real shell.
func (w *world) shell(t *testing.T, a attack) outcome {
	t.Helper()
	script := filepath.Join(w.tools, "command")
	w.write(t, script, w.expand(a.Command))
	argv := []string{"bash", script}
	if command := w.expand(a.Command); len(command) <= longestWord {
		argv = []string{"bash", "-c", command}
	}
	limit := time.Minute
	if a.HarmKind == "timeout" {
		limit = 4 * time.Second
	}
	return w.run(t, a, limit, argv)
}

func (w *world) run(t *testing.T, a attack, limit time.Duration, argv []string) outcome {
	t.Helper()
	switch {
	case a.TTY:
		if _, err := exec.LookPath("script"); err != nil {
			t.Skip("script is not installed: no terminal")
		}
		name := filepath.Join(w.tools, "terminal")
		w.write(t, name, "exec "+quoteAll(argv)+"\n")
		argv = []string{"script", "-qec", "sh " + name, "/dev/null"}
	case a.NoStdin:
		argv = append([]string{"sh", "-c", `exec "$@" <&-`, "sh"}, argv...)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	stdout, stderr := &capped{stop: cancel}, &capped{stop: cancel}
	c.Dir, c.Env, c.Stdout, c.Stderr = filepath.Join(w.repo(), a.Cwd), w.hostile(a), stdout, stderr
	if a.Stdin != "" {
		c.Stdin = strings.NewReader(w.expand(a.Stdin))
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = 2 * time.Second
	err := c.Run()
	if c.ProcessState == nil {
		t.Fatalf("%s: %v", argv[0], err)
	}
	o := outcome{
		exit: c.ProcessState.ExitCode(), hung: errors.Is(ctx.Err(), context.DeadlineExceeded), out: stdout.kept.Bytes(), err: stderr.kept.Bytes(),
		written: stdout.written + stderr.written,
	}
	if usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok && runtime.GOOS == "linux" {
		o.memory = usage.Maxrss << 10
	}
	return o
}

func quoteAll(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(words, " ")
}

// capped is a writer that keeps the start of a run's output. It ends the run if there is too much
// output.
type capped struct {
	kept    bytes.Buffer
	written int64
	stop    func()
}

func (c *capped) Write(p []byte) (int, error) {
	if c.written += int64(len(p)); c.written > 16<<20 {
		c.stop()
		return 0, io.ErrShortWrite
	}
	if c.kept.Len() < 4<<20 {
		c.kept.Write(p)
	}
	return len(p), nil
}

// left returns the processes that are still running in this world. It first
// waits for processes that are about to exit.
func (w *world) left() []int {
	var pids []int
	for range 50 {
		pids = pids[:0]
		dirs, _ := filepath.Glob("/proc/[0-9]*/cwd")
		for _, link := range dirs {
			dir, err := os.Readlink(link)
			if pid, bad := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil && bad == nil && strings.HasPrefix(dir, w.base+"/") {
				pids = append(pids, pid)
			}
		}
		if len(pids) == 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return pids
}

// reap kills the processes that a hostile command left running in this world.
func (w *world) reap() {
	for _, pid := range w.left() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
