//go:build !linux

package sandbox

import (
	"context"
	"os/exec"

	"github.com/vadehq/vade/definition"
)

// Main must be the first call in a program that runs commands with Run. This system does not use
// helpers, so Main only records the call.
func Main() { called.Store(true) }

// launch starts the command, in a sandbox if this system has one. Without a sandbox, it starts the
// command only if s allows that. It waits for the command to exit and then kills the remaining
// processes in its group.
func launch(ctx context.Context, cmd *exec.Cmd, s *Spec) (definition.Isolation, error) {
	enforced := Supported()
	if missing := missingRestriction(enforced, s); missing != "" {
		return enforced, notSandboxed(enforced, missing)
	}
	cmd.Path, cmd.Args, cmd.Dir, cmd.Env = s.Path, s.Args, s.Dir, s.Env
	if enforced.Files {
		args, err := seatbeltArgs(s)
		if err != nil {
			return enforced, err
		}
		cmd.Path, cmd.Args, enforced.Network = args[0], args, !s.Network
	}
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	group(cmd)
	if err := feed(cmd, s.Stdin); err != nil {
		return enforced, &Error{"start", s.Path, err}
	}
	if err := cmd.Start(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return enforced, cause
		}
		return enforced, &Error{"exec", s.Path, err}
	}
	err := cmd.Wait()
	endGroup(cmd)
	return enforced, err
}
