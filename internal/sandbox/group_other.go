//go:build !unix

package sandbox

import (
	"os"
	"os/exec"
)

// group does nothing: this system has no process groups, and only the command
// itself ends when its time is up.
func group(*exec.Cmd) {}

func endGroup(*exec.Cmd) {}

func signalOf(*os.ProcessState) string { return "" }
