//go:build !unix

package remote

import "os/exec"

// newProcessGroup does nothing, because this system does not have process groups.
func newProcessGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
