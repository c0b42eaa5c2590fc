//go:build !linux

package sandbox

import (
	"context"
	"os/exec"

	"github.com/vadehq/vade/definition"
)

// Main is the first thing that a program does which runs commands with Run. In
// a helper it does not return; in every other process it returns at once. This
// system has no helpers.
func Main() { called.Store(true) }

// launch starts the command, in the sandbox if this system has one and else only where the
// caller can do without it, and returns when it and what can be found of its group are gone.
func launch(ctx context.Context, cmd *exec.Cmd, s *Spec) (definition.Walls, error) {
	walls := Supported()
	if missing := lacks(walls, s); missing != "" {
		return walls, notSandboxed(walls, missing)
	}
	cmd.Path, cmd.Args, cmd.Dir, cmd.Env = s.Path, s.Args, s.Dir, s.Env
	if walls.Files {
		args, err := seatbeltArgs(s)
		if err != nil {
			return walls, err
		}
		cmd.Path, cmd.Args, walls.Network = args[0], args, !s.Network
	}
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	group(cmd)
	if err := feed(cmd, s.Stdin); err != nil {
		return walls, &Error{"start", s.Path, err}
	}
	if err := cmd.Start(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return walls, cause
		}
		return walls, &Error{"exec", s.Path, err}
	}
	err := cmd.Wait()
	endGroup(cmd)
	return walls, err
}
