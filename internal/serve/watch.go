package serve

import (
	"context"
	"path"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/vfs"
)

// The times of watching: how long after the last event the files are read again, how
// long at most after the first, how often they are looked at where the system tells of
// nothing, and how often the policy is.
const (
	settleTime = 100 * time.Millisecond
	settleMost = time.Second
	pollTime   = 2 * time.Second
	policyTime = time.Second
	// pollShare: looking takes this part of the time at most.
	pollShare = 20
)

// maxWatched is how many directories the system is asked to tell of; those above it
// are looked at. Systems give one user some thousands.
const maxWatched = 4096

// maxDoubts is how often in a row files are read once more because something may have
// changed before the system was asked to tell of it.
const maxDoubts = 3

// Watch keeps what is served as the files are, and the policy as [Server.WatchPolicy]
// does, until ctx ends. It reads everything, once at the beginning and again after each
// change.
func (s *Server) Watch(ctx context.Context) {
	policy := make(chan struct{})
	go func() { defer close(policy); s.WatchPolicy(ctx) }()
	defer func() { <-policy }()
	w := newWatcher(s)
	defer w.heap.close()
	if events, err := fsnotify.NewWatcher(); err == nil {
		w.events = events
		pumped := make(chan struct{})
		go func() { defer close(pumped); w.notices.pump(events.Events, events.Errors) }()
		defer func() { events.Close(); <-pumped }()
	} else {
		s.logger.Warn("the system tells of no changes; files are looked at instead", "error", err.Error())
	}
	if err := w.look(ctx); err != nil && ctx.Err() == nil {
		s.logger.Error("the definitions can not be read", "error", err.Error())
	}
	w.heap.tidy(s)
	w.run(ctx)
}

// WatchPolicy keeps the policy that is in force as its files are, until ctx ends. They
// are in directories of the user where much else changes: they are read, not watched. It
// waits for nothing else: a command that is allowed no more has to stop for those who
// ask, whatever the definitions are like.
func (s *Server) WatchPolicy(ctx context.Context) { s.watchPolicy(ctx, policyTime) }

func (s *Server) watchPolicy(ctx context.Context, every time.Duration) {
	s.tellPolicy(ctx, nil)
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			s.refreshPolicy(ctx)
		}
	}
}

// refreshPolicy puts the policy in force as its files are now.
func (s *Server) refreshPolicy(ctx context.Context) {
	st := s.acquire()
	if st == nil {
		return
	}
	defer st.release()
	before := saidBy(ctx, st.catalog)
	if st.refreshPolicy() {
		s.tellPolicy(ctx, before)
		// What comes with Vade is listed by the policy; whoever watches reads anew.
		select {
		case s.newPolicy <- struct{}{}:
		default:
		}
	}
}

// watcher is one run of Watch.
type watcher struct {
	s       *Server
	events  *fsnotify.Watcher
	notices *notices
	// watched are the directories of the plan that the system tells of, fresh those that
	// came since and are in no plan yet: what is put into them may come later.
	watched, fresh map[string]bool
	places         []string
	// polled: the system does not tell of everything.
	polled bool
	// doubtful: something may have changed that nobody will tell of; doubts is how often
	// in a row that was so. failed: the files could not be read.
	doubtful, failed bool
	doubts           int
	stamps           catalog.Stamps
	took             time.Duration
	heap             *heap
}

func newWatcher(s *Server) *watcher {
	return &watcher{s: s, notices: newNotices(), watched: map[string]bool{}, fresh: map[string]bool{}, heap: newHeap()}
}

// look watches what the state in force is made of, and takes its stamps.
func (w *watcher) look(ctx context.Context) error {
	st, err := w.s.hold(ctx)
	if err != nil {
		return err
	}
	defer st.release()
	w.s.measure(st)
	plan, err := st.catalog.WatchPlan(ctx, maxWatched)
	if err != nil {
		return err
	}
	w.places, w.polled = plan.Places, w.events == nil || plan.More
	wanted := map[string]bool{}
	for _, dir := range plan.Dirs {
		wanted[dir] = true
	}
	for dir := range w.watched {
		if !wanted[dir] {
			_ = w.events.Remove(dir)
			delete(w.watched, dir)
		}
	}
	late := false
	for _, dir := range plan.Dirs {
		if w.events == nil || w.watched[dir] {
			continue
		}
		if !w.fresh[dir] && w.full() || w.events.Add(dir) != nil {
			w.polled = true
			continue
		}
		late = late || !w.fresh[dir]
		delete(w.fresh, dir)
		w.watched[dir] = true
	}
	w.polled = w.polled || w.full()
	w.doubtful = false
	if !w.polled {
		w.stamps = catalog.Stamps{}
	} else if err := w.stamp(ctx, st); err != nil {
		return err
	}
	if late || w.polled {
		// The system was asked, or the stamps were taken, after the files were read.
		w.doubtful, err = st.catalog.ChangedSince(ctx, plan, st.begun)
	}
	return err
}

func (w *watcher) stamp(ctx context.Context, st *state) (err error) {
	begun := time.Now()
	w.stamps, err = st.catalog.Stamps(ctx, w.stamps)
	w.took = time.Since(begun)
	return err
}

