//go:build unix

package sandbox

import (
	"os/exec"
	"syscall"
)

// apart gives a command a session, and with it a process group and no terminal: one
// that asks for a password fails instead of being stopped by the system.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// tell sends a signal to a command and its group.
func tell(cmd *exec.Cmd, s syscall.Signal) { _ = syscall.Kill(-cmd.Process.Pid, s) }

// endApart kills what is left of the group.
func endApart(cmd *exec.Cmd) { tell(cmd, syscall.SIGKILL) }
