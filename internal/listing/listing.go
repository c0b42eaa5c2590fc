// Package listing writes what a model sees of definitions before it loads one:
// a line for each skill and command, and for each agent. It is pure, and takes
// the host's rules as a table.
package listing

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/source"
)

// Entry is one skill or command that is listed.
type Entry struct {
	Definition *definition.Definition
	// ActiveAt is 0 for what is always there, and else the number, from 1, of the
	// touched file that made it available.
	ActiveAt int
	// NameOnly: a setting takes the description away.
	NameOnly bool
}

// Neutral is the listing of a view that is no host's: everything in full, by
// name, each on one line.
func Neutral() *host.Listing {
	return &host.Listing{
		MaxDescription: math.MaxInt, Join: " - ", Clean: oneLine, Compare: strings.Compare,
		Agent: func(name, description, _ string) string { return name + ": " + oneLine(description) },
	}
}

// oneLine makes one blank of each run of white space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Limits are how much may be listed, in UTF-16 units.
type Limits struct {
	// Description is the most that one description has, 0 the host's own.
	Description int
	// Total is what the definitions may take together; see Total.
	Total int
}

// Total returns what the host's budget leaves for definitions, in UTF-16 units;
// it may be negative. contextTokens and fraction are those of the session and
// the settings, 0 where there are none; replaced is the value, above 0, that
// replaces their product.
func Total(b *host.Budget, contextTokens int, fraction float64, replaced int) int {
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

// Why says what takes from the description of an entry.
type Why uint8

// The reasons, each stronger than those before it.
const (
	uncut Why = iota
	// CutLong: it is longer than one description may be.
	CutLong
	// CutNameOnly: a setting takes it away.
	CutNameOnly
	// CutShortened: the budget shortens it.
	CutShortened
	// CutDropped: the budget takes it away.
	CutDropped
)

// Cut is an entry whose description is not whole in the listing.
type Cut struct {
	Definition *definition.Definition
	Why        Why
	// Most is the length of the longest description, in UTF-16 units.
	Most int
}

// Skills returns the lines of entries, in the host's order and without the "- "
// that each begins with, and, in the same order, those whose description is not
// whole.
func Skills(t *host.Listing, entries []Entry, limits Limits) (lines []string, cut []Cut) {
	entries = slices.Clone(entries)
	sort(t, entries)
	most := cmp.Or(limits.Description, t.MaxDescription)
	list := make([]line, len(entries))
	for i := range entries {
		list[i] = newLine(t, &entries[i], most)
	}
	if t.Budget.Shared {
		share(t, list, limits.Total)
	} else {
		fill(t, list, limits.Total)
	}
	lines = make([]string, len(list))
	for i := range list {
		lines[i] = list[i].text()
		if list[i].cut != uncut {
			cut = append(cut, Cut{entries[i].Definition, list[i].cut, most})
		}
	}
	return lines, cut
}

// line is one line on its way into the listing.
type line struct {
	name, description, suffix string
	// units is the length of the line, nameUnits that of the name alone, both
	// with what stands around them.
	units, nameUnits int
	cut              Why
}

// around is the length of "- " before a line and of the line feed behind it.
const around = len("- \n")

func newLine(t *host.Listing, e *Entry, most int) line {
	d := e.Definition
	l := line{name: clean(t, nameOf(t, d))}
	l.nameUnits = units(l.name) + around
	l.units = l.nameUnits
	if e.NameOnly {
		if d.Description != "" || d.Fields.WhenToUse != "" {
			l.cut = CutNameOnly
		}
		return l
	}
	text := d.Description
	if d.Fields.WhenToUse != "" {
		if text != "" {
			text += t.Join
		}
		text += d.Fields.WhenToUse
	}
	text = source.ReplaceInvalid(text)
	if t.Clean != nil {
		text = t.Clean(text)
	}
	if short := Shorten(text, most, t.Ellipsis); short != text {
		text, l.cut = short, CutLong
	}
	if t.Escape != nil {
		text = t.Escape(text)
	}
	l.description, l.suffix = text, suffix(t, d)
	l.units = units(l.text()) + around
	return l
}

func (l *line) text() string {
	if l.description == "" && l.suffix == "" {
		return l.name
	}
	return l.name + ": " + l.description + l.suffix
}

func clean(t *host.Listing, s string) string {
	s = source.ReplaceInvalid(s)
	if t.Clean != nil {
		s = t.Clean(s)
	}
	if t.Escape != nil {
		s = t.Escape(s)
	}
	return s
}

// nameOf is the name of a definition with its second one. One with white space
// is none (rows badname and spname of the frontmatter matrix).
func nameOf(t *host.Listing, d *definition.Definition) string {
	if !t.SecondName || d.Fields.Name == "" || strings.ContainsFunc(d.Fields.Name, source.IsSpace) {
		return d.Name
	}
	if second := d.Prefix + d.Fields.Name; second != unscoped(d) {
		return d.Name + " (" + second + ")"
	}
	return d.Name
}

// unscoped is the name without the directory of a nested definition.
func unscoped(d *definition.Definition) string {
	if d.Origin.Nested == "" {
		return d.Name
	}
	return strings.TrimPrefix(d.Name, d.Origin.Nested+":")
}

// suffix says of a nested definition where it belongs.
func suffix(t *host.Listing, d *definition.Definition) string {
	dir := d.Origin.Nested
	if dir == "" {
		return ""
	}
	if name := unscoped(d); name != d.Name {
		if t.Scoped != nil {
			return clean(t, t.Scoped(dir, name))
		}
	} else if t.From != nil {
		return clean(t, t.From(dir, d.Origin.Root))
	}
	return ""
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
		l.drop()
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
			l.drop()
			continue
		}
		short := Shorten(l.description, each, t.Ellipsis)
		if short != l.description {
			l.description, l.cut = short, CutShortened
		}
	}
}

func (l *line) drop() {
	if l.units != l.nameUnits {
		l.cut = CutDropped
	}
	l.description, l.suffix = "", ""
	l.units = l.nameUnits
}

// Shorten returns text as it is if it has at most most UTF-16 units, and else
// its beginning with the ellipsis, together of that length. A character that the
// cut divides is replaced, as it is in what the host sends.
func Shorten(text string, most int, ellipsis string) string {
	if len(text) <= most || units(text) <= most {
		return text
	}
	room := most - units(ellipsis)
	if room < 0 {
		return ""
	}
	for i, r := range text {
		if room == 0 {
			return text[:i] + ellipsis
		}
		n := 1
		if r > 0xffff {
			n = 2
		}
		if n > room {
			return text[:i] + string(utf8.RuneError) + ellipsis
		}
		room -= n
	}
	return text
}

// units is the length of a text in UTF-16 units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}
