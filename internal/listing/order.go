package listing

import (
	"cmp"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// The groups of a listing in order (Claude Code 2.1.329: m47, m28, m32, m25, m27).
const (
	groupSkills = iota
	groupCommands
	groupPlugins
	groupActive
)

// rank is the sort position of an entry: its group, layer and directory.
type rank struct{ group, layer, distance int }

func rankOf(t *host.Listing, e *Entry) rank {
	o := &e.Definition.Origin
	layered := rank{layer: layerRank(o.Layer), distance: int(o.Distance)}
	switch {
	case e.ActiveAt > 0:
		return rank{group: groupActive + e.ActiveAt}
	case o.Plugin != "":
		return rank{group: groupPlugins}
	case o.Legacy:
		if !t.CommandsByLayer {
			return rank{group: groupCommands}
		}
		layered.group = groupCommands
	}
	return layered
}

func layerRank(l definition.Layer) int {
	switch l {
	case definition.Managed:
		return 0
	case definition.User:
		return 1
	case definition.Project:
		return 2
	}
	return 3
}

// sort sorts entries into listing order.
func sort(t *host.Listing, entries []Entry) {
	compare := t.Compare
	if compare == nil {
		compare = cmp.Compare[string]
	}
	slices.SortStableFunc(entries, func(a, b Entry) int {
		var x, y rank
		if t.Rank != nil {
			x.group, y.group = t.Rank(a.Definition), t.Rank(b.Definition)
		} else {
			x, y = rankOf(t, &a), rankOf(t, &b)
		}
		return cmp.Or(
			cmp.Compare(x.group, y.group), cmp.Compare(x.layer, y.layer), cmp.Compare(x.distance, y.distance),
			compare(a.Definition.Name, b.Definition.Name), cmp.Compare(a.Definition.Origin.Path, b.Definition.Origin.Path),
		)
	})
}
