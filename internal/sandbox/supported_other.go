//go:build !linux && !darwin

package sandbox

import (
	"runtime"

	"github.com/vadehq/vade/definition"
)

// Supported reports which restrictions this system can enforce. This system cannot enforce any.
func Supported() definition.Isolation {
	return definition.Isolation{Reason: "Vade does not have a sandbox for " + runtime.GOOS + ", so it starts processes there only with sandbox: best-effort"}
}
