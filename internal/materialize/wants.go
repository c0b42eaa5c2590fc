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

// sources opens the source of truth. as is the name of the host whose view is used, or "" for the
// neutral view. The returned map contains, by path, every definition that is not dropped, including
// disabled and shadowed ones. The caller must close the catalog.
func (y *Syncer) sources(ctx context.Context, as string) (*catalog.Catalog, *resolve.Catalog,
	map[string]*definition.Definition, error) {
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

// desiredFiles returns the files that all hosts need, and the number of sources.
func (y *Syncer) desiredFiles(ctx context.Context) ([]desiredFile, int, error) {
	c, all, sources, err := y.sources(ctx, "")
	if err != nil {
		return nil, 0, err
	}
	defer c.Close()
	y.Result.Diagnostics = append(y.Result.Diagnostics, c.ScanDiagnostics...)
	y.reportNames(all)
	y.sourceProblems = map[string]string{}
	for _, d := range all.All {
		if d.State == definition.Dropped && d.ReasonCode != diag.SameFile && d.ReasonCode != diag.NotRead &&
			d.ReasonCode != diag.SyncCopy {
			y.sourceProblems[d.Origin.Path] = d.Reason
		}
	}
	y.mains, y.readers = map[string][]mainFile{}, map[string]*hostFiles{}
	var wants []desiredFile
	for _, h := range y.Result.Hosts {
		w := &hostFiles{y: y, sources: sources, readings: map[string]*reading{}}
		w.profile, _ = registry.Lookup(h.Host)
		w.parse = parse.Parser(w.profile, version.Number)
		y.readers[h.Host] = w
		list, err := w.collect(ctx, c)
		if err != nil {
			return nil, 0, err
		}
		wants = append(wants, list...)
	}
	// If ctx was canceled, the list is incomplete.
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	y.unifyMains(wants)
	return wants, len(sources), nil
}

// reportNames reports sources with duplicate names, and skills that an agent names but that are
// missing from the sources.
func (y *Syncer) reportNames(all *resolve.Catalog) {
	report := func(d diag.Diagnostic) {
		d.Severity = diag.Warning
		y.Result.Diagnostics = append(y.Result.Diagnostics, d)
	}
	for _, d := range all.All {
		// Bundled definitions are meant to be overridden.
		if d.State == definition.Shadowed && d.ReplacedBy != nil && d.Origin.Layer != definition.Bundled {
			report(diag.For(d.Origin.Path, diag.SyncClash, "not copied, because %s already defines the %s %s", d.ReplacedBy.Origin.Path, d.ReplacedBy.Kind, d.ReplacedBy.Name).
				WithFix("rename or remove one of the two definitions"))
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

// hostFiles determines which files one host needs.
type hostFiles struct {
	y       *Syncer
	profile *host.Profile
	sources map[string]*definition.Definition
	// inPlace maps paths to the sources that the host reads in place.
	inPlace map[string]*definition.Definition
	parse   discover.Parser
	// readings caches what the host gets from instruction files.
	readings map[string]*reading
}

// mainFile is a definition's main file for one host.
type mainFile struct {
	w *hostFiles
	f export.ExportedFile
}

func (w *hostFiles) collect(ctx context.Context, c *catalog.Catalog) ([]desiredFile, error) {
	own, _, reads, err := w.y.sources(ctx, w.profile.Name)
	if err != nil {
		return nil, err
	}
	own.Close()
	w.inPlace = reads
	e, err := export.To(ctx, c, export.Request{Host: w.profile.Name})
	if err != nil {
		return nil, err
	}
	r := &w.y.Result
	for _, l := range e.Losses {
		switch {
		case w.y.Project.Excludes(w.profile.Name, l.Kind):
		case l.Clash && reads[l.Source] == nil:
			r.Diagnostics = append(r.Diagnostics, diag.For(l.Source, diag.SyncClash, "not written for %s: %s", l.Host, l.Message).WithFix("%s", l.Fix))
		default:
			r.Losses = append(r.Losses, l)
		}
	}
	for _, d := range e.Diagnostics {
		if !slices.Contains(r.Diagnostics, d) {
			r.Diagnostics = append(r.Diagnostics, d)
		}
	}
	var wants []desiredFile
	counted := map[*definition.Definition]bool{}
	for _, group := range byDefinition(e.Files) {
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
		case d != nil && w.inPlace[d.Origin.Path] != nil && !w.needsCopy(ctx, c, d, group):
			if !counted[d] {
				counted[d] = true
				r.InPlace++
			}
			w.reportUnmerged(group)
		case slices.ContainsFunc(group, func(f export.ExportedFile) bool { return w.sources[f.Path] != nil }):
			// The source is at the copy's path, but the host does not load it.
			// vade check reports that.
		case slices.ContainsFunc(group, func(f export.ExportedFile) bool { return w.y.leadsTo(f.Source, f.Path) }):
			r.InPlace++
		case d != nil && w.y.reportWidening(w.profile.Name, e.Losses,
			func(l *export.HostLoss) bool { return l.Kind == d.Kind && l.Source == d.Origin.Path }):
		default:
			wants = append(wants, w.filesOrLink(group, d)...)
		}
	}
	return wants, nil
}

// leadsTo reports whether link is a path other than at that leads to it through a symlink.
func (y *Syncer) leadsTo(link, at string) bool {
	_, real, err := y.Tree.Resolve(link)
	return err == nil && real == at && link != at
}

// byDefinition groups files by definition.
func byDefinition(files []export.ExportedFile) [][]export.ExportedFile {
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

// reportWidening reports whether a file for a host would grant more than the author of a definition
// or server intended, unless the user allows that. of reports whether a loss concerns that file. If
// the result is true, reportWidening replaces these losses with diagnostics.
func (y *Syncer) reportWidening(host string, losses []export.HostLoss, of func(*export.HostLoss) bool) bool {
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
		const fix = "to write it anyway, run: vade sync --allow-widening"
		d := diag.For(l.Source, diag.SyncWidens, "not written for %s: %s", host, l.Message).WithFix("%s", fix)
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

// reportUnmerged reports instructions that would have to be added to a file that is itself a
// source.
func (w *hostFiles) reportUnmerged(group []export.ExportedFile) {
	for _, f := range group {
		if f.Kind != definition.Instruction || w.sources[f.Path] == nil {
			continue
		}
		if data, err := w.y.Tree.ReadFile(f.Path, syncstate.MaxFile); err == nil && string(data) != string(f.Data) {
			w.y.Result.Losses = append(w.y.Result.Losses, export.HostLoss{
				Host: w.profile.Name, Kind: f.Kind, Name: f.Name, Source: f.Path, What: export.LossKind,
				Message: "Vade does not modify this file because it is part of the source of truth, so " + w.profile.Name + " does not get instructions that would otherwise be added to it",
				Fix:     "add the instructions to the file, or remove the file from source in vade.yaml",
			})
		}
	}
}

// filesOrLink returns one definition's files, or a symlink to the skill's
// directory if no changes are needed.
func (w *hostFiles) filesOrLink(group []export.ExportedFile, d *definition.Definition) []desiredFile {
	main := max(0, slices.IndexFunc(group, func(f export.ExportedFile) bool {
		return d != nil && f.Source == d.Origin.Path && (f.Kind != definition.Skill || path.Base(f.Path) == "SKILL.md")
	}))
	var files []desiredFile
	for i, f := range group {
		if i == main {
			w.y.mains[f.Path] = append(w.y.mains[f.Path], mainFile{w, f})
		}
		files = append(files, desiredFile{
			path: f.Path, data: f.Data, executable: f.Executable, source: f.Source, hosts: []string{w.profile.Name}, regularOnly: w.profile.Walk.NoFileLinks,
		})
	}
	if d == nil || w.y.Project.Sync.NoLinks || w.y.noLinks || !w.canLink(group, &group[main], d) {
		return files
	}
	linkPath, target := path.Dir(group[main].Path), path.Dir(d.Origin.Path)
	return []desiredFile{{path: linkPath, link: syncstate.LinkText(linkPath, target), source: target,
		hosts: []string{w.profile.Name}, files: files}}
}

// canLink reports whether a skill's directory can be a symlink to its source. This requires that no
// file needs changes and that all hosts that read the skill there follow symlinks.
func (w *hostFiles) canLink(group []export.ExportedFile, main *export.ExportedFile, d *definition.Definition) bool {
	from, to := path.Dir(d.Origin.Path), path.Dir(main.Path)
	if d.Kind != definition.Skill || main.Kind != definition.Skill ||
		path.Base(main.Path) != path.Base(d.Origin.Path) || path.Base(from) != path.Base(to) ||
		slices.ContainsFunc(w.y.hosts, func(p *host.Profile) bool { return p.Walk.NoDirLinks && p.ReadsFile(to) }) {
		return false
	}
	files, ok := w.y.filesBelow(from, 0)
	return ok && len(files) == len(group) && !slices.ContainsFunc(group, func(f export.ExportedFile) bool {
		rel, below := strings.CutPrefix(f.Path, to+"/")
		data, err := w.y.Tree.ReadFile(from+"/"+rel, syncstate.MaxFile)
		return !below || err != nil || string(data) != string(f.Data)
	})
}

// filesBelow returns the relative paths of the files below a directory. It returns false if there
// are too many entries, or an entry that is not a file or a directory.
func (y *Syncer) filesBelow(dir string, depth int) (files []string, ok bool) {
	entries, more, err := y.Tree.ReadDir(dir, 10000)
	if err != nil || more || depth > 16 {
		return nil, false
	}
	for _, e := range entries {
		switch e.Type {
		case vfs.File:
			files = append(files, e.Name)
		case vfs.Dir:
			nested, ok := y.filesBelow(dir+"/"+e.Name, depth+1)
			if !ok {
				return nil, false
			}
			for _, f := range nested {
				files = append(files, e.Name+"/"+f)
			}
		default:
			return nil, false
		}
	}
	return files, true
}

// unifyMains gives all hosts that read a file at the same path the same content: the first content
// that all of these hosts accept. If there is none, the files conflict.
func (y *Syncer) unifyMains(wants []desiredFile) {
	texts := map[string][]byte{}
	for p, list := range y.mains {
		i := slices.IndexFunc(list, func(c mainFile) bool {
			return !slices.ContainsFunc(list, func(o mainFile) bool { return o.f.Source != c.f.Source || !o.accepts(&c.f) })
		})
		if i >= 0 {
			texts[p] = list[i].f.Data
		}
	}
	for i := range wants {
		for k := range wants[i].files {
			if o := &wants[i].files[k]; texts[o.path] != nil {
				o.data = texts[o.path]
			}
		}
		if w := &wants[i]; w.link == "" && texts[w.path] != nil {
			w.data = texts[w.path]
		}
	}
}

// accepts reports whether a host can use another host's file instead of its own. It can if both
// files have the same body and fields; the other file may add a description. For instructions, the
// other file only needs to contain the host's own text.
func (m *mainFile) accepts(f *export.ExportedFile) bool {
	if string(f.Data) == string(m.f.Data) {
		return true
	}
	if f.Kind == definition.Instruction && !bytes.HasPrefix(m.f.Data, []byte("---")) {
		return bytes.Contains(f.Data, bytes.TrimSpace(m.f.Data))
	}
	like := definition.Definition{Kind: f.Kind, Format: definition.Markdown}
	a, b := m.w.parseAs(&like, f.Path, m.f.Data), m.w.parseAs(&like, f.Path, f.Data)
	if strings.HasSuffix(f.Path, ".toml") || a == nil || b == nil || a.State != b.State || a.Name != b.Name {
		return false
	}
	fields := b.Fields
	if a.Fields.Description == "" {
		fields.Description = ""
	}
	return a.Fields.Equal(fields) && rules.TextOf(f.Path, m.f.Data).Body == rules.TextOf(f.Path, f.Data).Body
}

// parseAs is [catalog.ParsedAt] for this host.
func (w *hostFiles) parseAs(like *definition.Definition, shown string, data []byte) *definition.Definition {
	return catalog.ParsedAt(w.profile, w.parse, like, shown, data)
}
