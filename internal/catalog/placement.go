package catalog

import (
	"path"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
)

// Placement is a place in a host's directories for which a file is judged, although the
// file is somewhere else.
type Placement struct {
	Root *host.Root
	Rule *host.Rule
	// Path is the file in that place, as it would be shown.
	Path string
}

// Found is the file as discovery would hand it to a parser. head is its beginning,
// size its length in bytes.
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

// RuleFor returns the rule by which a root takes a file of a kind and a form under
// a name, nil where it takes none such.
func RuleFor(r *host.Root, kind definition.Kind, format definition.Format, base string) *host.Rule {
	for i := range r.Rules {
		rule := &r.Rules[i]
		if named, _ := rule.Named(base); named && rule.Kind == kind && rule.Format == format && rule.Skip == "" {
			return rule
		}
	}
	return nil
}

// ParsedAt parses a definition as a host would if its file were at another path; nil where
// the host reads no such file. read is a parser of the host, which is expensive to make.
func ParsedAt(p *host.Profile, read discover.Parser, like *definition.Definition, shown string, data []byte) *definition.Definition {
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
