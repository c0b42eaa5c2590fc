package publish

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/vfs"
)

// maxCacheBytes is an EntryCache's approximate size limit.
const maxCacheBytes = 4 << 20

// EntryCache builds skill entries on demand and caches them. Later calls reread only files that may
// have changed. The zero value is ready to use. An EntryCache is safe for concurrent use.
type EntryCache struct {
	mu sync.Mutex
	// recent holds the newest entries, and bytes is their total size. older holds the entries added
	// before them. Dropping an entire map at once avoids memory fragmentation.
	recent, older map[string]*cachedEntry
	bytes         int
}

// cachedEntry holds a skill's entry, or the error that prevented it from being built, and the files
// that were read for it.
type cachedEntry struct {
	entry *Entry
	err   error
	files []cachedFile
	// started is when reading began.
	started time.Time
	size    int
}

type cachedFile struct {
	path        string
	fingerprint vfs.Fingerprint
}

// Entry returns a skill's entry, or a [*NotPublishableError] if the skill cannot be published. If
// the skill no longer exists, the error wraps [ErrNoFile] or [fs.ErrNotExist].
func (k *EntryCache) Entry(ctx context.Context, s Source, uri string) (*Entry, error) {
	files, more, err := s.Files(ctx, uri, MaxResources+1)
	if err != nil {
		return nil, err
	}
	if err := checkLimits(uri, files, more); err != nil {
		return nil, err
	}
	k.mu.Lock()
	old := cmp.Or(k.recent[uri], k.older[uri])
	k.mu.Unlock()
	if old != nil && old.unchanged(files) {
		return old.entry, old.err
	}
	cached, err := assemble(ctx, s, uri, files)
	if err != nil {
		return nil, err
	}
	k.add(uri, cached)
	return cached.entry, cached.err
}

// checkLimits returns an error if a skill exceeds the limits. It does not read the files.
func checkLimits(uri string, files []File, more bool) error {
	if more || len(files) > MaxResources {
		return notPublishable(uri, diag.PublishLimit, "remove files that the skill does not need",
			"skill not published: it has more than %d files", MaxResources)
	}
	var sum int64
	for i := range files {
		if sum += files[i].Size; sum > MaxBytes || files[i].Size > MaxBytes {
			return notPublishable(uri, diag.PublishLimit, "remove files that the skill does not need",
				"skill not published: its files exceed %d MiB in total", MaxBytes>>20)
		}
	}
	return nil
}

// unchanged reports whether the files are certainly the same as when the entry was built.
func (k *cachedEntry) unchanged(files []File) bool {
	if len(files) != len(k.files) {
		return false
	}
	for i := range files {
		old := k.files[i]
		if fingerprint, ok := vfs.FingerprintOf(files[i].Info); !ok || files[i].Path != old.path ||
			!fingerprint.Unchanged(old.fingerprint, k.started) {
			return false
		}
	}
	return true
}

// assemble reads a skill's files and builds its entry.
func assemble(ctx context.Context, s Source, uri string, files []File) (*cachedEntry, error) {
	e := &Entry{URI: uri, Resources: make([]Resource, 0, len(files))}
	cached := &cachedEntry{files: make([]cachedFile, len(files)), started: time.Now()}
	var sum int64
	found := false
	for i := range files {
		f := &files[i]
		if !safePath(f.Path) {
			cached.err = notPublishable(uri, diag.PublishFile, "rename the file",
				"skill not published: the file name %q cannot be used in a URI", f.Path)
			return cached, nil
		}
		data, err := s.ReadFile(ctx, uri, f.Path, MaxBytes-sum)
		switch {
		case errors.Is(err, vfs.ErrTooLarge):
			return nil, notPublishable(uri, diag.PublishLimit, "remove files that the skill does not need",
				"skill not published: its files exceed %d MiB in total", MaxBytes>>20)
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			return nil, err
		case err != nil:
			cached.err = notPublishable(uri, diag.PublishFile, "make the file readable or remove it",
				"skill not published: cannot read its file %s", f.Path)
			return cached, nil
		}
		if f.Path == Main {
			cached.err = e.readFrontmatter(data)
			found = true
		}
		fingerprint, _ := vfs.FingerprintOf(f.Info)
		cached.files[i] = cachedFile{f.Path, fingerprint}
		sum += int64(len(data))
		// Each file's data structures take about 600 bytes.
		cached.size += 600 + 2*len(f.Path) + len(uri)
		e.Resources = append(e.Resources, Resource{
			URI: FileURI(uri, f.Path), Digest: digestOf(data), Size: int64(len(data)), Path: f.Path,
			Executable: f.Info != nil && f.Info.Mode()&0o100 != 0,
		})
	}
	if !found {
		return nil, ErrNoFile
	}
	if cached.err == nil {
		slices.SortFunc(e.Resources, func(a, b Resource) int { return cmp.Compare(a.Path, b.Path) })
		main := slices.IndexFunc(e.Resources, func(r Resource) bool { return r.Path == Main })
		first := e.Resources[main]
		e.Resources = slices.Insert(slices.Delete(e.Resources, main, main+1), 0, first)
		cached.entry = e
		cached.size += len(e.Frontmatter) + len(e.Description)
	}
	return cached, nil
}

// add caches an entry. If the cache is full, it drops the oldest entries.
func (k *EntryCache) add(uri string, e *cachedEntry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.recent == nil || k.bytes > maxCacheBytes/2 {
		k.recent, k.older, k.bytes = map[string]*cachedEntry{}, k.recent, 0
	}
	if old := k.recent[uri]; old != nil {
		k.bytes -= old.size
	}
	k.recent[uri] = e
	k.bytes += e.size
}
