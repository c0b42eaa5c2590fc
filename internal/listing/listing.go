// Package listing formats what a model sees of definitions before it loads one: a line for each
// skill, command and agent. Callers pass in the host's rules as a table. The package has no side
// effects.
package listing

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/terminal"
)

// Entry is a skill or command to list.
type Entry struct {
	Definition *definition.Definition
	// Path and Root are the absolute paths of the file and its root directory. Only some hosts
	// include them in entries.
	Path, Root string
	// ActiveAt is 0 if the definition is always available. If it became available because the
	// session touched a file, ActiveAt is the file's 1-based index in the list of touched files.
	ActiveAt int
	// Replaced lists the definitions that this one overrides because they have the same name or
	// file. It is set only if the host lists the overriding definition in the place of the
	// overridden one.
	Replaced []*definition.Definition
	// First is the path of the first file in the entry's directory. It is set only for entries from
	// a plugin's commands directory.
	First string
	// Own is set for a skill that is built into the host. Such a skill appears only in
	// [Listing.Text].
	Own bool
	// NameOnly is set if the host's settings remove the description from the listing.
	NameOnly bool
}

// Neutral returns the neutral view's listing rules. They list every definition in full on one line,
// sorted by name.
func Neutral() *host.Listing {
	return &host.Listing{
		Commands: true, Paths: true, Join: " - ", Clean: oneLine, Compare: strings.Compare,
		Agent: func(name, description, _ string) string { return name + ": " + oneLine(description) },
	}
}

// OneLine replaces each run of whitespace and control characters with one space.
func OneLine(s string) string { return oneLine(s) }

func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// Why is the reason a description is incomplete.
type Why uint8

// Reasons for an incomplete description.
const (
	uncut Why = iota
	// CutLong marks a description that exceeds the limit for a single description.
	CutLong
	// CutNameOnly marks a description that the host's settings remove.
	CutNameOnly
	// CutShortened marks a description that is shortened to fit the budget.
	CutShortened
	// CutDropped marks a description that is removed to fit the budget.
	CutDropped
	// CutOmitted marks an entry that is omitted to fit the budget.
	CutOmitted
)

// Cut is an entry whose description is incomplete.
type Cut struct {
	Definition *definition.Definition
	Why        Why
	// Most is the maximum length of a description in the unit that the host uses. 0 means no limit.
	Most int
}

// Line is a listed entry.
type Line struct {
	Definition *definition.Definition
	Text       string
}

// Listing lists skills and commands.
type Listing struct {
	// Lines are in the host's order, without the prefix that the host adds to each line.
	Lines []Line
	// Cut lists the entries with incomplete descriptions, in the same order.
	Cut []Cut
	// Text is the complete text that the host sends, or "" if its format is
	// unknown or the listing is empty.
	Text string
}

// Skills returns the host's listing of the given entries.
func Skills(t *host.Listing, entries []Entry, limits Limits) Listing {
	entries = slices.Clone(entries)
	sort(t, entries)
	limit := cmp.Or(limits.Description, t.MaxDescription)
	list := make([]line, len(entries))
	firstLines := onlyFirstLines(t, entries, limit)
	for i := range entries {
		list[i] = newLine(t, &entries[i], limit, firstLines)
	}
	roots, ownBare := fit(t, list, limits.Total)
	var out Listing
	text := host.ListedText{Roots: roots}
	for i := range list {
		e := &entries[i]
		if list[i].cut != uncut && !e.Own {
			out.Cut = append(out.Cut, Cut{e.Definition, list[i].cut, limit})
		}
		if list[i].cut != CutOmitted && !e.Own {
			out.Lines = append(out.Lines, Line{e.Definition, list[i].text()})
		}
		switch {
		case t.Budget.Overflow == host.BareRest && list[i].bare:
			if e.Definition.Origin.Legacy {
				text.Bare, ownBare = append(text.Bare, ownBare...), nil
			}
			text.Bare = append(text.Bare, list[i].name)
		case list[i].cut != CutOmitted:
			text.Lines = append(text.Lines, list[i].text())
		}
	}
	text.Bare = append(text.Bare, ownBare...)
	if t.Frame != nil && len(out.Lines) > 0 {
		out.Text = t.Frame(text)
	}
	return out
}

// line is an entry in a listing that is being built.
type line struct {
	table *host.Listing
	entry *Entry
	// path is the path of the entry's file as the host lists it. bare is set if the entry is listed
	// without a description because there is no room for one.
	path                      string
	bare                      bool
	name, description, suffix string
	// units is the length of the whole line, and nameUnits is the length of its name, both in the
	// budget's unit and including delimiters.
	units, nameUnits int
	cut              Why
}

