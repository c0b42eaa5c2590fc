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

// WatchPlan says where the files of a catalog are, so that a program can tell when
// to open another.
type WatchPlan struct {
	// Dirs are existing absolute directories in which a new, changed or removed
	// entry may change the catalog: those of the view, the nearest directory above
	// each place that is not there yet, and those of the definitions. They are
	// without doubles, those of the view first. More says that there are others.
	Dirs []string
	More bool
	// Places are the absolute paths that count. What is neither below one of them
	// nor above one changes nothing. Policies are not among them: see
	// [Catalog.RefreshPolicy].
	Paths []string
}

// WatchPlan returns what to watch, at most limit directories. It reads the catalog if
// that has not been done.
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
				// The directory of a removed skill, or of one beside it.
				add(path.Dir(path.Dir(d.Origin.Real)))
			}
		}
	}
	slices.Sort(w.Paths)
	w.Paths = slices.Compact(w.Paths)
	return w, nil
}

// watched returns the absolute path of a place and the nearest directory at or above
// it that is there.
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

// Stamps tell whether the files of a catalog are those that it has read.
type Fingerprints struct {
	seed maphash.Seed
	all  []uint64
}

func (s *Fingerprints) add(stamp vfs.Fingerprint) {
	s.all = append(s.all, maphash.Comparable(s.seed, stamp))
}

// Equal reports whether nothing has changed between two moments, as far as lengths,
// times and identities tell.
func (s Fingerprints) Equal(other Fingerprints) bool { return slices.Equal(s.all, other.all) }

// Stamps looks at every place and at the file of every definition, without reading
// one, to compare what it finds with what it found before, which may be the zero
// value. It costs one call of the system for each.
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
		stamp, _ := plan.Stamp(d.Origin.Real)
		s.add(stamp)
		if d.Kind == definition.Skill {
			// A file beside it that came or went.
			stamp, _ = plan.Stamp(path.Dir(d.Origin.Real))
			s.add(stamp)
		}
	}
	return s, nil
}

// ChangedSince reports whether a file that the catalog has read, one of its places, or a
// directory of w may have been changed at a moment or after it. Who begins to watch
// after the files were read asks this for the moment before they were, because nobody
// tells of what came in between. It costs one call of the system for each.
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
		if changed(plan.Stamp(dir)) {
			return true, nil
		}
	}
	for i, d := range all.All {
		if i%1024 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		stamp, err := plan.Stamp(d.Origin.Real)
		if changed(stamp, err) || errors.Is(err, fs.ErrNotExist) && vfs.IsAbs(d.Origin.Real) {
			return true, nil
		}
		if d.Kind == definition.Skill && changed(plan.Stamp(path.Dir(d.Origin.Real))) {
			return true, nil
		}
	}
	return false, nil
}
