package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain lets the test binary act as its own helper, and as the probe command that attempts what
// the sandbox forbids.
func TestMain(m *testing.M) {
	Main()
	if os.Getenv("SANDBOX_MARK_ALONE") != "" {
		fmt.Println("went on")
		return
	}
	if os.Args[0] == "probe" {
		os.Exit(probe(os.Args[1], os.Args[2:]))
	}
	os.Exit(m.Run())
}

// probe performs one operation and prints the result.
func probe(op string, args []string) int {
	arg := func(n int) string {
		if n < len(args) {
			return args[n]
		}
		return ""
	}
	err := try(op, arg)
	if err == nil {
		fmt.Println("done")
		return 0
	}
	fmt.Println("refused:", err)
	return 3
}

func try(op string, arg func(int) string) error {
	switch op {
	case "read":
		text, err := os.ReadFile(arg(0))
		fmt.Print(string(text))
		return err
	case "list":
		_, err := os.ReadDir(arg(0))
		return err
	case "write":
		return os.WriteFile(arg(0), []byte("written"), 0o644)
	case "remove":
		return os.Remove(arg(0))
	case "rename":
		return os.Rename(arg(0), arg(0)+".new")
	case "link":
		return os.Symlink("/", arg(0))
	case "mkdir":
		return os.Mkdir(arg(0), 0o755)
	case "chmod":
		return os.Chmod(arg(0), 0o777)
	case "fchmod":
		return fchmod(arg(0), unix.O_RDONLY, 0o700)
	case "fchmod, neither read nor write":
		return fchmod(arg(0), unix.O_ACCMODE, 0o700)
	case "fchmod, set-user-ID":
		return fchmod(arg(0), unix.O_RDONLY, unix.S_ISUID|0o755)
	case "fchmodat2":
		return ignoring(number(unix.SYS_FCHMODAT2, unix.EFAULT), unix.ENOSYS)
	case "openat2":
		fd, err := unix.Openat2(unix.AT_FDCWD, arg(0), &unix.OpenHow{Flags: unix.O_ACCMODE})
		if err != nil {
			return err
		}
		return unix.Fchmod(fd, 0o700)
	case "create set-user-ID":
		_, err := unix.Open(arg(0), unix.O_CREAT|unix.O_WRONLY, unix.S_ISUID|0o755)
		return err
	case "mknod set-user-ID":
		return unix.Mknod(arg(0), unix.S_IFREG|unix.S_ISUID|0o755, 0)
	case "futimes":
		f, err := os.Open(arg(0))
		if err != nil {
			return err
		}
		_, _, e := unix.Syscall6(unix.SYS_UTIMENSAT, f.Fd(), 0, 0, 0, 0, 0)
		return ignoring(e, unix.Errno(0))
	case "chown":
		return os.Lchown(arg(0), os.Getuid(), os.Getgid())
	case "times":
		return os.Chtimes(arg(0), time.Unix(1, 0), time.Unix(1, 0))
	case "truncate":
		return os.Truncate(arg(0), 0)
	case "tcp", "udp", "unix":
		return dial(op, arg(0))
	case "pair":
		return pair(unix.SOCK_STREAM)
	case "dgrampair":
		return pair(unix.SOCK_DGRAM)
	case "exec":
		out, err := exec.Command(arg(0), "-c", "echo ran").CombinedOutput()
		fmt.Print(string(out))
		return err
	case "loader":
		out, err := exec.Command(arg(0), arg(1), "-c", "echo ran").CombinedOutput()
		fmt.Print(string(out))
		if err == nil && !bytes.Contains(out, []byte("ran")) {
			return errors.New("nothing ran")
		}
		return err
	case "env":
		fmt.Println(len(os.Environ()), os.Environ())
	case "args":
		fmt.Printf("%q\n", os.Args)
	case "cwd":
		dir, err := os.Getwd()
		fmt.Println(dir)
		return err
	case "cat":
		_, err := io.Copy(os.Stdout, os.Stdin)
		return err
	case "fds":
		return fds()
	case "both":
		for i := range 50 {
			fmt.Fprintln([]*os.File{os.Stdout, os.Stderr}[i%2], i)
		}
	case "spew":
		for {
			if _, err := os.Stdout.WriteString(strings.Repeat("x", 4096)); err != nil {
				return err
			}
		}
	case "exit":
		n, _ := strconv.Atoi(arg(0))
		os.Exit(n)
	case "sleep":
		time.Sleep(time.Minute)
	case "die":
		return unix.Kill(unix.Getpid(), unix.SIGTERM)
	case "children":
		return children(arg(0))
	case "limits":
		return limits()
	case "forkbomb":
		return forkBomb()
	case "memory":
		return eat(2<<30, unix.MAP_PRIVATE)
	case "shared memory":
		return eat(1<<20, unix.MAP_SHARED)
	case "stack memory":
		return eat(1<<20, unix.MAP_PRIVATE|unix.MAP_GROWSDOWN)
	case "open for nothing":
		fd, err := unix.Open(arg(0), unix.O_ACCMODE, 0)
		_ = unix.Close(fd)
		return err
	case "attributes":
		return setAttributes(arg(0))
	case "nothing":
	default:
		return rawCall(op, arg(0))
	}
	return nil
}

// setAttributes sets a file's attributes to their current values.
func setAttributes(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil {
		return err
	}
	return unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags)
}

