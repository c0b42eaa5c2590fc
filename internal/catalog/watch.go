package catalog

import (
	"context"
	"errors"
	"hash/maphash"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/vfs"
)

// WatchPlan lists what to watch for changes to a catalog. A program uses it to decide when to open
// a new catalog.
type WatchPlan struct {
	// Dirs lists existing absolute directories, without duplicates. The catalog may change if an
	// entry in one of them is added, changed or removed. The view's directories come first; a
	// missing root is represented by its nearest existing parent. The definitions' directories
	// follow. More is set if directories were left out because of the limit.
	Dirs []string
	More bool
	// Paths lists the absolute paths that matter. A change can be ignored unless the changed path
	// is one of them, or is below or above one of them. Policy files are not included; see
	// [Catalog.RefreshPolicy].
	Paths []string
}

// WatchPlan returns a plan for watching the catalog, with at most limit directories. It scans the
// catalog if necessary.
func (c *Catalog) WatchPlan(ctx context.Context, limit int) (WatchPlan, error) {
	all, err := c.Scan(ctx)
	if err != nil {
		return WatchPlan{}, err
	}
	plan, err := c.Plan(ctx)
	if err != nil {
		return WatchPlan{}, err
	}
	var w WatchPlan
	seen := map[string]bool{}
	add := func(dir string) {
		if !vfs.IsAbs(dir) || seen[dir] {
			return
		}
		if w.More = len(w.Dirs) == limit; !w.More {
			seen[dir] = true
			w.Dirs = append(w.Dirs, dir)
		}
	}
	for i := range plan.Places {
		place, dir := watched(&plan.Places[i])
		if vfs.IsAbs(place) {
			w.Paths = append(w.Paths, place)
			add(dir)
		}
	}
	for _, d := range all.All {
		if w.More {
			break
		}
		if d.Format != definition.Package {
			add(path.Dir(d.Origin.Real))
			if d.Kind == definition.Skill {
				// Watch the parent directory too, to detect new and removed skills in the same
				// root.
				add(path.Dir(path.Dir(d.Origin.Real)))
			}
		}
	}
	slices.Sort(w.Paths)
	w.Paths = slices.Compact(w.Paths)
	return w, nil
}

// watched returns the absolute path of a root and its nearest existing directory.
func watched(pl *discover.Place) (place, dir string) {
	at := pl.Dir
	for at != "." {
		if typ, err := pl.Tree.Lstat(at); err == nil && typ == vfs.Dir {
			break
		}
		at = path.Dir(at)
	}
	return pl.Tree.RealPath(pl.Dir), pl.Tree.RealPath(at)
}

// Fingerprints holds the fingerprints of a catalog's files. It shows whether any of them have
// changed.
type Fingerprints struct {
	seed maphash.Seed
	all  []uint64
}

func (s *Fingerprints) add(stamp vfs.Fingerprint) {
	s.all = append(s.all, maphash.Comparable(s.seed, stamp))
}

// Equal reports whether all fingerprints are equal. Fingerprints cover sizes, times and identities.
func (s Fingerprints) Equal(other Fingerprints) bool { return slices.Equal(s.all, other.all) }

// Fingerprints returns the fingerprints of every root and every definition's file. It does not read
// file contents: each file, root or skill directory costs one or two system calls. To compare a
// result with an earlier one, pass the earlier one as before. Otherwise, before may be the zero
// value.
func (c *Catalog) Fingerprints(ctx context.Context, before Fingerprints) (Fingerprints, error) {
	all, err := c.Scan(ctx)
	if err != nil {
		return Fingerprints{}, err
	}
	plan, err := c.Plan(ctx)
	if err != nil {
		return Fingerprints{}, err
	}
	s := Fingerprints{seed: before.seed, all: make([]uint64, 0, len(before.all))}
	if s.seed == (maphash.Seed{}) {
		s.seed = maphash.MakeSeed()
	}
	for i := range plan.Places {
		pl := &plan.Places[i]
		stamp, _ := pl.Tree.Fingerprint(pl.Dir)
		s.add(stamp)
	}
	for i, d := range all.All {
		if i%1024 == 0 && ctx.Err() != nil {
			return Fingerprints{}, ctx.Err()
		}
		stamp, _ := plan.Fingerprint(d.Origin.Real)
		s.add(stamp)
		if d.Kind == definition.Skill {
			// Include the directory to detect added and removed companion files.
			stamp, _ = plan.Fingerprint(path.Dir(d.Origin.Real))
			s.add(stamp)
		}
	}
	return s, nil
}

// ChangedSince reports whether a file that the catalog read, one of its roots, or a directory in w
// may have changed at or after the given time. Watching does not report changes made before it
// starts, so pass the time before the catalog was read. Each file, root or directory costs one or
// two system calls.
func (c *Catalog) ChangedSince(ctx context.Context, w WatchPlan, at time.Time) (bool, error) {
	all, err := c.Scan(ctx)
	if err != nil {
		return false, err
	}
	plan, err := c.Plan(ctx)
	if err != nil {
		return false, err
	}
	changed := func(stamp vfs.Fingerprint, err error) bool { return err == nil && stamp.ChangedSince(at) }
	for i := range plan.Places {
		if pl := &plan.Places[i]; changed(pl.Tree.Fingerprint(pl.Dir)) {
			return true, nil
		}
	}
	for _, dir := range w.Dirs {
		if changed(plan.Fingerprint(dir)) {
			return true, nil
		}
	}
	for i, d := range all.All {
		if i%1024 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		stamp, err := plan.Fingerprint(d.Origin.Real)
		if changed(stamp, err) || errors.Is(err, fs.ErrNotExist) && vfs.IsAbs(d.Origin.Real) {
			return true, nil
		}
		if d.Kind == definition.Skill && changed(plan.Fingerprint(path.Dir(d.Origin.Real))) {
			return true, nil
		}
	}
	return false, nil
}
