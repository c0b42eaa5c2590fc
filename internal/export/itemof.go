package export

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/vfs"
)

// Limits on one skill's companion files. Some skills in the corpus have 300 files or 9 MB of data.
const (
	maxCompanions     = 2000
	maxCompanionBytes = 64 << 20
	maxCompanionDepth = 16
)

// ItemOf reads a definition for export. It also returns the file's bytes and any losses caused by
// companion files.
func ItemOf(ctx context.Context, c *catalog.Catalog, d *definition.Definition) (*Item, []byte, []HostLoss, error) {
	doc, err := c.Document(ctx, d)
	if err != nil {
		return nil, nil, nil, err
	}
	var data []byte
	it := &Item{
		Kind: d.Kind, Name: d.Name, Description: d.Description, Source: d.Origin.Path, Format: d.Format,
		Entries: doc.Entries, Body: doc.Body, BodyAt: doc.BodyAt, Names: d.Fields.Arguments(),
		Syntax: registry.SyntaxAt(d.Kind, d.Format, d.Origin.Path),
		At:     pathInProject(c, d), Exists: func(file string) bool { return exists(c, file) }, IsFile: isFile(c), Nested: d.Origin.Nested, Paths: globsOf(d, doc.Entries), Always: d.Fields.AlwaysApply,
		Canceled: func() bool { return ctx.Err() != nil },
		Whole:    d.Name == d.Origin.Path || d.Kind == definition.Instruction && path.Base(d.Name) == path.Base(d.Origin.Path),
	}
	it.Whole = it.Whole || isProjectInstructions(c, it)
	if doc.File != nil {
		data = doc.File.Data
		file := diag.NewFile(d.Origin.Path, data)
		it.Line = func(offset int) int { return file.Pos(min(offset, len(data))).Line }
	}
	if d.Kind == definition.Instruction && !slices.Contains(d.Fields.Agents(), "*") {
		it.Agents = d.Fields.Agents()
	}
	var lost []HostLoss
	if d.Kind == definition.Skill && path.Dir(d.Origin.Path) != d.Origin.Root && strings.EqualFold(path.Base(d.Origin.Path), "SKILL.md") {
		it.Companions, lost = companions(ctx, c, d)
	}
	return it, data, lost, ctx.Err()
}

// isProjectInstructions reports whether an item is the main instruction file in one of the
// project's sources of truth and applies to the whole project. Hosts keep such instructions in a
// file like CLAUDE.md, so a rule file with the same text would be sent to the model as well.
func isProjectInstructions(c *catalog.Catalog, it *Item) bool {
	sources := c.Options.Sources
	if sources == nil {
		sources = c.Project.Sources()
	}
	return it.Kind == definition.Instruction && (it.Always || len(it.Paths) == 0) &&
		slices.ContainsFunc(sources, func(source string) bool {
			return it.Source == path.Join(source, registry.ProjectInstructions)
		})
}

// globsOf returns a definition's file patterns as written, or nil if the definition is always
// active.
func globsOf(d *definition.Definition, entries []definition.Entry) []string {
	if len(d.Fields.Paths()) == 0 {
		return nil
	}
	var list []string
	for i := range entries {
		switch definition.LookupField(entries[i].Key) {
		case definition.FieldPaths, definition.FieldGlobs, definition.FieldApplyTo:
			globs, _ := frontmatter.Globs(entries[i].Value)
			list = append(list, globs...)
		}
	}
	return list
}

// pathInProject returns the path to a definition's file in the project, or "" if it is outside.
func pathInProject(c *catalog.Catalog, d *definition.Definition) string {
	if d.Origin.Layer == definition.Project {
		at, _, _ := strings.Cut(d.Origin.Path, "#")
		return at
	}
	if c.Quick.Project == nil {
		return ""
	}
	at, _ := c.Quick.Project.Rel(strings.SplitN(d.Origin.Real, "#", 2)[0])
	return at
}

// exists reports whether a path exists in the project.
func exists(c *catalog.Catalog, file string) bool {
	if c.Quick.Project == nil {
		return false
	}
	typ, err := c.Quick.Project.Lstat(file)
	return err == nil && typ != vfs.Other
}

// isFile returns a function that reports whether a path exists in the project. The function
// caches its results.
func isFile(c *catalog.Catalog) func(string) bool {
	known := map[string]bool{}
	return func(name string) bool {
		is, seen := known[name]
		if !seen && len(known) < catalog.MaxListed {
			typ, err := c.Stat(name)
			is = err == nil && typ != vfs.Other
			known[name] = is
		}
		return is
	}
}

