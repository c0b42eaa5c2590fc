package serve

import (
	"sync"

	"github.com/fsnotify/fsnotify"
)

// maxNotices is how many notices wait to be taken; with more, everything is looked at.
const maxNotices = 4096

// notices takes what the system tells of, at once and whatever becomes of it. fsnotify
// holds its lock while it hands on an error, and needs that lock to add a directory: who
// adds must not be the one it hands to.
type notices struct {
	// ready is told when there is something to take.
	ready chan struct{}

	mu   sync.Mutex
	list []fsnotify.Event
	// lost: there were errors, or too many events.
	lost bool
}

func newNotices() *notices { return &notices{ready: make(chan struct{}, 1)} }

// pump reads both channels until they are closed.
func (n *notices) pump(events <-chan fsnotify.Event, errs <-chan error) {
	for events != nil || errs != nil {
		select {
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			n.add(e)
		case _, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			n.add(fsnotify.Event{})
		}
		select {
		case n.ready <- struct{}{}:
		default:
		}
	}
}

// add keeps one event; one without a name stands for an error.
func (n *notices) add(e fsnotify.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if e.Name == "" || len(n.list) == maxNotices {
		n.lost = true
		return
	}
	n.list = append(n.list, e)
}

// take returns what has come since the last time.
func (n *notices) take() (list []fsnotify.Event, lost bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	list, lost = n.list, n.lost
	n.list, n.lost = nil, false
	return list, lost
}
