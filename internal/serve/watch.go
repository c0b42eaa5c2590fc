package serve

import (
	"context"
	"fmt"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/vfs"
)

const (
	// Files are read again settleTime after the last event, settleMost after the first.
	settleTime = 100 * time.Millisecond
	settleMost = time.Second
	// Where the system reports no changes, files are looked at every pollTime, or as often
	// as takes a pollShare-th part of the time. The policy is read every policyTime.
	pollTime   = 2 * time.Second
	pollShare  = 20
	policyTime = time.Second
	// maxWatched is how many directories the system is asked to report changes of; those
	// above it are looked at. Systems allow one user some thousands.
	maxWatched = 4096
	// maxEvents is how many events wait to be handled; with more, everything is looked at.
	maxEvents = 4096
	// maxDoubts is how often in a row files are read once more because something may have
	// changed before the system was asked to report it.
	maxDoubts = 3
	// freeAbove is how many definitions are many.
	freeAbove = 5000
)

// Watch keeps what is served up to date with the files, and the policy as
// [Server.WatchPolicy] does, until ctx ends. It reads everything, once at the beginning
// and again after each change.
func (s *Server) Watch(ctx context.Context) {
	policyEnded := make(chan struct{})
	go func() { defer close(policyEnded); s.WatchPolicy(ctx) }()
	defer func() { <-policyEnded }()
	w := newWatcher(s)
	if watcher, err := fsnotify.NewWatcher(); err == nil {
		w.system = watcher
		pumped := make(chan struct{})
		go func() { defer close(pumped); w.pump(watcher.Events, watcher.Errors) }()
		defer func() { watcher.Close(); <-pumped }()
	} else {
		s.logger.Warn("the system reports no changes of files; they are polled instead", "error", err.Error())
	}
	if err := w.look(ctx); err != nil && ctx.Err() == nil {
		s.logger.Error("the definitions cannot be read", "error", err.Error())
	}
	w.run(ctx)
}

// watcher is one run of Watch.
type watcher struct {
	s *Server
	// system is nil where the system reports no changes.
	system *fsnotify.Watcher
	events chan fsnotify.Event
	// lost means that events were dropped.
	lost atomic.Bool
	// watched are the directories that the system reports changes of; false for those that
	// appeared since the last reading: what is put into them may come later.
	watched map[string]bool
	places  []string
	// polled means that the system does not report all changes.
	polled bool
	// doubtful means that something may have changed that nobody will report; doubts is
	// how often in a row. failed means that the files could not be read.
	doubtful, failed bool
	doubts           int
	stamps           catalog.Fingerprints
	took             time.Duration
}

func newWatcher(s *Server) *watcher {
	return &watcher{s: s, events: make(chan fsnotify.Event, maxEvents), watched: map[string]bool{}}
}

// pump takes events at once, whatever becomes of them: fsnotify holds a lock while it
// delivers, which adding a directory needs too.
func (w *watcher) pump(events <-chan fsnotify.Event, errs <-chan error) {
	for {
		var e fsnotify.Event
		var ok bool
		select {
		case e, ok = <-events:
		case _, ok = <-errs:
			w.lost.Store(true)
		}
		if !ok {
			return
		}
		select {
		case w.events <- e:
		default:
			w.lost.Store(true)
		}
	}
}

func (w *watcher) run(ctx context.Context) {
	settle := time.NewTimer(time.Hour)
	settle.Stop()
	defer settle.Stop()
	poll := time.NewTimer(w.pollTime())
	defer poll.Stop()
	var first time.Time
	again := func() {
		if !w.doubtful || w.doubts >= maxDoubts {
			w.doubts = 0
			return
		}
		// File systems differ in the precision of their times: the next look is later.
		settle.Reset(settleTime << (2 * w.doubts))
		w.doubts++
	}
	again()
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-w.events:
			if !w.noticed(e) {
				continue
			}
			if first.IsZero() {
				first = time.Now()
			}
			settle.Reset(min(settleTime, max(0, settleMost-time.Since(first))))
			continue
		case <-settle.C:
			first = time.Time{}
		case <-w.s.newPolicy:
		case <-poll.C:
			poll.Reset(w.pollTime())
			if !w.failed && (!w.polled || !w.changed(ctx)) {
				continue
			}
		}
		w.reload(ctx)
		again()
	}
}

