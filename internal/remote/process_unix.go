//go:build unix

package remote

import (
	"os/exec"
	"syscall"
)

// newProcessGroup puts a program into its own process group, so killing the group also kills its
// child processes.
func newProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
