package cli

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/vadehq/vade/internal/sandbox"
)

// signalContext is canceled by an interrupt or termination signal. Installing a signal handler
// takes longer than most commands run, so the handler is installed only when a caller first waits
// on Done, or checks Err after 10 ms. A signal that arrives before then kills the process.
type signalContext struct {
	context.Context
	cancel    context.CancelCauseFunc
	begun     time.Time
	listening atomic.Bool
	handling  atomic.Bool
	again     chan struct{}
}

func newSignalContext(parent context.Context) *signalContext {
	c := &signalContext{begun: time.Now(), again: make(chan struct{})}
	c.Context, c.cancel = context.WithCancelCause(parent)
	return c
}

func (c *signalContext) Done() <-chan struct{} {
	if !c.listening.Swap(true) {
		signals := make(chan os.Signal, 2)
		signal.Notify(signals, stopSignals()...)
		go c.cancelOnSignal(signals)
	}
	return c.Context.Done()
}

func (c *signalContext) Err() error {
	if !c.listening.Load() && time.Since(c.begun) > 10*time.Millisecond {
		c.Done()
	}
	return c.Context.Err()
}

// hold makes the next signal cancel the context with that signal as its cause. A second signal
// closes the returned channel instead of killing the process.
func (c *signalContext) hold() <-chan struct{} {
	c.handling.Store(true)
	c.Done()
	return c.again
}

// cancelOnSignal cancels the context when the first termination signal arrives.
func (c *signalContext) cancelOnSignal(signals chan os.Signal) {
	// A second signal kills the process.
	defer signal.Stop(signals)
	select {
	case s := <-signals:
		number, ok := s.(syscall.Signal)
		if !ok || !c.handling.Load() {
			c.cancel(nil)
			return
		}
		c.cancel(&sandbox.SignalError{Signal: number})
		<-signals
		close(c.again)
		// Ignore all further signals.
		select {}
	case <-c.Context.Done():
	}
}

// stopSignals returns the signals that stop the process, except those that it was started to
// ignore, as under nohup.
func stopSignals() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
}
