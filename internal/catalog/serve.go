package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/run"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/vfs"
)

// WhenToUse returns the field that tells a model when to load the definition, or "".
func (d Definition) WhenToUse() string { return d.d.Fields.WhenToUse() }

// Arguments returns the argument names that a command or skill declares, in order.
func (d Definition) Arguments() []string { return d.d.Fields.Arguments() }

// FieldName returns the value of the name field in the frontmatter, or "" if there is none. It may
// differ from Name.
func (d Definition) FieldName() string { return d.d.Fields.Name }

// Nested returns the subdirectory of the project that the definition belongs to, or "".
func (d Definition) Nested() string { return d.d.Origin.Nested }

// HasFile reports whether the definition has its own file. Definitions from a package.json or the
// command line do not.
func (d Definition) HasFile() bool { return d.d.Format != definition.Package }

// Dir returns a skill's absolute directory with symlinks resolved. It returns
// "" if the directory is not on disk, as for bundled skills.
func (d Definition) Dir() string {
	if d.d.Kind != definition.Skill || !vfs.IsAbs(d.d.Origin.Real) || path.Base(d.d.Origin.Real) != SkillFileName {
		return ""
	}
	return path.Dir(d.d.Origin.Real)
}

// ErrNoFile is returned for a file that a skill does not contain or does not expose.
var ErrNoFile = errors.New("the skill has no such file")

// SkillFile is a file in a skill.
type SkillFile struct {
	// Path is relative to the skill's directory, with forward slashes.
	Path string
	// Info holds the size and modification time.
	Info fs.FileInfo
}

// Limits on a skill directory: its depth, and the number of entries per directory.
const (
	maxSkillDepth   = 16
	maxSkillEntries = 4096
)

// Files lists up to limit of a skill's files, sorted by path and including SKILL.md. truncated
// reports whether there are others. Files does not follow symlinks, and it omits protected files,
// files and directories whose names start with a dot and, in the project layer, files with multiple
// hard links. If the skill is a single file or is at the root of the project or of an installed
// plugin, Files lists only its main file, as SKILL.md.
func (d Definition) Files(ctx context.Context, limit int) (files []SkillFile, truncated bool, err error) {
	r, err := d.skillDir(ctx)
	if err != nil {
		return nil, false, err
	}
	if r.singleFile {
		info, err := r.tree.Info(r.file)
		if err != nil {
			return nil, false, fmt.Errorf("vade: %w", err)
		}
		return []SkillFile{{SkillFileName, info}}, false, nil
	}
	w := skillWalk{skillDir: r, ctx: ctx, limit: limit}
	if err := w.dir("", 0); err != nil {
		return nil, false, err
	}
	slices.SortFunc(w.files, func(a, b SkillFile) int { return strings.Compare(a.Path, b.Path) })
	return w.files, w.truncated, nil
}

// ReadFile reads a file that Files lists. For other paths, the error wraps [ErrNoFile]. A file
// larger than limit bytes is also an error.
func (d Definition) ReadFile(ctx context.Context, name string, limit int64) ([]byte, error) {
	r, err := d.skillDir(ctx)
	if err != nil {
		return nil, err
	}
	at := path.Join(r.dir, name)
	switch {
	case name == SkillFileName:
		at = r.file
	case r.singleFile || !fs.ValidPath(name) || name == "." || !r.mayServe(name):
		return nil, fmt.Errorf("vade: %s: %w", name, ErrNoFile)
	}
	data, err := r.tree.ReadFile(at, limit)
	switch {
	case errors.Is(err, vfs.ErrTooLarge):
		return nil, fmt.Errorf("vade: %w", err)
	case err != nil:
		return nil, fmt.Errorf("vade: %s: %w", name, ErrNoFile)
	}
	return data, nil
}

// skillDir locates a skill's files.
type skillDir struct {
	tree *vfs.Tree
	// dir is the skill's directory in tree, and file is its main file there.
	dir, file string
	// singleFile is set if only the skill's main file is exposed.
	singleFile bool
	hidden     func(*vfs.Tree, string) error
	// noHardLinks excludes files with multiple hard links.
	noHardLinks bool
}