func (w *watcher) pollTime() time.Duration { return max(pollTime, pollShare*w.took) }

// noticed handles an event and reports whether files have to be read again.
func (w *watcher) noticed(e fsnotify.Event) bool {
	lost := w.lost.Swap(false)
	if lost {
		for dir := range w.watched {
			if !isDir(dir) {
				w.forget(dir)
			}
		}
	}
	name := strings.ReplaceAll(e.Name, "\\", "/")
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		// The system no longer watches it; another one of the name has to be added.
		w.forget(name)
	}
	if !w.matters(name) {
		return lost
	}
	if e.Has(fsnotify.Create) {
		w.enter(name)
	}
	return true
}

// matters reports whether a path is below a place, above one, or in a watched directory.
// At the top of the project, most files have nothing to do with definitions.
func (w *watcher) matters(name string) bool {
	for _, p := range w.places {
		if name == p || strings.HasPrefix(name, p+"/") || strings.HasPrefix(p, name+"/") {
			return true
		}
	}
	parent := path.Dir(name)
	_, watched := w.watched[name]
	_, inside := w.watched[parent]
	return watched || inside && parent != w.s.root
}

// enter watches a new directory: what is put into it may come before or after it is read.
// Files are not watched; their directories report them.
func (w *watcher) enter(name string) {
	if _, ok := w.watched[name]; ok || !isDir(name) {
		return
	}
	if len(w.watched) >= maxWatched {
		w.polled = true
	} else if w.system.Add(name) == nil {
		w.watched[name] = false
	}
}

// forget removes a name and everything below it from the watched directories.
func (w *watcher) forget(name string) {
	if _, ok := w.watched[name]; !ok {
		return
	}
	for dir := range w.watched {
		if dir == name || strings.HasPrefix(dir, name+"/") {
			_ = w.system.Remove(dir)
			delete(w.watched, dir)
		}
	}
}

// isDir reports whether a path is a directory and not a link to one.
func isDir(name string) bool {
	t, err := vfs.Open(path.Dir(name), vfs.Options{})
	if err != nil {
		return false
	}
	defer t.Close()
	typ, err := t.Lstat(path.Base(name))
	return err == nil && typ == vfs.Dir
}

// look watches the directories of the active state and takes its stamps.
func (w *watcher) look(ctx context.Context) error {
	st, err := w.s.hold(ctx)
	if err != nil {
		return err
	}
	defer st.release()
	w.s.meter.serving(st)
	plan, err := st.catalog.WatchPlan(ctx, maxWatched)
	if err != nil {
		return err
	}
	w.places, w.polled = plan.Paths, w.system == nil || plan.More
	wanted := map[string]bool{}
	for _, dir := range plan.Dirs {
		wanted[dir] = true
	}
	for dir, planned := range w.watched {
		if planned && !wanted[dir] {
			_ = w.system.Remove(dir)
			delete(w.watched, dir)
		}
	}
	late := false
	for _, dir := range plan.Dirs {
		if _, ok := w.watched[dir]; !ok {
			if w.system == nil || len(w.watched) >= maxWatched || w.system.Add(dir) != nil {
				w.polled = true
				continue
			}
			late = true
		}
		w.watched[dir] = true
	}
	w.polled = w.polled || len(w.watched) >= maxWatched
	w.doubtful = false
	if !w.polled {
		w.stamps = catalog.Fingerprints{}
	} else if err := w.stamp(ctx, st); err != nil {
		return err
	}
	if late || w.polled {
		// The system was asked, or the stamps were taken, after the files were read.
		w.doubtful, err = st.catalog.ChangedSince(ctx, plan, st.begun)
	}
	st.freeMemory()
	return err
}

// freeMemory returns the memory to the system that reading or looking at many definitions
// took: it is as much as they take themselves.
func (st *state) freeMemory() {
	if len(st.listed) > freeAbove {
		debug.FreeOSMemory()
	}
}

func (w *watcher) stamp(ctx context.Context, st *state) (err error) {
	begun := time.Now()
	w.stamps, err = st.catalog.Fingerprints(ctx, w.stamps)
	w.took = time.Since(begun)
	return err
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
	st.freeMemory()
	return !w.stamps.Equal(before)
}

