//go:build !unix

package remote

import "os/exec"

// newProcessGroup does nothing, because this system has no process groups.
func group(*exec.Cmd) {}

func endGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
