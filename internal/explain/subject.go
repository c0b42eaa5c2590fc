package explain

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/vfs"
)

// subject is a file to explain.
type subject struct {
	// real is the canonical path. It identifies the file in all views.
	real string
	kind definition.Kind
	name string
	// path is the display path, and others lists additional paths to the file.
	path   string
	others []string
	layer  definition.Layer
	plugin string
	nested string
	// root is the root that contains the file, and rootShown is its display
	// form. root is nil if no view reads the file.
	root      *host.Root
	rootShown string
	distance  int
	format    definition.Format
	// badLink is set if the file is a symlink that cannot be followed.
	badLink bool
	// bundled is set if the definition is bundled with Vade.
	bundled  bool
	problems []diag.Diagnostic
}

// subjects finds the requested files, both in the views and in places that no view reads.
func (e *explainer) subjects() ([]*subject, error) {
	known := map[string]*subject{}
	var list []*subject
	for _, v := range append([]*view{e.neutral}, e.views...) {
		for _, d := range v.all {
			s := known[d.Origin.Real]
			if s == nil {
				if !e.requested(v, d) || v == e.neutral && e.followed(d) {
					continue
				}
				s = v.subject(v.definition(d.Origin.Real))
				known[s.real] = s
				list = append(list, s)
			}
			if p := d.Origin.Path; p != s.path && !slices.Contains(s.others, p) {
				s.others = append(s.others, p)
			}
		}
	}
	more := func(found []*subject) {
		for _, s := range found {
			if known[s.real] == nil {
				known[s.real] = s
				list = append(list, s)
			}
		}
	}
	if e.request.All {
		more(e.inCollections())
	} else {
		if more(e.undiscovered()); len(list) == 0 {
			more(e.misplaced())
		}
		if len(list) == 0 {
			return nil, e.notFound()
		}
	}
	// This is also the order of the definitions in a catalog.
	slices.SortFunc(list, func(a, b *subject) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name), cmp.Compare(a.path, b.path))
	})
	return list, nil
}

// followed reports whether a definition is a symlink that the neutral view does not follow, but
// through which a host's view finds definitions. Those definitions are explained instead.
func (e *explainer) followed(d *definition.Definition) bool {
	if d.State != definition.Dropped || d.ReasonCode != diag.LinkOutside {
		return false
	}
	for _, v := range e.views {
		if slices.ContainsFunc(v.all, func(other *definition.Definition) bool {
			return other.Origin.Path == d.Origin.Path || strings.HasPrefix(other.Origin.Path, d.Origin.Path+"/")
		}) {
			return true
		}
	}
	return false
}

// subject describes the file that contains a definition in the view.
func (v *view) subject(d *definition.Definition) *subject {
	o := &d.Origin
	s := &subject{
		real: o.Real, kind: d.Kind, name: d.Name, path: o.Path, layer: o.Layer, plugin: o.Plugin, nested: o.Nested,
		root: v.root(d), rootShown: o.Root, distance: int(o.Distance), format: d.Format,
	}
	s.badLink = strings.HasPrefix(string(d.ReasonCode), "SYMLINK_")
	s.bundled = s.root == nil && d.Format != definition.Package && v.as == ""
	for _, x := range d.Diagnostics {
		if x.Severity > diag.Info {
			s.problems = append(s.problems, x)
		}
	}
	return s
}

// requested reports whether a definition in a view matches the request.
func (e *explainer) requested(v *view, d *definition.Definition) bool {
	if !e.wants(d.Kind) {
		return false
	}
	if e.request.All {
		// READMEs and bundled definitions are explained only if requested by name.
		stem, _, _ := strings.Cut(path.Base(d.Origin.Path), ".")
		doc := d.State == definition.Dropped && strings.EqualFold(stem, "readme")
		own := v.as == "" && v.root(d) == nil && d.Format != definition.Package
		return !doc && !own
	}
	name := e.name
	if resolve.HasName(d, name) || "/"+d.Name == name || d.Title == name || d.Origin.Path == name || check.NameOf(d.Origin.Path) == name {
		return true
	}
	if d.State == definition.Dropped && strings.TrimSuffix(d.Name, path.Ext(d.Name)) == name {
		return true
	}
	rel, inside := e.neutral.c.InProject(strings.TrimSuffix(name, "/"))
	if !inside {
		return d.Origin.Path == e.inHome(name)
	}
	return d.Origin.Path == rel || d.Kind == definition.Skill && path.Dir(d.Origin.Path) == rel && rel != "."
}

