//go:build !unix && !windows

package sandbox

import (
	"os"
	"os/exec"
	"syscall"
)

// apart does nothing: this system has no process groups.
func apart(*exec.Cmd) {}

func tell(cmd *exec.Cmd, _ syscall.Signal) { _ = cmd.Process.Signal(os.Interrupt) }

func endApart(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
