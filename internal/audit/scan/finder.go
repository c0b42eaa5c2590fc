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

// Limits for finding packages: the number of directories per search, the number of entries per
// directory, and the nesting depth.
const (
	maxAuditDirs    = 200_000
	maxAuditEntries = 20_000
	maxAuditDepth   = 64
)

// candidate is a package that was found but not yet read.
type candidate struct {
	bundle.Request
	// path and kind are the package's path and kind in the report.
	path, kind string
	// err is the error that prevented the definition's own file from being read.
	err error
	// onlyFile, if not empty, is the only file in the directory that belongs to the package.
	onlyFile string
}

// finder finds packages in a tree, based on the names and locations of files.
type finder struct {
	ctx        context.Context
	tree       *vfs.Tree
	recognizer *registry.Recognizer
	layer      definition.Layer
	// If anywhere is set, a directory is recognized as a definition directory if it has a name such
	// as "commands", even if no host looks for definitions there.
	anywhere bool

	found   []*candidate
	skipped []Skipped
	dirs    int
	// packages holds the directories that are packages, and mainFiles holds the main files of
	// packages. They do not belong to any other package.
	packages, mainFiles map[string]bool
	// declared holds the directories that contain definitions according to a plugin manifest.
	declared map[string]*registry.DefinitionDir
	// visited holds directories that were already searched.
	visited map[string]bool
}

// searchDir is a directory to search.
type searchDir struct {
	dir   string
	depth int
	// definitionDir is the enclosing definition directory, if any. levels is the number of levels
	// between that directory and this one.
	definitionDir *registry.DefinitionDir
	levels        int
	// hostDir reports whether the directory is a host's directory, such as .claude, and plugin
	// reports whether it is a plugin. inPlugin and inSkill report whether it is inside a plugin or
	// a skill. start reports whether the search starts there.
	hostDir, plugin, inPlugin, inSkill, start bool
	layer                                     definition.Layer
}

func (s *finder) begin(dir string) {
	at := searchDir{dir: dir, start: true, layer: s.layer}
	// The audited directory may itself be a definition directory or be inside one.
	elements := strings.Split(strings.Trim(s.tree.RealPath(dir), "/"), "/")
	for i := len(elements) - 1; i >= 0 && i >= len(elements)-4 && at.definitionDir == nil; i-- {
		inOwn := i > 0 && s.recognizer.Own(elements[i-1])
		if h, ok := s.recognizer.DefinitionDir(elements[i]); ok && (inOwn || !h.Own && i == len(elements)-1) {
			at.definitionDir, at.levels = h, len(elements)-1-i
		}
	}
	at.hostDir = s.recognizer.Own(s.baseName(dir))
	s.walk(at)
}

func (s *finder) skip(name, reason string) {
	s.skipped = append(s.skipped, Skipped{Path: name, Reason: reason})
}

