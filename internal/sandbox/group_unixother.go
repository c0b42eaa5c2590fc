//go:build unix && !linux

package sandbox

import (
	"os/exec"
	"syscall"
)

// group starts the command in its own process group, so the group can be killed as a whole.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// bind does nothing, because this system cannot kill a process together with its parent.
func bind(*syscall.SysProcAttr) {}
