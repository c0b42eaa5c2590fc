package scan

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/bundle"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/vfs"
)

// Limits for finding packages.
const (
	maxAuditDirs    = 200_000
	maxAuditEntries = 20_000
	maxAuditDepth   = 64
)

// candidate is a package that was found but not yet read.
type candidate struct {
	bundle.Request
	// path is the path of the package in the report, and kind is its kind in the report.
	path, kind string
	// wrong is the error that prevented the definition's own file from being read.
	wrong error
	// If only is not empty, it is the only file in the directory that belongs to the package.
	only string
}

// survey finds packages in a tree by the names and locations of files.
type survey struct {
	ctx   context.Context
	tree  *vfs.Tree
	sight *registry.Recognizer
	layer definition.Layer
	// loose says to recognize definition directories, such as commands, by name at any location,
	// not only where hosts look.
	loose bool

	found   []*candidate
	skipped []Skipped
	dirs    int
	// owned holds directories that are packages, and mains holds their main
	// files. Both are excluded from other packages.
	owned, mains map[string]bool
	// named holds the directories that contain definitions according to a plugin manifest.
	named map[string]*registry.DefinitionDir
	// entered holds directories that were already searched.
	entered map[string]bool
}

// spot is a directory to search.
type spot struct {
	dir   string
	depth int
	// shelf is the enclosing definition directory, if any. below is the number of levels between
	// that directory and this one.
	shelf *registry.DefinitionDir
	below int
	// own reports whether the directory is a host's directory, and plugin whether it is a plugin.
	// within and skill report whether it is inside a plugin or a skill. top reports whether the
	// survey starts there.
	own, plugin, within, skill, top bool
	layer                           definition.Layer
}

func (s *survey) begin(dir string) {
	at := spot{dir: dir, top: true, layer: s.layer}
	// The audited directory may itself be a definition directory.
	elements := strings.Split(strings.Trim(s.tree.RealPath(dir), "/"), "/")
	for i := len(elements) - 1; i >= 0 && i >= len(elements)-4 && at.shelf == nil; i-- {
		inOwn := i > 0 && s.sight.Own(elements[i-1])
		if h, ok := s.sight.DefinitionDir(elements[i]); ok && (inOwn || !h.Own && i == len(elements)-1) {
			at.shelf, at.below = h, len(elements)-1-i
		}
	}
	at.own = s.sight.Own(s.called(dir))
	s.walk(at)
}

func (s *survey) skip(name, reason string) {
	s.skipped = append(s.skipped, Skipped{Path: name, Reason: reason})
}

func (s *survey) walk(at spot) {
	if s.ctx.Err() != nil || s.entered[at.dir] {
		return
	}
	s.entered[at.dir] = true
	if s.dirs++; s.dirs > maxAuditDirs {
		if s.dirs == maxAuditDirs+1 {
			s.skip(at.dir, "too many directories to search")
		}
		return
	}
	if at.depth > maxAuditDepth {
		s.skip(at.dir, "nested too deeply")
		return
	}
	entries, more, err := s.tree.ReadDir(at.dir, maxAuditEntries)
	if err != nil {
		s.skipped = append(s.skipped, Skipped{at.dir, whyUnread(err), true})
		return
	}
	if more {
		s.skip(at.dir, "too many entries to search")
	}
	for _, e := range entries {
		if e.Type != vfs.Dir && s.sight.Skill(e.Name) && !s.owned[at.dir] {
			s.skill(&at, e)
		}
	}
	s.plugin(&at)
	for _, e := range entries {
		name := path.Join(at.dir, e.Name)
		switch e.Type {
		case vfs.Dir:
			s.enter(&at, e.Name, name)
		case vfs.Link:
			s.link(&at, e.Name, name)
		case vfs.File:
			s.file(&at, e.Name, name, name)
		}
	}
}

func (s *survey) enter(at *spot, base, name string) {
	switch {
	case kept(base):
		if !at.skill {
			s.skip(name, "version control")
		}
		return
	case base == "node_modules" && !at.skill && !at.plugin:
		s.skip(name, "dependencies")
		return
	}
	own := s.sight.Own(base)
	next := spot{
		dir: name, depth: at.depth + 1, within: at.within || at.plugin, layer: at.layer,
		// A host's own directory is recognized at any location.
		own: own, skill: at.skill && !own,
	}
	h, ok := s.sight.DefinitionDir(base)
	if ok && !next.skill && (at.own || at.plugin || !h.Own && (at.top || s.loose)) {
		next.shelf = h
	} else if h := s.named[name]; h != nil {
		next.shelf = h
	} else if at.shelf != nil && !next.skill {
		next.shelf, next.below = at.shelf, at.below+1
	}
	if at.own && s.sight.Carried(s.called(at.dir), base+"/any") {
		s.settings(at.dir)
	}
	s.walk(next)
}

