package vade

import (
	"context"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/mirror"
	"github.com/vadehq/vade/internal/vfs"
)

// copies leaves out of the neutral view what [Sync] made and what is as it was made,
// where its source is there: the source is in force, and the copy is for one host. A
// host's own view has its copies. The state and the marks come with the project's files,
// and anybody can have written them: neither hides what is no copy.
type copies struct {
	options Options
	tree    *vfs.Tree
	state   *mirror.State
	// sources are the places of the sources of truth: a copy of what is none any more
	// is all that there is.
	sources []string
	again   remaker
}

// copies returns what knows the copies, nil where none are left out.
func (c *Catalog) copies() *copies {
	o := &c.options
	if c.profile.Name != host.NeutralName || o.sources != nil || o.made != nil || o.Isolated || c.quick.Project == nil ||
		slices.ContainsFunc(o.Layers, func(l LayerFS) bool { return l.Layer == Project }) {
		return nil
	}
	k := &copies{options: *o, tree: c.quick.Project, state: &mirror.State{}, sources: c.project.Sources()}
	if data, err := k.tree.ReadFile(mirror.StateFile, mirror.MaxState); err == nil {
		// What can not be read tells of no copies.
		k.state, _ = mirror.ParseState(data, func(string) string { return "" })
	}
	return k
}

// copyReason is the reason of a copy, before its source.
const copyReason = "a copy that vade sync made of "

// leaveOut marks the copies among definitions.
func (k *copies) leaveOut(ctx context.Context, found []*definition.Definition) {
	if k == nil {
		return
	}
	defer k.again.close()
	type key struct {
		kind Kind
		name string
	}
	named, at := map[key]int{}, map[string][]*definition.Definition{}
	for _, d := range found {
		named[key{d.Kind, d.Name}]++
		at[d.Origin.Path] = append(at[d.Origin.Path], d)
	}
	var left []*definition.Definition
	for _, d := range found {
		if d.Origin.Layer != Project || d.State == definition.Dropped {
			continue
		}
		// The state may be lost. A mark is looked for where it would make a difference.
		if !k.state.Made(d.Origin.Path) && named[key{d.Kind, d.Name}] < 2 {
			continue
		}
		if source := k.copied(ctx, d, at); source != "" {
			d.ReasonCode, d.Reason = diag.SyncCopy, copyReason+source
			left = append(left, d)
		}
	}
	for _, d := range left {
		d.State = definition.Dropped
	}
}

// copied returns what a file is a copy of, "" where nothing but the word of the state or
// of a mark shows that it is one. It is one where it is
//   - below a link that leads to its source as links do that are made;
//   - what is made of its source;
//   - as its mark says, and the source has its kind and name, so that nothing goes that
//     is not there under that name: it was made before the source was changed.
func (k *copies) copied(ctx context.Context, d *definition.Definition, found map[string][]*definition.Definition) string {
	p := d.Origin.Path
	if link, source := k.state.LinkOver(p); link != nil {
		if text, err := k.tree.Readlink(link.Path); err != nil || text != link.Link || !link.Straight() || !k.isSource(source) {
			return ""
		}
		return source
	}
	data, err := k.tree.ReadFile(p, maxCompanion)
	if err != nil {
		return ""
	}
	if source, intact, _ := mirror.ReadMark(data); intact && k.isSource(source) && source != p && k.named(source, d, found) {
		return source
	}
	entries := k.state.Of(p)
	if source, intact, _ := mirror.ReadMark(data); intact {
		entries = append(slices.Clone(entries), mirror.Entry{Path: p, Source: source, Digest: mirror.Digest(data)})
	}
	for _, e := range entries {
		if e.Digest == mirror.Digest(data) && e.Source != p && k.isSource(e.Source) && k.again.makes(ctx, k, e, data) {
			return e.Source
		}
	}
	return ""
}

// named reports whether a source is among definitions, under the kind and the name of
// another. Instructions have no names.
func (k *copies) named(source string, d *definition.Definition, found map[string][]*definition.Definition) bool {
	return slices.ContainsFunc(found[source], func(s *definition.Definition) bool {
		return s.Kind == d.Kind && (s.Name == d.Name || d.Kind == Instruction) && s.State != definition.Dropped
	})
}

// isSource reports whether a file stands in the source of truth, and nothing says that it
// is a copy itself: two files would hide each other.
func (k *copies) isSource(p string) bool {
	if !inOneOf(k.sources, p) || k.state.Made(p) {
		return false
	}
	if strings.HasSuffix(p, "package.json") {
		return true
	}
	data, err := k.tree.ReadFile(p, maxCompanion)
	if err != nil {
		return false
	}
	_, _, marked := mirror.ReadMark(data)
	return !marked
}

// servers leaves the files of MCP servers out that were made of others.
func (k *copies) servers(ctx context.Context, p *host.Profile) {
	if k == nil {
		return
	}
	p.Configs = slices.DeleteFunc(slices.Clone(p.Configs), func(f host.Config) bool {
		if f.Layer != Project || len(k.state.Of(f.Path)) == 0 {
			return false
		}
		data, err := k.tree.ReadFile(f.Path, maxCompanion)
		return err == nil && slices.ContainsFunc(k.state.Of(f.Path), func(e mirror.Entry) bool {
			return e.Digest == mirror.Digest(data) && k.again.makesServers(ctx, k, e, data)
		})
	})
}
