//go:build unix

package sandbox

import (
	"os/exec"
	"syscall"
)

// startSession gives the command its own session, and thus its own process group and no terminal. A
// command that prompts for a password then fails instead of being suspended.
func startSession(cmd *exec.Cmd, bound bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if bound {
		bind(cmd.SysProcAttr)
	}
}

// signalGroup sends a signal to the command and its process group.
func signalGroup(cmd *exec.Cmd, s syscall.Signal) { _ = syscall.Kill(-cmd.Process.Pid, s) }

// killSession kills the remaining processes in the group.
func killSession(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGKILL) }
