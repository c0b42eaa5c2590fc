package instructions

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/vfs"
)

// Limits for imports in the neutral view: the size of a file in bytes, and the nesting depth.
const (
	maxNeutralImport = 4 << 20
	neutralDepth     = 5
)

// neutral builds the neutral view, regardless of which hosts the files are for.
func (x *builder) neutral(all *resolve.Catalog) error {
	targets := x.targets()
	x.agents = catalog.FilterFor(all, x.agent)
	files := x.neutralFiles(all.All, x.c.Quick.Project, targets)
	looked := map[string]bool{}
	for _, t := range targets {
		dir := path.Dir(t.abs)
		if looked[dir] {
			continue
		}
		looked[dir] = true
		found, tree, done, err := instructionsAbove(x.ctx, x.c, dir)
		if err != nil {
			return err
		}
		files = append(files, x.neutralFiles(found, tree, targets)...)
		done()
	}
	slices.SortStableFunc(files, x.neutralOrder)
	sections := map[definition.Layer]*Section{}
	texts := map[string]string{}
	for i := range files {
		f := &files[i]
		pattern := ""
		switch {
		case f.anyFile:
			pattern = strings.Join(x.c.SourcePatterns(x.ctx, f.d), ", ")
		case len(f.d.Fields.Paths()) > 0:
			rel, _ := relative(f.base, f.target.abs)
			pattern = x.patternFor(f.d, rel)
		}
		scope := x.scopeOf(f)
		for _, p := range x.load(f, Trim) {
			if other, ok := texts[p.Text]; ok {
				x.report(diag.For(p.Path, diag.SameFile, "omitted because its content is identical to that of %s", other).WithFix("remove one of the files"))
				continue
			}
			texts[p.Text] = p.Path
			p.Pattern = pattern
			if pattern != "" && !f.anyFile {
				p.File = f.target.shown
			}
			x.scopes[p.Path] = scope
			x.section(sections, &p)
		}
	}
	x.neutralMessage(sections)
	x.neutralAgent(all)
	return x.ctx.Err()
}

// section adds a part to its layer's section.
func (x *builder) section(sections map[definition.Layer]*Section, p *loadedPart) {
	guarded, tags := EscapeTags(p.Text)
	p.Text = guarded
	x.out.Parts = append(x.out.Parts, p.FilePart)
	s := sections[p.Layer]
	if s == nil {
		s = &Section{Source: p.Layer.String(), Agent: x.agent}
		if p.Layer == definition.Project {
			s.Source = "repo"
		}
		sections[p.Layer] = s
	}
	note := ""
	switch {
	case p.Pattern != "" && p.File == "":
		note = "only for files that match " + p.Pattern
	case p.Pattern != "":
		note = "for " + p.Pattern
	case p.ImportedBy != "":
		note = "imported by " + p.ImportedBy
	}
	if tags > 0 {
		x.report(diag.For(p.Path, diag.InstructionTag, "the file contains the tag in which Vade wraps instructions; Vade escaped it").
			WithFix("remove the tag from the file"))
	}
	s.Parts = append(s.Parts, Part{Path: p.Path, Note: note, Text: p.Text})
}

func (x *builder) neutralMessage(sections map[definition.Layer]*Section) {
	var list []Section
	for _, l := range neutralSources() {
		if s := sections[l]; s != nil {
			list = append(list, *s)
		}
	}
	if len(list) > 0 {
		x.out.Messages = append(x.out.Messages, definition.Message{Role: "user", Text: FormatSections(list)})
	}
}

// neutralSources returns the layers in the order in which their elements appear.
func neutralSources() []definition.Layer {
	return []definition.Layer{definition.Managed, definition.User, definition.Project, definition.Plugin, definition.Bundled}
}

// target is a file being worked on, identified by its display path and absolute path.
type target struct{ shown, abs string }

// targets returns the files being worked on that are in the project.
func (x *builder) targets() []target {
	var list []target
	for _, given := range x.request.targets() {
		rel, ok := x.c.InProject(given)
		if !ok || rel == "." {
			x.reportOutside(given)
			continue
		}
		list = append(list, target{given, x.c.Quick.Project.RealPath(rel)})
	}
	return list
}