// inHome returns a path with a leading "~/" replaced by the home directory.
func (e *explainer) inHome(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok && e.neutral.c.Env.Home != "" {
		return path.Join(e.neutral.c.Env.Home, rest)
	}
	return path.Clean(name)
}

// undiscovered finds files with the requested name that no view reads. The name may be a path.
// Otherwise, undiscovered looks in directories such as skills/, which collections of definitions
// use.
func (e *explainer) undiscovered() []*subject {
	tree := e.neutral.c.Quick.Project
	if tree == nil {
		return nil
	}
	var files []string
	if rel, ok := e.neutral.c.InProject(strings.TrimSuffix(e.name, "/")); ok && strings.ContainsAny(e.name, "/.") {
		files = append(files, rel, path.Join(rel, catalog.SkillFileName))
	}
	if name := strings.ReplaceAll(e.name, ":", "/"); fs.ValidPath(name) && name != "." {
		for _, dir := range e.neutral.profile.Collections {
			for _, form := range []string{name + "/" + catalog.SkillFileName, name + "/skill.md", name + ".md"} {
				files = append(files, dir+"/"+form)
			}
		}
	}
	var list []*subject
	for _, file := range files {
		typ, err := tree.Lstat(file)
		kind, ok := kindOf(file)
		if err != nil || typ != vfs.File || !ok || !e.wants(kind) {
			continue
		}
		list = append(list, e.projectFile(file, kind))
	}
	return list
}

// kindOf guesses a file's kind from its name and directories.
func kindOf(file string) (definition.Kind, bool) {
	if strings.EqualFold(path.Base(file), catalog.SkillFileName) {
		return definition.Skill, true
	}
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".mdc", ".toml":
	default:
		return 0, false
	}
	for _, ending := range []struct {
		of   string
		kind definition.Kind
	}{{".agent.md", definition.Agent}, {".prompt.md", definition.Command}, {".instructions.md", definition.Instruction}} {
		if strings.HasSuffix(file, ending.of) {
			return ending.kind, true
		}
	}
	parts := strings.Split(path.Dir(file), "/")
	for _, part := range slices.Backward(parts) {
		if k, ok := definition.ParseKind(part); ok {
			return k, true
		}
		switch part {
		case "prompts":
			return definition.Command, true
		case "rules":
			return definition.Instruction, true
		}
	}
	return 0, false
}

// existingPath returns the requested name as a path relative to the project root, and whether the
// path exists.
func (e *explainer) existingPath() (string, bool) {
	tree := e.neutral.c.Quick.Project
	rel, ok := e.neutral.c.InProject(strings.TrimSuffix(e.name, "/"))
	if tree == nil || !ok || rel == "." || !strings.ContainsAny(e.name, "/.") {
		return "", false
	}
	_, err := tree.Lstat(rel)
	return rel, err == nil
}

