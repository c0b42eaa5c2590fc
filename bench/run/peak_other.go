//go:build !unix

package main

import "os"

// peakMemory returns 0, because the system's ProcessState does not report it.
func peakMemory(*os.ProcessState) int64 { return 0 }
