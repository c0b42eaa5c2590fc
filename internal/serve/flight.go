package serve

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxFlight is how many requests of one client over standard input and output have no
// answer yet: the next one is not read before.
const maxFlight = maxRunning

// flight are the requests of one client without an answer.
type flight struct {
	// answers are those of the server.
	answers *sync.Map

	mu sync.Mutex
	// open are those that wait for an answer, by their identifiers.
	open map[jsonrpc.ID]*passage
	// owed is how many answers are not written. The end does not wait for streams, of
	// which there are some.
	owed, streams int
	// changed is closed when one was written or the end is there.
	changed chan struct{}
	ended   bool
}

// passage are the requests of one line, which are answered together.
type passage struct {
	ids    []jsonrpc.ID
	left   int
	stream bool
	// initialize: the protocol does not let a client cancel it.
	initialize bool
	answer     *answering
	// extras are what the SDK hands on of each.
	extras []*mcp.RequestExtra
}

func newFlight(answers *sync.Map) *flight {
	return &flight{answers: answers, open: map[jsonrpc.ID]*passage{}, changed: make(chan struct{})}
}

// admit takes the requests of a line in, once there is room. It is [io.EOF] after the
// end.
func (f *flight) admit(list []message) error {
	p := &passage{answer: &answering{waits: len(list) == 1}}
	for _, m := range list {
		if m.id.IsValid() {
			p.ids = append(p.ids, m.id)
			p.stream = len(list) == 1 && m.method == listen
			p.initialize = p.initialize || m.method == "initialize"
		}
	}
	if p.left = len(p.ids); p.left == 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for !f.ended && !f.room(p) {
		changed := f.changed
		f.mu.Unlock()
		<-changed
		f.mu.Lock()
	}
	if f.ended {
		return io.EOF
	}
	for _, id := range p.ids {
		if f.open[id] != nil {
			return errSameID
		}
	}
	if p.stream && f.streams == maxStreams {
		return &tooLong{p.ids[0], "there are as many streams as there may be; end one"}
	}
	for _, id := range p.ids {
		f.open[id] = p
	}
	if p.stream {
		f.streams++
	} else {
		f.owed += p.left
	}
	return nil
}

// room reports whether there is room for the requests of a line; mu is held. Streams
// have places of their own, for which nobody waits.
func (f *flight) room(p *passage) bool {
	return p.stream || f.owed == 0 || f.owed+p.left <= maxFlight
}

// cancelable reports whether a request has no answer yet and may be canceled.
func (f *flight) cancelable(id jsonrpc.ID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.open[id]
	return p != nil && !p.initialize
}

// begins is told of a request that the SDK gets. What the SDK hands on of it then leads
// to its answer.
func (f *flight) begins(r *jsonrpc.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.open[r.ID]
	if p == nil {
		return
	}
	extra := &mcp.RequestExtra{}
	p.extras = append(p.extras, extra)
	f.answers.Store(extra, p.answer)
	r.Extra = extra
}

// ends is told of an answer before it is written, and returns what is to be called
// then. From now on the client may use the identifier again.
func (f *flight) ends(id jsonrpc.ID) (written func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.open[id]
	if p == nil {
		return func() {}
	}
	if p.left--; p.left > 0 {
		// It waits for those of the same line.
		return func() {}
	}
	for _, id := range p.ids {
		delete(f.open, id)
	}
	return func() {
		p.answer.end()
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, extra := range p.extras {
			f.answers.Delete(extra)
		}
		if p.stream {
			f.streams--
		} else {
			f.owed -= len(p.ids)
		}
		f.tell()
	}
}

// tell wakes those who wait; mu is held.
func (f *flight) tell() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// close ends the flight: nothing more is let in.
func (f *flight) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.ended {
		f.ended = true
		f.tell()
	}
}

// wait waits until no answer is owed, until the end, or for so long.
func (f *flight) wait(ctx context.Context, most time.Duration) {
	limit := time.NewTimer(most)
	defer limit.Stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.owed > 0 && !f.ended {
		changed := f.changed
		f.mu.Unlock()
		late := false
		select {
		case <-changed:
		case <-limit.C:
			late = true
		case <-ctx.Done():
			late = true
		}
		f.mu.Lock()
		if late {
			return
		}
	}
}
