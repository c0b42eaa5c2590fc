//go:build unix

package sandbox

import (
	"os"
	"syscall"
)

// signalOf names the signal that ended a process.
func signalOf(p *os.ProcessState) string {
	if st, ok := p.Sys().(syscall.WaitStatus); ok && st.Signaled() {
		return st.Signal().String()
	}
	return ""
}
