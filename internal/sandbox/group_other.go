//go:build !unix

package sandbox

import (
	"os"
	"os/exec"
)

// group does nothing, because this system has no Unix process groups. A timeout ends only the
// command itself.
func group(*exec.Cmd) {}

func endGroup(*exec.Cmd) {}

func signalOf(*os.ProcessState) string { return "" }
