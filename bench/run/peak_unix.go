//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory returns the maximum resident size of a process in bytes.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	// Darwin counts in bytes, and other systems in kilobytes.
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) * 1024
}