// link handles a symlink whose target is in the tree. It searches the target only if the survey
// would otherwise skip the target's path.
func (s *survey) link(at *spot, base, name string) {
	if s.mains[name] {
		return
	}
	tree, rel, err := s.tree.Resolve(name)
	if err != nil {
		s.skip(name, whyUnread(err))
		return
	}
	typ, err := tree.Lstat(rel)
	switch {
	case err != nil:
		s.skip(name, whyUnread(err))
	case typ == vfs.File:
		s.file(at, base, name, rel)
	case typ == vfs.Dir && inSkipped(rel):
		s.enter(at, base, rel)
	}
}

// kept reports whether a directory belongs to a version control system. Such a directory may
// contain anything, so it is reported as unread if it is in a package.
func kept(name string) bool {
	base := path.Base(name)
	return vfs.IsGit(base) || base == ".hg" || base == ".svn"
}

// inSkipped reports whether a path contains a skipped directory.
func inSkipped(rel string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		if part == "node_modules" || vfs.IsGit(part) {
			return true
		}
	}
	return false
}

// skill adds a directory as a skill. e is its SKILL.md.
func (s *survey) skill(at *spot, e vfs.Entry) {
	main := path.Join(at.dir, e.Name)
	c := s.add(definition.Skill, at, s.called(at.dir), at.dir)
	c.Main, c.Dir = main, at.dir
	if e.Type == vfs.Link {
		if rel, err := s.resolved(main); err != nil {
			c.wrong = err
		} else {
			c.Main = rel
		}
	}
	s.owned[at.dir], s.mains[c.Main], s.mains[main] = true, true, true
	at.skill, at.shelf = true, nil
}

func (s *survey) add(kind definition.Kind, at *spot, name, shown string) *candidate {
	c := &candidate{path: shown, kind: kind.String()}
	c.Name, c.Kind, c.Layer, c.Tree = name, kind, at.layer, s.tree
	s.found = append(s.found, c)
	return c
}

// file adds a single-file definition. real is the target if name is a symlink; otherwise, it is
// name itself.
func (s *survey) file(at *spot, base, name, real string) {
	if at.skill || s.mains[real] {
		return
	}
	kind, ok := s.sight.Named(base)
	if !ok && at.shelf != nil {
		kind, ok = at.shelf.Holds(base, at.below)
	}
	switch {
	case ok:
		s.single(kind, at, base, name, real)
	case at.own && s.sight.Carried(s.called(at.dir), base):
		s.settings(at.dir)
	case !at.own && !at.plugin && !at.within &&
		(s.sight.Config(path.Join(s.called(at.dir), base)) || at.top && s.sight.Config(base)):
		c := s.add(0, at, base, name)
		c.kind, c.Dir, c.only = "settings", at.dir, name
	}
}

// called returns a directory's base name, even if the directory is the one where the survey starts.
func (s *survey) called(dir string) string { return path.Base(s.tree.RealPath(dir)) }

func (s *survey) single(kind definition.Kind, at *spot, base, name, real string) {
	c := s.add(kind, at, check.NameOf(base), name)
	c.Main = real
	s.mains[real] = true
}

// plugin adds a plugin's files, except for definitions.
func (s *survey) plugin(at *spot) {
	for _, m := range s.sight.Manifests() {
		typ, err := s.tree.Lstat(path.Join(at.dir, m))
		if err != nil || typ != vfs.File || m == "plugin.json" && !s.pluginLike(at.dir) {
			continue
		}
		at.plugin, at.layer = true, definition.Plugin
		if at.skill {
			return
		}
		s.components(at, path.Join(at.dir, m))
		c := s.add(0, at, s.called(at.dir), at.dir)
		c.kind, c.Dir = "plugin", at.dir
		s.owned[at.dir] = true
		return
	}
}

