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
	// A reload starts debounce after the last event, but at most maxDebounce after the first.
	debounce    = 100 * time.Millisecond
	maxDebounce = time.Second
	// Without change notifications, files are polled every pollInterval, or less often so
	// that polling takes at most 1/pollShare of the time. The policy is polled separately.
	pollEvery      = 2 * time.Second
	pollShare      = 20
	policyInterval = time.Second
	// maxWatched limits the number of watched directories; any beyond it are polled.
	// Operating systems limit a user to a few thousand.
	maxWatched = 4096
	// maxEvents is the size of the event queue. If it overflows, everything is reread.
	maxEvents = 4096
	// maxRechecks limits consecutive reloads made because files may have changed before
	// they were watched.
	maxRechecks = 3
	// freeMemoryAbove is the number of definitions above which memory is freed eagerly.
	freeMemoryAbove = 5000
)

// Watch keeps the served definitions and policy in sync with the files until ctx is done. It
// reads everything once at the start and again after each change.
func (s *Server) Watch(ctx context.Context) {
	policyEnded := make(chan struct{})
	go func() { defer close(policyEnded); s.WatchPolicy(ctx) }()
	defer func() { <-policyEnded }()
	w := newWatcher(s)
	if watcher, err := fsnotify.NewWatcher(); err == nil {
		w.notify = watcher
		pumped := make(chan struct{})
		go func() { defer close(pumped); w.pump(watcher.Events, watcher.Errors) }()
		defer func() { watcher.Close(); <-pumped }()
	} else {
		s.logger.Warn("cannot watch files for changes; polling instead", "error", err.Error())
	}
	if err := w.rewatch(ctx); err != nil && ctx.Err() == nil {
		s.logger.Error("cannot read the definitions", "error", err.Error())
	}
	w.run(ctx)
}

// watcher is the state of one Watch call.
type watcher struct {
	s *Server
	// notify is nil if the system does not support change notifications.
	notify *fsnotify.Watcher
	events chan fsnotify.Event
	// lost means that events were dropped.
	lost atomic.Bool
	// watched holds the watched directories. The value is false for directories created since the
	// last reload, which may still be filling up.
	watched map[string]bool
	roots   []string
	// polled means that some files are not watched and must be polled.
	polled bool
	// maybeStale means that files may have changed without an event. rechecks counts consecutive
	// occurrences of that. failed means that the last reload failed.
	maybeStale, failed bool
	rechecks           int
	fingerprints       catalog.Fingerprints
	scanTime           time.Duration
}

func newWatcher(s *Server) *watcher {
	return &watcher{s: s, events: make(chan fsnotify.Event, maxEvents), watched: map[string]bool{}}
}

// pump queues events without blocking: fsnotify holds a lock while it delivers an event, and
// adding a directory needs the same lock.
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
	poll := time.NewTimer(w.pollEvery())
	defer poll.Stop()
	var first time.Time
	recheck := func() {
		if !w.maybeStale || w.rechecks >= maxRechecks {
			w.rechecks = 0
			return
		}
		// File systems differ in timestamp precision, so wait longer each time.
		settle.Reset(debounce << (2 * w.rechecks))
		w.rechecks++
	}
	recheck()
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-w.events:
			if !w.handleEvent(e) {
				continue
			}
			if first.IsZero() {
				first = time.Now()
			}
			settle.Reset(min(debounce, max(0, maxDebounce-time.Since(first))))
			continue
		case <-settle.C:
			first = time.Time{}
		case <-w.s.newPolicy:
		case <-poll.C:
			poll.Reset(w.pollEvery())
			if !w.failed && (!w.polled || !w.pollChanged(ctx)) {
				continue
			}
		}
		w.reload(ctx)
		recheck()
	}
}

func (w *watcher) pollEvery() time.Duration { return max(pollEvery, pollShare*w.scanTime) }

// handleEvent handles an event and reports whether a reload is needed.
func (w *watcher) handleEvent(e fsnotify.Event) bool {
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
		// The system stops watching a removed directory. A new one must be added again.
		w.forget(name)
	}
	if !w.isRelevant(name) {
		return lost
	}
	if e.Has(fsnotify.Create) {
		w.watchDir(name)
	}
	return true
}

// isRelevant reports whether a path is below or above a root, or in a watched directory
// other than the project root, where most files are unrelated to definitions.
func (w *watcher) isRelevant(name string) bool {
	for _, p := range w.roots {
		if name == p || strings.HasPrefix(name, p+"/") || strings.HasPrefix(p, name+"/") {
			return true
		}
	}
	parent := path.Dir(name)
	_, watched := w.watched[name]
	_, inside := w.watched[parent]
	return watched || inside && parent != w.s.root
}

// watchDir watches a directory that was just created. Files are not watched, because their
// directories report changes to them.
func (w *watcher) watchDir(name string) {
	if _, ok := w.watched[name]; ok || !isDir(name) {
		return
	}
	if len(w.watched) >= maxWatched {
		w.polled = true
	} else if w.notify.Add(name) == nil {
		w.watched[name] = false
	}
}

// forget stops watching a directory and everything below it.
func (w *watcher) forget(name string) {
	if _, ok := w.watched[name]; !ok {
		return
	}
	for dir := range w.watched {
		if dir == name || strings.HasPrefix(dir, name+"/") {
			_ = w.notify.Remove(dir)
			delete(w.watched, dir)
		}
	}
}