// reload activates another state and watches the directories that it comes from.
func (w *watcher) reload(ctx context.Context) {
	err, before := w.s.Reload(ctx), w.failed
	w.failed, w.doubtful = err != nil, false
	if err != nil {
		// It is tried again and again, and logged once.
		if ctx.Err() == nil && !before {
			w.s.logger.Error("the definitions cannot be read; what was read before is served", "error", err.Error())
		}
		return
	}
	if err := w.look(ctx); err != nil && ctx.Err() == nil {
		w.s.logger.Error("the definitions cannot be watched", "error", err.Error())
	}
}

// Reload reads everything again, activates it as a whole and notifies the clients. If it
// fails, the active state stays.
func (s *Server) Reload(ctx context.Context) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	c, err := s.open(ctx, "")
	if err != nil {
		s.meter.add(metricReloads, `outcome="failed"`, 1)
		return err
	}
	old := s.acquire()
	if old == nil {
		return c.Close()
	}
	defer old.release()
	st := newState(old.generation+1, c, s.open)
	if err := st.load(ctx); err != nil {
		st.release()
		s.meter.add(metricReloads, `outcome="failed"`, 1)
		return err
	}
	before := policyOf(ctx, old.catalog)
	if !s.current.CompareAndSwap(old, st) {
		st.release()
		return nil
	}
	s.logPolicy(ctx, before)
	old.release()
	s.meter.add(metricReloads, `outcome="done"`, 1)
	s.logger.Info("the definitions changed",
		"generation", st.generation, "prompts", len(st.prompts), "skills", len(st.skills))
	s.announce()
	return nil
}

// WatchPolicy keeps the active policy up to date with its files, until ctx ends. They are
// in directories of the user where much else changes: they are read, not watched. It
// waits for nothing else: a command that is no longer allowed has to stop running at
// once, whatever the definitions are like.
func (s *Server) WatchPolicy(ctx context.Context) { s.watchPolicy(ctx, policyTime) }

func (s *Server) watchPolicy(ctx context.Context, every time.Duration) {
	s.logPolicy(ctx, policyState{})
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

// refreshPolicy activates the policy of the files as they are now.
func (s *Server) refreshPolicy(ctx context.Context) {
	st := s.acquire()
	if st == nil {
		return
	}
	defer st.release()
	before := policyOf(ctx, st.catalog)
	if !st.refreshPolicy() {
		return
	}
	s.logPolicy(ctx, before)
	// The policy lists the bundled definitions; whoever watches reads them again.
	select {
	case s.newPolicy <- struct{}{}:
	default:
	}
}

// policyState is what the log says of a policy: whether commands run for clients over
// HTTP, where that is set, and the errors. The zero value is that of no policy.
type policyState struct {
	remoteShell bool
	from        string
	diags       []diag.Diagnostic
}

func policyOf(ctx context.Context, c *catalog.Catalog) (p policyState) {
	settings, diags, err := c.Policy(ctx)
	if err != nil {
		return p
	}
	p.diags = diags
	if i := slices.IndexFunc(settings, func(x policy.Setting) bool { return x.Key == "remote-shell" }); i >= 0 {
		p.remoteShell, p.from = settings[i].Value == "true", settings[i].Origin.String()
	}
	return p
}

// logPolicy logs the errors of the active policy and, where clients come over HTTP,
// whether commands run for them; only what differs from before.
func (s *Server) logPolicy(ctx context.Context, before policyState) {
	st := s.acquire()
	if st == nil {
		return
	}
	defer st.release()
	now := policyOf(ctx, st.catalog)
	for _, d := range now.diags {
		same := func(b diag.Diagnostic) bool {
			return b.File == d.File && b.Line == d.Line && b.Message == d.Message
		}
		if !slices.ContainsFunc(before.diags, same) {
			s.logger.Warn("the policy has an error",
				"code", string(d.Code), "file", fmt.Sprintf("%s:%d", d.File, d.Line), "why", d.Message, "fix", d.Fix)
		}
	}
	if s.options.Remote && now.remoteShell != before.remoteShell {
		s.logger.Warn("the policy changed", "remote-shell", fmt.Sprint(now.remoteShell), "file", now.from)
	}
}

// Serves returns the top directory of the project, and whether commands run for clients
// over HTTP.
func (s *Server) Serves(ctx context.Context) (dir string, commands bool) {
	st := s.acquire()
	if st == nil {
		return s.root, false
	}
	defer st.release()
	return s.root, policyOf(ctx, st.catalog).remoteShell
}