func (d Definition) skillDir(ctx context.Context) (*skillDir, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if d.d.Kind != definition.Skill || !d.HasFile() {
		return nil, fmt.Errorf("vade: %s: %w", d.d.Name, ErrNoFile)
	}
	plan := d.c.Quick
	if d.d.Origin.Plugin != "" {
		var err error
		if plan, err = d.c.Plan(ctx); err != nil {
			return nil, err
		}
	}
	tree, rel := plan.TreeOf(d.d.Origin.Real)
	if tree == nil {
		return nil, fmt.Errorf("vade: %s: %w", d.d.Origin.Path, vfs.ErrOutside)
	}
	p, _ := d.c.EffectivePolicy()
	dir := path.Dir(rel)
	return &skillDir{
		tree: tree, dir: dir, file: rel, hidden: run.Hidden(p),
		singleFile: dir == "." || path.Base(rel) != SkillFileName, noHardLinks: d.d.Origin.Layer == definition.Project,
	}, nil
}

// mayServe reports whether a path in the skill may be served. Path elements
// that start with a dot are private.
func (r *skillDir) mayServe(name string) bool {
	for element := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(element, ".") {
			return false
		}
	}
	return r.hidden(r.tree, path.Join(r.dir, name)) == nil
}

// linkCount returns the number of hard links to a file.
func linkCount(info fs.FileInfo) uint64 {
	if i, ok := info.(*vfs.Info); ok {
		_, _, links, _ := i.Owner()
		return links
	}
	return 1
}

// skillWalk lists a skill's files.
type skillWalk struct {
	*skillDir
	ctx       context.Context
	limit     int
	files     []SkillFile
	truncated bool
}

func (w *skillWalk) dir(name string, depth int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	infos, truncated, err := w.tree.ReadDirInfo(path.Join(w.skillDir.dir, name), maxSkillEntries)
	if err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	w.truncated = w.truncated || truncated
	for _, info := range infos {
		sub := path.Join(name, info.Name())
		if !w.mayServe(sub) {
			continue
		}
		switch {
		case info.IsDir() && depth == maxSkillDepth:
			w.truncated = true
		case info.IsDir():
			if err := w.dir(sub, depth+1); err != nil {
				return err
			}
		case info.Mode().IsRegular() && w.noHardLinks && linkCount(info) > 1:
		case info.Mode().IsRegular() && len(w.files) == w.limit:
			w.truncated = true
			return nil
		case info.Mode().IsRegular():
			w.files = append(w.files, SkillFile{sub, info})
		}
	}
	return nil
}

// RenderCall renders a user's call to the definition with the given [Definition.Name] and
// [Definition.Path]. arguments is the text that the user typed after the name. ok is false if the
// file is not active under that name, if users cannot invoke it, or if the view is neutral.
func (c *Catalog) RenderCall(ctx context.Context, name, file, arguments string) (out *definition.Rendering, ok bool, err error) {
	if c.Profile.Prompt == nil || c.Profile.Prompt.UserCall == nil {
		return nil, false, nil
	}
	d, err := c.find(ctx, []string{name}, []definition.Kind{definition.Command, definition.Skill})
	if err != nil || d == nil || d.Origin.Path != file || d.Fields.UserInvocable != nil && !*d.Fields.UserInvocable {
		return nil, false, err
	}
	call := c.Profile.Prompt.UserCall(d.Kind, d.Name)
	if call == "" {
		return nil, false, nil
	}
	out, err = c.Render(ctx, RenderRequest{Prompt: strings.TrimSpace(call + " " + arguments)})
	return out, err == nil, err
}

// TypedArguments returns a list of arguments as a user would type them.
func TypedArguments(words []string) string { return shell.Join(words) }

// ProjectDir returns the project root's absolute path with symlinks resolved,
// or "" if there is no project on disk.
func (c *Catalog) ProjectDir() string {
	if c.Quick.Project == nil || !vfs.IsAbs(c.Quick.Project.Real()) {
		return ""
	}
	return c.Quick.Project.Real()
}