// neutralFiles returns the instruction files that apply to the request.
func (x *builder) neutralFiles(all []*definition.Definition, project *vfs.Tree, targets []target) []instructionFile {
	var files []instructionFile
	for _, d := range all {
		if d.Kind != definition.Instruction || x.filter.Include != nil && !x.filter.Include(d) {
			continue
		}
		if d.State != definition.Loaded {
			if d.ReasonCode != diag.SameFile && d.ReasonCode != diag.NotRead {
				x.report(d.Diagnostics...)
			}
			continue
		}
		root := &x.c.Profile.Roots[min(int(d.Origin.Row), len(x.c.Profile.Roots)-1)]
		f := instructionFile{d: d, row: &host.InstructionRow{Layer: d.Origin.Layer}, at: int(d.Origin.Row),
			path: catalog.Absolute(project, d.Origin.Path)}
		f.base = strings.TrimSuffix(strings.TrimSuffix(catalog.Absolute(project, d.Origin.Root), root.Dir), "/")
		if d.Origin.Layer != definition.Project {
			f.base = x.top()
		}
		if x.applies(&f, targets) {
			files = append(files, f)
		}
	}
	return files
}

func (x *builder) top() string {
	if x.c.Quick.Project == nil {
		return ""
	}
	return x.c.Quick.Project.Real()
}

// applies reports whether a file applies to the request. It also records the first file being
// worked on that activates the file.
func (x *builder) applies(f *instructionFile, targets []target) bool {
	fields := &f.d.Fields
	if len(fields.Agents()) > 0 && x.agents == nil && !slices.Contains(fields.Agents(), "*") || !x.agents.Allows(f.d) {
		return false
	}
	here := f.d.Origin.Layer != definition.Project || AtOrBelow(x.workDir(), f.base)
	if len(fields.Paths()) == 0 {
		if !here {
			at := slices.IndexFunc(targets, func(t target) bool { return AtOrBelow(t.abs, f.base) })
			if at < 0 {
				return false
			}
			f.target = targets[at]
		}
		return x.filter.AnyFile || !x.onDemand(f.d)
	}
	if x.filter.AnyFile && here {
		f.anyFile = true
		return true
	}
	for _, t := range targets {
		rel, ok := relative(f.base, t.abs)
		if ok && (here || AtOrBelow(t.abs, f.base)) && x.activates(fields.Paths(), rel) {
			f.target = t
			return true
		}
	}
	return false
}

func (x *builder) scopeOf(f *instructionFile) Scope {
	switch {
	case f.target.abs != "", f.anyFile:
		return ScopeFiles
	case len(f.d.Fields.Agents()) > 0:
		return ScopeAgent
	}
	return ScopeAll
}

// onDemand reports whether a rule is included only if a model requests it,
// because it sets alwaysApply to false and has no patterns.
func (x *builder) onDemand(d *definition.Definition) bool {
	if x.c.FieldText(x.ctx, d, definition.FieldAlwaysApply.Key()) != "false" {
		return false
	}
	x.report(diag.For(d.Origin.Path, diag.NotRead, "omitted because the rule sets alwaysApply to false and has no globs").
		WithFix("add globs or, to load the rule, run: vade load instruction:%s", d.Name))
	return true
}

// neutralOrder compares files in the order documented for [Build] or, if
// x.scoped is set, for [BuildForAgent].
func (x *builder) neutralOrder(a, b instructionFile) int {
	own := func(f instructionFile) int {
		if x.scoped {
			return int(x.scopeOf(&f))
		}
		if len(f.d.Fields.Agents()) > 0 {
			return 1
		}
		return 0
	}
	order := neutralSources()
	if c := cmp.Compare(slices.Index(order, a.row.Layer), slices.Index(order, b.row.Layer)); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(own(a), own(b)), cmp.Compare(strings.Count(a.base, "/"), strings.Count(b.base, "/")),
		cmp.Compare(a.at, b.at), comparePaths(a.path, b.path),
	)
}