func (s *finder) walk(at searchDir) {
	if s.ctx.Err() != nil || s.visited[at.dir] {
		return
	}
	s.visited[at.dir] = true
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
		s.skipped = append(s.skipped, Skipped{at.dir, unreadReason(err), true})
		return
	}
	if more {
		s.skip(at.dir, "too many entries to search")
	}
	for _, e := range entries {
		if e.Type != vfs.Dir && s.recognizer.Skill(e.Name) && !s.packages[at.dir] {
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

func (s *finder) enter(at *searchDir, base, name string) {
	switch {
	case isVersionControl(base):
		if !at.inSkill {
			s.skip(name, "version control")
		}
		return
	case base == "node_modules" && !at.inSkill && !at.plugin:
		s.skip(name, "dependencies")
		return
	}
	own := s.recognizer.Own(base)
	next := searchDir{
		dir: name, depth: at.depth + 1, inPlugin: at.inPlugin || at.plugin, layer: at.layer,
		// A host's own directory is recognized at any location, even inside a skill.
		hostDir: own, inSkill: at.inSkill && !own,
	}
	h, ok := s.recognizer.DefinitionDir(base)
	if ok && !next.inSkill && (at.hostDir || at.plugin || !h.Own && (at.start || s.anywhere)) {
		next.definitionDir = h
	} else if h := s.declared[name]; h != nil {
		next.definitionDir = h
	} else if at.definitionDir != nil && !next.inSkill {
		next.definitionDir, next.levels = at.definitionDir, at.levels+1
	}
	if at.hostDir && s.recognizer.IsConfigOrHook(s.baseName(at.dir), base+"/any") {
		s.settings(at.dir)
	}
	s.walk(next)
}

// link handles a symlink. If the target is a directory, link searches it only if it is in a
// directory that the finder skips, because the finder reaches all other directories anyway.
func (s *finder) link(at *searchDir, base, name string) {
	if s.mainFiles[name] {
		return
	}
	tree, rel, err := s.tree.Resolve(name)
	if err != nil {
		s.skip(name, unreadReason(err))
		return
	}
	typ, err := tree.Lstat(rel)
	switch {
	case err != nil:
		s.skip(name, unreadReason(err))
	case typ == vfs.File:
		s.file(at, base, name, rel)
	case typ == vfs.Dir && inSkipped(rel):
		s.enter(at, base, rel)
	}
}

// isVersionControl reports whether a directory belongs to a version control system. Such a
// directory is not read. If it is in a package, it is reported as unread, because it may contain
// anything.
func isVersionControl(name string) bool {
	base := path.Base(name)
	return vfs.IsGit(base) || base == ".hg" || base == ".svn"
}

// inSkipped reports whether a path contains a directory that the finder skips.
func inSkipped(rel string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		if part == "node_modules" || isVersionControl(part) {
			return true
		}
	}
	return false
}

// skill adds a directory as a skill. e is its SKILL.md.
func (s *finder) skill(at *searchDir, e vfs.Entry) {
	main := path.Join(at.dir, e.Name)
	c := s.add(definition.Skill, at, s.baseName(at.dir), at.dir)
	c.Main, c.Dir = main, at.dir
	if e.Type == vfs.Link {
		if rel, err := s.resolve(main); err != nil {
			c.err = err
		} else {
			c.Main = rel
		}
	}
	s.packages[at.dir], s.mainFiles[c.Main], s.mainFiles[main] = true, true, true
	at.inSkill, at.definitionDir = true, nil
}

func (s *finder) add(kind definition.Kind, at *searchDir, name, shown string) *candidate {
	c := &candidate{path: shown, kind: kind.String()}
	c.Name, c.Kind, c.Layer, c.Tree = name, kind, at.layer, s.tree
	s.found = append(s.found, c)
	return c
}

// file adds a file if it is a definition or contains settings. If name is a symlink, real is its
// target. Otherwise, real is the same as name.
func (s *finder) file(at *searchDir, base, name, real string) {
	if at.inSkill || s.mainFiles[real] {
		return
	}
	kind, ok := s.recognizer.Named(base)
	if !ok && at.definitionDir != nil {
		kind, ok = at.definitionDir.KindOf(base, at.levels)
	}
	switch {
	case ok:
		s.singleFile(kind, at, base, name, real)
	case at.hostDir && s.recognizer.IsConfigOrHook(s.baseName(at.dir), base):
		s.settings(at.dir)
	case !at.hostDir && !at.plugin && !at.inPlugin &&
		(s.recognizer.Config(path.Join(s.baseName(at.dir), base)) || at.start && s.recognizer.Config(base)):
		c := s.add(0, at, base, name)
		c.kind, c.Dir, c.onlyFile = "settings", at.dir, name
	}
}

// baseName returns the base name of a directory. It works even for the directory in which the
// search starts.
func (s *finder) baseName(dir string) string { return path.Base(s.tree.RealPath(dir)) }

func (s *finder) singleFile(kind definition.Kind, at *searchDir, base, name, real string) {
	c := s.add(kind, at, check.NameOf(base), name)
	c.Main = real
	s.mainFiles[real] = true
}

// plugin checks whether a directory is a plugin. If so, it adds the plugin's files as one package,
// except for the definitions, which are packages of their own.
func (s *finder) plugin(at *searchDir) {
	for _, m := range s.recognizer.Manifests() {
		typ, err := s.tree.Lstat(path.Join(at.dir, m))
		if err != nil || typ != vfs.File || m == "plugin.json" && !s.looksLikePlugin(at.dir) {
			continue
		}
		at.plugin, at.layer = true, definition.Plugin
		if at.inSkill {
			return
		}
		s.components(at, path.Join(at.dir, m))
		c := s.add(0, at, s.baseName(at.dir), at.dir)
		c.kind, c.Dir = "plugin", at.dir
		s.packages[at.dir] = true
		return
	}
}

// components adds the agents and commands that a manifest declares, as files or as directories.
func (s *finder) components(at *searchDir, manifest string) {
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
			shelf, ok := s.recognizer.DefinitionDir(kind.String() + "s")
			switch {
			case err != nil:
			case typ == vfs.File && !s.mainFiles[name]:
				s.singleFile(kind, at, path.Base(name), name, name)
			case typ == vfs.Dir && ok && name != at.dir:
				s.declared[name] = shelf
			}
		}
	}
}

