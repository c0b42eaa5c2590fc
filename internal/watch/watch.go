// Package watch notifies a program when a catalog's files change.
package watch

import (
	"cmp"
	"context"
	"log/slog"
	"path"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/vfs"
)

const (
	// A reload starts when no event has occurred for the duration debounce, but no later than
	// maxDebounce after the first event.
	debounce    = 100 * time.Millisecond
	maxDebounce = time.Second
	// If change notifications are not available, files are polled at the interval pollEvery, or
	// less often if polling would otherwise take more than 1/pollShare of the time.
	pollEvery = 2 * time.Second
	pollShare = 20
	// maxWatched is the maximum number of watched directories. Further directories are polled,
	// because operating systems limit how many directories a user can watch.
	maxWatched = 4096
	// maxEvents is the size of the event queue. If it overflows, everything is reread.
	maxEvents = 4096
	// maxRechecks is the maximum number of consecutive reloads made because files may have changed
	// before they were watched.
	maxRechecks = 3
	// freeMemoryAbove is the number of definitions above which unused memory is returned to the
	// operating system immediately.
	freeMemoryAbove = 5000
)

// Source provides a program's current catalog.
type Source interface {
	// Acquire returns the current catalog. It waits until all definitions have been read.
	Acquire(ctx context.Context) (Loaded, error)
	// Reload replaces the catalog with a new one. If it fails, the old catalog stays in use.
	Reload(ctx context.Context) error
}

// Loaded is a catalog that stays open until it is released.
type Loaded struct {
	Catalog *catalog.Catalog
	// Began is the time at which the catalog began to read definitions.
	Began   time.Time
	Release func()
}

// Run reloads a catalog each time its files change or a value is received from again. It returns
// when ctx is done. At the start, it reads the catalog once.
func Run(ctx context.Context, s Source, again <-chan struct{}, logger *slog.Logger) {
	w := newWatcher(s, logger)
	if watcher, err := fsnotify.NewWatcher(); err == nil {
		w.notify = watcher
		pumped := make(chan struct{})
		go func() { defer close(pumped); w.pump(watcher.Events, watcher.Errors) }()
		defer func() { watcher.Close(); <-pumped }()
	} else {
		logger.Warn("cannot watch files for changes; polling instead", "error", err.Error())
	}
	if err := w.rewatch(ctx); err != nil && ctx.Err() == nil {
		logger.Error("cannot watch definitions for changes", "error", err.Error())
	}
	w.run(ctx, again)
}

// watcher holds the state of one Run call.
type watcher struct {
	source Source
	logger *slog.Logger
	// root is the project root.
	root string
	// notify reports changes to watched directories. It is nil if change notifications are not
	// available.
	notify *fsnotify.Watcher
	events chan fsnotify.Event
	// lost is set if events were dropped.
	lost atomic.Bool
	// watched contains the watched directories. The value is false if the directory was created
	// after the last reload, because files may still be being added to it.
	watched map[string]bool
	roots   []string
	// polled is set if some files are not watched and must be polled.
	polled bool
	// maybeStale is set if files may have changed without an event. rechecks is the number of
	// consecutive reloads for which it was set. failed is set if the last reload failed.
	maybeStale, failed bool
	rechecks           int
	fingerprints       catalog.Fingerprints
	scanTime           time.Duration
}

func newWatcher(s Source, logger *slog.Logger) *watcher {
	return &watcher{source: s, logger: logger, events: make(chan fsnotify.Event, maxEvents), watched: map[string]bool{}}
}

// pump adds events to the queue without blocking, because fsnotify holds a lock while it delivers
// an event, and adding a directory requires the same lock.
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

func (w *watcher) run(ctx context.Context, again <-chan struct{}) {
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
		case <-again:
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

// handleEvent processes an event and reports whether a reload is needed.
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
		// The operating system stops watching a directory once it is removed. If it is re-created,
		// it must be added again.
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

// isRelevant reports whether a change to a path may affect definitions: the path is a root, is
// below or above one, is watched, or is in a watched directory. The project root does not count as
// such a directory, because most files in it are unrelated to definitions.
func (w *watcher) isRelevant(name string) bool {
	for _, p := range w.roots {
		if name == p || strings.HasPrefix(name, p+"/") || strings.HasPrefix(p, name+"/") {
			return true
		}
	}
	parent := path.Dir(name)
	_, watched := w.watched[name]
	_, inside := w.watched[parent]
	return watched || inside && parent != w.root
}

// watchDir watches a directory that was just created. It ignores files, because
// their directories report changes to them.
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

// isDir reports whether a path is a directory, without following symlinks.
func isDir(name string) bool {
	t, err := vfs.Open(path.Dir(name), vfs.Options{})
	if err != nil {
		return false
	}
	defer t.Close()
	typ, err := t.Lstat(path.Base(name))
	return err == nil && typ == vfs.Dir
}

// rewatch watches the current catalog's directories and records the current fingerprints of files
// that are polled.
func (w *watcher) rewatch(ctx context.Context) error {
	st, err := w.source.Acquire(ctx)
	if err != nil {
		return err
	}
	defer st.Release()
	w.root = cmp.Or(w.root, st.Catalog.ProjectDir())
	plan, err := st.Catalog.WatchPlan(ctx, maxWatched)
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
	} else if err := w.takeFingerprints(ctx, st.Catalog); err != nil {
		return err
	}
	if added || w.polled {
		// Check for changes that occurred after the files were read but before they were watched or
		// their fingerprints were recorded.
		w.maybeStale, err = st.Catalog.ChangedSince(ctx, plan, st.Began)
	}
	freeMemory(ctx, st.Catalog)
	return err
}

// freeMemory returns unused memory to the operating system after many definitions were read.
// Reading them temporarily takes as much memory as the definitions themselves.
func freeMemory(ctx context.Context, c *catalog.Catalog) {
	if all, err := c.Scan(ctx); err == nil && len(all.All) > freeMemoryAbove {
		debug.FreeOSMemory()
	}
}

func (w *watcher) takeFingerprints(ctx context.Context, c *catalog.Catalog) (err error) {
	begun := time.Now()
	w.fingerprints, err = c.Fingerprints(ctx, w.fingerprints)
	w.scanTime = time.Since(begun)
	return err
}

// pollChanged reports whether any file changed since the last poll.
func (w *watcher) pollChanged(ctx context.Context) bool {
	st, err := w.source.Acquire(ctx)
	if err != nil {
		return false
	}
	defer st.Release()
	before := w.fingerprints
	if err := w.takeFingerprints(ctx, st.Catalog); err != nil {
		w.fingerprints = before
		return false
	}
	freeMemory(ctx, st.Catalog)
	return !w.fingerprints.Equal(before)
}

// reload loads a new catalog and watches its directories.
func (w *watcher) reload(ctx context.Context) {
	err, failedBefore := w.source.Reload(ctx), w.failed
	w.failed, w.maybeStale = err != nil, false
	if err != nil {
		// Reloads are retried indefinitely, so log only the first failure.
		if ctx.Err() == nil && !failedBefore {
			w.logger.Error("cannot read definitions; using the previous ones", "error", err.Error())
		}
		return
	}
	if err := w.rewatch(ctx); err != nil && ctx.Err() == nil {
		w.logger.Error("cannot watch definitions for changes", "error", err.Error())
	}
}
