package instructions

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/pathmatch"
	"github.com/vadehq/vade/internal/vfs"
)

// instructionFile holds an instruction file and its position in a host's order.
type instructionFile struct {
	d *definition.Definition
	// row is the file's row in the host's table, and at is the row's index.
	row *host.InstructionRow
	at  int
	// path is the file's absolute path in the form that the host uses. base is the absolute
	// directory that the file's patterns are relative to.
	path, base string
	// rank is the file's position according to [host.Instructions.Rank].
	rank int
	// target and anyFile are used only in the neutral view. target is the file being worked on that
	// activates this one, if any. anyFile is set if this file is limited to certain files but is
	// included regardless of which files are being worked on.
	target  target
	anyFile bool
}

// isConditional reports whether a file applies only to certain files.
func (x *builder) isConditional(f *instructionFile) bool {
	switch {
	case !f.row.Conditional, f.row.OnRequest && f.d.Fields.AlwaysApply:
		return false
	}
	return !x.c.Profile.Patterns.Always(f.d.Fields.Paths())
}

// activatedBy returns the pattern that makes an instruction file apply to the file at the given
// absolute path. Instruction files without patterns always apply.
func (x *builder) activatedBy(f *instructionFile, abs string) (pattern string, ok bool) {
	if !x.isConditional(f) {
		return "", true
	}
	rel, ok := relative(f.base, abs)
	if rel = x.c.Profile.Patterns.Subject(rel, abs); !ok || !x.activates(f.d.Fields.Paths(), rel) {
		return "", false
	}
	return x.patternFor(f.d, rel), true
}

// activates reports whether the patterns, as the host interprets them, match a file.
func (x *builder) activates(patterns []string, subject string) bool {
	m, _ := x.c.Profile.Patterns.Compile(patterns)
	return m == nil || m.MatchUnder(subject, false)
}

// patternFor returns the first pattern, as written, that matches rel. The caller must have checked
// that the patterns as a whole match rel.
func (x *builder) patternFor(d *definition.Definition, rel string) string {
	for _, patterns := range [][]string{x.c.SourcePatterns(x.ctx, d), d.Fields.Paths()} {
		for _, p := range patterns {
			if x.activates([]string{p}, rel) {
				return p
			}
		}
	}
	return ""
}

// compareSession orders the files that are sent at the start of a session. If the host defines its
// own order, it uses that order. Otherwise, it orders files by their row in the host's table and,
// within the project, by directory, outermost first.
func (x *builder) compareSession(a, b instructionFile) int {
	distance := 0
	if x.table.Rank != nil {
		return cmp.Or(cmp.Compare(a.rank, b.rank), comparePaths(a.path, b.path))
	}
	if a.row.Layer == definition.Project && b.row.Layer == definition.Project {
		distance = cmp.Compare(b.d.Origin.Distance, a.d.Origin.Distance)
		if discover.IsAdded(&a.d.Origin) || discover.IsAdded(&b.d.Origin) {
			// Files in additional directories come last, in the order in which the directories were
			// given (case h32).
			distance = -distance
		}
		if x.table.Inward {
			distance = -distance
		}
	}
	row := cmp.Compare(a.at, b.at)
	if x.table.ByRow {
		distance, row = row, distance
	}
	return cmp.Or(distance, row, cmp.Compare(a.d.Origin.Order, b.d.Origin.Order), comparePaths(a.path, b.path))
}

// compareBelow orders the files below the working directory.
func (x *builder) compareBelow(a, b instructionFile) int {
	class := func(f *instructionFile) int {
		switch {
		case x.isConditional(f):
			return 2
		case f.row.Conditional:
			return 1
		}
		return 0
	}
	depth := cmp.Compare(strings.Count(a.base, "/"), strings.Count(b.base, "/"))
	if x.table.Inward {
		depth = -depth
	}
	return cmp.Or(depth, cmp.Compare(class(&a), class(&b)), cmp.Compare(a.at, b.at),
		cmp.Compare(a.d.Origin.Order, b.d.Origin.Order), comparePaths(a.path, b.path))
}

