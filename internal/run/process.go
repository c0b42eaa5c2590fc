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

// search says where programs are looked for: in the user's PATH, or, with
// system, only where the system keeps them. Those of the project never count.
func (e *execution) search(system bool) sandbox.Search {
	return sandbox.Search{Path: e.o.Getenv("PATH"), System: system, Forbid: []string{e.o.Project}}
}

// spec describes the process of a command line. done is called when it has
// ended. An error that is fs.ErrNotExist means that there is no such program.
func (e *execution) spec(c shell.Call, v *policy.Verdict) (s sandbox.Spec, done func(), err error) {
	s = sandbox.Spec{
		Helper: e.o.Helper, Args: v.Argv, Dir: c.Dir, Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr,
		Require:    e.o.Require || e.o.Policy.Sandbox == policy.SandboxRequired,
		BestEffort: e.o.Policy.Sandbox == policy.SandboxBestEffort,
		Timeout:    policy.MaxTimeout + time.Minute,
	}
	if s.Dir, err = vfs.RealPath(c.Dir); err != nil || !inside(s.Dir, e.o.Situation.Roots) {
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
		return s, func() {}, e.question(&s, v.Call)
	}
	r := &redactor{to: c.Stdout, hit: func() { e.redacted.Store(true) }}
	s.Stdout = r
	if e.o.Merged {
		s.Stderr = r
	}
	return s, func() { _ = r.flush() }, e.git(&s, v.Call)
}

// git describes a hardened git.
func (e *execution) git(s *sandbox.Spec, call *policy.Call) (err error) {
	if s.Path, err = sandbox.Find("git", e.search(true)); err != nil {
		return fs.ErrNotExist
	}
	if call.Dir != "" {
		dir := call.Dir
		if !strings.HasPrefix(dir, "/") {
			dir = path.Join(s.Dir, dir)
		}
		if s.Dir, err = vfs.RealPath(dir); err != nil {
			// git itself says that there is no such directory.
			s.Dir = path.Clean(dir)
		}
		if !inside(s.Dir, e.o.Situation.Roots) {
			return &policy.Refusal{Reason: policy.ReasonPath, Message: call.Dir + " is outside the project"}
		}
	}
	dirs, err := sandbox.CheckGit(sandbox.ReadGitFile, e.o.Project, s.Dir)
	if err != nil {
		return &policy.Refusal{Reason: policy.ReasonRepository, Message: "git is not run in this repository: " + err.Error()}
	}
	if s.Args, err = sandbox.GitArgs(s.Args, dirs.Config...); err != nil {
		return &policy.Refusal{Reason: policy.ReasonFlag, Message: err.Error()}
	}
	if dirs.IgnoresRevisions && slices.Contains(s.Args, "blame") {
		return &policy.Refusal{Reason: policy.ReasonRepository, Message: "git blame is not run here: the repository sets blame.ignoreRevsFile"}
	}
	if refusal := e.plainState(dirs); refusal != nil {
		return refusal
	}
	for _, word := range s.Args {
		// To see whether a submodule has changed, git starts another git in it.
		if strings.HasPrefix(word, "--dirty") || strings.HasPrefix(word, "--broken") {
			s.BestEffort = false
		}
	}
	s.Read = append([]string{e.o.Project}, dirs.Read...)
	s.Exec = sandbox.GitExec(s.Path)
	s.Env = sandbox.GitEnv(dirs.Ceiling, e.o.Getenv("TZ"))
	return nil
}

// reader describes a program that reads its operands: it can open these and
// nothing else of the project, and start no other program.
func (e *execution) reader(s *sandbox.Spec, c shell.Call, call *policy.Call) (err error) {
	if s.Path, err = sandbox.Find(call.Tool, e.search(true)); err != nil {
		return fs.ErrNotExist
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
			continue // the program says so
		}
		if info.IsDir() && call.Access == coreutils.AccessFiles {
			// diff opens the file of the other operand's name in it.
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

// inside reports whether a path is in one of the directories.
func inside(dir string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return dir == root || strings.HasPrefix(dir, strings.TrimSuffix(root, "/")+"/")
	})
}

// question describes a program that is asked for its version, or for what is
// installed: in no project, with nothing of the user's but the program's own
// directories.
func (e *execution) question(s *sandbox.Spec, call *policy.Call) error {
	found, err := sandbox.Find(call.Tool, e.search(false))
	if err != nil {
		return fs.ErrNotExist
	}
	s.Path, s.Dir = found, neutralDir()
	own := e.installation(found)
	manager := managerOf(own, e.o.Home)
	s.Read = existing(append(manager.dirs, own, "/etc/alternatives", "/etc/ssl/openssl.cnf", "/etc/ssl/certs")...)
	s.Exec = existing(append(append(systemPrograms(), own), manager.dirs...)...)
	// A home that cannot be read makes some programs fail; one that is not
	// there does not.
	s.Env = append(e.environment("/nonexistent", nil), manager.env...)
	s.Env = append(s.Env, quiet()...)
	return nil
}