// namedPaths returns the paths in the value of a manifest key, which is a string or a list of
// strings.
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

// looksLikePlugin reports whether a directory that contains a plugin.json file looks like a plugin.
// The file alone is not sufficient evidence, because other software also uses this name.
func (s *finder) looksLikePlugin(dir string) bool {
	return slices.ContainsFunc([]string{"skills", "agents", "commands", "hooks"}, func(name string) bool {
		typ, err := s.tree.Lstat(path.Join(dir, name))
		return err == nil && typ == vfs.Dir
	})
}

// settings adds a package with the settings files in a host's directory and the files that these
// settings run.
func (s *finder) settings(dir string) {
	if s.packages[dir] {
		return
	}
	c := s.add(0, &searchDir{layer: s.layer}, s.baseName(dir), dir)
	c.kind, c.Dir = "settings", dir
	s.packages[dir] = true
}

// excluded returns a function that reports whether a file in the package's directory does not
// belong to the package, because it is part of another package or because agents never load it.
func (s *finder) excluded(c *candidate) func(string) bool {
	return func(name string) bool {
		switch {
		case c.onlyFile != "":
			return name != c.onlyFile
		case s.packages[name], s.mainFiles[name] && name != c.Main:
			return true
		case c.kind == "settings":
			rel := strings.TrimPrefix(name, c.Dir+"/")
			return !s.recognizer.IsConfigOrHook(s.baseName(c.Dir), rel) && !s.recognizer.IsConfigOrHook(s.baseName(c.Dir), rel+"/any")
		}
		return false
	}
}

// finish completes and sorts the results. If all is set and the finder found no packages, finish
// treats each Markdown file in or below the directory as a definition, and all other files as one
// package.
func (s *finder) finish(dir string, all bool) {
	if len(s.found) == 0 && all {
		s.addAll(dir, 0)
		c := s.add(0, &searchDir{layer: s.layer}, s.baseName(dir), dir)
		c.kind, c.Dir = "files", dir
	}
	for _, c := range s.found {
		if c.Dir != "" {
			c.Skip, c.VersionControl = s.excluded(c), isVersionControl
		}
	}
	slices.SortStableFunc(s.found, func(a, b *candidate) int { return strings.Compare(a.path, b.path) })
	slices.SortStableFunc(s.skipped, func(a, b Skipped) int { return strings.Compare(a.Path, b.Path) })
}

// addAll adds each Markdown file in or below a directory as a definition.
func (s *finder) addAll(dir string, depth int) {
	entries, _, err := s.tree.ReadDir(dir, maxAuditEntries)
	if err != nil || depth > maxAuditDepth || s.ctx.Err() != nil || len(s.found) > maxAuditEntries {
		return
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name)
		ext := strings.ToLower(path.Ext(e.Name))
		switch {
		case e.Type == vfs.Dir && !inSkipped(e.Name):
			s.addAll(name, depth+1)
		case e.Type == vfs.File && (ext == ".md" || ext == ".mdc"):
			s.singleFile(definition.Command, &searchDir{layer: s.layer}, e.Name, name, name)
		}
	}
}

// unreadReason returns a short reason for not reading a file or directory.
func unreadReason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "the symlink is broken"
	case errors.Is(err, vfs.ErrLoop):
		return "the symlink is part of a cycle"
	case errors.Is(err, vfs.ErrOutside):
		return "the symlink points outside the audited files"
	}
	return catalog.Cause(err).Error()
}
