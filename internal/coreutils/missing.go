package coreutils

import (
	"context"
	"io"
)

// Missing is a command of which nothing is known but that there is no program
// of its name: it writes a message and ends with the status that a shell gives.
func Missing(message string) *Prepared {
	return &Prepared{Run: func(_ context.Context, x *IO) int {
		if x.Stderr != nil {
			_, _ = io.WriteString(x.Stderr, message)
		}
		return 127
	}}
}
