package listing

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/host"
)

// spread shortens descriptions evenly if the entries do not fit in total. It first reserves space
// for the bare entries, which have no descriptions. It then adds one character at a time to each
// description in turn, so long descriptions get the space that short ones do not need. If the bare
// entries do not all fit, only those that fit are listed. If the host replaces directories in paths
// with aliases, it always does so, even if there is enough room; roots contains the rows of the
// table that explains the aliases. If the table exceeds a fixed length, the excess counts toward
// the total.
//
// These rules were observed in Codex 0.169.0 (cases h18, h19 and n14, and sessions with up to seven
// roots), or come from the source file codex-rs/core-skills/src/render.rs.
func spread(t *host.Listing, list []line, total int) (roots []string) {
	if t.Alias != nil {
		roots = shortPaths(t, list)
		total -= tokens(t, max(0, len(strings.Join(roots, "\n"))-t.Alias.Free))
	}
	full, bareTotal := 0, 0
	bare := make([]int, len(list))
	for i := range list {
		full += tokens(t, len(list[i].text())+t.Budget.EntryOverhead)
		bare[i] = tokens(t, len(bareText(&list[i]))+t.Budget.EntryOverhead)
		bareTotal += bare[i]
	}
	switch {
	case full <= total:
	case bareTotal <= total:
		shareTokens(t, list, bare, total-bareTotal)
	default:
		keepBare(list, bare, total)
	}
	return roots
}

// keepBare lists the bare entries that fit, in order.
func keepBare(list []line, bare []int, total int) {
	used := 0
	for i := range list {
		if used+bare[i] <= total {
			used += bare[i]
			list[i].toBare(CutDropped)
			continue
		}
		list[i].toBare(CutOmitted)
	}
}

// shareTokens distributes tokens among descriptions, adding one character to each in turn. left is
// the number of tokens that remain after the bare entries.
func shareTokens(t *host.Listing, list []line, bare []int, left int) {
	type share struct {
		// at is the length in bytes of the prefix that is kept so far, and spent is the number of
		// tokens that this prefix costs.
		at, spent int
		done      bool
	}
	shares := make([]share, len(list))
	base := make([]int, len(list))
	for i := range list {
		base[i] = len(bareText(&list[i])) + t.Budget.EntryOverhead
		shares[i].done = list[i].description == ""
	}
	for changed := true; changed; {
		changed = false
		for i := range list {
			s := &shares[i]
			if s.done {
				continue
			}
			_, n := utf8.DecodeRuneInString(list[i].description[s.at:])
			// In the full entry, a space precedes the description.
			cost := tokens(t, base[i]+s.at+n+1) - bare[i]
			if cost-s.spent > left {
				// This description cannot grow further: longer prefixes cost at least as much, and
				// left never increases.
				s.done = true
				continue
			}
			left -= cost - s.spent
			s.spent = cost
			s.at += n
			s.done = s.at == len(list[i].description)
			changed = true
		}
	}
	for i := range list {
		l, s := &list[i], &shares[i]
		if s.at < len(l.description) {
			l.cut = CutShortened
			if s.at == 0 {
				l.toBare(CutDropped)
			}
			l.description = l.description[:s.at]
		}
	}
}

func bareText(l *line) string {
	b := *l
	b.description, b.suffix, b.bare = "", "", true
	return b.text()
}

// tokens returns the host's token estimate for a number of bytes.
func tokens(t *host.Listing, bytes int) int {
	return (bytes + t.Budget.BytesPerToken - 1) / t.Budget.BytesPerToken
}

// shortPaths shortens the entries' paths, and returns the rows of the table that explains them.
func shortPaths(t *host.Listing, list []line) (table []string) {
	orders := map[string]int{}
	for i := range list {
		if e := list[i].entry; e.Root != "" {
			order := t.Alias.Order(&e.Definition.Origin)
			if known, ok := orders[e.Root]; !ok || order < known {
				orders[e.Root] = order
			}
		}
	}
	sharing := sharedRoots(t, list)
	var roots []string
	for _, root := range slices.SortedFunc(maps.Keys(orders), func(a, b string) int {
		return cmp.Or(cmp.Compare(orders[a], orders[b]), slices.Compare(strings.Split(a, "/"), strings.Split(b, "/")))
	}) {
		if root = cmp.Or(sharing[root], root); !slices.Contains(roots, root) {
			roots = append(roots, root)
			table = append(table, t.Alias.Root(len(roots)-1, root))
		}
	}
	for i := range list {
		l := &list[i]
		root := cmp.Or(sharing[l.entry.Root], l.entry.Root)
		if rel, ok := strings.CutPrefix(l.path, root+"/"); ok && root != "" {
			l.path = t.Alias.Path(slices.Index(roots, root), rel)
		}
	}
	return table
}

// sharedRoots returns a map from root directories to the directories that the host lists instead of
// them. It contains the root of each plugin that has only one entry.
func sharedRoots(t *host.Listing, list []line) map[string]string {
	if t.Alias.Store == nil {
		return nil
	}
	entries, shared := map[string]int{}, map[string]string{}
	for i := range list {
		plugin, _ := t.Alias.Store(list[i].entry.Root)
		entries[plugin]++
	}
	for i := range list {
		root := list[i].entry.Root
		if plugin, at := t.Alias.Store(root); plugin != "" && entries[plugin] == 1 {
			shared[root] = at
		}
	}
	return shared
}
