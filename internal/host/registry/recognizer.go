package registry

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// Recognizer identifies definitions by path and name among files that no host reads yet, such as
// those in a package that is about to be installed. It combines the definition locations of all
// hosts.
type Recognizer struct {
	// files holds the names of instruction files. hostDirs holds the names of the hosts'
	// directories in projects. configs holds the files in which hosts configure hooks and servers.
	// manifests holds the names of plugin manifests.
	files, hostDirs, configs, manifests []string
	dirs                                []DefinitionDir
	endings                             []host.Rule
}

// DefinitionDir is a directory name that hosts use for definitions.
type DefinitionDir struct {
	Name string
	// Own is set if directories with the name are recognized only inside a host's directory.
	Own   bool
	rules []host.Rule
}

// NewRecognizer returns a recognizer for all hosts.
func NewRecognizer() *Recognizer {
	s := &Recognizer{}
	for _, p := range Profiles() {
		for i := range p.Roots {
			s.root(&p.Roots[i])
		}
		for _, c := range p.ConfigFiles() {
			if c.Layer == definition.Project || c.Layer == definition.Plugin {
				s.configs = append(s.configs, c.Path)
			}
		}
		if p.Plugins != nil {
			for _, m := range p.Plugins.Manifests {
				s.manifests = append(s.manifests, m.Path)
			}
		}
	}
	for _, list := range []*[]string{&s.files, &s.hostDirs, &s.configs, &s.manifests} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return s
}

func (s *Recognizer) root(r *host.Root) {
	if r.Layer != definition.Project && r.Layer != definition.Plugin && r.Layer != definition.Bundled {
		return
	}
	if first, _, _ := strings.Cut(r.Dir, "/"); len(first) > 1 && first[0] == '.' {
		s.hostDirs = append(s.hostDirs, first)
	}
	if r.Single() && r.Rules[0].Kind == definition.Instruction {
		s.files = append(s.files, r.Rules[0].File)
		return
	}
	if r.Dir == "" || r.Single() {
		return
	}
	for _, rule := range r.Rules {
		distinctive := strings.Count(rule.Suffix, ".") > 1 || rule.Suffix == ".mdc"
		if distinctive && !slices.ContainsFunc(s.endings, func(x host.Rule) bool { return x.Suffix == rule.Suffix }) {
			s.endings = append(s.endings, rule)
		}
	}
	s.dir(path.Base(r.Dir), r.Rules)
}

// dir adds a host's rules for the files in directories with the given name.
func (s *Recognizer) dir(name string, rules []host.Rule) {
	i := slices.IndexFunc(s.dirs, func(x DefinitionDir) bool { return x.Name == name })
	if i < 0 {
		i = len(s.dirs)
		// Outside a host's directory, only the names in collections are recognized, because
		// directories with other names often contain unrelated documents.
		s.dirs = append(s.dirs, DefinitionDir{Name: name, Own: !slices.Contains(collections(), name)})
	}
	for _, r := range rules {
		same := func(x host.Rule) bool {
			return x.Kind == r.Kind && x.Suffix == r.Suffix && x.Min == r.Min && x.Max == r.Max
		}
		if r.File == "" && !slices.ContainsFunc(s.dirs[i].rules, same) {
			s.dirs[i].rules = append(s.dirs[i].rules, r)
		}
	}
}

// DefinitionDir returns the definition directory with the given name. It returns false if no host
// uses the name.
func (s *Recognizer) DefinitionDir(name string) (*DefinitionDir, bool) {
	i := slices.IndexFunc(s.dirs, func(x DefinitionDir) bool { return x.Name == name })
	if i < 0 {
		return nil, false
	}
	return &s.dirs[i], true
}

// KindOf returns the kind of a file in or below the directory, or false if the file is not a
// definition. depth is the number of directories between the file and the directory.
func (h *DefinitionDir) KindOf(name string, depth int) (definition.Kind, bool) {
	if host.EqualFold(name, "README.md") || len(h.rules) == 0 {
		return 0, false
	}
	for i := range h.rules {
		if fits, _ := h.rules[i].Fits(name, max(depth, h.rules[i].Min)); fits {
			return h.rules[i].Kind, true
		}
	}
	// A file that does not match a suffix is not a skill, but it may be another kind of Markdown
	// definition.
	kind := h.rules[0].Kind
	return kind, kind != definition.Skill && host.EqualFold(path.Ext(name), ".md")
}

// Named returns the kind of a file that is a definition in any directory because of its name. It
// returns false for other names.
func (s *Recognizer) Named(name string) (definition.Kind, bool) {
	if _, ok := slices.BinarySearch(s.files, name); ok {
		return definition.Instruction, true
	}
	for i := range s.endings {
		if fits, _ := s.endings[i].Named(name); fits {
			return s.endings[i].Kind, true
		}
	}
	return 0, false
}

// Skill reports whether a file with the given name makes its directory a skill.
func (s *Recognizer) Skill(name string) bool { return host.EqualFold(name, "SKILL.md") }

// Own reports whether a directory with the given name in a project is a host's own directory.
func (s *Recognizer) Own(name string) bool {
	_, ok := slices.BinarySearch(s.hostDirs, name)
	return ok
}

// Config reports whether hosts read hooks or servers from a file, given its
// path relative to a project or plugin.
func (s *Recognizer) Config(name string) bool {
	_, ok := slices.BinarySearch(s.configs, name)
	return ok
}

// Manifests returns the relative paths of the files that make a directory a plugin.
func (s *Recognizer) Manifests() []string { return s.manifests }

// IsConfigOrHook reports whether a file in a host's directory configures hooks or servers, or is in
// a directory for hooks or scripts. rel is the file's path relative to hostDir.
func (s *Recognizer) IsConfigOrHook(hostDir, rel string) bool {
	first, _, deep := strings.Cut(rel, "/")
	// The scripts in .github run in CI and do not belong to an agent.
	return s.Config(hostDir+"/"+rel) || first == "hooks" || deep && first == "scripts" && hostDir != ".github"
}
