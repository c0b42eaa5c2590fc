package mcp

import (
	"cmp"
	"slices"

	"github.com/vadehq/vade/definition"
)

// Merge combines equal entries with the same name into one entry with multiple origins. If entries
// with the same name differ, the active one comes from the strongest layer, then the nearest
// directory, then the earliest file. Servers that belong to an agent are kept separate.
//
// layers lists the layers, strongest first. If it is nil, the order is managed, project, user,
// plugin, bundled. withheldReason returns the reason that a server is withheld, or "". The result
// is sorted by name, and entries with the same name are sorted from strongest to weakest. Changing
// the result does not affect found.
func Merge(found []Server, layers []definition.Layer, withheldReason func(*Server) string) []Server {
	if layers == nil {
		layers = []definition.Layer{definition.Managed, definition.Project, definition.User, definition.Plugin, definition.Bundled}
	}
	list := slices.Clone(found)
	slices.SortStableFunc(list, func(a, b Server) int {
		x, y := &a.Origins[0], &b.Origins[0]
		return cmp.Or(
			cmp.Compare(a.Name, b.Name), cmp.Compare(x.Agent, y.Agent), cmp.Compare(rank(x, layers), rank(y, layers)),
			cmp.Compare(x.Distance, y.Distance), cmp.Compare(x.Rank, y.Rank), cmp.Compare(x.Path, y.Path), cmp.Compare(x.Line, y.Line),
		)
	})
	out := list[:0]
	// Entries with the same name are adjacent, so comparing neighbors is enough.
	first := 0
	for i := range list {
		s := list[i]
		if len(out) > 0 && out[len(out)-1].Name != s.Name {
			first = len(out)
		}
		if at := slices.IndexFunc(out[first:], func(o Server) bool {
			return o.Agent() == s.Agent() && o.State == s.State && o.equal(&s)
		}); at >= 0 {
			o := &out[first+at]
			o.Origins = append(slices.Clip(o.Origins), s.Origins...)
			o.Hidden = append(slices.Clip(o.Hidden), s.Hidden...)
			continue
		}
		out = append(out, s)
	}
	first = 0
	for i := range out {
		if out[i].Name != out[first].Name {
			first = i
		}
		out[i].setState(out[first:i], withheldReason)
	}
	return out
}

// rank returns the rank of an entry's layer. Entries for which BeforeProject is set rank just
// before the project's.
func rank(o *Origin, layers []definition.Layer) int {
	layer := o.Layer
	if o.BeforeProject {
		layer = definition.Project
	}
	at := slices.Index(layers, layer)
	if at < 0 {
		at = len(layers)
	}
	if at *= 2; o.BeforeProject {
		at--
	}
	return at
}

// setState sets an entry's state. overriding holds the entries with the same name that take
// precedence over it.
func (s *Server) setState(overriding []Server, withheldReason func(*Server) string) {
	if s.State != definition.Loaded {
		return
	}
	if withheldReason != nil {
		if reason := withheldReason(s); reason != "" {
			s.State, s.Reason = definition.Dropped, "blocked: "+reason
			return
		}
	}
	for i := range overriding {
		o := &overriding[i]
		if o.Agent() == s.Agent() && (o.State == definition.Loaded || o.Disabled) {
			s.State, s.Reason = definition.Shadowed, "another entry with this name takes precedence: "+o.Origins[0].Path
			return
		}
	}
	if s.Disabled {
		s.State, s.Reason = definition.Disabled, "disabled in its entry"
	}
}
