package serve

import (
	"runtime"
	"runtime/debug"
	"time"
)

// tidyAbove is how many definitions make it worth while to give memory back that
// reading them took.
const tidyAbove = 5000

// tidyBytes is how much memory more than after the last time makes it so, whatever it
// was taken for: large answers, or definitions that are gone.
const tidyBytes = 16 << 20

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
	// kept is what was taken when memory was given back last.
	kept uint64
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
	h.give(s)
	debug.SetGCPercent(h.given)
}

// rest gives memory back, once, if nothing was asked since the last call.
func (h *heap) rest(s *Server) {
	if asked := s.asked.Load(); asked != h.asked {
		h.asked, h.used = asked, true
		return
	}
	if h.used {
		h.give(s)
	}
	h.used = false
}

// give gives memory back where that is worth while.
func (h *heap) give(s *Server) {
	if s.many() || taken() > h.kept+tidyBytes {
		debug.FreeOSMemory()
		h.kept = taken()
	}
}

// taken is how many bytes of the system's memory the heap has. The package that tells it
// without stopping anything works at the start of every command; this one stops all for
// some microseconds, and is asked when nothing else is.
func taken() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.HeapIdle - m.HeapReleased
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
