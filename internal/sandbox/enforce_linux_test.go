package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestIsolation tries each operation outside the sandbox, where it must
// succeed, and inside, where it must fail.
func TestIsolation(t *testing.T) {
	requireSandbox(t)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	sock, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer sock.Close()
	const in, out = "IN/", "OUT/"
	for _, c := range []struct {
		name string
		args []string
		why  string
	}{
		{"read outside", []string{"read", out + "file"}, "permission denied"},
		{"list outside", []string{"list", out}, "permission denied"},
		{"read through a link", []string{"read", in + "link"}, "permission denied"},
		{"read upwards", []string{"read", in + "../outside/file"}, "permission denied"},
		{"read a password file", []string{"read", "/etc/passwd"}, "permission denied"},
		{"read the environment of others", []string{"read", "/proc/" + strconv.Itoa(os.Getpid()) + "/environ"}, "permission denied"},
		{"write inside", []string{"write", in + "new"}, "permission denied"},
		{"overwrite inside", []string{"write", in + "file"}, "permission denied"},
		{"write outside", []string{"write", out + "new"}, "permission denied"},
		{"remove inside", []string{"remove", in + "file"}, "permission denied"},
		{"rename inside", []string{"rename", in + "file"}, "permission denied"},
		{"make a directory", []string{"mkdir", in + "dir"}, "permission denied"},
		{"make a link", []string{"link", in + "newlink"}, "permission denied"},
		{"truncate", []string{"truncate", in + "file"}, "permission denied"},
		{"change a mode", []string{"chmod", out + "file"}, "not permitted"},
		{"change an owner", []string{"chown", out + "file"}, "not permitted"},
		{"change times", []string{"times", out + "file"}, "not permitted"},
		{"TCP", []string{"tcp", tcp.Addr().String()}, "permission denied"},
		{"UDP", []string{"udp", udp.LocalAddr().String()}, "permission denied"},
		{"unix socket", []string{"unix", sock.Addr().String()}, "permission denied"},
		{"datagram pair", []string{"dgrampair"}, "permission denied"},
		{"execute a shell", []string{"exec", "/bin/sh"}, "permission denied"},
		{"execute what the project holds", []string{"exec", in + "script"}, "permission denied"},
		{"new user namespace", []string{"unshare"}, "not permitted"},
		{"clone into a namespace", []string{"clonens"}, "not permitted"},
		{"file in memory", []string{"memfd"}, "not permitted"},
		{"limits of others", []string{"prlimit", strconv.Itoa(os.Getpid())}, "not permitted"},
		{"signal to others", []string{"signal", strconv.Itoa(os.Getpid())}, "not permitted"},
		{"typing into the terminal", []string{"tiocsti"}, "not permitted"},
		{"io_uring", []string{"io_uring"}, "not permitted"},
		{"keys", []string{"keyctl"}, "not permitted"},
		{"clone3", []string{"clone3"}, "not implemented"},
		{"userfaultfd", []string{"userfaultfd"}, "not permitted"},
		{"shared memory", []string{"shared memory"}, "cannot allocate memory"},
		{"memory that grows like a stack", []string{"stack memory"}, "cannot allocate memory"},
		{"open for neither reading nor writing", []string{"open for nothing", out + "file"}, "not permitted"},
		{"attributes of a file", []string{"attributes", in + "file"}, "not permitted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			// Use a separate directory, because the unsandboxed run may change files.
			dir := stage(t)
			r, got, err := run(t, specFor(t, dir, expand(c.args, dir)...))
			if err != nil || r.Exit != 3 || !strings.Contains(got, c.why) {
				t.Errorf("sandboxed: exit %d, %v, printed %q, want %q", r.Exit, err, got, c.why)
			}
			if w := r.Isolation; !w.Files || !w.Network || !w.Exec || !w.Syscalls || w.ABI < 1 {
				t.Errorf("restrictions: %+v", w)
			}
			if got := runUnsandboxed(t, dir, expand(c.args, dir)...); !strings.Contains(got, "done") && !systemRefuses(c.args[0]) {
				t.Errorf("fails unsandboxed too, so this test proves nothing: %q", got)
			}
		})
	}
}

// systemRefuses reports whether the system itself may refuse the operation.
func systemRefuses(op string) bool {
	switch op {
	case "unshare", "clonens", "io_uring", "userfaultfd", "keyctl", "attributes":
		return true
	}
	return false
}

