package mcp

import (
	"cmp"
	"slices"

	"github.com/vadehq/vade/definition"
)

// Merge joins entries that say the same under one name into one with several
// origins, and decides which of those that say different things is in force: that
// of the strongest layer, then the nearest directory, then the earliest file. An
// agent's own servers are a set of their own. layers orders the layers, the
// strongest first; nil is managed, project, user, plugin. held says why a server is
// held back, or "".
//
// The result is in the order of names, of one name the strongest first, and shares
// nothing that is changed later with what was given.
func Merge(found []Server, layers []definition.Layer, held func(*Server) string) []Server {
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
	// Those of one name stand together: only they are compared.
	first := 0
	for i := range list {
		s := list[i]
		if len(out) > 0 && out[len(out)-1].Name != s.Name {
			first = len(out)
		}
		if at := slices.IndexFunc(out[first:], func(o Server) bool {
			return o.Agent() == s.Agent() && o.State == s.State && o.same(&s)
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
		out[i].decide(out[first:i], held)
	}
	return out
}

// rank is the place of an entry's layer among them. What wins over the project's is
// just before it.
func rank(o *Origin, layers []definition.Layer) int {
	layer := o.Layer
	if o.First {
		layer = definition.Project
	}
	at := slices.Index(layers, layer)
	if at < 0 {
		at = len(layers)
	}
	if at *= 2; o.First {
		at--
	}
	return at
}

// decide sets the state of an entry; stronger are those of its name before it.
func (s *Server) decide(stronger []Server, held func(*Server) string) {
	if s.State != definition.Loaded {
		return
	}
	if held != nil {
		if why := held(s); why != "" {
			s.State, s.Reason = definition.Dropped, "held back: "+why
			return
		}
	}
	for i := range stronger {
		o := &stronger[i]
		if o.Agent() == s.Agent() && (o.State == definition.Loaded || o.Off) {
			s.State, s.Reason = definition.Shadowed, "another entry of this name is in force: "+o.Origins[0].Path
			return
		}
	}
	if s.Off {
		s.State, s.Reason = definition.Disabled, "its entry switches it off"
	}
}
