package materialize

import (
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
	"github.com/vadehq/vade/internal/mirror"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/version"
	"github.com/vadehq/vade/internal/vfs"
)

// maxCompanion is the longest file beside a skill, in bytes, that is compared.
const maxCompanion = 64 << 20

// sourced is the catalog of the sources, in the neutral view or a host's.
func (y *Syncer) sourced(ctx context.Context, as string) (*catalog.Catalog, error) {
	o := y.Options
	o.As, o.Sources, o.Made = as, y.Project.Sources(), y.made
	return Open(ctx, o)
}

// wants returns what should stand for every host, and the number of sources. A source
// that says what would be made of another is a copy whose state was lost: it is left
// out, and all is done again.
func (y *Syncer) wants(ctx context.Context) ([]mirror.Want, int, error) {
	before := y.Result
	for {
		known := len(y.copies)
		wants, sources, err := y.wanted(ctx)
		if err != nil || len(y.copies) == known {
			return wants, sources, err
		}
		y.Result.Diagnostics, y.Result.Losses = slices.Clone(before.Diagnostics), slices.Clone(before.Losses)
		y.Result.InPlace = before.InPlace
	}
}

func (y *Syncer) wanted(ctx context.Context) ([]mirror.Want, int, error) {
	c, err := y.sourced(ctx, "")
	if err != nil {
		return nil, 0, err
	}
	defer c.Close()
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, 0, err
	}
	sources := map[string]*definition.Definition{}
	for _, d := range all.All {
		if d.State != definition.Dropped {
			sources[d.Origin.Path] = d
		}
	}
	y.Result.Diagnostics = append(y.Result.Diagnostics, c.ScanDiagnostics...)
	y.sayNames(all)
	if y.lost {
		y.findCopies(ctx, c, sources)
	}
	var wants []mirror.Want
	y.mains = map[string][]mainFile{}
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
	wants = y.settle(wants)
	y.sayTwice(wants)
	return wants, len(sources), nil
}

// findCopies notes those sources that say what would be made of a command for a host:
// a copy of that kind may have no mark, and would hide the command as a skill.
func (y *Syncer) findCopies(ctx context.Context, c *catalog.Catalog, sources map[string]*definition.Definition) {
	for _, h := range y.Result.Hosts {
		p, _ := registry.Lookup(h.Host)
		for _, d := range sources {
			if d.Kind != definition.Command || ctx.Err() != nil {
				continue
			}
			x := export.Exporter{C: c, P: p, Out: &export.Export{Host: p.Name}}
			x.Take(ctx, d)
			x.Finish()
			w := hostWants{y: y, profile: p, sources: sources}
			w.copied(x.Out.Files, d)
		}
	}
}

// hostWants finds out what should stand for one host.
type hostWants struct {
	y       *Syncer
	profile *host.Profile
	sources map[string]*definition.Definition
	parse   discover.Parser
	// files are all that are exported.
	files []export.ExportedFile
	// reads are the sources that the host reads where they are.
	reads map[string]*definition.Definition
}

// asIf is [catalog.ParsedAt] for the host.
func (w *hostWants) asIf(like *definition.Definition, shown string, data []byte) *definition.Definition {
	if w.parse == nil {
		w.parse = parse.Parser(w.profile, version.Number)
	}
	return catalog.ParsedAt(w.profile, w.parse, like, shown, data)
}

