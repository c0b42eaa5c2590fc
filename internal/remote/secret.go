package remote

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/vadehq/vade/internal/lazyregexp"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/sandbox"
)

// maxSecret limits a helper's output, in bytes.
const maxSecret = 16 << 10

var reference = lazyregexp.New(`\$\{(\w*)\}?`)

// expand replaces each ${NAME} in text with the value of that environment variable. An unset
// variable is an error, so incomplete secrets are never sent.
func expand(text string, getenv func(string) string) (string, error) {
	var err error
	expanded := reference().ReplaceAllStringFunc(text, func(ref string) string {
		name := strings.TrimSuffix(ref[2:], "}")
		value := getenv(name)
		switch {
		case name == "" || !strings.HasSuffix(ref, "}"):
			err = newError(diag.RemoteConfig, "use ${NAME}", "invalid variable reference %q", ref)
		case value == "":
			err = newError(diag.RemoteConfig, "set the variable in Vade's environment", "the environment variable %s is not set", name)
		case strings.ContainsAny(value, "\x00\r\n"):
			err = newError(diag.RemoteConfig, "set it to a single line", "the environment variable %s contains a line break or a NUL byte", name)
		}
		return value
	})
	return expanded, err
}

func expandAll(m map[string]string, getenv func(string) string) (map[string]string, error) {
	out := map[string]string{}
	for name, value := range m {
		v, err := expand(value, getenv)
		if err != nil {
			return nil, err
		}
		out[name] = v
	}
	return out, nil
}

// program returns the path of a command's program. It accepts only programs that the user or an
// administrator installed outside of all projects.
func (w *Environment) program(name string) (string, error) {
	search := sandbox.Search{Path: w.Getenv("PATH"), Forbid: w.ForbiddenDirs}
	base := name
	if filepath.IsAbs(name) {
		search.Path, base = filepath.Dir(name), filepath.Base(name)
	}
	path, err := sandbox.Find(base, search)
	if err != nil {
		return "", newError(diag.RemoteDown, "install the program, or fix the command", "cannot start the program: %v", err)
	}
	return path, nil
}

// environ returns a program's environment. It passes on only a few variables,
// because others may be secrets.
func (w *Environment) environ(extra map[string]string) []string {
	var env []string
	for _, name := range []string{
		"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
		"XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "SYSTEMROOT", "TEMP", "APPDATA", "LOCALAPPDATA", "USERPROFILE",
	} {
		if v := w.Getenv(name); v != "" && extra[name] == "" {
			env = append(env, name+"="+v)
		}
	}
	for name, v := range extra {
		env = append(env, name+"="+v)
	}
	return env
}

// secret runs the server's helper and returns the secret that the helper prints.
func (w *Environment) secret(ctx context.Context, s *Server) (string, error) {
	path, err := w.program(s.Helper[0])
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	out := &limitedBuffer{left: maxSecret}
	cmd := exec.CommandContext(ctx, path)
	cmd.Args = append([]string{s.Helper[0]}, s.Helper[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.WaitDelay = w.environ(nil), w.Home, out, time.Second
	newProcessGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd) }
	err = cmd.Run()
	text := strings.TrimSpace(out.String())
	switch {
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", newError(diag.RemoteConfig, "make the helper faster, or set a longer timeout", "the helper that prints the server's secret did not finish within %s", s.timeout())
	case err != nil:
		return "", newError(diag.RemoteConfig, "run the helper in a terminal to see its error", "the helper that prints the server's secret failed: %v", withoutPath(err))
	case text == "" || strings.ContainsAny(text, "\x00\r\n"):
		return "", newError(diag.RemoteConfig, "make the helper print the secret on a single line", "the helper that prints the server's secret did not print exactly one line")
	}
	return text, nil
}

// limitedBuffer is a buffer that cannot grow beyond a limit.
type limitedBuffer struct {
	bytes.Buffer
	left int
}

// Write implements [io.Writer].
func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errors.New("too much output")
	}
	return b.Buffer.Write(p)
}
