package materialize

import (
	"context"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/mirror"
	"github.com/vadehq/vade/internal/vfs"
)

// copies leaves out of the neutral view what [Sync] made and what is as it was made,
// where its source is there: the source is in force, and the copy is for one host. A
// host's own view has its copies. The state and the marks come with the project's files,
// and anybody can have written them: neither hides what is no copy.
type copies struct {
	options catalog.Options
	tree    *vfs.Tree
	record  *mirror.Record
	made    func(path string) bool
	// sources are the places of the sources of truth: a copy of what is none any more
	// is all that there is.
	sources []string
	// looks are those that were taken at files, by their paths.
	looks map[string]*look
	again remaker
}

// copiesOf returns what knows the copies, nil where none are left out.
func copiesOf(c *catalog.Catalog) *copies {
	o := &c.Options
	if c.Profile.Name != host.NeutralName || o.Sources != nil || o.Made != nil || o.Isolated || c.Quick.Project == nil ||
		slices.ContainsFunc(o.Layers, func(l catalog.LayerFS) bool { return l.Layer == definition.Project }) {
		return nil
	}
	return &copies{options: *o, tree: c.Quick.Project, record: c.Record(), made: c.Record().Made, sources: c.Project.Sources(), looks: map[string]*look{}}
}

// CopyReason is the reason of a copy, before its source.
const CopyReason = "a copy that vade sync made of "

// LeaveOut marks the copies among definitions.
func (k *copies) LeaveOut(ctx context.Context, found []*definition.Definition) {
	defer k.again.close()
	type key struct {
		kind definition.Kind
		name string
	}
	named, at := map[key]int{}, map[string][]*definition.Definition{}
	for _, d := range found {
		named[key{d.Kind, d.Name}]++
		at[d.Origin.Path] = append(at[d.Origin.Path], d)
	}
	var asked, left []*definition.Definition
	for _, d := range found {
		if d.Origin.Layer != definition.Project || d.State == definition.Dropped {
			continue
		}
		// The state may be lost. A mark is looked for where it would make a difference.
		if k.made(d.Origin.Path) || named[key{d.Kind, d.Name}] > 1 {
			asked = append(asked, d)
		}
	}
	k.lookAt(asked)
	for _, d := range asked {
		if source := k.copied(ctx, d, at); source != "" {
			d.ReasonCode, d.Reason = diag.SyncCopy, CopyReason+source
			left = append(left, d)
		}
	}
	for _, d := range left {
		d.State = definition.Dropped
	}
}

// look is what a file says of itself.
type look struct {
	// entries are those by which it is as it was made: that of its mark, if that is
	// intact, and those of the state.
	entries []mirror.Entry
	intact  bool
	// found: there is a mark.
	found bool
	err   error
}

// look reads a file, once.
func (k *copies) look(p string) *look {
	l := k.looks[p]
	if l == nil {
		l = k.read(p)
		k.looks[p] = l
	}
	return l
}

func (k *copies) read(p string) *look {
	data, err := k.tree.ReadFile(p, maxCompanion)
	if err != nil {
		return &look{err: err}
	}
	l := &look{}
	source := ""
	if source, l.intact, l.found = mirror.ReadMark(data); l.intact {
		l.entries = append(l.entries, mirror.Entry{Path: p, Source: source})
	}
	said := k.record.Of(p)
	if len(said) == 0 {
		return l
	}
	digest := mirror.Digest(data)
	for _, e := range said {
		if e.Digest == digest && !(l.intact && e.Source == source) {
			l.entries = append(l.entries, e)
		}
	}
	return l
}

// lookAt reads the files of many definitions side by side.
func (k *copies) lookAt(list []*definition.Definition) {
	looks := make([]*look, len(list))
	_ = catalog.SideBySide(len(list), func(i int) error {
		if link, _ := k.record.LinkOver(list[i].Origin.Path); link == nil {
			looks[i] = k.read(list[i].Origin.Path)
		}
		return nil
	})
	for i, d := range list {
		if looks[i] != nil {
			k.looks[d.Origin.Path] = looks[i]
		}
	}
}

