//go:build !unix && !windows

package sandbox

import (
	"os"
	"os/exec"
	"syscall"
)

// startSession does nothing, because this system has no process groups.
func startSession(*exec.Cmd, bool) {}

func signalGroup(cmd *exec.Cmd, _ syscall.Signal) { _ = cmd.Process.Signal(os.Interrupt) }

func killSession(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
