package worker

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// marked returns the IDs of a run's processes. It finds them by a variable in their environment,
// which child processes inherit regardless of session and parent.
func marked(id string) []int {
	if id == "" {
		return nil
	}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var pids []int
	for _, dir := range dirs {
		env, err := os.ReadFile(dir + "/environ")
		if err != nil {
			continue
		}
		for v := range bytes.SplitSeq(env, []byte{0}) {
			ids, ok := bytes.CutPrefix(v, []byte(markVariable+"="))
			if !ok || !slices.Contains(strings.Split(string(ids), ","), id) {
				continue
			}
			if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && pid != os.Getpid() {
				pids = append(pids, pid)
			}
			break
		}
	}
	return pids
}

// KillRemains kills a run's remaining processes. It searches up to 10 times until it finds none,
// because a process may start another one in the meantime.
func KillRemains(id string) {
	for range 10 {
		pids := marked(id)
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// seesCPU reports whether cpuTime works on this operating system.
const seesCPU = true

// cpuTime returns the CPU time that a run's processes have used.
func cpuTime(id string) (sum time.Duration) {
	const tick = 10 * time.Millisecond // USER_HZ is 100 on all systems that Go supports
	for _, pid := range marked(id) {
		data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		_, rest, ok := strings.Cut(string(data), ") ")
		fields := strings.Fields(rest)
		if err != nil || !ok || len(fields) < 13 {
			continue
		}
		for _, f := range fields[11:13] {
			n, _ := strconv.ParseInt(f, 10, 64)
			sum += time.Duration(n) * tick
		}
	}
	return sum
}