// notFound returns the error for a name that matches no definition.
func (e *explainer) notFound() error {
	x := &definition.Error{
		Code: diag.CommandNotFound, Message: fmt.Sprintf("no host finds a definition named %q", e.request.Name),
		Fix: "to list definitions, run: vade explain --all (add --nested to include subdirectories); to explain a file, run: vade explain PATH/SKILL.md",
	}
	rel, there := e.existingPath()
	if there {
		x.Message = rel + " exists, but does not look like a definition"
		x.Fix = "name it SKILL.md, or make it a .md file in a directory named commands, agents, prompts, instructions or rules"
		if typ, _ := e.neutral.c.Quick.Project.Lstat(rel); typ == vfs.Dir {
			x.Fix = "specify a file; to list definitions, run: vade explain --all"
		}
	}
	if len(e.wanted) == 1 {
		x.Code = [...]diag.Code{
			definition.Skill: diag.SkillNotFound, definition.Command: diag.CommandNotFound,
			definition.Agent: diag.AgentNotFound, definition.Instruction: diag.InstructionNotFound,
		}[e.wanted[0]]
	}
	var names []string
	for _, v := range append([]*view{e.neutral}, e.views...) {
		for _, d := range v.all {
			if e.wants(d.Kind) && d.State != definition.Dropped {
				names = append(names, d.Name)
			}
		}
	}
	slices.Sort(names)
	if !there {
		x.Available = resolve.Nearest(e.name, slices.Compact(names))
		x.Fix = catalog.DidYouMean(e.name, x.Available, x.Fix)
	}
	return x
}

// maxMisplaced is the maximum number of misplaced files to explain.
const maxMisplaced = 20

// misplaced finds files with the requested name anywhere in the project, in
// case a directory name is misspelled.
func (e *explainer) misplaced() []*subject {
	if e.name == "" || strings.ContainsAny(e.name, "/\x00") {
		return nil
	}
	var list []*subject
	e.neutral.c.Quick.Search(e.ctx, []string{"."}, func(file string) bool {
		// Files in nested host directories are read only with Options.Nested.
		if check.NameOf(file) == e.name && !isReadme(file) && !strings.Contains(file, "/.") {
			if kind, ok := guessKind(file); ok && e.wants(kind) {
				list = append(list, e.projectFile(file, kind))
			}
		}
		return len(list) < maxMisplaced
	})
	return list
}

// inCollections finds files of the requested kinds in directories such as skills/, which
// collections of definitions use.
func (e *explainer) inCollections() []*subject {
	tree := e.neutral.c.Quick.Project
	var list []*subject
	e.neutral.c.Quick.Search(e.ctx, e.neutral.profile.Collections, func(file string) bool {
		kind, ok := kindOf(file)
		if !ok || !e.wants(kind) || isReadme(file) {
			return true
		}
		if kind != definition.Skill || !strings.EqualFold(path.Base(file), catalog.SkillFileName) {
			// Directories with these names often contain files that are not definitions, so the
			// file must start with frontmatter.
			var begin [3]byte
			if n, _, err := tree.ReadHead(file, begin[:]); err != nil || !bytes.Equal(begin[:n], []byte("---")) || kind == definition.Skill {
				return true
			}
		}
		list = append(list, e.projectFile(file, kind))
		return true
	})
	return list
}

// projectFile describes a project file that no view reads.
func (e *explainer) projectFile(file string, kind definition.Kind) *subject {
	return &subject{
		real: e.neutral.c.Quick.Project.RealPath(file), kind: kind, name: check.NameOf(file), path: file, layer: definition.Project,
	}
}

func isReadme(file string) bool { return strings.EqualFold(check.NameOf(file), "readme") }

// guessKind is like kindOf, but it also accepts misspelled directory names in hidden directories,
// such as those that hosts read.
func guessKind(file string) (definition.Kind, bool) {
	if kind, ok := kindOf(file); ok {
		return kind, true
	}
	first, _, _ := strings.Cut(file, "/")
	if !strings.HasPrefix(first, ".") || !strings.EqualFold(path.Ext(file), ".md") {
		return 0, false
	}
	var words []string
	for _, k := range definition.Kinds {
		words = append(words, k.String()+"s")
	}
	for _, part := range slices.Backward(strings.Split(path.Dir(file), "/")) {
		if near := resolve.Nearest(part, words); len(near) > 0 {
			return definition.ParseKind(near[0])
		}
	}
	return 0, false
}
