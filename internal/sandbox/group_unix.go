//go:build unix

package sandbox

import (
	"os"
	"syscall"
)

// signalOf returns the name of the signal that ended a process, or "".
func signalOf(p *os.ProcessState) string {
	if st, ok := p.Sys().(syscall.WaitStatus); ok && st.Signaled() {
		return st.Signal().String()
	}
	return ""
}
