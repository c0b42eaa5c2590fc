//go:build linux && !amd64 && !arm64

package sandbox

import "github.com/vadehq/vade/definition"

// noFilter is the reason that system calls cannot be restricted.
const noFilter = "Vade does not support system call filters on this architecture"

// restrictCalls does nothing, because this architecture has no filter.
func restrictCalls(_ *request, restrictions *definition.Isolation) {
	restrictions.Reason = noFilter
}

func filterWorks() bool { return false }