func dial(network, address string) error {
	c, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Write([]byte("x"))
	return err
}

func pair(kind int) error {
	p, err := unix.Socketpair(unix.AF_UNIX, kind, 0)
	if err != nil {
		return err
	}
	unix.Close(p[0])
	return unix.Close(p[1])
}

func rawCall(op, arg string) error {
	switch op {
	case "setsid":
		_, err := unix.Setsid()
		return err
	case "setpgid":
		return unix.Setpgid(0, 0)
	case "unshare":
		return unix.Unshare(unix.CLONE_NEWUSER)
	case "clonens":
		cmd := exec.Command("/proc/self/exe")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}
		if err := cmd.Start(); err != nil {
			return err
		}
		cmd.Process.Kill()
		cmd.Wait()
		return nil
	case "memfd":
		_, err := unix.MemfdCreate("x", 0)
		return err
	case "ptrace":
		return unix.PtraceAttach(os.Getppid())
	case "prlimit":
		pid, _ := strconv.Atoi(arg)
		return unix.Prlimit(pid, unix.RLIMIT_CORE, nil, &unix.Rlimit{})
	case "signal":
		pid, _ := strconv.Atoi(arg)
		return unix.Kill(pid, 0)
	case "tiocsti":
		return ignoring(unix.IoctlSetPointerInt(0, unix.TIOCSTI, 'x'), unix.ENOTTY)
	case "io_uring":
		return number(unix.SYS_IO_URING_SETUP, unix.EFAULT)
	case "bpf":
		return number(unix.SYS_BPF, unix.EINVAL)
	case "keyctl":
		return number(unix.SYS_KEYCTL, unix.ENOKEY)
	case "clone3":
		return number(unix.SYS_CLONE3, unix.EINVAL)
	case "userfaultfd":
		return number(unix.SYS_USERFAULTFD, 0)
	}
	return fmt.Errorf("no probe %q", op)
}

// number makes the system call nr with all arguments 0. usual is the error that the kernel returns
// for these arguments.
func number(nr uintptr, usual unix.Errno) error {
	_, _, e := unix.Syscall(nr, 0, 0, 0)
	if e == 0 || e == usual {
		return nil
	}
	return e
}

func ignoring(err, usual error) error {
	if errors.Is(err, usual) {
		return nil
	}
	return err
}

// fds returns an error if any file is open besides the three standard streams
// and the files that this process's runtime opened.
func fds() error {
	for fd := 3; fd < 1024; fd++ {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT != 0 {
			return fmt.Errorf("descriptor %d is open, mode %o", fd, st.Mode)
		}
	}
	return nil
}

// children starts three child processes that sleep, and prints their PIDs. One stays in the process
// group, one tries to start a session, and one tries to start a process group.
func children(file string) error {
	var pids []string
	for _, attr := range []*syscall.SysProcAttr{{}, {Setsid: true}, {Setpgid: true}} {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		cmd := exec.Command(self)
		cmd.Args, cmd.SysProcAttr = []string{"probe", "sleep"}, attr
		// stdout is the pipe that the parent reads.
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			pids = append(pids, "refused")
			continue
		}
		pids = append(pids, strconv.Itoa(cmd.Process.Pid))
	}
	fmt.Println(strings.Join(pids, " "))
	if file == "stay" {
		time.Sleep(time.Minute)
	}
	return nil
}

func limits() error {
	for _, l := range []int{unix.RLIMIT_CORE, unix.RLIMIT_FSIZE, unix.RLIMIT_NOFILE, unix.RLIMIT_CPU, unix.RLIMIT_DATA} {
		var r unix.Rlimit
		if err := unix.Getrlimit(l, &r); err != nil {
			return err
		}
		fmt.Print(int64(r.Max), " ")
	}
	fmt.Printf("umask %o\n", unix.Umask(0))
	return nil
}

func forkBomb() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for {
		cmd := exec.Command(self)
		cmd.Args = []string{"probe", "sleep"}
		if err := cmd.Start(); err != nil {
			return err
		}
	}
}

func fchmod(name string, flags int, mode uint32) error {
	fd, err := unix.Open(name, flags|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Fchmod(fd, mode)
}

func eat(n, kind int) error {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, kind|unix.MAP_ANON)
	if err == nil {
		b[0] = 1
	}
	return err
}

func self(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func requireSandbox(t testing.TB) {
	t.Helper()
	if w := Supported(); !w.Files || !w.Syscalls {
		t.Skip("the sandbox is not available:", w.Reason)
	}
}

// specFor returns a Spec that runs a probe in dir and allows it to read dir.
func specFor(t testing.TB, dir string, args ...string) Spec {
	t.Helper()
	return Spec{
		Helper: self(t), Path: self(t), Args: append([]string{"probe"}, args...), Dir: dir, Read: []string{dir},
		Require: true, Timeout: 20 * time.Second,
	}
}

// run runs s and returns its combined output.
func run(t testing.TB, s Spec) (Result, string, error) {
	t.Helper()
	var out bytes.Buffer
	s.Stdout, s.Stderr = &out, &out
	r, err := Run(context.Background(), s)
	return r, out.String(), err
}

// runUnsandboxed runs a probe outside the sandbox, to prove that it can succeed.
func runUnsandboxed(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(self(t))
	cmd.Args, cmd.Dir = append([]string{"probe"}, args...), dir
	out, _ := cmd.CombinedOutput()
	return string(out)
}

func writeFile(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
