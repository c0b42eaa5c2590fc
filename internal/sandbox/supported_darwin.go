package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"sync"

	"github.com/vadehq/vade/definition"
)

// Supported reports which restrictions this system can enforce. The first call tests the sandbox by
// running true(1) in it, because sandbox-exec fails inside another sandbox and may reject the
// profile.
func Supported() definition.Isolation { return seatbeltIsolation() }

var seatbeltIsolation = sync.OnceValue(func() definition.Isolation {
	args, err := seatbeltArgs(&Spec{Path: "/usr/bin/true", Args: []string{"true"}, Network: true})
	if err != nil {
		return definition.Isolation{Reason: err.Error()}
	}
	ctx, cancel := context.WithTimeout(context.Background(), defaultTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env, cmd.Dir = []string{}, "/"
	if out, err := cmd.CombinedOutput(); err != nil {
		line, _, _ := bytes.Cut(bytes.TrimSpace(out), []byte("\n"))
		return definition.Isolation{Reason: fmt.Sprintf("the macOS sandbox (experimental) failed: %v: %s", err, line)}
	}
	return definition.Isolation{
		Files: true, Network: true, Exec: true,
		Reason: "the macOS sandbox is experimental: it has no system call filter and no resource limits",
	}
})
