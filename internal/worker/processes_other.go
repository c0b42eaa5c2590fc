//go:build !linux

package worker

import "time"

// KillRemains does nothing, because this operating system does not expose other
// processes' environments.
func KillRemains(string) {}

// seesCPU reports whether cpuTime works on this operating system.
const seesCPU = false

// cpuTime returns 0. On this operating system, only messages from the agent count as progress.
func cpuTime(string) time.Duration { return 0 }
