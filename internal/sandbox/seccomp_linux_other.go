//go:build linux && !amd64 && !arm64

package sandbox

import "github.com/vadehq/vade/definition"

// restrictCalls does nothing, because this architecture has no filter.
func restrictCalls(_ *request, restrictions *definition.Isolation) {
	restrictions.Reason = "Vade does not support system call filters on this architecture"
}

func filterWorks() bool { return false }