// copied returns what a file is a copy of, "" where nothing but the word of the state or
// of a mark shows that it is one. It is one where it is
//   - below a link that leads to its source as links do that are made;
//   - as its mark or the state says, and the source has its name, so that nothing goes
//     that is not there under that name: it was made before the source was changed;
//   - what is made of its source.
func (k *copies) copied(ctx context.Context, d *definition.Definition, found map[string][]*definition.Definition) string {
	p := d.Origin.Path
	if link, source := k.record.LinkOver(p); link != nil {
		if text, err := k.tree.Readlink(link.Path); err != nil || text != link.Link || !link.Straight() || !k.isSource(source) {
			return ""
		}
		return source
	}
	l := k.look(p)
	entries := slices.DeleteFunc(l.entries, func(e mirror.Entry) bool { return e.Source == p || !k.isSource(e.Source) })
	for _, e := range entries {
		// Where there are no names the state's word would hide any file.
		if (d.Kind != definition.Instruction || e.Hosts == nil) && k.named(e.Source, d, found) {
			return e.Source
		}
	}
	for _, e := range entries {
		if k.again.makes(ctx, k, e) {
			return e.Source
		}
	}
	return ""
}

// named reports whether a source is among definitions under the name of another, and is
// of its kind, or a command where hosts get those as skills. Instructions have no names.
func (k *copies) named(source string, d *definition.Definition, found map[string][]*definition.Definition) bool {
	return slices.ContainsFunc(found[source], func(s *definition.Definition) bool {
		same := s.Kind == d.Kind || s.Kind == definition.Command && d.Kind == definition.Skill
		return same && (s.Name == d.Name || d.Kind == definition.Instruction) && s.State != definition.Dropped
	})
}

// isSource reports whether a file stands in the source of truth, and nothing says that it
// is a copy itself: two files would hide each other.
func (k *copies) isSource(p string) bool {
	if !catalog.InOneOf(k.sources, p) || k.made(p) {
		return false
	}
	if strings.HasSuffix(p, "package.json") {
		return true
	}
	l := k.look(p)
	return l.err == nil && !l.found
}

// LeaveOutServers leaves the files of MCP servers out that were made of others.
func (k *copies) LeaveOutServers(ctx context.Context, p *host.Profile) {
	p.Configs = slices.DeleteFunc(slices.Clone(p.Configs), func(f host.Config) bool {
		if f.Layer != definition.Project || len(k.record.Of(f.Path)) == 0 {
			return false
		}
		data, err := k.tree.ReadFile(f.Path, maxCompanion)
		return err == nil && slices.ContainsFunc(k.record.Of(f.Path), func(e mirror.Entry) bool {
			return e.Digest == mirror.Digest(data) && k.again.makesServers(ctx, k, e, data)
		})
	})
}

// Open opens a catalog whose neutral view leaves out the copies that [Sync] made.
func Open(ctx context.Context, o catalog.Options) (*catalog.Catalog, error) {
	o.Copies = func(c *catalog.Catalog) catalog.Copies {
		if k := copiesOf(c); k != nil {
			return k
		}
		return nil
	}
	return catalog.Open(ctx, o)
}

// SourceOfTruth is what is known of the source of truth of a project. In one that has such, the
// files of hosts come from [Sync], and what is made by hand beside it would stand in its
// way.
type SourceOfTruth struct {
	// Kept: the project says that hosts get copies, or has some.
	Kept    bool
	Project *config.Project
	// Made are the hosts that something was made for.
	Made []string
	// Copies are the sources of copies by their paths.
	Copies map[string]string
}

// ReadSourceOfTruth reads what the project says, in the neutral view.
func ReadSourceOfTruth(c *catalog.Catalog, all []*definition.Definition) SourceOfTruth {
	t := SourceOfTruth{Project: c.Project, Copies: map[string]string{}}
	for _, d := range all {
		source, is := strings.CutPrefix(d.Reason, CopyReason)
		if is && d.ReasonCode == diag.SyncCopy {
			t.Copies[d.Origin.Path] = source
		}
	}
	if k := copiesOf(c); k != nil {
		t.Made = k.record.Hosts()
	}
	p := t.Project
	t.Kept = len(t.Made) > 0 || p != nil && (len(p.Source) > 0 || len(p.Hosts) > 0 || p.Sync.NoLinks || p.Sync.Servers || len(p.Sync.Exclude) > 0)
	return t
}

// Source is the file that another is a copy of, or the file itself.
func (t *SourceOfTruth) Source(p string) string {
	if source, is := t.Copies[p]; is {
		return source
	}
	return p
}
