package serve

import (
	"context"
	"errors"
	"sync"
)

// maxHeld is how many bytes of files there are in memory at a time for the pages, and for
// the protocol over HTTP: they stay there until a client has read them.
const maxHeld = 64 << 20

// errHeld is the error where there are too many.
var errHeld = errors.New("too many files are being read; try again")

// budget counts the bytes of files that are in memory. Its zero value has none.
type budget struct {
	mu   sync.Mutex
	held int64
}

// reserve takes n bytes until they are given back. One file alone always fits.
func (b *budget) reserve(n int64) (give func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held > 0 && b.held+n > maxHeld {
		return nil, errHeld
	}
	b.held += n
	return sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.held -= n
	}), nil
}

// answering is what one HTTP request has reserved. Its answer is in memory until it is
// written, which is after the method has returned.
type answering struct {
	mu   sync.Mutex
	give []func()
	done bool
}

type answeringKey struct{}

// withAnswering returns a context in which holding reserves, until end is called.
func withAnswering(ctx context.Context) (_ context.Context, end func()) {
	a := &answering{}
	return context.WithValue(ctx, answeringKey{}, a), func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.done = true
		for _, give := range a.give {
			give()
		}
	}
}

// hold reserves for the request of a context until it is answered. Without one, as over
// standard input and output, there is one client, who waits for himself.
func (b *budget) hold(ctx context.Context, n int64) error {
	a, ok := ctx.Value(answeringKey{}).(*answering)
	if !ok {
		return nil
	}
	give, err := b.reserve(n)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done {
		give()
		return context.Canceled
	}
	a.give = append(a.give, give)
	return nil
}
