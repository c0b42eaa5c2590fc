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

// maxSecret is the length of the longest secret of a helper in bytes.
const maxSecret = 16 << 10

var reference = lazyregexp.New(`\$\{(\w*)\}?`)

// fill inserts environment variables into a text. One that is not set is an error: half
// of a secret is sent nowhere.
func fill(text string, getenv func(string) string) (string, error) {
	var err error
	filled := reference().ReplaceAllStringFunc(text, func(ref string) string {
		name := strings.TrimSuffix(ref[2:], "}")
		value := getenv(name)
		switch {
		case name == "" || !strings.HasSuffix(ref, "}"):
			err = failed(diag.RemoteConfig, "write ${NAME}", "a value has a ${ that names no variable")
		case value == "":
			err = failed(diag.RemoteConfig, "set it where vade is started", "the variable %s is not set", name)
		case strings.ContainsAny(value, "\x00\r\n"):
			err = failed(diag.RemoteConfig, "set it to one line", "the variable %s has more than one line", name)
		}
		return value
	})
	return filled, err
}

func fillAll(m map[string]string, getenv func(string) string) (map[string]string, error) {
	out := map[string]string{}
	for name, value := range m {
		v, err := fill(value, getenv)
		if err != nil {
			return nil, err
		}
		out[name] = v
	}
	return out, nil
}

// program finds the program of a command: one that only the user or the
// administrator can have put there, and none of a project. The name under which it
// was asked for is kept for it.
func (w *World) program(name string) (string, error) {
	search := sandbox.Search{Path: w.Getenv("PATH"), Forbid: w.Forbid}
	base := name
	if filepath.IsAbs(name) {
		search.Path, base = filepath.Dir(name), filepath.Base(name)
	}
	path, err := sandbox.Find(base, search)
	if err != nil {
		return "", failed(diag.RemoteDown, "install it, or correct the command", "its program can not be started: %v", err)
	}
	return path, nil
}

// environ is what a program gets of the environment, which may hold any secret.
func (w *World) environ(extra map[string]string) []string {
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

// secret asks the user's helper for the secret of a server.
func (w *World) secret(ctx context.Context, s *Server) (string, error) {
	path, err := w.program(s.Helper[0])
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, s.deadline())
	defer cancel()
	out := &bounded{left: maxSecret}
	cmd := exec.CommandContext(ctx, path)
	cmd.Args = append([]string{s.Helper[0]}, s.Helper[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.WaitDelay = w.environ(nil), w.Home, out, time.Second
	group(cmd)
	cmd.Cancel = func() error { return endGroup(cmd) }
	err = cmd.Run()
	text := strings.TrimSpace(out.String())
	switch {
	case err != nil:
		return "", failed(diag.RemoteConfig, "run the helper by itself and see", "the helper for its secret failed: %v", plain(err))
	case text == "" || strings.ContainsAny(text, "\x00\r\n"):
		return "", failed(diag.RemoteConfig, "let it print the secret in one line", "the helper printed no secret")
	}
	return text, nil
}

// bounded keeps what is written to it, up to a number of bytes.
type bounded struct {
	bytes.Buffer
	left int
}

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errors.New("too much output")
	}
	return b.Buffer.Write(p)
}
