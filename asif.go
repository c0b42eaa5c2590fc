package vade

import (
	"path"
	"strings"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
) // standing is a place in which a file is judged though it stands elsewhere.
type standing struct {
	root *host.Root
	rule *host.Rule
	// path is the file in that place, as it would be shown.
	path string
}

// found is the file as discovery would hand it to a parser. head is its beginning,
// size its length in bytes.
func (s standing) found(real string, head []byte, size int64) *discover.Found {
	base := path.Base(s.path)
	_, exact := s.rule.Named(base)
	name := strings.TrimSuffix(base, s.rule.Suffix)
	if s.rule.Naming == host.ByDir || s.rule.Naming == host.ByDirPath {
		name = path.Base(path.Dir(s.path))
	}
	return &discover.Found{
		Place: &discover.Place{Root: s.root, Layer: s.root.Layer, Shown: path.Dir(path.Dir(s.path))}, Rule: s.rule, Name: name,
		Path: s.path, Real: real, Size: size, Head: head, Whole: int64(len(head)) >= size, Depth: 1, Inexact: !exact,
	}
}

// ruleFor returns the rule by which a root takes a file of a kind and a form under
// a name, nil where it takes none such.
func ruleFor(r *host.Root, kind Kind, format definition.Format, base string) *host.Rule {
	for i := range r.Rules {
		rule := &r.Rules[i]
		if named, _ := rule.Named(base); named && rule.Kind == kind && rule.Format == format && rule.Skip == "" {
			return rule
		}
	}
	return nil
}

// parsedAsIf is [asIf] with a parser of the host, which is dear to make.
func parsedAsIf(p *host.Profile, read discover.Parser, like *definition.Definition, shown string, data []byte) *definition.Definition {
	for i := range p.Roots {
		r := &p.Roots[i]
		if r.Layer != definition.Project {
			continue
		}
		if rule := ruleFor(r, like.Kind, like.Format, path.Base(shown)); rule != nil {
			return read(standing{r, rule, shown}.found(like.Origin.Real, data, int64(len(data))))
		}
	}
	return nil
}
