package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// The times of the end: how often and how long nothing more may come before the door
// is shut, how long at most it stays open, and how long clients with an open connection
// have to notice that it is their last. Once is not enough: on a machine that is busy
// the time of an Accept may be over before it has looked.
const (
	quietTimes  = 5
	quietTime   = 10 * time.Millisecond
	drainMost   = 2 * time.Second
	partingTime = time.Second
)

// door is a listener that can be closed without losing whom the system has let in
// already: closing a listener breaks the connections that wait in its queue, and their
// clients may have sent a request.
type door struct {
	net.Listener
	mu sync.Mutex
	// until is when it is shut at the latest, zero while it is open.
	until time.Time
	// full reports whether there are so many inside that nobody else is let in.
	full func() bool
}

// deadliner is what listeners of the system can do.
type deadliner interface{ SetDeadline(time.Time) error }

// shut lets nobody else in. Those who wait are still accepted.
func (d *door) shut() {
	l, ok := d.Listener.(deadliner)
	if !ok {
		d.Close()
		return
	}
	refuseNew(d.Listener)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.until = time.Now().Add(drainMost)
	// Wakes an Accept that waits.
	_ = l.SetDeadline(time.Now())
}

// Accept implements [net.Listener].
func (d *door) Accept() (net.Conn, error) {
	for quiet := 0; ; quiet++ {
		until := d.wait()
		if !until.IsZero() && time.Now().After(until) {
			return nil, net.ErrClosed
		}
		c, err := d.Listener.Accept()
		var late net.Error
		switch {
		case err == nil && d.full != nil && d.full():
			c.Close()
		case !errors.As(err, &late) || !late.Timeout():
			return c, err
		case until.IsZero():
			quiet = 0
		case quiet >= quietTimes:
			return nil, net.ErrClosed
		}
	}
}

// wait says how long the next Accept may wait, and returns when the door is shut.
func (d *door) wait() (until time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if l, ok := d.Listener.(deadliner); ok && !d.until.IsZero() {
		_ = l.SetDeadline(time.Now().Add(quietTime))
	}
	return d.until
}

// guests are the connections that are open.
type guests struct {
	mu   sync.Mutex
	open map[net.Conn]guest
	// gone is told when there is none.
	gone chan struct{}
}

// guest is what a connection does, and since when.
type guest struct {
	state http.ConnState
	since time.Time
}

func newGuests() *guests { return &guests{open: map[net.Conn]guest{}, gone: make(chan struct{}, 1)} }

// state is told of each change by the HTTP server.
func (g *guests) state(c net.Conn, s http.ConnState) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s == http.StateClosed || s == http.StateHijacked {
		delete(g.open, c)
	} else {
		g.open[c] = guest{s, time.Now()}
	}
	if len(g.open) == 0 {
		select {
		case g.gone <- struct{}{}:
		default:
		}
	}
}

// full reports whether there are as many as there may be.
func (g *guests) full() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.open) >= maxGuests
}

// dropWaiting closes a connection that has sent no complete header, so that clients
// without a token cannot keep others out: the oldest one that has never sent one, or else
// the one that has been idle longest. It reports whether there was one.
func (g *guests) dropWaiting() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	var oldest net.Conn
	var found guest
	for c, is := range g.open {
		if is.state == http.StateActive {
			continue
		}
		if oldest == nil || is.state < found.state || is.state == found.state && is.since.Before(found.since) {
			oldest, found = c, is
		}
	}
	if oldest == nil {
		return false
	}
	delete(g.open, oldest)
	oldest.Close()
	return true
}

func (g *guests) none() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.open) == 0
}

// leave waits until all have gone by themselves, partingTime at most. A connection that
// is idle may carry a request at any moment: who sends one now gets an answer that says
// that it is the last one of this connection.
func (g *guests) leave() {
	limit := time.NewTimer(partingTime)
	defer limit.Stop()
	for !g.none() {
		select {
		case <-g.gone:
		case <-limit.C:
			return
		}
	}
}

// parting makes each answer say, once the end has begun, that no other one will come
// over its connection.
func (s *Server) parting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.closing.Err() != nil {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// ServeHTTP serves on a listener until ctx ends. Then streams are ended, whoever was let
// in is answered, and nobody else is let in. The listener is closed.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, o HTTPOptions) error {
	in := newGuests()
	entry := &door{Listener: l, full: func() bool {
		if !in.full() {
			return false
		}
		s.meter.refused.add(1, "connections")
		return !in.dropWaiting()
	}}
	server := s.httpServer(o)
	server.ConnState = in.state
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(entry) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.close()
	entry.shut()
	<-ended
	in.leave()
	finish, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	err := server.Shutdown(finish)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	return err
}
