package materialize

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/prompt"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/version"
	"github.com/vadehq/vade/internal/vfs"
)

// sources reads the sources of truth in a view. The definitions are those that are not
// dropped, by their paths: one that a setting switches off, or that another shadows, is
// there too.
func (y *Syncer) sources(ctx context.Context, as string) (*catalog.Catalog, *resolve.Catalog, map[string]*definition.Definition, error) {
	o := y.Options
	o.As, o.Sources = as, y.Project.Sources()
	c, err := catalog.Open(ctx, o)
	if err != nil {
		return nil, nil, nil, err
	}
	all, err := c.Scan(ctx)
	if err != nil {
		c.Close()
		return nil, nil, nil, err
	}
	found := map[string]*definition.Definition{}
	for _, d := range all.All {
		if d.State != definition.Dropped {
			found[d.Origin.Path] = d
		}
	}
	return c, all, found, nil
}

// wants returns what every host needs, and the number of sources.
func (y *Syncer) wants(ctx context.Context) ([]want, int, error) {
	c, all, sources, err := y.sources(ctx, "")
	if err != nil {
		return nil, 0, err
	}
	defer c.Close()
	y.Result.Diagnostics = append(y.Result.Diagnostics, c.ScanDiagnostics...)
	y.sayNames(all)
	y.unread = map[string]string{}
	for _, d := range all.All {
		if d.State == definition.Dropped && d.ReasonCode != diag.SameFile && d.ReasonCode != diag.NotRead && d.ReasonCode != diag.SyncCopy {
			y.unread[d.Origin.Path] = d.Reason
		}
	}
	y.mains = map[string][]mainFile{}
	var wants []want
	for _, h := range y.Result.Hosts {
		w := hostWants{y: y, sources: sources}
		w.profile, _ = registry.Lookup(h.Host)
		list, err := w.all(ctx, c)
		if err != nil {
			return nil, 0, err
		}
		wants = append(wants, list...)
	}
	// What was given up half-way wants less than it should.
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	y.settle(wants)
	return wants, len(sources), nil
}

// sayNames reports sources of one name, of which one is taken, and the skills of agents
// that are not among the sources.
func (y *Syncer) sayNames(all *resolve.Catalog) {
	report := func(d diag.Diagnostic) {
		d.Severity = diag.Warning
		y.Result.Diagnostics = append(y.Result.Diagnostics, d)
	}
	for _, d := range all.All {
		if d.State == definition.Shadowed && d.ReplacedBy != nil {
			report(diag.For(d.Origin.Path, diag.SyncClash, "%s is the %s %s already: no copies are made of this file", d.ReplacedBy.Origin.Path, d.ReplacedBy.Kind, d.ReplacedBy.Name).
				WithFix("rename one of the two, or remove it"))
		}
		if d.State != definition.Loaded || d.Kind != definition.Agent {
			continue
		}
		for _, name := range d.Fields.Skills() {
			if all.Get(definition.Skill, name) == nil {
				report(prompt.MissingSkill(d, name, all))
			}
		}
	}
}

// hostWants finds out what one host needs.
type hostWants struct {
	y       *Syncer
	profile *host.Profile
	sources map[string]*definition.Definition
	// reads are the sources that the host reads where they are.
	reads map[string]*definition.Definition
	parse discover.Parser
}

// mainFile is the file of a definition that is made for one host.
type mainFile struct {
	w *hostWants
	f export.ExportedFile
}

