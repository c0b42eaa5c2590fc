package run

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/internal/coreutils"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/vfs"
)

// search returns where to look for programs: the user's PATH or, if system is set, only the system
// directories. It excludes the project.
func (e *execution) search(system bool) sandbox.Search {
	return sandbox.Search{Path: e.o.Getenv("PATH"), System: system, Forbid: []string{e.o.Project}}
}

// spec returns the sandbox specification for a command line. The caller must call done after the
// process has ended. The error is fs.ErrNotExist if the program does not exist.
func (e *execution) spec(c shell.Call, v *policy.Verdict) (s sandbox.Spec, done func(), err error) {
	s = sandbox.Spec{
		Helper: e.o.Helper, Args: v.Argv, Dir: c.Dir, Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr,
		Require:    e.o.Require || e.o.Policy.Sandbox == policy.SandboxRequired,
		BestEffort: e.o.Policy.Sandbox == policy.SandboxBestEffort,
		Timeout:    policy.MaxTimeout + time.Minute,
	}
	if s.Dir, err = vfs.RealPath(c.Dir); err != nil || !inside(s.Dir, e.o.Context.Roots) {
		return s, nil, &policy.Refusal{Reason: policy.ReasonPath, Message: "the working directory is outside the project"}
	}
	switch {
	case v.Grant != nil:
		if err := e.granted(&s, c, v.Grant); err != nil || c.Argv[0] != "git" {
			return s, func() {}, err
		}
		return s, func() {}, e.grantedGit(&s, v.Grant)
	case v.Call.Tool != "git" && !v.Call.NeutralDir:
		return s, func() {}, e.reader(&s, c, v.Call)
	case v.Call.Tool != "git":
		return s, func() {}, e.versionQuery(&s, v.Call)
	}
	r := &redactor{to: c.Stdout, hit: func() { e.redacted.Store(true) }}
	s.Stdout = r
	if e.o.Merged && c.Stderr == c.Stdout {
		// Neither stream is redirected elsewhere.
		s.Stderr = r
	}
	return s, func() { _ = r.flush() }, e.git(&s, v.Call)
}

// git configures a hardened git process.
func (e *execution) git(s *sandbox.Spec, call *policy.Call) (err error) {
	if s.Path, err = sandbox.Find("git", e.search(true)); err != nil {
		return err
	}
	if call.Dir != "" {
		dir := call.Dir
		if !strings.HasPrefix(dir, "/") {
			dir = path.Join(s.Dir, dir)
		}
		if s.Dir, err = vfs.RealPath(dir); err != nil {
			// git itself reports that the directory does not exist.
			s.Dir = path.Clean(dir)
		}
		if !inside(s.Dir, e.o.Context.Roots) {
			return &policy.Refusal{Reason: policy.ReasonPath, Message: call.Dir + " is outside the project"}
		}
	}
	dirs, err := sandbox.CheckGit(sandbox.ReadGitFile, e.o.Project, s.Dir)
	if err != nil {
		return &policy.Refusal{Reason: policy.ReasonRepository, Message: "Vade does not run git in this repository: " + err.Error()}
	}
	if s.Args, err = sandbox.GitArgs(s.Args, dirs.Config...); err != nil {
		return &policy.Refusal{Reason: policy.ReasonFlag, Message: err.Error()}
	}
	if dirs.IgnoresRevisions && slices.Contains(s.Args, "blame") {
		return &policy.Refusal{Reason: policy.ReasonRepository, Message: "git blame does not run in this repository, which sets blame.ignoreRevsFile"}
	}
	if refusal := e.checkGitFiles(dirs); refusal != nil {
		return refusal
	}
	for _, word := range s.Args {
		// With these flags, git starts a second git process to find out whether a submodule has
		// changed, so require a sandbox.
		if strings.HasPrefix(word, "--dirty") || strings.HasPrefix(word, "--broken") {
			s.BestEffort = false
		}
	}
	s.Read = append([]string{e.o.Project}, dirs.Read...)
	s.Exec = sandbox.GitExec(s.Path)
	s.Env = sandbox.GitEnv(dirs.Ceiling, e.o.Getenv("TZ"))
	return nil
}

