package listing

import (
	"cmp"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// Groups in a listing, in order (Claude Code 2.1.330: m47, m28, m32, m25, m27, h24, h84, h85).
const (
	groupSkills = iota
	groupCommands
	groupPluginWorkflows
	groupWorkflows
	groupPluginCommands
	groupPluginSkills
	groupActive
)

// rank determines an entry's position in a listing. Entries are sorted by group, then by layer,
// then by directory.
type rank struct{ group, layer, distance int }

func rankOf(t *host.Listing, e *Entry) rank {
	o := &e.Definition.Origin
	layered := rank{layer: layerRank(o.Layer), distance: int(o.Distance)}
	switch {
	case e.ActiveAt > 0:
		return rank{group: groupActive + e.ActiveAt}
	case e.Definition.Kind == definition.Workflow && o.Plugin == "":
		return rank{group: groupWorkflows}
	case e.Definition.Kind == definition.Workflow:
		return rank{group: groupPluginWorkflows, distance: int(o.Distance)}
	case o.Plugin != "":
		// For a plugin's definitions, Distance is the position of the plugin and its directory.
		if e.First != "" {
			return rank{group: groupPluginCommands, distance: int(o.Distance)}
		}
		return rank{group: groupPluginSkills, distance: int(o.Distance)}
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

// place determines an entry's position in a listing. Entries with the same place are sorted by
// path.
type place struct {
	rank rank
	// order is the position of a plugin's workflow among the workflows in its directory.
	order int32
	// first is the path of the first file in the directory that contains the command. It is set
	// only for a plugin's commands.
	first, key string
}

func placeOf(t *host.Listing, e *Entry, d *definition.Definition) place {
	p := place{key: d.Name}
	if t.Rank == nil && e.First != "" {
		// A plugin's commands are sorted by file. Commands in the same
		// directory stay together, at the position of the first one (2.1.330).
		p.first, p.key = e.First, d.Origin.Path
	}
	if t.Key != nil {
		p.key = t.Key(d)
	}
	if t.Rank != nil {
		p.rank.group = t.Rank(d)
	} else {
		p.rank = rankOf(t, e)
	}
	if p.rank.group == groupPluginWorkflows {
		p.order = d.Origin.Order
	}
	return p
}

// sort sorts entries into listing order.
func sort(t *host.Listing, entries []Entry) {
	compareKeys := t.Compare
	if compareKeys == nil {
		compareKeys = cmp.Compare[string]
	}
	compare := func(a, b place) int {
		return cmp.Or(
			cmp.Compare(a.rank.group, b.rank.group), cmp.Compare(a.rank.layer, b.rank.layer),
			cmp.Compare(a.rank.distance, b.rank.distance), cmp.Compare(a.order, b.order),
			compareKeys(a.first, b.first), compareKeys(a.key, b.key),
		)
	}
	places := make(map[*definition.Definition]place, len(entries))
	for i := range entries {
		e := &entries[i]
		first := placeOf(t, e, e.Definition)
		for _, d := range e.Replaced {
			if p := placeOf(t, e, d); compare(p, first) < 0 {
				first = p
			}
		}
		places[e.Definition] = first
	}
	slices.SortStableFunc(entries, func(a, b Entry) int {
		return cmp.Or(
			compare(places[a.Definition], places[b.Definition]),
			cmp.Compare(a.Definition.Origin.Path, b.Definition.Origin.Path),
		)
	})
	if t.Source == nil {
		return
	}
	for from, to := 0, 0; from < len(entries); from = to {
		source := t.Source(entries[from].Definition)
		for to = from + 1; to < len(entries) && t.Source(entries[to].Definition) == source; to++ {
		}
		slices.SortStableFunc(entries[from:to], func(a, b Entry) int {
			return cmp.Or(
				compareKeys(places[a.Definition].key, places[b.Definition].key),
				cmp.Compare(a.Definition.Origin.Path, b.Definition.Origin.Path),
			)
		})
	}
}
