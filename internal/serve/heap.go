package serve

import (
	"runtime/debug"
	"time"
)

// tidyAbove is how many definitions make it worth while to give memory back that
// reading them took.
const tidyAbove = 5000

// How much garbage may wait to be collected while definitions are read, in percent of
// what is in use, and at all other times, which is the runtime's own measure: each
// collection looks at all definitions, and one request of the protocol leaves some
// hundred KiB, so that less would cost more than answering does.
const (
	readPercent  = 25
	usualPercent = 100
)

// heap bounds the memory that a server takes for many definitions: reading leaves
// little garbage, and what load leaves is given back when no more is asked. Where the
// user states how much garbage may wait (GOGC), that stays.
type heap struct {
	given int
	// asked is the number of requests when this was looked at last; used, that there
	// is something to give back.
	asked uint64
	used  bool
}

// restTime is how long nothing is asked before memory is given back.
const restTime = 3 * time.Second

func newHeap() *heap {
	h := &heap{given: debug.SetGCPercent(readPercent)}
	if h.given != usualPercent {
		debug.SetGCPercent(h.given)
	}
	return h
}

// close gives back what was there before.
func (h *heap) close() { debug.SetGCPercent(h.given) }

// tidy gives back what reading took.
func (h *heap) tidy(s *Server) {
	if s.many() {
		debug.FreeOSMemory()
	}
	debug.SetGCPercent(h.given)
}

// rest gives memory back, once, if nothing was asked since the last call.
func (h *heap) rest(s *Server) {
	if asked := s.asked.Load(); asked != h.asked {
		h.asked, h.used = asked, true
		return
	}
	if h.used && s.many() {
		debug.FreeOSMemory()
	}
	h.used = false
}

// many reports whether so many definitions are served that their memory counts.
func (s *Server) many() bool {
	st := s.acquire()
	if st == nil {
		return false
	}
	defer st.release()
	st.mu.Lock()
	defer st.mu.Unlock()
	return len(st.listed) > tidyAbove
}