func (w *hostWants) all(ctx context.Context, c *catalog.Catalog) ([]want, error) {
	own, _, reads, err := w.y.sources(ctx, w.profile.Name)
	if err != nil {
		return nil, err
	}
	own.Close()
	w.reads = reads
	e, err := export.To(ctx, c, export.Request{Host: w.profile.Name})
	if err != nil {
		return nil, err
	}
	r := &w.y.Result
	for _, l := range e.Losses {
		switch {
		case w.y.Project.Excludes(w.profile.Name, l.Kind):
		case l.Clash && reads[l.Source] == nil:
			r.Diagnostics = append(r.Diagnostics, diag.For(l.Source, diag.SyncClash, "nothing is written for %s: %s", l.Host, l.Message).WithFix("%s", l.Fix))
		default:
			r.Losses = append(r.Losses, l)
		}
	}
	for _, d := range e.Diagnostics {
		if !slices.Contains(r.Diagnostics, d) {
			r.Diagnostics = append(r.Diagnostics, d)
		}
	}
	var wants []want
	placed := map[*definition.Definition]bool{}
	for _, group := range groups(e.Files) {
		var d *definition.Definition
		for _, f := range group {
			if d == nil {
				d = w.sources[f.Source]
			}
		}
		kind := group[0].Kind
		if d != nil {
			kind = d.Kind
		}
		switch {
		case w.y.Project.Excludes(w.profile.Name, kind):
		case d != nil && w.reads[d.Origin.Path] != nil && !w.inPlace(ctx, c, d, group):
			if !placed[d] {
				placed[d] = true
				r.InPlace++
			}
			w.merged(group)
		case slices.ContainsFunc(group, func(f export.ExportedFile) bool { return w.sources[f.Path] != nil }):
			// The source is where the copy would be: the host does not load it, and that
			// is for vade check to say.
		case d != nil && w.y.widens(w.profile.Name, e.Losses, func(l *export.HostLoss) bool { return l.Kind == d.Kind && l.Source == d.Origin.Path }):
		default:
			wants = append(wants, w.wanted(group, d)...)
		}
	}
	return wants, nil
}

// groups divides files into those of one definition each.
func groups(files []export.ExportedFile) [][]export.ExportedFile {
	type key struct {
		kind definition.Kind
		name string
	}
	at := map[key]int{}
	var list [][]export.ExportedFile
	for _, f := range files {
		k := key{f.Kind, f.Name}
		i, ok := at[k]
		if !ok {
			i = len(list)
			at[k] = i
			list = append(list, nil)
		}
		list[i] = append(list[i], f)
	}
	return list
}

// widens reports whether a host would let more happen than the author of a definition, or
// of the servers, does. It says so, in the place of the losses of what is not written.
func (y *Syncer) widens(host string, losses []export.HostLoss, of func(*export.HostLoss) bool) bool {
	if y.request.AllowWidening {
		return false
	}
	found := false
	for i := range losses {
		l := &losses[i]
		if !l.Widens || !of(l) {
			continue
		}
		found = true
		const fix = "to write it all the same: vade sync --allow-widening"
		d := diag.For(l.Source, diag.SyncWidens, "nothing is written for %s: %s", host, l.Message).WithFix("%s", fix)
		if l.Fix != "" {
			d.Fix = l.Fix + "; " + fix
		}
		if l.Line > 0 {
			d.Line, d.Column = l.Line, 1
		}
		y.Result.Diagnostics = append(y.Result.Diagnostics, d)
	}
	if found {
		y.Result.Losses = slices.DeleteFunc(y.Result.Losses, func(l export.HostLoss) bool { return l.Host == host && of(&l) })
	}
	return found
}

// merged reports what would have to be put into a file that is a source itself.
func (w *hostWants) merged(group []export.ExportedFile) {
	for _, f := range group {
		if f.Kind != definition.Instruction || w.sources[f.Path] == nil {
			continue
		}
		if data, err := w.y.Tree.ReadFile(f.Path, syncstate.MaxFile); err == nil && string(data) != string(f.Data) {
			w.y.Result.Losses = append(w.y.Result.Losses, export.HostLoss{
				Host: w.profile.Name, Kind: f.Kind, Name: f.Name, Source: f.Path, What: export.LossKind,
				Message: "the file is a source of truth and is not changed, so that " + w.profile.Name + " does not get the instructions that would be put into it",
				Fix:     "write them into it, or take it out of source: in vade.yaml",
			})
		}
	}
}

// wanted returns the files of one definition, or a link to the directory of a skill of
// which nothing has to be changed.
func (w *hostWants) wanted(group []export.ExportedFile, d *definition.Definition) []want {
	main := max(0, slices.IndexFunc(group, func(f export.ExportedFile) bool {
		return d != nil && f.Source == d.Origin.Path && (f.Kind != definition.Skill || path.Base(f.Path) == "SKILL.md")
	}))
	var files []want
	for i, f := range group {
		if i == main {
			w.y.mains[f.Path] = append(w.y.mains[f.Path], mainFile{w, f})
		}
		files = append(files, want{
			path: f.Path, data: f.Data, executable: f.Executable, source: f.Source, hosts: []string{w.profile.Name}, noLinks: w.profile.Walk.NoFileLinks,
		})
	}
	if d == nil || w.y.Project.Sync.NoLinks || w.y.noLinks || !w.linkable(group, &group[main], d) {
		return files
	}
	at, to := path.Dir(group[main].Path), path.Dir(d.Origin.Path)
	return []want{{path: at, link: syncstate.LinkText(at, to), source: to, hosts: []string{w.profile.Name}, instead: files}}
}

