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

// WhenToUse says when a model should load the definition, "" where its file does
// not.
func (d Definition) WhenToUse() string { return d.d.Fields.WhenToUse() }

// Arguments are the names of the arguments that a command or a skill declares, in
// their order; empty where it declares none.
func (d Definition) Arguments() []string { return d.d.Fields.Arguments() }

// FieldName is the name that the file itself states, which may be another than the
// Name that it is loaded by; "" where it states none.
func (d Definition) FieldName() string { return d.d.Fields.Name }

// Nested is the directory below the project that the definition belongs to, or "".
func (d Definition) Nested() string { return d.d.Origin.Nested }

// HasFile reports whether the definition is a file of its own; others are entries
// of a package.json or of the command line.
func (d Definition) HasFile() bool { return d.d.Format != definition.Package }

// Dir is the absolute directory of a skill, without links; "" where it has none in
// the system, as the bundled ones.
func (d Definition) Dir() string {
	if d.d.Kind != definition.Skill || !vfs.IsAbs(d.d.Origin.Real) || path.Base(d.d.Origin.Real) != SkillFileName {
		return ""
	}
	return path.Dir(d.d.Origin.Real)
}

// ErrNoFile is the error for a file that a skill has not, or does not give away.
var ErrNoFile = errors.New("the skill has no such file")

// SkillFile is one file of a skill.
type SkillFile struct {
	// Path is below the directory of the skill, with forward slashes.
	Path string
	// Info has the size and the time of the last change.
	Info fs.FileInfo
}

// Bounds of one skill's directory: how deep it is looked at, and how many entries
// one directory has at most.
const (
	maxSkillDepth   = 16
	maxSkillEntries = 4096
)

// Files lists the files of a skill by path, SKILL.md among them, at most limit; more
// says that there are others. Links are not followed, and not listed are directories
// of version control, files with a second name, and what the policy protects. A
// skill that is one file, or that stands at the top of a project, has that file
// alone, under the name SKILL.md.
func (d Definition) Files(ctx context.Context, limit int) (files []SkillFile, more bool, err error) {
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
	return w.files, w.more, nil
}

// ReadFile reads one file of a skill, by a path that Files lists. The error is
// [ErrNoFile] for any other path; a file longer than limit bytes is an error too.
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

// skillRoom is where the files of one skill are.
type skillDir struct {
	tree *vfs.Tree
	// dir is the skill's directory in tree, file its own file there.
	dir, file string
	// alone: no other file belongs to it.
	singleFile bool
	hidden     func(*vfs.Tree, string) error
	// single: files with a second name can not be read.
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

// gives reports whether a path of the skill may be given away. Elements that begin
// with a dot stay where they are: what is not shown in a listing of a directory is
// not meant for others.
func (r *skillDir) mayServe(name string) bool {
	for element := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(element, ".") {
			return false
		}
	}
	return r.hidden(r.tree, path.Join(r.dir, name)) == nil
}

// names is how many hard links a file has.
func linkCount(info fs.FileInfo) uint64 {
	if i, ok := info.(*vfs.Info); ok {
		_, _, links, _ := i.Owner()
		return links
	}
	return 1
}

// skillWalk lists the files of one skill.
type skillWalk struct {
	*skillDir
	ctx   context.Context
	limit int
	files []SkillFile
	more  bool
}

func (w *skillWalk) dir(name string, depth int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	infos, more, err := w.tree.ReadDirInfo(path.Join(w.skillDir.dir, name), maxSkillEntries)
	if err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	w.more = w.more || more
	for _, info := range infos {
		sub := path.Join(name, info.Name())
		if !w.mayServe(sub) {
			continue
		}
		switch {
		case info.IsDir() && depth == maxSkillDepth:
			w.more = true
		case info.IsDir():
			if err := w.dir(sub, depth+1); err != nil {
				return err
			}
		case info.Mode().IsRegular() && w.noHardLinks && linkCount(info) > 1:
		case info.Mode().IsRegular() && len(w.files) == w.limit:
			w.more = true
			return nil
		case info.Mode().IsRegular():
			w.files = append(w.files, SkillFile{sub, info})
		}
	}
	return nil
}

// RenderCall renders the call by a user of the definition in a file, by its
// [Definition.Name] and [Definition.Path], with arguments as they are typed. ok is
// false where the view's host has not that file in force under that name, or no user
// can call it there; the neutral view has no such calls.
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

// TypedArguments is the line that one would type for arguments that are one word
// each.
func TypedArguments(words []string) string { return shell.Join(words) }

// ProjectDir is the absolute top of the project, without links; "" without one, or
// where it is no directory of the system.
func (c *Catalog) ProjectDir() string {
	if c.Quick.Project == nil || !vfs.IsAbs(c.Quick.Project.Real()) {
		return ""
	}
	return c.Quick.Project.Real()
}