func (w *hostWants) all(ctx context.Context, c *catalog.Catalog) ([]mirror.Want, error) {
	if err := w.read(ctx); err != nil {
		return nil, err
	}
	e, err := export.To(ctx, c, export.Request{Host: w.profile.Name})
	if err != nil {
		return nil, err
	}
	for _, l := range e.Losses {
		if !w.y.Project.Excludes(w.profile.Name, l.Kind) {
			w.y.Result.Losses = append(w.y.Result.Losses, l)
		}
	}
	for _, d := range e.Diagnostics {
		if !slices.Contains(w.y.Result.Diagnostics, d) {
			w.y.Result.Diagnostics = append(w.y.Result.Diagnostics, d)
		}
	}
	w.files = e.Files
	var wants []mirror.Want
	placed := map[*definition.Definition]bool{}
	for _, group := range groups(e.Files) {
		d := w.of(group)
		switch {
		case d == nil && w.y.Project.Excludes(w.profile.Name, group[0].Kind), d != nil && w.y.Project.Excludes(w.profile.Name, d.Kind):
		case d != nil && w.reads[d.Origin.Path] != nil && !w.inPlace(ctx, c, d, group):
			if !placed[d] {
				placed[d] = true
				w.y.Result.InPlace++
			}
			w.merged(group)
		case slices.ContainsFunc(group, func(f export.ExportedFile) bool { return w.sources[f.Path] != nil }):
			// The source stands where the copy would: the host does not load it, and
			// that is for vade check to say. Unless it is a copy itself.
			w.copied(group, d)
		case d != nil && w.y.widens(w.profile.Name, e.Losses, func(l *export.HostLoss) bool { return l.Kind == d.Kind && l.Source == d.Origin.Path }):
		default:
			wants = append(wants, w.wanted(group, d)...)
		}
	}
	return wants, nil
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

// copied notes those files that stand among the sources and say what would be made of
// another source.
func (w *hostWants) copied(group []export.ExportedFile, d *definition.Definition) {
	for _, f := range group {
		if w.sources[f.Path] == nil || d == nil || f.Path == d.Origin.Path || f.Source != d.Origin.Path {
			continue
		}
		if data, err := w.y.Tree.ReadFile(f.Path, maxCompanion); err == nil && string(data) == string(f.Data) {
			w.y.copies[f.Path] = true
		}
	}
}

// merged reports what would have to be put into a file that is a source itself.
func (w *hostWants) merged(group []export.ExportedFile) {
	for _, f := range group {
		if f.Kind != definition.Instruction || w.sources[f.Path] == nil {
			continue
		}
		if data, err := w.y.Tree.ReadFile(f.Path, maxCompanion); err == nil && string(data) != string(f.Data) {
			w.y.Result.Losses = append(w.y.Result.Losses, export.HostLoss{
				Host: w.profile.Name, Kind: f.Kind, Name: f.Name, Source: f.Path, What: export.LossKind,
				Message: "the file is a source of truth and is not changed, so that " + w.profile.Name + " does not get the instructions that would be put into it",
				Fix:     "write them into it, or take it out of source: in vade.yaml",
			})
		}
	}
}

// read finds the sources that the host reads where they are. One that a setting
// switches off, or that another shadows, is read too.
func (w *hostWants) read(ctx context.Context) error {
	c, err := w.y.sourced(ctx, w.profile.Name)
	if err != nil {
		return err
	}
	defer c.Close()
	all, err := c.Scan(ctx)
	if err != nil {
		return err
	}
	w.reads = map[string]*definition.Definition{}
	for _, d := range all.All {
		if d.State != definition.Dropped {
			w.reads[d.Origin.Path] = d
		}
	}
	return nil
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

// of returns the definition that files were made of.
func (w *hostWants) of(group []export.ExportedFile) *definition.Definition {
	for _, f := range group {
		if d := w.sources[f.Source]; d != nil {
			return d
		}
	}
	return nil
}

// wanted makes what should stand of the files of one definition: a link, or files.
func (w *hostWants) wanted(group []export.ExportedFile, d *definition.Definition) []mirror.Want {
	main := max(0, slices.IndexFunc(group, func(f export.ExportedFile) bool {
		return d != nil && f.Source == d.Origin.Path && (f.Kind != definition.Skill || path.Base(f.Path) == "SKILL.md")
	}))
	var files []mirror.Want
	for i, f := range group {
		want := mirror.Want{Path: f.Path, Data: f.Data, Executable: f.Executable, Source: f.Source, Hosts: []string{w.profile.Name}}
		if i == main {
			want.Data = mirror.Mark(f.Data, w.form(&f), f.Source)
			want.Alike = func(data []byte) bool { return w.alike(&f, data) }
			w.y.mains[f.Path] = append(w.y.mains[f.Path], mainFile{w, f})
		} else {
			want.Main = group[main].Path
		}
		want.NoLinks = w.profile.Walk.NoFileLinks
		files = append(files, want)
	}
	if d == nil || w.y.Project.Sync.NoLinks || !w.linkable(group, &group[main], d) {
		return files
	}
	if w.y.noLinks {
		w.y.unlinked++
		return files
	}
	return []mirror.Want{mirror.LinkTo(path.Dir(group[main].Path), path.Dir(d.Origin.Path), []string{w.profile.Name}, files)}
}

// form is the mark that a file can carry so that the host reads the same with it
// and its model does not see it. That a host which takes comments of YAML takes a
// block of nothing else is inferred.
func (w *hostWants) form(f *export.ExportedFile) mirror.Form {
	forms := []mirror.Form{mirror.Frontmatter}
	switch {
	case strings.HasSuffix(f.Path, ".toml"):
		forms[0] = mirror.Hash
	case w.profile.MarksLast(f.Kind) && strings.HasPrefix(string(f.Data), "---"):
		forms[0] = mirror.Closing
	case !w.profile.Marks(f.Kind):
		return mirror.Unmarked
	case strings.HasPrefix(string(f.Data), "---"):
	case f.Kind == definition.Instruction:
		forms = []mirror.Form{mirror.Block, mirror.HTML}
	case f.Kind == definition.Command:
		forms[0] = mirror.Block
	}
	for _, form := range forms {
		// What stands in a comment of HTML is seen by those who read the file, and not
		// sent to the model.
		marked := mirror.Mark(f.Data, form, f.Source)
		if form == mirror.HTML || w.same(f, marked) && (form != mirror.Block || f.Kind != definition.Command || rules.TextOf(f.Path, f.Data).Body == rules.TextOf(f.Path, marked).Body) {
			return form
		}
	}
	return mirror.Unmarked
}

// same reports whether the host makes the same definition of another text as of a
// file.
func (w *hostWants) same(f *export.ExportedFile, data []byte) bool {
	like := definition.Definition{Kind: f.Kind, Format: definition.Markdown}
	if strings.HasSuffix(f.Path, ".toml") {
		like.Format = definition.TOML
	}
	a, b := w.asIf(&like, f.Path, f.Data), w.asIf(&like, f.Path, data)
	return a != nil && b != nil && a.State == b.State && a.Name == b.Name && a.Description == b.Description && a.Fields.Equal(b.Fields)
}

// linkable reports whether a directory of a skill can be a link to its source:
// nothing in it has to be changed, and all that read it there follow links.
func (w *hostWants) linkable(group []export.ExportedFile, main *export.ExportedFile, d *definition.Definition) bool {
	from, to := path.Dir(d.Origin.Path), path.Dir(main.Path)
	if d.Kind != definition.Skill || main.Kind != definition.Skill || path.Base(main.Path) != path.Base(d.Origin.Path) || path.Base(from) != path.Base(to) {
		return false
	}
	if !w.followed(to) {
		return false
	}
	files, ok := w.y.filesIn(from, 0)
	if !ok || len(files) != len(group) {
		return false
	}
	for _, f := range group {
		rel, ok := strings.CutPrefix(f.Path, to+"/")
		if !ok || !slices.Contains(files, rel) {
			return false
		}
		data, err := w.y.Tree.ReadFile(from+"/"+rel, maxCompanion)
		if err != nil || string(data) != string(f.Data) {
			return false
		}
	}
	return true
}

// followed reports whether every host that reads a place follows links to
// directories in it.
func (w *hostWants) followed(dir string) bool {
	return !slices.ContainsFunc(registry.Hosts(), func(p *host.Profile) bool { return p.Walk.NoDirLinks && p.Mine(dir) })
}

// filesIn lists the files below a directory, by their paths below it. ok is false
// where something else is there, or too much.
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
