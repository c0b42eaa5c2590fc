package listing

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
)

// Limits holds a listing's size limits.
type Limits struct {
	// Description is the maximum length of one description, in the unit that the host uses. If it
	// is 0, the host's default applies.
	Description int
	// Total is the maximum total length of the listing; see the function [Total].
	Total int
}

// Total returns the maximum length of the host's whole listing, in the budget's unit. contextTokens
// is the size of the session's context, and fraction is the part of it that the listing may use. If
// one of them is 0, the host's default applies. If replaced is positive, it is used instead of the
// computed value, unless the budget is unlimited.
func Total(b *host.Budget, contextTokens int, fraction float64, replaced int) int {
	if b.Overflow == host.Unbounded {
		return math.MaxInt
	}
	if replaced > 0 {
		return replaced
	}
	tokens := float64(cmp.Or(contextTokens, b.ContextTokens))
	all := cmp.Or(fraction, b.Fraction) * tokens * float64(b.CharsPerToken)
	// No listing is longer than 1<<40, so larger values make no difference.
	return max(int(min(all+roundOff, 1<<40)), b.Least)
}

// roundOff is added to a product before it is truncated to an integer. Without it, 0.29 × 100,
// which is slightly less than 29 in floating point, would become 28.
const roundOff = 1e-6

// fit shortens lines so that their total length does not exceed total. If paths are shortened,
// roots contains the rows of the table that explains them. ownBare contains the names of the host's
// built-in entries that are listed without a description.
func fit(t *host.Listing, list []line, total int) (roots, ownBare []string) {
	switch t.Budget.Overflow {
	case host.FillInOrder:
		fillInOrder(t, list, total)
	case host.ShareEqually:
		share(t, list, total)
	case host.BareRest:
		return nil, bareRest(t, list, total)
	case host.SpreadEvenly:
		return spread(t, list, total), nil
	}
	return nil, nil
}

// bareRest lists entries in full until the budget is exhausted, and the remaining entries without
// descriptions. The host's built-in entries come after the skills and before the commands. (In
// Copilot CLI 1.0.102, case n14, 37 of 300 entries are listed in full.)
func bareRest(t *host.Listing, list []line, total int) (ownBare []string) {
	used, full := 0, true
	fits := func(units int) bool {
		used += units
		full = full && used <= total
		return full
	}
	builtins := t.Budget.Own
	addOwn := func() {
		for _, o := range builtins {
			if !fits(o.Units + t.Budget.EntryOverhead) {
				ownBare = append(ownBare, o.Name)
			}
		}
		builtins = nil
	}
	for i := range list {
		l := &list[i]
		if l.entry.Definition.Origin.Legacy {
			addOwn()
		}
		if !fits(l.units) {
			l.toBare(CutDropped)
		}
	}
	addOwn()
	return ownBare
}

// fillInOrder keeps all names and all of the host's built-in entries. It goes through the
// descriptions in order, keeps each one that fits in the remaining space, and drops the others.
func fillInOrder(t *host.Listing, list []line, total int) {
	used := -t.Budget.Uncounted
	for _, builtin := range t.Budget.Own {
		isReplaced := slices.ContainsFunc(list, func(l line) bool { return l.entry.Definition.Name == builtin.Name })
		switch {
		case isReplaced:
		case builtin.Last:
			used += len(builtin.Name) + t.Budget.EntryOverhead
		default:
			used += builtin.Units + t.Budget.EntryOverhead
		}
	}
	for i := range list {
		used += list[i].nameUnits
	}
	for i := range list {
		if description := list[i].units - list[i].nameUnits; used+description <= total {
			used += description
		} else {
			list[i].dropDescription()
		}
	}
}

// share truncates descriptions to a common maximum length if the lines exceed total. If that length
// is too short, it drops all descriptions.
func share(t *host.Listing, list []line, total int) {
	whole, names := 0, 0
	for i := range list {
		whole += list[i].units
		names += list[i].nameUnits + len(": ")
	}
	// The last line does not end with a line feed.
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
		short := chars.ShortenUTF16(l.description, each, t.Ellipsis, string(utf8.RuneError))
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

// toBare removes the description from a line.
func (l *line) toBare(why Why) {
	if l.description+l.suffix != "" || why == CutOmitted {
		l.cut = why
	}
	l.description, l.suffix, l.bare = "", "", true
}