// reader configures a program that only reads. Within the project, the program can open only the
// files that its operands name, and it cannot start other programs.
func (e *execution) reader(s *sandbox.Spec, c shell.Call, call *policy.Call) (err error) {
	if s.Path, err = sandbox.Find(call.Tool, e.search(true)); err != nil {
		return err
	}
	s.AnyDir = true
	s.Env = e.environment("/nonexistent", nil)
	if call.Tool == "id" || call.Tool == "whoami" {
		s.Read = existing("/etc/passwd", "/etc/group", "/etc/nsswitch.conf")
	}
	view := e.o.View.At(c.Dir)
	for _, name := range call.Paths {
		info, err := view.Stat(name)
		if err == nil && info.Mode().IsRegular() && call.Access == coreutils.AccessFiles {
			var h *vfs.Handle
			if h, err = view.Open(name); err == nil {
				h.Close()
			}
		}
		switch {
		case errors.Is(err, coreutils.ErrProtected):
			return &policy.Refusal{Reason: policy.ReasonProtected, Message: name + " is protected by the policy"}
		case errors.Is(err, vfs.ErrOutside):
			return &policy.Refusal{Reason: policy.ReasonPath, Message: name + " is outside the project"}
		case err != nil && info != nil:
			return &policy.Refusal{Reason: policy.ReasonPath, Message: name + " cannot be read: " + coreutils.Reason(err)}
		case err != nil:
			continue // the program reports this
		}
		if info.IsDir() && call.Access == coreutils.AccessFiles {
			// If given a directory, diff would open the file in it that has the other operand's
			// name.
			return &policy.Refusal{Reason: policy.ReasonOperand, Message: fmt.Sprintf("%s: %s is a directory", call.Tool, name)}
		}
		if info.Mode().IsRegular() && call.Access == coreutils.AccessFiles || info.IsDir() && call.Access == coreutils.AccessTree {
			real, err := view.Real(name)
			if err != nil {
				return &policy.Refusal{Reason: policy.ReasonPath, Message: name + " cannot be read: " + coreutils.Reason(err)}
			}
			s.Read = append(s.Read, real)
		}
	}
	return nil
}

// inside reports whether dir is equal to or inside one of the directories in roots.
func inside(dir string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return dir == root || strings.HasPrefix(dir, strings.TrimSuffix(root, "/")+"/")
	})
}

// versionQuery configures a program that prints its version or the installed packages. It runs
// outside the project and can read only system files and its own directories.
func (e *execution) versionQuery(s *sandbox.Spec, call *policy.Call) error {
	found, err := sandbox.Find(call.Tool, e.search(false))
	if err != nil {
		return err
	}
	s.Path, s.Dir = found, neutralDir()
	installDir := e.installation(found)
	manager := managerOf(installDir, e.o.Home)
	s.Read = existing(append(manager.dirs, installDir, "/etc/alternatives", "/etc/ssl/openssl.cnf", "/etc/ssl/certs")...)
	s.Exec = existing(append(append(systemPrograms(), installDir), manager.dirs...)...)
	// Use a missing home directory: some programs fail if it exists but is unreadable.
	s.Env = append(e.environment("/nonexistent", nil), manager.env...)
	s.Env = append(s.Env, quietEnv()...)
	return nil
}