// isDir reports whether a path is a directory, not following symlinks.
func isDir(name string) bool {
	t, err := vfs.Open(path.Dir(name), vfs.Options{})
	if err != nil {
		return false
	}
	defer t.Close()
	typ, err := t.Lstat(path.Base(name))
	return err == nil && typ == vfs.Dir
}

// rewatch watches the directories of the active state and takes new fingerprints.
func (w *watcher) rewatch(ctx context.Context) error {
	st, err := w.s.acquireLoaded(ctx)
	if err != nil {
		return err
	}
	defer st.release()
	w.s.meter.setDefinitions(st)
	plan, err := st.catalog.WatchPlan(ctx, maxWatched)
	if err != nil {
		return err
	}
	w.roots, w.polled = plan.Paths, w.notify == nil || plan.More
	wanted := map[string]bool{}
	for _, dir := range plan.Dirs {
		wanted[dir] = true
	}
	for dir, planned := range w.watched {
		if planned && !wanted[dir] {
			_ = w.notify.Remove(dir)
			delete(w.watched, dir)
		}
	}
	added := false
	for _, dir := range plan.Dirs {
		if _, ok := w.watched[dir]; !ok {
			if w.notify == nil || len(w.watched) >= maxWatched || w.notify.Add(dir) != nil {
				w.polled = true
				continue
			}
			added = true
		}
		w.watched[dir] = true
	}
	w.polled = w.polled || len(w.watched) >= maxWatched
	w.maybeStale = false
	if !w.polled {
		w.fingerprints = catalog.Fingerprints{}
	} else if err := w.takeFingerprints(ctx, st); err != nil {
		return err
	}
	if added || w.polled {
		// The files were read before the watch or the fingerprints were in place.
		w.maybeStale, err = st.catalog.ChangedSince(ctx, plan, st.started)
	}
	st.freeMemory()
	return err
}

// freeMemory returns the memory used for reading many definitions to the system. It is as
// much as the definitions themselves occupy.
func (st *state) freeMemory() {
	if len(st.definitions) > freeMemoryAbove {
		debug.FreeOSMemory()
	}
}

func (w *watcher) takeFingerprints(ctx context.Context, st *state) (err error) {
	begun := time.Now()
	w.fingerprints, err = st.catalog.Fingerprints(ctx, w.fingerprints)
	w.scanTime = time.Since(begun)
	return err
}

// pollChanged reports whether any file changed since the last poll.
func (w *watcher) pollChanged(ctx context.Context) bool {
	st := w.s.acquire()
	if st == nil {
		return false
	}
	defer st.release()
	before := w.fingerprints
	if err := w.takeFingerprints(ctx, st); err != nil {
		w.fingerprints = before
		return false
	}
	st.freeMemory()
	return !w.fingerprints.Equal(before)
}

// reload activates a new state and watches its directories.
func (w *watcher) reload(ctx context.Context) {
	err, failedBefore := w.s.Reload(ctx), w.failed
	w.failed, w.maybeStale = err != nil, false
	if err != nil {
		// Reloads are retried indefinitely; only the first failure is logged.
		if ctx.Err() == nil && !failedBefore {
			w.s.logger.Error("cannot read the definitions; serving the previous ones", "error", err.Error())
		}
		return
	}
	if err := w.rewatch(ctx); err != nil && ctx.Err() == nil {
		w.s.logger.Error("cannot watch the definitions", "error", err.Error())
	}
}

// Reload reads everything again, swaps in the new state and notifies clients. On failure the
// old state stays active.
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
	s.logger.Info("definitions reloaded",
		"generation", st.generation, "prompts", len(st.prompts), "skills", len(st.skills))
	s.announce()
	return nil
}

// WatchPolicy keeps the active policy in sync with its files until ctx is done. The files are
// polled, because they are in user directories where many other files change. Policy updates
// never wait for definitions: a revoked permission must take effect at once.
func (s *Server) WatchPolicy(ctx context.Context) { s.watchPolicy(ctx, policyInterval) }

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

// refreshPolicy activates the current contents of the policy files.
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
	// The policy selects the bundled definitions, so a watcher must reload them.
	select {
	case s.newPolicy <- struct{}{}:
	default:
	}
}

// policyState is the logged part of a policy: whether remote clients may run commands, which
// file sets that, and the policy's errors. The zero value means that there is no policy.
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

// logPolicy logs policy errors that are new since before. If clients are remote, it also logs
// when the permission to run commands changes.
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
			s.logger.Warn("policy error",
				"code", string(d.Code), "file", fmt.Sprintf("%s:%d", d.File, d.Line), "why", d.Message, "fix", d.Fix)
		}
	}
	if s.options.Remote && now.remoteShell != before.remoteShell {
		s.logger.Warn("policy changed", "remote-shell", fmt.Sprint(now.remoteShell), "file", now.from)
	}
}

// Serving returns the project root and reports whether HTTP clients may run shell commands.
func (s *Server) Serving(ctx context.Context) (dir string, commands bool) {
	st := s.acquire()
	if st == nil {
		return s.root, false
	}
	defer st.release()
	return s.root, policyOf(ctx, st.catalog).remoteShell
}
