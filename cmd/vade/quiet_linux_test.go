//go:build amd64 || arm64

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// quietly runs vade in a process that is killed if it starts another process, opens a socket, or
// tries to change a file.
func quietly() {
	runtime.LockOSThread()
	if err := landlock.V1.BestEffort().RestrictPaths(landlock.RODirs("/")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
	if err := killOnAction(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
	main()
}

// actions returns the system calls that a read-only command does not need.
func actions() []uint32 {
	list := []uint32{
		unix.SYS_EXECVE, unix.SYS_EXECVEAT,
		unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_SENDTO, unix.SYS_SENDMSG,
		unix.SYS_MKDIRAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_MKNODAT,
		unix.SYS_TRUNCATE, unix.SYS_FTRUNCATE, unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT,
		unix.SYS_UTIMENSAT, unix.SYS_SETXATTR, unix.SYS_FSETXATTR, unix.SYS_MEMFD_CREATE, unix.SYS_IO_URING_SETUP,
	}
	return append(list, oldActions()...)
}

// killOnAction installs the filter on all threads.
func killOnAction() error {
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		anyBit = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		answer = unix.BPF_RET | unix.BPF_K

		number, second, firstArg = 0, 16 + 8*2, 16
	)
	stmt := func(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }
	jump := func(code uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: code, K: k, Jt: yes, Jf: no}
	}
	kill := stmt(answer, unix.SECCOMP_RET_KILL_PROCESS)
	prog := []unix.SockFilter{stmt(load, number)}
	for _, call := range actions() {
		prog = append(prog, jump(equal, call, 0, 1), kill)
	}
	prog = append(prog,
		// A filter cannot inspect clone3's flags. If clone3 fails, the caller falls back to clone.
		jump(equal, unix.SYS_CLONE3, 0, 1), stmt(answer, unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS)),
		// Refuse openat for writing.
		jump(equal, unix.SYS_OPENAT, 0, 3), stmt(load, second),
		jump(anyBit, unix.O_WRONLY|unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC, 0, 1), kill,
		stmt(load, number),
		// Refuse clone except for new threads.
		jump(equal, unix.SYS_CLONE, 0, 3), stmt(load, firstArg), jump(anyBit, unix.CLONE_THREAD, 1, 0), kill,
		stmt(answer, unix.SECCOMP_RET_ALLOW),
	)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	const filterMode, allThreads = 1, 1
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, filterMode, allThreads, uintptr(unsafe.Pointer(&fprog))); errno != 0 {
		return errno
	}
	return nil
}

// TestReadingDoesNothing runs the read-only commands under a filter that kills the process if it
// starts a process, opens a socket or changes a file. To prove that the filter works, it also runs
// commands that do these things.
func TestReadingDoesNothing(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		project + "/.git/HEAD":                      "ref: refs/heads/main\n",
		project + "/.claude/commands/x.md":          "---\nallowed-tools: Bash(sh run.sh)\n---\n!`git status` !`sh run.sh` !`cat a.txt` @a.txt\n",
		project + "/.claude/skills/s/SKILL.md":      "---\nname: s\ndescription: d\nhooks: {}\n---\n!`touch made`\n",
		project + "/.claude/settings.json":          `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch made"}]}]}}`,
		project + "/.vade/policy.yaml":              "timeout: 4s\n",
		project + "/a.txt":                          "text\n",
		project + "/run.sh":                         "touch made\n",
		project + "/node_modules/x/SKILL.md":        "x\n",
		home + "/.config/vade/policy.yaml":          "shell: granted\nallow: [Bash(sh run.sh)]\n",
		home + "/.claude/agents/a.md":               "---\nname: a\ndescription: d\n---\nx\n",
		home + "/.claude/plugins/installed_plugins": "{}",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (killed bool, out string) {
		cmd := exec.Command(self, args...)
		cmd.Dir = project
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "VADE_TEST_QUIETLY=1"}
		text, err := cmd.CombinedOutput()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return true, string(text)
		}
		if code := cmd.ProcessState.ExitCode(); code == 99 || err != nil && code < 0 {
			t.Skipf("no filter can be installed here: %s", text)
		}
		return false, string(text)
	}
	for _, line := range []string{
		"list", "list --json --all", "list --nested", "list --host claude-code", "show x", "show s --json", "policy show", "policy show --json",
		"policy check .vade/policy.yaml", "policy schema", "trust list", "trust list --json", "trust --dry-run /x", "trust /x", "version", "completion bash",
		"load --dry-run /x", "load --no-shell /x", "shell --dry-run -- git%status", "shell -- cat%a.txt%|%wc%-l", "help load",
		"listing", "listing --host claude-code --json", "listing --host claude-code@2.1.88", "instructions", "instructions --host claude-code --for a.txt",
		"render --host claude-code --dry-run -- /x%a%b", "render --host claude-code --no-shell /x", "render --host claude-code --by model s", "render hello",
		"sync --check", "sync --dry-run", "sync --check --host claude-code,gemini --json", "import --dry-run", "import --dry-run --from claude-code --to ai --json",
	} {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "%", " ")
		}
		if killed, out := run(args...); killed {
			t.Errorf("vade %s did something but read: %.300s", line, out)
		}
	}
	for _, line := range []string{"trust --yes /x", "shell -- go%version"} {
		args := strings.Fields(line)
		args[len(args)-1] = strings.ReplaceAll(args[len(args)-1], "%", " ")
		if killed, out := run(args...); !killed {
			t.Errorf("vade %s was not noticed to act, so this test sees nothing: %.300s", line, out)
		}
	}
	if _, err := os.Lstat(project + "/made"); err == nil {
		t.Error("a command of a definition has run")
	}
}