// dropAlternatives handles files that are alternatives to each other because their rows in the
// host's table name the same group or set. It keeps the files that match the first such row and
// removes the others. A group applies to each directory separately. A set applies to a whole layer
// or, if nested is set, to each directory separately.
func (x *builder) dropAlternatives(files []instructionFile, nested bool) []instructionFile {
	type key struct {
		layer       definition.Layer
		dir, choice string
	}
	of := func(f *instructionFile) (key, bool) {
		switch {
		case f.row.Group != "":
			return key{f.row.Layer, f.base, f.row.Group}, true
		case f.row.Set != "" && nested:
			return key{f.row.Layer, f.base, f.row.Set}, true
		}
		return key{f.row.Layer, "", f.row.Set}, f.row.Set != ""
	}
	first := map[key]int{}
	for i := range files {
		f := &files[i]
		k, ok := of(f)
		if at, known := first[k]; ok && (!known || f.at < at) && !(f.row.SkipEmpty && f.d.Size == 0) {
			first[k] = f.at
		}
	}
	return slices.DeleteFunc(files, func(f instructionFile) bool {
		k, ok := of(&f)
		at, known := first[k]
		return ok && known && f.at != at
	})
}

// comparePaths compares paths element by element, which is the order of a lexical directory walk.
func comparePaths(a, b string) int {
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
}

// gather returns the instruction files among the given definitions: those that match a row of the
// host's table and that the host accepts. project is the tree that contains the project's files.
func (x *builder) gather(all []*definition.Definition, project *vfs.Tree) []instructionFile {
	var files []instructionFile
	for _, d := range all {
		if d.Kind != definition.Instruction || project == x.c.Quick.Project && d.Origin.Nested != "" {
			continue
		}
		root := &x.c.Profile.Roots[min(int(d.Origin.Row), len(x.c.Profile.Roots)-1)]
		at := slices.IndexFunc(x.table.Rows, func(r host.InstructionRow) bool {
			return r.Layer == d.Origin.Layer && r.Dir == root.Dir && (r.File == "" || host.EqualFold(r.File, path.Base(d.Origin.Path)))
		})
		if at < 0 {
			continue
		}
		f := instructionFile{d: d, row: &x.table.Rows[at], at: at, path: catalog.Absolute(project, d.Origin.Path)}
		f.base = strings.TrimSuffix(strings.TrimSuffix(catalog.Absolute(project, d.Origin.Root), root.Dir), "/")
		if f.row.Real {
			f.path = d.Origin.Real
		}
		if f.row.Layer != definition.Project {
			f.base = x.workDir()
		}
		if x.ranked(&f) && x.accepts(&f) {
			files = append(files, f)
		}
	}
	return files
}

// ranked sets a file's position in the host's own order, and reports whether the host reads files
// at that path.
func (x *builder) ranked(f *instructionFile) (read bool) {
	if x.table.Rank == nil {
		return true
	}
	distance := int(f.d.Origin.Distance)
	f.rank, read = x.table.Rank(host.InstructionPlace{
		Row: f.at, Distance: distance, Top: f.base == x.top(), Above: !AtOrBelow(f.base, x.top()),
	})
	return read
}

// accepts reports whether the host uses a file, regardless of which other files exist.
func (x *builder) accepts(f *instructionFile) bool {
	d := f.d
	switch {
	case x.mode.ManagedOnly && f.row.Layer != definition.Managed, f.row.Other && !x.mode.Fallback && !x.mode.Both:
		return false
	case !x.fromSource(f.row.Source):
		return false
	case f.row.Layer != definition.Managed && x.excluded(f.path):
		x.report(diag.For(d.Origin.Path, diag.SwitchedOff, "the host's settings exclude the file").WithFix("%s", x.excludeFix()))
		return false
	case x.onRequest(f):
		return false
	case d.State == definition.Loaded, d.ReasonCode == diag.SameFile:
		return true
	case d.State == definition.Dropped && x.table.Compose != nil && f.row.File != "":
		// The host does not interpret the text, so it reads the file even if the catalog finds
		// errors in it or considers it overridden; see dropAlternatives.
		return true
	case d.State == definition.Dropped && d.ReasonCode == diag.FileTooLarge && !f.row.Conditional:
		// The size limit for definitions does not apply to these files.
		return true
	case d.State == definition.Dropped && d.ReasonCode == diag.NotRead && f.row.Other:
		// The catalog treats the file as overridden by another file.
		return x.mode.Both
	}
	x.report(d.Diagnostics...)
	return false
}