// quietEnv returns environment variables that keep package managers from checking for updates,
// downloading toolchains, and warning about directories that they cannot write to.
func quietEnv() []string {
	return []string{"NO_UPDATE_NOTIFIER=1", "NPM_CONFIG_UPDATE_NOTIFIER=false", "NPM_CONFIG_LOGS_MAX=0", "NPM_CONFIG_FUND=false",
		"PIP_NO_CACHE_DIR=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "GOTOOLCHAIN=local", "GOENV=off"}
}

// manager holds the directories and variables that a version manager's shim needs. In the sandbox,
// the shim cannot find them itself, because it cannot read the home directory.
type manager struct{ dirs, env []string }

func managerOf(installDir, home string) manager {
	switch path.Base(installDir) {
	case ".pyenv":
		return manager{env: []string{"PYENV_ROOT=" + installDir}}
	case ".rbenv":
		return manager{env: []string{"RBENV_ROOT=" + installDir}}
	case ".nodenv":
		return manager{env: []string{"NODENV_ROOT=" + installDir}}
	case ".asdf":
		return manager{env: []string{"ASDF_DATA_DIR=" + installDir}}
	case ".volta":
		return manager{env: []string{"VOLTA_HOME=" + installDir}}
	case ".cargo":
		rustup := path.Join(home, ".rustup")
		return manager{dirs: []string{rustup}, env: []string{"CARGO_HOME=" + installDir, "RUSTUP_HOME=" + rustup}}
	}
	return manager{}
}

// neutralDir returns a directory that is outside all projects and readable by every process.
func neutralDir() string {
	if len(existing("/usr")) > 0 {
		return "/usr"
	}
	return "/"
}

// granted configures a command that a grant allows.
func (e *execution) granted(s *sandbox.Spec, c shell.Call, g *policy.Grant) error {
	found, err := e.grantedPath(c)
	if err != nil {
		return err
	}
	s.Path = found
	installDir := e.installation(found)
	s.Network = g.Network
	s.Exec = existing(append(append(systemPrograms(), installDir), e.o.Context.Roots...)...)
	s.Read = append(slices.Clone(e.o.Context.Roots), existing(installDir, "/etc/alternatives", "/etc/ssl/openssl.cnf", "/etc/ssl/certs")...)
	read, refusal := e.grantDirs(g.Read)
	if refusal != nil {
		return refusal
	}
	if s.Write, refusal = e.grantDirs(g.Write); refusal != nil {
		return refusal
	}
	s.Read = append(s.Read, read...)
	if g.Network {
		s.Read = append(s.Read, existing("/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/services", "/run/systemd/resolve")...)
	}
	s.Env = e.environment(e.o.Home, g.Env)
	s.Timeout = g.Timeout + time.Minute
	return nil
}

// grantedPath returns the path of a granted command's program. If the command's name is a path, the
// program is a file in a readable directory. Otherwise, it is looked up in PATH.
func (e *execution) grantedPath(c shell.Call) (string, error) {
	name := c.Argv[0]
	if !strings.Contains(name, "/") {
		return sandbox.Find(name, e.search(false))
	}
	view := e.o.View.At(c.Dir)
	info, err := view.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fs.ErrNotExist
	case err != nil:
		return "", &policy.Refusal{Reason: policy.ReasonPath, Message: name + " cannot be read: " + coreutils.Reason(convertError(err))}
	case !info.Mode().IsRegular():
		return "", &policy.Refusal{Reason: policy.ReasonOperand, Message: name + " is not a file"}
	}
	// The approval covers the resolved path, so run that file.
	real, err := view.Real(name)
	if err != nil {
		return "", &policy.Refusal{Reason: policy.ReasonPath, Message: name + " cannot be read: " + coreutils.Reason(convertError(err))}
	}
	return real, nil
}

// environment returns a process's complete environment: PATH, the home
// directory, the time zone, and the variables that a grant passes on.
func (e *execution) environment(home string, names []string) []string {
	env := []string{"PATH=" + sandbox.SafePath(e.o.Getenv("PATH"), e.o.Context.Roots), "HOME=" + home, "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_TERMINAL_PROMPT=0"}
	if tz := e.o.Getenv("TZ"); tz != "" {
		env = append(env, "TZ="+tz)
	}
	for _, name := range names {
		if value := e.o.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// grantDirs resolves a grant's directories and omits missing directories. A path relative to the
// project must not contain a symlink, because anyone who can write to the project could redirect
// it.
func (e *execution) grantDirs(list []string) ([]string, *policy.Refusal) {
	var out []string
	for _, p := range list {
		trusted := true
		switch {
		case strings.HasPrefix(p, "~/"):
			p = path.Join(e.o.Home, p[2:])
		case !strings.HasPrefix(p, "/"):
			p, trusted = path.Join(e.o.Project, p), false
		}
		real, err := vfs.RealPath(p)
		if err != nil {
			continue
		}
		if in := inside(real, []string{e.o.Project}); !trusted && real != p || trusted && inside(p, []string{e.o.Project}) && !in {
			return nil, &policy.Refusal{Reason: policy.ReasonPath, Message: "a grant lists " + p + ", but this path contains a symlink"}
		}
		out = append(out, real)
	}
	return out, nil
}

// installation returns the directory where a program is installed. For a program in bin or shims,
// this is the parent directory, unless the parent also contains other user files.
func (e *execution) installation(program string) string {
	dir := path.Dir(program)
	if base := path.Base(dir); base != "bin" && base != "shims" {
		return dir
	}
	up := path.Dir(dir)
	if up == "/" || path.Base(up) == ".local" || e.o.Home == "" || e.o.Home == up || strings.HasPrefix(e.o.Home, up+"/") {
		return dir
	}
	return up
}

// systemPrograms lists the directories that contain system programs.
func systemPrograms() []string {
	return []string{"/usr", "/bin", "/lib", "/lib64", "/opt/homebrew", "/Library/Developer/CommandLineTools"}
}

// existing returns those paths that exist, because the sandbox cannot grant access to a nonexistent
// path.
func existing(paths ...string) []string {
	var list []string
	for _, p := range paths {
		if p == "/" || p == "" {
			continue
		}
		if _, err := vfs.RealPath(p); err == nil && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}
