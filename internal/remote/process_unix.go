//go:build unix

package remote

import (
	"os/exec"
	"syscall"
)

// group gives a program a process group, so that it ends with all it started.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func endGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
