package explain

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/version"
	"github.com/vadehq/vade/internal/vfs"
)

// How much is read of a file to judge it where it does not stand: as much as a
// host's view reads, at first what is enough for nearly all.
const (
	smallHead = 4 << 10
	largeHead = 72 << 10
)

// head is the beginning of a file, read once.
type head struct {
	once sync.Once
	data []byte
	size int64
	ok   bool
}

// head returns the beginning of the file of a subject and its length; false where
// it can not be read.
func (e *explainer) head(s *subject) (data []byte, size int64, ok bool) {
	s.head.once.Do(func() {
		tree, rel := e.standsIn(s)
		if tree == nil {
			return
		}
		for _, n := range []int{smallHead, largeHead} {
			buf := make([]byte, n)
			got, size, err := tree.ReadHead(rel, buf)
			if err != nil {
				return
			}
			s.head.data, s.head.size, s.head.ok = slices.Clip(buf[:got]), size, true
			if int64(got) >= size {
				return
			}
		}
	})
	return s.head.data, s.head.size, s.head.ok
}

// standsIn returns the tree in which the file was found, nil where it is none of a
// tree of a view.
func (e *explainer) standsIn(s *subject) (*vfs.Tree, string) {
	if !vfs.IsAbs(s.path) && e.neutral.c.Quick.Project != nil {
		return e.neutral.c.Quick.Project, s.path
	}
	for _, v := range append([]*view{e.neutral}, e.views...) {
		for i := range v.c.Quick.Places {
			pl := &v.c.Quick.Places[i]
			if rel, ok := strings.CutPrefix(s.path, pl.Shown+"/"); ok {
				return pl.Tree, path.Join(pl.Dir, rel)
			}
		}
	}
	return nil, ""
}

// stands notes where the fix puts the file, in a root of the host.
func (w *whyUnread) stands(r *host.Root, shown string) {
	if rule := catalog.RuleFor(r, w.s.kind, w.s.format, path.Base(shown)); rule != nil {
		w.to = catalog.Placement{Root: r, Rule: rule, Path: shown}
	}
}

// then says what has to be done in the file besides the fix, "" for nothing: the
// host is asked for what it makes of the file in its new place. Where it wants a
// field in another form than others, the fix becomes a copy, so that none of them
// loses the file.
func (w *whyUnread) then(fix string) (first, rest string) {
	d, rest := w.there()
	if d == nil || d.State != definition.Dropped {
		return fix, rest
	}
	rest = toDo(d)
	if w.copied != "" && fix == w.fix && strings.HasPrefix(string(d.ReasonCode), "FIELD_") && d.ReasonCode != diag.FieldMissing {
		return w.copied, "in the copy, " + rest
	}
	return fix, rest
}

// there is what the host makes of the file where the fix puts it, nil where that
// is not known, and what keeps it out besides its content.
func (w *whyUnread) there() (d *definition.Definition, rest string) {
	if w.to.Root == nil {
		return nil, ""
	}
	data, size, ok := w.e.head(w.s)
	if !ok {
		return nil, ""
	}
	if most := w.p.MaxFile; most > 0 && size > most {
		return nil, fmt.Sprintf("make the file smaller: %s reads at most %d bytes of one", w.p.Name, most)
	}
	if w.v.parser == nil {
		w.v.parser = parse.Parser(w.p, version.Number)
	}
	if d = w.v.parser(w.to.Found(w.s.real, data, size)); d == nil || d.State == definition.Dropped {
		return d, ""
	}
	for _, other := range w.v.byName[kindName{d.Kind, d.Name}] {
		if other.Origin.Real != w.s.real && d.Kind != definition.Instruction {
			return d, "rename it: " + w.p.Name + " loads " + other.Origin.Path + " under the name " + d.Name
		}
	}
	return d, ""
}

// toDo is what has to be done for a host to load a file that it drops: the fix of
// each reason, or the reason where it has none.
func toDo(d *definition.Definition) string {
	var steps []string
	for _, y := range d.Diagnostics {
		if y.Fix != "" && (y.Code == d.ReasonCode || y.Severity == diag.Error) && !slices.Contains(steps, y.Fix) {
			steps = append(steps, y.Fix)
		}
	}
	if len(steps) == 0 {
		return d.Reason
	}
	return strings.Join(steps, "; ")
}
