package serve

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxHeld is how many bytes of answers there are in memory at a time: they stay there
// until a client has read them. The pages have as much for themselves.
const maxHeld = 64 << 20

// smallAnswer is how many bytes one answer may take that is not counted: the number of
// requests bounds these, and who reads nothing can not keep others from them.
const smallAnswer = 256 << 10

// maxMaking is how many answers that may become large are made at a time.
const maxMaking = 4

// errHeld is the error where there are too many.
var errHeld = errors.New("too many answers wait to be read; try again")

// budget counts the bytes of answers that are in memory. Its zero value has none.
type budget struct {
	mu   sync.Mutex
	held int64
	// queue are those who wait, who came first at the front.
	queue []*waiter
}

// waiter waits for n bytes; ready is closed once they are his.
type waiter struct {
	n     int64
	ready chan struct{}
}

// fits reports whether n bytes can be had. One answer alone always fits. mu is held.
func (b *budget) fits(n int64) bool { return b.held == 0 || b.held+n <= maxHeld }

// reserve takes n bytes until they are given back, or fails.
func (b *budget) reserve(n int64) (give func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.fits(n) {
		return nil, errHeld
	}
	return b.take(n), nil
}

// add takes n bytes for an answer that has some.
func (b *budget) add(n int64) (give func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.take(n)
}

// take counts n bytes; mu is held.
func (b *budget) take(n int64) (give func()) {
	b.held += n
	return sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.held -= n
		b.next()
	})
}

// next lets those go on who wait, in their order; mu is held.
func (b *budget) next() {
	for len(b.queue) > 0 && b.fits(b.queue[0].n) {
		w := b.queue[0]
		b.queue = b.queue[1:]
		b.held += w.n
		close(w.ready)
	}
}

// wait takes n bytes once they are there.
func (b *budget) wait(ctx context.Context, n int64) (give func(), err error) {
	b.mu.Lock()
	if len(b.queue) == 0 && b.fits(n) {
		defer b.mu.Unlock()
		return b.take(n), nil
	}
	w := &waiter{n, make(chan struct{})}
	b.queue = append(b.queue, w)
	b.mu.Unlock()
	select {
	case <-w.ready:
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.queue, w); i >= 0 {
		b.queue = slices.Delete(b.queue, i, i+1)
		b.next()
		return nil, ctx.Err()
	}
	b.held -= n
	return b.take(n), nil
}

// answering is what the answer to one HTTP request, to one line or to one list of
// requests takes. It is in memory until it is written, which is after the method has
// returned.
type answering struct {
	// waits: a client who does not read waits for himself; else he is refused.
	waits bool

	mu    sync.Mutex
	small int64
	give  []func()
	done  bool
}

// end gives back what the answer took.
func (a *answering) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done = true
	for _, give := range a.give {
		give()
	}
}

// tiny reports whether n bytes more leave the whole answer small, and counts them then.
func (a *answering) tiny(n int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.small+n > smallAnswer {
		return false
	}
	a.small += n
	return true
}

// keep gives back with the answer, or at once where that has ended.
func (a *answering) keep(give func()) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done {
		give()
		return context.Canceled
	}
	a.give = append(a.give, give)
	return nil
}

type answeringKey struct{}

// withAnswering returns a context in which hold counts, until end is called.
func withAnswering(ctx context.Context) (_ context.Context, end func()) {
	a := &answering{}
	return context.WithValue(ctx, answeringKey{}, a), a.end
}

// result is what the result of one request takes of an answer, which may be a list.
type result struct {
	of   *answering
	held int64
	// counted: it is in the budget, and not small.
	counted bool
}

type resultKey struct{}

// withResult returns the context of one request of an answer.
func withResult(ctx context.Context, a *answering) context.Context {
	return context.WithValue(ctx, resultKey{}, &result{of: a})
}

// counting returns a context in which the result of a request is counted.
func (s *Server) counting(ctx context.Context, req mcp.Request) context.Context {
	a, ok := ctx.Value(answeringKey{}).(*answering)
	if extra := req.GetExtra(); !ok && extra != nil {
		if v, there := s.answers.Load(extra); there {
			a, ok = v.(*answering)
		}
	}
	if !ok {
		return ctx
	}
	return withResult(ctx, a)
}

// counted reports whether the result of a context's request is counted already.
func counted(ctx context.Context) bool {
	r, ok := ctx.Value(resultKey{}).(*result)
	return ok && r.held > 0
}

// hold counts the result of a context's request as n bytes, until it is answered. It
// fails, or waits, where there is no room. Without an answer it does nothing.
func (b *budget) hold(ctx context.Context, n int64) error {
	r, ok := ctx.Value(resultKey{}).(*result)
	if !ok || n <= r.held {
		return nil
	}
	var give func()
	var err error
	switch {
	case r.counted:
		give = b.add(n - r.held)
	case r.of.tiny(n - r.held):
		r.held = n
		return nil
	case r.of.waits:
		give, err = b.wait(ctx, n)
	default:
		give, err = b.reserve(n)
	}
	if err != nil {
		return err
	}
	r.held, r.counted = n, true
	return r.of.keep(give)
}

// gate bounds how many large answers are made at a time. Those who wait in it for the
// budget have places of their own: a list whose answer holds bytes never waits for them.
type gate struct{ waiting, others chan struct{} }

func newGate(n int) gate { return gate{make(chan struct{}, n), make(chan struct{}, n)} }

// enter takes a place, which leave gives back.
func (g gate) enter(ctx context.Context) (leave func(), err error) {
	places := g.others
	if r, ok := ctx.Value(resultKey{}).(*result); ok && r.of.waits {
		places = g.waiting
	}
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