// onRequest reports whether a rule is included only if a model or a user requests it.
func (x *builder) onRequest(f *instructionFile) bool {
	d := f.d
	if !f.row.OnRequest || d.State != definition.Loaded || d.Fields.AlwaysApply || len(d.Fields.Paths()) > 0 {
		return false
	}
	x.report(diag.For(d.Origin.Path, diag.NotRead, "omitted because a rule without patterns applies only on request").
		WithFix("add glob patterns for the files the rule applies to"))
	return true
}

// dropFallbacks removes files that the host uses only if certain other files are missing, unless
// all of those files are missing.
func (x *builder) dropFallbacks(files []instructionFile) []instructionFile {
	if x.mode.Both {
		return files
	}
	there := slices.ContainsFunc(files, func(f instructionFile) bool {
		return f.row.Layer == definition.Project && !f.row.Other &&
			slices.ContainsFunc(x.c.Profile.Fallbacks, func(b host.Fallback) bool {
				return slices.Contains(b.Unless, f.row.File)
			})
	})
	if !there {
		return files
	}
	return slices.DeleteFunc(files, func(f instructionFile) bool { return f.row.Other })
}

// fromSource reports whether the client reads a settings source.
func (x *builder) fromSource(source string) bool {
	sources := x.c.Options.Client.SettingSources
	return source == host.SourceManaged || sources == nil || slices.Contains(sources, source)
}

func (x *builder) excluded(path string) bool {
	return x.excludes != nil && x.excludes.MatchUnder(strings.TrimPrefix(path, "/"), false)
}

// excludePatterns returns a matcher for the patterns that can match an absolute path, or nil if
// there are none. According to its documentation, the host matches patterns only against absolute
// paths.
func excludePatterns(patterns []string) *pathmatch.Matcher {
	var list []string
	for _, p := range patterns {
		if strings.HasPrefix(p, "/") || strings.HasPrefix(p, "**/") {
			list = append(list, p)
		}
	}
	if list = pathmatch.Activation(list); len(list) == 0 {
		return nil
	}
	m, _ := pathmatch.Compile(list, pathmatch.Options{Runes: true})
	return m
}

func (x *builder) workDir() string {
	if x.c.Quick.Project == nil {
		return ""
	}
	return x.c.Quick.Project.RealPath(x.c.Quick.WorkDir)
}

// hasProjectLayer reports whether a file system replaces the project's directory.
func hasProjectLayer(c *catalog.Catalog) bool {
	return slices.ContainsFunc(c.Env.Layers, func(l discover.LayerFS) bool { return l.Layer == definition.Project })
}

// maxDirectory is the maximum length of a directory path that is looked up. It equals PATH_MAX on
// Linux.
const maxDirectory = 4 << 10

// nearestDir returns dir or its nearest existing parent in the project.
func nearestDir(ctx context.Context, c *catalog.Catalog, dir string) (string, error) {
	tree := c.Quick.Project
	if len(dir) > maxDirectory {
		dir = dir[:strings.LastIndexByte(dir[:maxDirectory+1], '/')+1]
		dir = path.Clean(dir)
	}
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		rel, ok := tree.Rel(dir)
		if !ok || rel == "." {
			return tree.Real(), nil
		}
		if typ, err := tree.Lstat(rel); err == nil && typ == vfs.Dir {
			return dir, nil
		}
		dir = path.Dir(dir)
	}
}

// relative returns the path of abs relative to dir, and false if abs is not inside dir.
func relative(dir, abs string) (string, bool) {
	rel, ok := strings.CutPrefix(abs, strings.TrimSuffix(dir, "/")+"/")
	return rel, ok && rel != ""
}

// AtOrBelow reports whether dir is equal to other or is a directory below it.
func AtOrBelow(dir, other string) bool {
	_, below := relative(other, dir)
	return dir == other || below
}
