package listing

import (
	"cmp"
	"math"

	"github.com/vadehq/vade/internal/host"
)

// Limits are how much may be listed.
type Limits struct {
	// Description is the most that one description has, as the host counts it; 0
	// is the host's own.
	Description int
	// Total is what the definitions may take together; see Total.
	Total int
}

// Total returns what the host's budget leaves for definitions, in the units of
// the budget; it may be negative. contextTokens and fraction are those of the
// session and the settings, 0 where there are none; replaced is the value, above
// 0, that replaces their product.
func Total(b *host.Budget, contextTokens int, fraction float64, replaced int) int {
	if b.Overflow == host.Unbounded {
		return math.MaxInt
	}
	if replaced > 0 {
		return replaced - b.Own
	}
	tokens := float64(cmp.Or(contextTokens, b.ContextTokens))
	all := cmp.Or(fraction, b.Fraction) * tokens * float64(b.CharsPerToken)
	// A budget that fits no text needs not be exact.
	return max(int(min(all+roundOff, 1<<40)), b.Least) - b.Own
}

// roundOff keeps 0.07 × 100 from being 6.
const roundOff = 1e-6

// fit makes lines keep to a total. It returns the lines of the table that
// explains short paths, if there is one.
func fit(t *host.Listing, list []line, total int) (roots []string) {
	switch t.Budget.Overflow {
	case host.DropRest:
		fill(t, list, total)
	case host.ShareEqually:
		share(t, list, total)
	case host.BareRest:
		bareRest(list, total)
	case host.SpreadEvenly:
		return spread(t, list, total)
	}
	return nil
}

// bareRest keeps entries whole until the budget is used (Copilot CLI 1.0.102, case
// n14: 37 of 300 are whole).
func bareRest(list []line, total int) {
	used := 0
	full := true
	for i := range list {
		l := &list[i]
		used += l.units
		if full = full && used <= total; !full {
			l.toBare(CutDropped)
		}
	}
}

// fill gives descriptions in order until the budget is used: a line is whole as
// long as it, those before it and the names of all behind it fit.
func fill(t *host.Listing, list []line, total int) {
	whole, names := 0, 0
	for i := range list {
		whole += list[i].units
		names += list[i].nameUnits
	}
	if whole <= total {
		return
	}
	used := t.Budget.OwnName
	full := true
	for i := range list {
		l := &list[i]
		names -= l.nameUnits
		if full = full && used+l.units+names <= total; full {
			used += l.units
			continue
		}
		used += l.nameUnits
		l.dropDescription()
	}
}

// share shortens all descriptions to one length, or drops them all.
func share(t *host.Listing, list []line, total int) {
	whole, names := 0, 0
	for i := range list {
		whole += list[i].units
		names += list[i].nameUnits + len(": ")
	}
	// The last line has no line feed.
	if len(list) == 0 || whole-1 <= total {
		return
	}
	each := (total - names + 1) / len(list)
	for i := range list {
		l := &list[i]
		if l.units == l.nameUnits {
			continue
		}
		if each < t.Budget.MinShare {
			l.dropDescription()
			continue
		}
		short := Shorten(l.description, each, t.Ellipsis)
		if short != l.description {
			l.description, l.cut = short, CutShortened
		}
	}
}

func (l *line) dropDescription() {
	if l.units != l.nameUnits {
		l.cut = CutDropped
	}
	l.description, l.suffix = "", ""
	l.units = l.nameUnits
}

// strip leaves the bare entry.
func (l *line) toBare(why Why) {
	if l.description+l.suffix != "" || why == CutOmitted {
		l.cut = why
	}
	l.description, l.suffix, l.bare = "", "", true
}
