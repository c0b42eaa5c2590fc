//go:build unix

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// TestCancelOnSignal checks that a signal ends the context both for a caller
// that waits on Done and for one that polls Err. If not, the test hangs.
func TestCancelOnSignal(t *testing.T) {
	// Without a handler, the signal would kill the test.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	defer signal.Stop(signals)
	for name, ended := range map[string]func(context.Context) bool{
		"waiting": func(ctx context.Context) bool {
			select {
			case <-ctx.Done():
				return true
			case <-time.After(time.Millisecond):
				return false
			}
		},
		"asking": func(ctx context.Context) bool { return ctx.Err() != nil },
	} {
		t.Run(name, func(t *testing.T) {
			ctx := newSignalContext(t.Context())
			defer ctx.cancel(nil)
			for !ended(ctx) {
				if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
}
