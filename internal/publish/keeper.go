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

// maxKept is about how many bytes of entries a keeper keeps.
const maxKept = 4 << 20

// Keeper makes the entries of skills and keeps them. An entry is made when it is
// asked for; after that the files are looked at, and only those that may have
// changed are read again. The zero value is ready for use, by many goroutines.
type Keeper struct {
	mu sync.Mutex
	// kept are the entries made last, of so many bytes, and before those made before
	// them. To let go of a whole map leaves no holes in the memory.
	kept, before map[string]*keptEntry
	bytes        int
}

// keptEntry is an entry, or why there is none, and the files that it was made from.
type keptEntry struct {
	entry *Entry
	err   error
	files []keptFile
	// at is when reading began.
	at   time.Time
	size int
}

type keptFile struct {
	path  string
	stamp vfs.Stamp
}

// Entry returns the entry of a skill. The error is a [*Refused] where the skill is
// not to be given out; it wraps [ErrNoFile] or [fs.ErrNotExist] where it is gone.
func (k *Keeper) Entry(ctx context.Context, s Source, uri string) (*Entry, error) {
	files, more, err := s.Files(ctx, uri, MaxResources+1)
	if err != nil {
		return nil, err
	}
	if err := within(uri, files, more); err != nil {
		return nil, err
	}
	k.mu.Lock()
	old := cmp.Or(k.kept[uri], k.before[uri])
	k.mu.Unlock()
	if old != nil && old.same(files) {
		return old.entry, old.err
	}
	made, err := assemble(ctx, s, uri, files)
	if err != nil {
		return nil, err
	}
	k.put(uri, made)
	return made.entry, made.err
}

// within checks the limits, before anything is read.
func within(uri string, files []File, more bool) error {
	if more || len(files) > MaxResources {
		return refuse(uri, diag.PublishLimit, "take out what the skill does not need", "the skill is not given out: it has more than %d files", MaxResources)
	}
	var sum int64
	for i := range files {
		if sum += files[i].Size; sum > MaxBytes || files[i].Size > MaxBytes {
			return refuse(uri, diag.PublishLimit, "take out what the skill does not need", "the skill is not given out: its files have more than %d MiB", MaxBytes>>20)
		}
	}
	return nil
}

// same reports whether these are certainly the files that the entry was made from.
func (k *keptEntry) same(files []File) bool {
	if len(files) != len(k.files) {
		return false
	}
	for i := range files {
		old := k.files[i]
		if stamp, ok := vfs.StampOf(files[i].Info); !ok || files[i].Path != old.path || !stamp.Unchanged(old.stamp, k.at) {
			return false
		}
	}
	return true
}

// assemble reads the files of one skill.
func assemble(ctx context.Context, s Source, uri string, files []File) (*keptEntry, error) {
	e := &Entry{URI: uri, Resources: make([]Resource, 0, len(files))}
	made := &keptEntry{files: make([]keptFile, len(files)), at: time.Now()}
	var sum int64
	found := false
	for i := range files {
		f := &files[i]
		if !safePath(f.Path) {
			made.err = refuse(uri, diag.PublishFile, "rename the file",
				"the skill is not given out: the name of its file %q can not stand in a URI", f.Path)
			return made, nil
		}
		data, err := s.ReadFile(ctx, uri, f.Path, MaxBytes-sum)
		switch {
		case errors.Is(err, vfs.ErrTooLarge):
			return nil, refuse(uri, diag.PublishLimit, "take out what the skill does not need",
				"the skill is not given out: its files have more than %d MiB", MaxBytes>>20)
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			return nil, err
		case err != nil:
			made.err = refuse(uri, diag.PublishFile, "make the file readable, or take it out",
				"the skill is not given out: its file %s can not be read", f.Path)
			return made, nil
		}
		if f.Path == Main {
			made.err = e.head(data)
			found = true
		}
		stamp, _ := vfs.StampOf(f.Info)
		made.files[i] = keptFile{f.Path, stamp}
		sum += int64(len(data))
		// The structures of one file take about 600 bytes.
		made.size += 600 + 2*len(f.Path) + len(uri)
		e.Resources = append(e.Resources, Resource{
			URI: FileURI(uri, f.Path), Digest: digestOf(data), Size: int64(len(data)), Path: f.Path,
			Executable: f.Info != nil && f.Info.Mode()&0o100 != 0,
		})
	}
	if !found {
		return nil, ErrNoFile
	}
	if made.err == nil {
		slices.SortFunc(e.Resources, func(a, b Resource) int { return cmp.Compare(a.Path, b.Path) })
		main := slices.IndexFunc(e.Resources, func(r Resource) bool { return r.Path == Main })
		first := e.Resources[main]
		e.Resources = slices.Insert(slices.Delete(e.Resources, main, main+1), 0, first)
		made.entry = e
		made.size += len(e.Frontmatter) + len(e.Description)
	}
	return made, nil
}

// put keeps an entry. Where there are too many, those that were made first go.
func (k *Keeper) put(uri string, e *keptEntry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil || k.bytes > maxKept/2 {
		k.kept, k.before, k.bytes = map[string]*keptEntry{}, k.kept, 0
	}
	if old := k.kept[uri]; old != nil {
		k.bytes -= old.size
	}
	k.kept[uri] = e
	k.bytes += e.size
}