func (w *watcher) run(ctx context.Context) {
	settle := time.NewTimer(time.Hour)
	settle.Stop()
	poll := time.NewTimer(w.pollTime())
	rest := time.NewTicker(restTime)
	defer settle.Stop()
	defer poll.Stop()
	defer rest.Stop()
	var first time.Time
	again := func() {
		if !w.doubtful || w.doubts >= maxDoubts {
			w.doubts = 0
			return
		}
		// File systems differ in how exactly they know the time: the next look is later.
		settle.Reset(settleTime << (2 * w.doubts))
		w.doubts++
	}
	again()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.notices.ready:
			if !w.noticed() {
				continue
			}
			if first.IsZero() {
				first = time.Now()
			}
			settle.Reset(min(settleTime, max(0, settleMost-time.Since(first))))
		case <-settle.C:
			first = time.Time{}
			w.reload(ctx)
			again()
		case <-w.s.newPolicy:
			w.reload(ctx)
			again()
		case <-poll.C:
			if w.failed || w.polled && w.changed(ctx) {
				w.reload(ctx)
				again()
			}
			w.heap.used = w.heap.used || w.polled
			poll.Reset(w.pollTime())
		case <-rest.C:
			w.heap.rest(w.s)
		}
	}
}

// noticed takes what the system has told of, and reports whether something is to be
// read again.
func (w *watcher) noticed() bool {
	list, lost := w.notices.take()
	// With events lost everything is looked at.
	matters := lost
	if lost {
		for dir := range w.fresh {
			if !isDir(dir) {
				w.forget(dir)
			}
		}
	}
	for _, e := range list {
		e.Name = strings.ReplaceAll(e.Name, "\\", "/")
		if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
			// The system has let go of it; another of the name has to be asked for.
			w.forget(e.Name)
		}
		if !w.matters(e.Name) {
			continue
		}
		matters = true
		if e.Has(fsnotify.Create) {
			w.enter(e.Name)
		}
	}
	return matters
}

// enter watches a directory that is new: what is put into it may come before or after
// it is read. Files are not watched, their directories tell of them.
func (w *watcher) enter(name string) {
	if w.fresh[name] || w.watched[name] || !isDir(name) {
		return
	}
	if w.full() {
		w.polled = true
		return
	}
	if w.events.Add(name) == nil {
		w.fresh[name] = true
	}
}

// forget takes back the watches of a name that went away and of what was below it.
func (w *watcher) forget(name string) {
	if !w.watched[name] && !w.fresh[name] {
		return
	}
	for _, set := range []map[string]bool{w.watched, w.fresh} {
		for dir := range set {
			if dir == name || strings.HasPrefix(dir, name+"/") {
				_ = w.events.Remove(dir)
				delete(set, dir)
			}
		}
	}
}

// full reports whether the system is asked to tell of enough.
func (w *watcher) full() bool { return len(w.watched)+len(w.fresh) >= maxWatched }

// isDir reports whether a path is a directory and no link to one.
func isDir(name string) bool {
	t, err := vfs.Open(parent(name), vfs.Options{})
	if err != nil {
		return false
	}
	defer t.Close()
	typ, err := t.Lstat(path.Base(name))
	return err == nil && typ == vfs.Dir
}

func (w *watcher) pollTime() time.Duration { return max(pollTime, pollShare*w.took) }

// matters reports whether a path is below a place, or above one.
func (w *watcher) matters(name string) bool {
	for _, p := range w.places {
		if name == p || strings.HasPrefix(name, p+"/") || strings.HasPrefix(p, name+"/") {
			return true
		}
	}
	return w.watched[name] || w.watched[parent(name)] && !w.atTop(name)
}

// atTop reports whether a path is an entry of the project's top, where most files
// have nothing to do with definitions.
func (w *watcher) atTop(name string) bool { return parent(name) == w.s.root }

func parent(name string) string {
	i := strings.LastIndexByte(name, '/')
	if i <= 0 {
		return "/"
	}
	return name[:i]
}

// changed looks at the files.
func (w *watcher) changed(ctx context.Context) bool {
	st := w.s.acquire()
	if st == nil {
		return false
	}
	defer st.release()
	before := w.stamps
	if err := w.stamp(ctx, st); err != nil {
		w.stamps = before
		return false
	}
	return !w.stamps.Equal(before)
}

// reload puts another state in force and watches what that is made of.
func (w *watcher) reload(ctx context.Context) {
	err, before := w.s.Reload(ctx), w.failed
	w.failed, w.doubtful = err != nil, false
	if err != nil {
		// It is tried again and again, and said once.
		if ctx.Err() == nil && !before {
			w.s.logger.Error("the definitions can not be read; what was read before is served", "error", err.Error())
		}
		return
	}
	if err := w.look(ctx); err != nil && ctx.Err() == nil {
		w.s.logger.Error("the definitions can not be watched", "error", err.Error())
	}
	w.heap.tidy(w.s)
}

// Reload reads everything again, puts it in force as a whole and tells the clients.
// Where it fails, what was in force stays.
func (s *Server) Reload(ctx context.Context) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	catalog, err := s.options.Open(ctx, "")
	if err != nil {
		s.meter.reloads.add(1, "failed")
		return err
	}
	old := s.acquire()
	if old == nil {
		return catalog.Close()
	}
	defer old.release()
	st := newState(old.generation+1, catalog, s.options.Open)
	if err := st.load(ctx); err != nil {
		st.release()
		s.meter.reloads.add(1, "failed")
		return err
	}
	before := saidBy(ctx, old.catalog)
	if !s.current.CompareAndSwap(old, st) {
		st.release()
		return nil
	}
	s.tellPolicy(ctx, before)
	old.release()
	s.meter.reloads.add(1, "done")
	s.logger.Info("the definitions changed", "generation", st.generation, "prompts", len(st.prompts), "skills", len(st.skills))
	s.announcePrompts()
	for _, x := range s.extensions {
		if x.Changed != nil {
			x.Changed(s.mcp)
		}
	}
	return nil
}

// measure takes the numbers of a state over into the metrics.
func (s *Server) measure(st *state) {
	s.meter.generation.Store(st.generation)
	counts := map[string]float64{}
	for _, d := range st.listed {
		counts[d.Kind().String()]++
	}
	s.meter.served.setAll(counts)
}