// onlyFirstLines reports whether the host lists only the first line of each description. The host
// does so if there are too many skills or their descriptions are too long.
func onlyFirstLines(t *host.Listing, entries []Entry, limit int) bool {
	if t.FirstLines == 0 {
		return false
	}
	n, length := 0, 0
	for i := range entries {
		if entries[i].Definition.Kind == definition.Skill {
			n++
			full := newLine(t, &entries[i], limit, false)
			length += chars.UTF16Length(full.text()) + 1
		}
	}
	return n > t.FirstLines || t.FirstLinesOver > 0 && length > t.FirstLinesOver
}

func newLine(t *host.Listing, e *Entry, limit int, firstLine bool) line {
	d := e.Definition
	raw := t.RawWorkflows && d.Kind == definition.Workflow
	l := line{table: t, entry: e, path: e.Path, name: nameOf(t, d)}
	if !raw {
		l.name = clean(t, l.name)
	}
	l.nameUnits = length(t, l.text()) + t.Budget.EntryOverhead
	l.units = l.nameUnits
	if e.NameOnly {
		if d.Description != "" || d.Fields.WhenToUse() != "" {
			l.cut = CutNameOnly
		}
		return l
	}
	text := d.Description
	if d.Fields.WhenToUse() != "" && t.Join != "" {
		if text != "" {
			text += t.Join
		}
		text += d.Fields.WhenToUse()
	}
	if firstLine && d.Kind == definition.Skill {
		first, _, _ := strings.Cut(d.Description, "\n")
		if first = strings.TrimSpace(first); first != strings.TrimSpace(text) {
			l.cut = CutShortened
		}
		text = first
	}
	text = chars.ReplaceInvalid(text)
	if t.Clean != nil && !raw {
		text = t.Clean(text)
	}
	if limit > 0 {
		if short := shorten(t, text, limit); short != text {
			text, l.cut = short, CutLong
		}
	}
	if t.Escape != nil && !raw {
		text = t.Escape(text)
	}
	l.description, l.suffix = text, suffix(t, d)
	l.units = length(t, l.text()) + t.Budget.EntryOverhead
	return l
}

// length returns the length of text in the budget's unit.
func length(t *host.Listing, text string) int {
	if t.Budget.Columns {
		return terminal.Width(text)
	}
	return chars.UTF16Length(text)
}

func (l *line) text() string {
	if l.table.Line != nil {
		d := l.entry.Definition
		return l.table.Line(host.ListedItem{
			Kind: d.Kind, Layer: d.Origin.Layer, Plugin: d.Origin.Plugin, Name: l.name, Description: l.description + l.suffix, Path: l.path, Bare: l.bare,
		})
	}
	if l.description == "" && l.suffix == "" {
		return l.name
	}
	return l.name + ": " + l.description + l.suffix
}

func clean(t *host.Listing, s string) string {
	s = chars.ReplaceInvalid(s)
	if t.Clean != nil {
		s = t.Clean(s)
	}
	if t.Escape != nil {
		s = t.Escape(s)
	}
	return s
}

// nameOf returns the name under which a definition is listed. If the definition can also be called
// by its second name, that name follows in parentheses. A second name that contains whitespace
// (rows badname and spname in the frontmatter matrix) or belongs to another definition (case h51)
// cannot be called.
func nameOf(t *host.Listing, d *definition.Definition) string {
	if second := secondName(t, d); second != "" {
		return d.Name + " (" + second + ")"
	}
	return d.Name
}

func secondName(t *host.Listing, d *definition.Definition) string {
	if !t.SecondName || !slices.Contains(d.Aliases, d.SecondName()) || d.SecondName() == unscoped(d) {
		return ""
	}
	return d.SecondName()
}

// ShortNames returns one name per entry, in listing order. It uses an entry's second name if there
// is one.
func ShortNames(t *host.Listing, entries []Entry) []string {
	entries = slices.Clone(entries)
	sort(t, entries)
	var names []string
	for i := range entries {
		d := entries[i].Definition
		names = append(names, cmp.Or(secondName(t, d), d.Name))
	}
	return names
}

// unscoped returns a nested definition's name without the directory prefix.
func unscoped(d *definition.Definition) string {
	if d.Origin.Nested == "" {
		return d.Name
	}
	return strings.TrimPrefix(d.Name, d.Origin.Nested+":")
}

// suffix returns text that names the directory to which a nested definition belongs.
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

// shorten truncates text to a length in the unit that the host uses.
func shorten(t *host.Listing, text string, limit int) string {
	if !t.Runes {
		return chars.ShortenUTF16(text, limit, t.Ellipsis, string(utf8.RuneError))
	}
	return chars.Shorten(text, limit, t.Ellipsis)
}
