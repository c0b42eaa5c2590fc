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
	mu    sync.Mutex
	kept  map[string]*keptEntry
	bytes int
}

// keptEntry is an entry, or why there is none, and the files that it was made of.
type keptEntry struct {
	entry *Entry
	err   error
	files map[string]keptFile
	size  int
}

type keptFile struct {
	stamp vfs.Stamp
	// at is when the file was read, certain that it can be told from a later one.
	at      time.Time
	certain bool
	digest  string
	size    int64
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
	old := k.get(uri)
	if old != nil && old.same(files) {
		return old.entry, old.err
	}
	made, err := assemble(ctx, s, uri, files, old)
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

// same reports whether these are certainly the files that the entry was made of.
func (k *keptEntry) same(files []File) bool {
	if len(files) != len(k.files) {
		return false
	}
	for i := range files {
		if !k.unchanged(&files[i]) {
			return false
		}
	}
	return true
}

func (k *keptEntry) unchanged(f *File) bool {
	old, ok := k.files[f.Path]
	if !ok || !old.certain || f.Info == nil {
		return false
	}
	stamp, ok := vfs.StampOf(f.Info)
	return ok && stamp.Unchanged(old.stamp, old.at)
}

// assemble reads what has to be read of one skill.
func assemble(ctx context.Context, s Source, uri string, files []File, old *keptEntry) (*keptEntry, error) {
	e := &Entry{URI: uri, Resources: make([]Resource, 0, len(files))}
	made := &keptEntry{files: make(map[string]keptFile, len(files))}
	var sum int64
	found := false
	for i := range files {
		f := &files[i]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !safePath(f.Path) {
			made.err = refuse(uri, diag.PublishFile, "rename the file", "the skill is not given out: the name of its file %q can not stand in a URI", f.Path)
			return made, nil
		}
		main := f.Path == Main
		var kept keptFile
		if !main && old != nil && old.unchanged(f) {
			kept = old.files[f.Path]
		} else {
			kept.at = time.Now()
			data, err := s.ReadFile(ctx, uri, f.Path, MaxBytes-sum)
			switch {
			case errors.Is(err, vfs.ErrTooLarge):
				return nil, refuse(uri, diag.PublishLimit, "take out what the skill does not need", "the skill is not given out: its files have more than %d MiB", MaxBytes>>20)
			case err != nil && (errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil):
				return nil, err
			case err != nil:
				made.err = refuse(uri, diag.PublishFile, "make the file readable, or take it out", "the skill is not given out: its file %s can not be read", f.Path)
				return made, nil
			}
			kept.digest, kept.size = digestOf(data), int64(len(data))
			if main {
				made.err = e.head(data)
				found = true
			}
			if f.Info != nil {
				kept.stamp, kept.certain = vfs.StampOf(f.Info)
			}
		}
		sum += kept.size
		made.files[f.Path] = kept
		made.size += 200 + 2*len(f.Path) + len(uri)
		e.Resources = append(e.Resources, Resource{
			URI: FileURI(uri, f.Path), Digest: kept.digest, Size: kept.size, Path: f.Path,
			Executable: f.Info != nil && f.Info.Mode()&0o100 != 0,
		})
	}
	if !found {
		return nil, ErrNoFile
	}
	if made.err == nil {
		slices.SortFunc(e.Resources, func(a, b Resource) int {
			if (a.Path == Main) != (b.Path == Main) {
				if a.Path == Main {
					return -1
				}
				return 1
			}
			return cmp.Compare(a.Path, b.Path)
		})
		made.entry = e
		made.size += len(e.Frontmatter) + len(e.Description)
	}
	return made, nil
}

func (k *Keeper) get(uri string) *keptEntry {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept[uri]
}

// put keeps an entry. Where there are too many, any others go.
func (k *Keeper) put(uri string, e *keptEntry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil {
		k.kept = map[string]*keptEntry{}
	}
	if old := k.kept[uri]; old != nil {
		k.bytes -= old.size
	}
	k.kept[uri] = e
	k.bytes += e.size
	for other, o := range k.kept {
		if k.bytes <= maxKept {
			break
		}
		if other != uri {
			k.bytes -= o.size
			delete(k.kept, other)
		}
	}
}