// quiet keeps package managers from looking for news and from complaining that
// they can write nothing.
func quiet() []string {
	return []string{"NO_UPDATE_NOTIFIER=1", "NPM_CONFIG_UPDATE_NOTIFIER=false", "NPM_CONFIG_LOGS_MAX=0", "NPM_CONFIG_FUND=false",
		"PIP_NO_CACHE_DIR=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "GOTOOLCHAIN=local", "GOENV=off"}
}

// manager is what a program that manages versions of others has to know, since
// it is not given the home.
type manager struct{ dirs, env []string }

func managerOf(own, home string) manager {
	switch path.Base(own) {
	case ".pyenv":
		return manager{env: []string{"PYENV_ROOT=" + own}}
	case ".rbenv":
		return manager{env: []string{"RBENV_ROOT=" + own}}
	case ".nodenv":
		return manager{env: []string{"NODENV_ROOT=" + own}}
	case ".asdf":
		return manager{env: []string{"ASDF_DATA_DIR=" + own}}
	case ".volta":
		return manager{env: []string{"VOLTA_HOME=" + own}}
	case ".cargo":
		rustup := path.Join(home, ".rustup")
		return manager{dirs: []string{rustup}, env: []string{"CARGO_HOME=" + own, "RUSTUP_HOME=" + rustup}}
	}
	return manager{}
}

// neutralDir is a directory that every process may read and that holds no
// project's files.
func neutralDir() string {
	if len(existing("/usr")) > 0 {
		return "/usr"
	}
	return "/"
}

// granted describes a command that the user has granted.
func (e *execution) granted(s *sandbox.Spec, c shell.Call, g *policy.Grant) error {
	found, err := e.grantedPath(c)
	if err != nil {
		return err
	}
	s.Path = found
	own := e.installation(found)
	s.Network = g.Network
	s.Exec = existing(append(append(systemPrograms(), own), e.o.Situation.Roots...)...)
	s.Read = append(slices.Clone(e.o.Situation.Roots), existing(own, "/etc/alternatives", "/etc/ssl/openssl.cnf", "/etc/ssl/certs")...)
	read, refusal := e.places(g.Read)
	if refusal != nil {
		return refusal
	}
	if s.Write, refusal = e.places(g.Write); refusal != nil {
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

// grantedPath returns the program of a granted command: by its name, or, where
// the grant names a path, a file below what may be read.
func (e *execution) grantedPath(c shell.Call) (string, error) {
	name := c.Argv[0]
	if !strings.Contains(name, "/") {
		found, err := sandbox.Find(name, e.search(false))
		if err != nil {
			return "", fs.ErrNotExist
		}
		return found, nil
	}
	view := e.o.View.At(c.Dir)
	info, err := view.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fs.ErrNotExist
	case err != nil:
		return "", &policy.Refusal{Reason: policy.ReasonPath, Message: name + " cannot be read: " + err.Error()}
	case !info.Mode().IsRegular():
		return "", &policy.Refusal{Reason: policy.ReasonOperand, Message: name + " is no file"}
	}
	// The consent is compared with what the name leads to, so that is what runs.
	real, err := view.Real(name)
	if err != nil {
		return "", &policy.Refusal{Reason: policy.ReasonPath, Message: name + " cannot be read: " + err.Error()}
	}
	return real, nil
}

// environment is all that a process knows of the user's environment: where
// programs are, the home, the zone, and what a grant passes on.
func (e *execution) environment(home string, names []string) []string {
	env := []string{"PATH=" + sandbox.SafePath(e.o.Getenv("PATH"), e.o.Situation.Roots), "HOME=" + home, "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_TERMINAL_PROMPT=0"}
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

// places are directories as a grant names them; those that are not there are
// left out. One that is named relative to the project has to be there without
// a link on its way, which anybody who writes to the project could set.
func (e *execution) places(list []string) ([]string, *policy.Refusal) {
	var out []string
	for _, p := range list {
		own := true
		switch {
		case strings.HasPrefix(p, "~/"):
			p = path.Join(e.o.Home, p[2:])
		case !strings.HasPrefix(p, "/"):
			p, own = path.Join(e.o.Project, p), false
		}
		real, err := vfs.RealPath(p)
		if err != nil {
			continue
		}
		if in := inside(real, []string{e.o.Project}); !own && real != p || own && inside(p, []string{e.o.Project}) && !in {
			return nil, &policy.Refusal{Reason: policy.ReasonPath, Message: p + " is named in a grant, and a link leads to another place"}
		}
		out = append(out, real)
	}
	return out, nil
}

// installation is the directory that a program was installed into: the one
// above its bin, but never one that holds what else the user has.
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

// systemPrograms are where the system keeps what programs start.
func systemPrograms() []string {
	return []string{"/usr", "/bin", "/lib", "/lib64", "/opt/homebrew", "/Library/Developer/CommandLineTools"}
}

// existing leaves out what is not there: a path that is missing cannot be
// allowed.
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