// companions reads a skill's companion files. It does not follow symlinks, and it skips files that
// the policy protects.
func companions(ctx context.Context, c *catalog.Catalog, d *definition.Definition) ([]Companion, []HostLoss) {
	real := path.Dir(d.Origin.Real)
	w := CompanionWalk{C: c, D: d, Ctx: ctx}
	if !vfs.IsAbs(real) {
		return nil, nil
	}
	tree, err := vfs.Open(real, vfs.Options{HardLinks: d.Origin.Layer == definition.User})
	if err != nil {
		w.reportLoss(".", err.Error())
		return nil, w.Losses
	}
	defer tree.Close()
	w.Tree = tree
	w.Walk(".", 0)
	return w.Files, w.Losses
}

// CompanionWalk reads a skill's companion files.
type CompanionWalk struct {
	C      *catalog.Catalog
	D      *definition.Definition
	Ctx    context.Context
	Tree   *vfs.Tree
	Files  []Companion
	bytes  int64
	Losses []HostLoss
	full   bool
}

func (w *CompanionWalk) reportLoss(name, why string) {
	const maxLosses = 20
	if name == "." {
		name = "the skill's directory"
	}
	if len(w.Losses) < maxLosses {
		w.Losses = append(w.Losses, HostLoss{
			Kind: w.D.Kind, Name: w.D.Name, Source: w.D.Origin.Path, What: LossCompanion,
			Message: fmt.Sprintf("%s is not exported: %s", name, why),
		})
	}
}

// Walk adds the files in a directory and its subdirectories to w.Files. It reports entries that it
// leaves out as losses.
func (w *CompanionWalk) Walk(dir string, depth int) {
	entries, truncated, err := w.Tree.ReadDir(dir, maxCompanions)
	switch {
	case err != nil:
		w.reportLoss(dir, "cannot read the directory")
		return
	case truncated:
		w.reportLoss(dir, fmt.Sprintf("the directory has more than %d entries", maxCompanions))
		return
	case depth > maxCompanionDepth:
		w.reportLoss(dir, fmt.Sprintf("directories are nested more than %d levels deep", maxCompanionDepth))
		return
	}
	if isRepository(entries) {
		w.reportLoss(dir, "git would treat the directory as a repository, whose settings can start programs")
		return
	}
	slices.SortFunc(entries, func(a, b vfs.Entry) int { return cmp.Compare(a.Name, b.Name) })
	for _, e := range entries {
		name := path.Join(dir, e.Name)
		switch {
		case w.Ctx.Err() != nil || w.full:
			return
		case name == path.Base(w.D.Origin.Path), vfs.IsTemporary(e.Name):
		case vfs.IsGit(e.Name):
			w.reportLoss(name, "git would treat the file as one of its own")
		case vfs.CheckName(e.Name) != nil || strings.ContainsFunc(e.Name,
			func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == 0xfffd }):
			w.reportLoss(name, "some operating systems do not allow the name")
		case e.Type == vfs.Dir:
			w.Walk(name, depth+1)
		case e.Type != vfs.File:
			w.reportLoss(name, "not a regular file")
		default:
			w.take(name)
		}
	}
}

// isRepository reports whether git might treat a directory as a bare repository. Git requires HEAD
// and either objects and refs, or a commondir file that locates them (see is_git_directory in git's
// setup.c). To be safe, this check requires only HEAD and one of the three, and ignores case.
func isRepository(entries []vfs.Entry) bool {
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e vfs.Entry) bool { return strings.EqualFold(e.Name, name) })
	}
	return has("HEAD") && (has("objects") || has("refs") || has("commondir"))
}

func (w *CompanionWalk) take(name string) {
	if err := w.C.Hidden(w.Tree, name); err != nil {
		w.reportLoss(name, "the policy protects the file")
		return
	}
	data, err := w.Tree.ReadFile(name, maxCompanionBytes-w.bytes)
	if err != nil {
		w.reportLoss(name, catalog.Cause(err).Error())
		return
	}
	if len(w.Files) == maxCompanions {
		w.full = true
		w.reportLoss(name, fmt.Sprintf("only the first %d files are exported", maxCompanions))
		return
	}
	w.bytes += int64(len(data))
	info, err := w.Tree.Info(name)
	w.Files = append(w.Files, Companion{Path: name, Data: data, Executable: err == nil && info.Mode()&0o111 != 0})
}
