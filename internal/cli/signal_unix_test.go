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

// TestCancelOnSignal: a signal ends the context, and with it the command; without that the test
// never ends.
func TestCancelOnSignal(t *testing.T) {
	// One that nobody listens for would end the test.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go cancelOnSignal(ctx, cancel)
	for ctx.Err() == nil {
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
}
