//go:build !linux && !darwin

package sandbox

import (
	"runtime"

	"github.com/vadehq/vade/definition"
)

// Supported reports which walls this system can build: none.
func Supported() definition.Walls {
	return definition.Walls{Reason: "Vade has no sandbox for " + runtime.GOOS + " and starts no processes there"}
}