// stage creates a project that contains a symlink to an outside directory.
func stage(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	dir := filepath.Join(base, "project")
	outside := writeFile(t, filepath.Join(base, "outside", "file"), "secret")
	writeFile(t, filepath.Join(dir, "file"), "honest")
	writeFile(t, filepath.Join(dir, "script"), "#!/bin/sh\necho ran\n")
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func expand(args []string, dir string) []string {
	var list []string
	for _, a := range args {
		a = strings.Replace(a, "OUT/", filepath.Join(filepath.Dir(dir), "outside")+"/", 1)
		list = append(list, strings.Replace(a, "IN/", dir+"/", 1))
	}
	return list
}

// TestGates checks that exactly the granted operations work.
func TestGates(t *testing.T) {
	requireSandbox(t)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	dir := stage(t)
	outside := filepath.Join(filepath.Dir(dir), "outside")
	for _, c := range []struct {
		name  string
		args  []string
		grant func(*Spec)
		want  string
	}{
		{"read inside", []string{"read", dir + "/file"}, nil, "honest"},
		{"stream pair", []string{"pair"}, nil, "done"},
		{"read a granted file", []string{"read", outside + "/file"}, func(s *Spec) { s.Read = append(s.Read, outside+"/file") }, "secret"},
		{"not its neighbours", []string{"list", outside}, func(s *Spec) { s.Read = append(s.Read, outside+"/file") }, "denied"},
		{"write", []string{"write", dir + "/new"}, func(s *Spec) { s.Write = []string{dir} }, "done"},
		{"write only there", []string{"write", outside + "/file"}, func(s *Spec) { s.Write = []string{dir} }, "denied"},
		{"mode of an open file", []string{"fchmod", dir + "/file"}, func(s *Spec) { s.Write = []string{dir} }, "done"},
		{"times of an open file", []string{"futimes", dir + "/file"}, func(s *Spec) { s.Write = []string{dir} }, "done"},
		{"execute", []string{"exec", "/bin/sh"}, func(s *Spec) { s.Exec = []string{"/bin/sh"} }, "ran"},
		{"network", []string{"tcp", tcp.Addr().String()}, func(s *Spec) { s.Network = true }, "done"},
		{"no unix socket with it", []string{"unix", outside + "/none"}, func(s *Spec) { s.Network = true }, "denied"},
		{"null device", []string{"write", "/dev/null"}, nil, "done"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := specFor(t, dir, c.args...)
			if c.grant != nil {
				c.grant(&s)
			}
			r, got, err := run(t, s)
			if err != nil || !strings.Contains(got, c.want) {
				t.Errorf("exit %d, %v, printed %q, want %q", r.Exit, err, got, c.want)
			}
			if r.Isolation.Network == s.Network {
				t.Errorf("reported network restriction is %v", r.Isolation.Network)
			}
		})
	}
}

// TestWriteChangesNothingElse grants write access to one directory. It then tries to change the
// modes and times of files outside the directory, and to create set-user-ID files in it. Landlock
// does not restrict modes, so the system call filter must.
func TestWriteChangesNothingElse(t *testing.T) {
	requireSandbox(t)
	const in, out = "IN/", "OUT/"
	for _, args := range [][]string{
		{"chmod", out + "file"}, {"chmod", in + "../outside/file"}, {"chmod", in + "link"}, {"times", out + "file"},
		{"fchmod", out + "file"}, {"fchmod, neither read nor write", out + "file"}, {"openat2", out + "file"}, {"futimes", out + "file"},
		{"fchmodat2"}, {"chown", out + "file"},
		{"fchmod, set-user-ID", in + "file"}, {"create set-user-ID", in + "new"}, {"mknod set-user-ID", in + "new"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			dir := stage(t)
			s := specFor(t, dir, expand(args, dir)...)
			s.Write = []string{dir}
			if r, got, err := run(t, s); err != nil || r.Exit != 3 {
				t.Errorf("in the sandbox: exit %d, %v, printed %q", r.Exit, err, got)
			}
			if got := runUnsandboxed(t, dir, expand(args, dir)...); !strings.Contains(got, "done") {
				t.Errorf("fails unsandboxed too, so this test proves nothing: %q", got)
			}
		})
	}
}

// TestLoaderCannotBypassExec runs a shell through the dynamic loader.
func TestLoaderCannotBypassExec(t *testing.T) {
	requireSandbox(t)
	loader := elfLoader("/bin/sh")
	if loader == "" {
		t.Skip("this system's shell needs no loader")
	}
	dir := stage(t)
	s := specFor(t, dir, "loader", loader, "/bin/sh")
	s.Exec = []string{loader}
	if _, got, err := run(t, s); err != nil || !strings.Contains(got, "refused") {
		t.Errorf("%v, printed %q", err, got)
	}
	if got := runUnsandboxed(t, dir, "loader", loader, "/bin/sh"); !strings.Contains(got, "ran") {
		t.Errorf("fails unsandboxed too, so this test proves nothing: %q", got)
	}
}
