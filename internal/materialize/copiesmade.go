package materialize

import (
	"context"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/mirror"
)

// remaker makes again what is said to be a copy, to compare the two. It reads the
// sources when it is first asked.
type remaker struct {
	c       *catalog.Catalog
	sources map[string]*definition.Definition
	// files are those of one host, by its name and the source; instructions are made
	// together, and have no source here.
	files map[[2]string][]export.ExportedFile
	// broken: the sources can not be read.
	broken bool
}

func (r *remaker) close() {
	if r.c != nil {
		r.c.Close()
	}
	*r = remaker{}
}

// open reads the sources.
func (r *remaker) open(ctx context.Context, k *copies) bool {
	if r.c != nil || r.broken {
		return !r.broken
	}
	o := k.options
	o.ProjectOnly, o.As, o.Dir = true, "", k.tree.Dir()
	o.Sources, o.Made = k.sources, k.made
	c, err := Open(ctx, o)
	if err != nil {
		r.broken = true
		return false
	}
	r.c, r.sources, r.files = c, map[string]*definition.Definition{}, map[[2]string][]export.ExportedFile{}
	all, err := c.Scan(ctx)
	if err != nil {
		r.broken = true
		return false
	}
	for _, d := range all.All {
		if d.State != definition.Dropped {
			r.sources[d.Origin.Path] = d
		}
	}
	return true
}

// makes reports whether the file of an entry is what is made of its source, or says the
// same to the host: for one of the entry's hosts, or where it has none for one
// that reads the path.
func (r *remaker) makes(ctx context.Context, k *copies, e mirror.Entry) bool {
	if !r.open(ctx, k) || r.sources[e.Source] == nil {
		return false
	}
	data, err := k.tree.ReadFile(e.Path, maxCompanion)
	if err != nil {
		return false
	}
	rest := mirror.Unmark(data)
	for _, p := range registry.Hosts() {
		if p.Export == nil || len(e.Hosts) > 0 && !slices.Contains(e.Hosts, p.Name) || len(e.Hosts) == 0 && !p.Mine(e.Path) {
			continue
		}
		w := hostWants{profile: p}
		for _, f := range r.made(ctx, p, r.sources[e.Source]) {
			if f.Path == e.Path && (string(f.Data) == string(rest) || w.alike(&f, rest)) {
				return true
			}
		}
	}
	return false
}

// puts reports whether something is made of the source of an entry at its path, for one
// of its hosts.
func (r *remaker) puts(ctx context.Context, k *copies, e mirror.Entry) bool {
	if !r.open(ctx, k) || r.sources[e.Source] == nil {
		return false
	}
	return slices.ContainsFunc(e.Hosts, func(name string) bool {
		p, ok := registry.Lookup(name)
		return ok && p.Export != nil && slices.ContainsFunc(r.made(ctx, p, r.sources[e.Source]), func(f export.ExportedFile) bool {
			return f.Path == e.Path && f.Source == e.Source
		})
	})
}

// made makes the files of one definition for a host; of instructions all.
func (r *remaker) made(ctx context.Context, p *host.Profile, d *definition.Definition) []export.ExportedFile {
	key := [2]string{p.Name, d.Origin.Path}
	if d.Kind == definition.Instruction {
		key[1] = ""
	}
	if files, known := r.files[key]; known {
		return files
	}
	x := export.Exporter{C: r.c, P: p, Out: &export.Export{Host: p.Name}}
	if d.Kind != definition.Instruction {
		x.Take(ctx, d)
	} else if list, err := export.Exported(ctx, r.c, &export.Request{Kinds: []definition.Kind{definition.Instruction}}); err == nil {
		for _, d := range list {
			x.Take(ctx, d)
		}
	}
	x.Instructions()
	x.Finish()
	r.files[key] = x.Out.Files
	return x.Out.Files
}

// makesServers reports whether data is what is made of the project's MCP servers for
// the host of an entry.
func (r *remaker) makesServers(ctx context.Context, k *copies, e mirror.Entry, data []byte) bool {
	o := k.options
	o.ProjectOnly, o.As, o.Dir = true, "", k.tree.Dir()
	y := &Syncer{Options: o, Tree: k.tree, State: &mirror.State{Files: k.record.Of(e.Path)}, Project: &config.Project{}, copies: map[string]bool{}}
	var hosts []catalog.CheckedHost
	for _, name := range e.Hosts {
		if p, ok := registry.Lookup(name); ok {
			hosts = append(hosts, catalog.CheckedHost{Host: p.Name, Version: p.Version})
		}
	}
	wants, err := y.wantedServers(ctx, hosts)
	return err == nil && slices.ContainsFunc(wants, func(w mirror.Want) bool { return w.Path == e.Path && string(w.Data) == string(data) })
}

// StaleCopies finds those copies, by their paths, that are not what is made of their
// source now: that was changed since, or what says that they are copies is not Vade's.
func StaleCopies(ctx context.Context, c *catalog.Catalog, all []*definition.Definition) map[string]diag.Diagnostic {
	k := copiesOf(c)
	if k == nil {
		return nil
	}
	defer k.again.close()
	stale := map[string]diag.Diagnostic{}
	for _, d := range all {
		p := d.Origin.Path
		if d.ReasonCode != diag.SyncCopy || ctx.Err() != nil {
			continue
		}
		if link, _ := k.record.LinkOver(p); link != nil {
			continue
		}
		l := k.look(p)
		if len(l.entries) == 0 || slices.ContainsFunc(l.entries, func(e mirror.Entry) bool { return k.again.makes(ctx, k, e) }) {
			continue
		}
		says := mirror.StateFile + " says"
		if l.intact {
			says = "its mark says"
		}
		stale[p] = diag.For(p, diag.SyncStale, "%s that it was made of %s, of which something else is made now: the source was changed, or this is no copy", says, l.entries[0].Source).
			WithFix("bring it in step: vade sync")
	}
	return stale
}
