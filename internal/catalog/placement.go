package catalog

import (
	"path"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
)

// Placement is a hypothetical location for a file in a host's directories.
type Placement struct {
	Root *host.Root
	Rule *host.Rule
	// Path is the file's display path at that location.
	Path string
}

// Found returns the file in the form that discovery passes to a parser. head is the beginning of
// the file, and size is the file's length in bytes.
func (s Placement) Found(real string, head []byte, size int64) *discover.Found {
	base := path.Base(s.Path)
	_, exact := s.Rule.Named(base)
	name := strings.TrimSuffix(base, s.Rule.Suffix)
	if s.Rule.Naming == host.ByDir || s.Rule.Naming == host.ByDirPath {
		name = path.Base(path.Dir(s.Path))
	}
	return &discover.Found{
		Place: &discover.Place{Root: s.Root, Layer: s.Root.Layer, Shown: path.Dir(path.Dir(s.Path))}, Rule: s.Rule, Name: name,
		Path: s.Path, Real: real, Size: size, Head: head, Whole: int64(len(head)) >= size, Depth: 1, Inexact: !exact,
	}
}

// RuleFor returns the root's rule that accepts a file with this kind, format and base name, or nil.
func RuleFor(r *host.Root, kind definition.Kind, format definition.Format, base string) *host.Rule {
	for i := range r.Rules {
		rule := &r.Rules[i]
		if named, _ := rule.Named(base); named && rule.Kind == kind && rule.Format == format && rule.Skip == "" {
			return rule
		}
	}
	return nil
}

// ParsedAt parses data as a host would parse it in a file at the display path shown. like is a
// definition of the same kind and format. ParsedAt returns nil if the host would not read a file at
// that path. read is the host's parser, which is expensive to create, so callers should reuse it.
func ParsedAt(p *host.Profile, read discover.Parser, like *definition.Definition, shown string,
	data []byte) *definition.Definition {
	for i := range p.Roots {
		r := &p.Roots[i]
		if r.Layer != definition.Project {
			continue
		}
		if rule := RuleFor(r, like.Kind, like.Format, path.Base(shown)); rule != nil {
			return read(Placement{r, rule, shown}.Found(like.Origin.Real, data, int64(len(data))))
		}
	}
	return nil
}
