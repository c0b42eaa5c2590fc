//go:build unix && !linux

package sandbox

import (
	"os/exec"
	"syscall"
)

// group starts the command in its own process group, which is killed with it.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// bind does nothing: this system cannot kill a process with the one that started it.
func bind(*syscall.SysProcAttr) {}
