package sandbox

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// apart gives a command a process group, which Ctrl-C does not reach.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// tell sends Ctrl-Break to the group, the one signal that there is for a group.
func tell(cmd *exec.Cmd, _ syscall.Signal) {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(cmd.Process.Pid))
}

// endApart ends the command itself: this system has no way to end its group.
func endApart(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
