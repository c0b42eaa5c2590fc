//go:build !linux

package worker

import "time"

// KillRemains does nothing, because this system does not show the environment of processes.
func KillRemains(string) {}

// seesCPU means that cpuTime works on this system.
const seesCPU = false

// cpuTime returns 0, because only the agent's own messages count as progress here.
func cpuTime(string) time.Duration { return 0 }