// components adds the files and directories declared by a manifest, with their declared kinds.
func (s *survey) components(at *spot, manifest string) {
	data, err := s.tree.ReadFile(manifest, 1<<20)
	if err != nil {
		return
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(jsonc.Plain(data), &keys) != nil {
		return
	}
	for _, kind := range []definition.Kind{definition.Agent, definition.Command} {
		for _, rel := range namedPaths(keys[kind.String()+"s"]) {
			name := path.Join(at.dir, rel)
			typ, err := s.tree.Lstat(name)
			shelf, ok := s.sight.DefinitionDir(kind.String() + "s")
			switch {
			case err != nil:
			case typ == vfs.File && !s.mains[name]:
				s.single(kind, at, path.Base(name), name, name)
			case typ == vfs.Dir && ok && name != at.dir:
				s.named[name] = shelf
			}
		}
	}
}

// namedPaths returns the paths under a manifest key, whose value is a string or a list.
func namedPaths(value json.RawMessage) []string {
	var one string
	if json.Unmarshal(value, &one) == nil {
		return []string{one}
	}
	var list []string
	if json.Unmarshal(value, &list) != nil || len(list) > maxAuditEntries {
		return nil
	}
	return list
}

// pluginLike reports whether a directory looks like a plugin. A manifest alone is not enough,
// because other software uses the same file name.
func (s *survey) pluginLike(dir string) bool {
	return slices.ContainsFunc([]string{"skills", "agents", "commands", "hooks"}, func(name string) bool {
		typ, err := s.tree.Lstat(path.Join(dir, name))
		return err == nil && typ == vfs.Dir
	})
}

// settings adds the settings files in a host's directory and the files that these settings run.
func (s *survey) settings(dir string) {
	if s.owned[dir] {
		return
	}
	c := s.add(0, &spot{layer: s.layer}, s.called(dir), dir)
	c.kind, c.Dir = "settings", dir
	s.owned[dir] = true
}

// leftOver returns a function that reports whether a file in the package's directory does not
// belong to the package: it is part of another package, or agents never load it.
func (s *survey) leftOver(c *candidate) func(string) bool {
	return func(name string) bool {
		switch {
		case c.only != "":
			return name != c.only
		case s.owned[name], s.mains[name] && name != c.Main:
			return true
		case c.kind == "settings":
			rel := strings.TrimPrefix(name, c.Dir+"/")
			return !s.sight.Carried(s.called(c.Dir), rel) && !s.sight.Carried(s.called(c.Dir), rel+"/any")
		}
		return false
	}
}

// finish sorts the results. If the survey found no definitions and all is set, it treats each
// Markdown file in the directory as a definition and all other files as one package.
func (s *survey) finish(dir string, all bool) {
	if len(s.found) == 0 && all {
		s.everything(dir, 0)
		c := s.add(0, &spot{layer: s.layer}, s.called(dir), dir)
		c.kind, c.Dir = "files", dir
	}
	for _, c := range s.found {
		if c.Dir != "" {
			c.Skip, c.Kept = s.leftOver(c), kept
		}
	}
	slices.SortStableFunc(s.found, func(a, b *candidate) int { return strings.Compare(a.path, b.path) })
	slices.SortStableFunc(s.skipped, func(a, b Skipped) int { return strings.Compare(a.Path, b.Path) })
}

// everything adds each Markdown file in a directory as a definition.
func (s *survey) everything(dir string, depth int) {
	entries, _, err := s.tree.ReadDir(dir, maxAuditEntries)
	if err != nil || depth > maxAuditDepth || s.ctx.Err() != nil || len(s.found) > maxAuditEntries {
		return
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name)
		ext := strings.ToLower(path.Ext(e.Name))
		switch {
		case e.Type == vfs.Dir && !inSkipped(e.Name):
			s.everything(name, depth+1)
		case e.Type == vfs.File && (ext == ".md" || ext == ".mdc"):
			s.single(definition.Command, &spot{layer: s.layer}, e.Name, name, name)
		}
	}
}

// whyUnread returns a short reason for not reading a file or directory.
func whyUnread(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "the symlink is broken"
	case errors.Is(err, vfs.ErrLoop):
		return "the symlink is part of a cycle"
	case errors.Is(err, vfs.ErrOutside):
		return "the symlink points outside the audited files"
	}
	return catalog.Cause(vfs.WithoutPath(err)).Error()
}