// linkable reports whether the directory of a skill can be a link to its source: nothing
// in it has to be changed, and all hosts that read it there follow links.
func (w *hostWants) linkable(group []export.ExportedFile, main *export.ExportedFile, d *definition.Definition) bool {
	from, to := path.Dir(d.Origin.Path), path.Dir(main.Path)
	if d.Kind != definition.Skill || main.Kind != definition.Skill || path.Base(main.Path) != path.Base(d.Origin.Path) || path.Base(from) != path.Base(to) ||
		slices.ContainsFunc(w.y.hosts, func(p *host.Profile) bool { return p.Walk.NoDirLinks && p.Mine(to) }) {
		return false
	}
	files, ok := w.y.filesIn(from, 0)
	return ok && len(files) == len(group) && !slices.ContainsFunc(group, func(f export.ExportedFile) bool {
		rel, below := strings.CutPrefix(f.Path, to+"/")
		data, err := w.y.Tree.ReadFile(from+"/"+rel, syncstate.MaxFile)
		return !below || err != nil || string(data) != string(f.Data)
	})
}

// filesIn lists the files below a directory, by their paths below it. ok is false where
// something else is there, or too much.
func (y *Syncer) filesIn(dir string, depth int) (files []string, ok bool) {
	entries, more, err := y.Tree.ReadDir(dir, 10000)
	if err != nil || more || depth > 16 {
		return nil, false
	}
	for _, e := range entries {
		switch e.Type {
		case vfs.File:
			files = append(files, e.Name)
		case vfs.Dir:
			below, ok := y.filesIn(dir+"/"+e.Name, depth+1)
			if !ok {
				return nil, false
			}
			for _, f := range below {
				files = append(files, e.Name+"/"+f)
			}
		default:
			return nil, false
		}
	}
	return files, true
}

// settle gives one text to the files that several hosts read at one path: the first in
// which each of the hosts finds what its own file says. Where there is none the files
// clash.
func (y *Syncer) settle(wants []want) {
	texts := map[string][]byte{}
	for p, list := range y.mains {
		i := slices.IndexFunc(list, func(c mainFile) bool {
			return !slices.ContainsFunc(list, func(o mainFile) bool { return o.f.Source != c.f.Source || !o.finds(&c.f) })
		})
		if i >= 0 {
			texts[p] = list[i].f.Data
		}
	}
	for i := range wants {
		for k := range wants[i].instead {
			if o := &wants[i].instead[k]; texts[o.path] != nil {
				o.data = texts[o.path]
			}
		}
		if w := &wants[i]; w.link == "" && texts[w.path] != nil {
			w.data = texts[w.path]
		}
	}
}

// finds reports whether a host finds in another's file what its own says: the same fields
// and text, perhaps with a description that its own does without, or the instructions for
// the whole project and more of them.
func (m *mainFile) finds(f *export.ExportedFile) bool {
	if string(f.Data) == string(m.f.Data) {
		return true
	}
	if f.Kind == definition.Instruction && !bytes.HasPrefix(m.f.Data, []byte("---")) {
		return bytes.Contains(f.Data, bytes.TrimSpace(m.f.Data))
	}
	like := definition.Definition{Kind: f.Kind, Format: definition.Markdown}
	a, b := m.w.asIf(&like, f.Path, m.f.Data), m.w.asIf(&like, f.Path, f.Data)
	if strings.HasSuffix(f.Path, ".toml") || a == nil || b == nil || a.State != b.State || a.Name != b.Name {
		return false
	}
	fields := b.Fields
	if a.Fields.Description == "" {
		fields.Description = ""
	}
	return a.Fields.Equal(fields) && rules.TextOf(f.Path, m.f.Data).Body == rules.TextOf(f.Path, f.Data).Body
}

// asIf is [catalog.ParsedAt] for the host.
func (w *hostWants) asIf(like *definition.Definition, shown string, data []byte) *definition.Definition {
	if w.parse == nil {
		w.parse = parse.Parser(w.profile, version.Number)
	}
	return catalog.ParsedAt(w.profile, w.parse, like, shown, data)
}
