package sandbox

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// startSession gives the command its own process group, which Ctrl-C does not reach.
func startSession(cmd *exec.Cmd, _ bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// signalGroup sends Ctrl-Break to the group. Windows has no other signal for groups.
func signalGroup(cmd *exec.Cmd, _ syscall.Signal) {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(cmd.Process.Pid))
}

// killSession kills only the command itself, because Windows cannot kill its group.
func killSession(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
