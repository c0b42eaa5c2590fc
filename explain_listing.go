package vade

import (
	"context"

	"github.com/vadehq/vade/internal/definition"
)

// Listed is what a model sees of a definition before it loads it. Listed is one of
// the constants Listed…, or "" where the view lists nothing of the kind; Text is
// the entry as the host writes it, Why says why it is cut or not there.
type Listed struct{ Listed, Text, Why string }

// Listed returns what the model sees of the definition.
func (d Definition) Listed(ctx context.Context) (Listed, error) {
	all, err := d.c.listed(ctx, []*definition.Definition{d.d})
	return all[d.d], err
}

// listed returns what the model sees of some definitions. Those that are neither
// listed, nor noted as not listed, are not among them.
func (c *Catalog) listed(ctx context.Context, wanted []*definition.Definition) (map[*definition.Definition]Listed, error) {
	lines, l, err := c.listingLines(ctx)
	if err != nil {
		return nil, err
	}
	type place struct{ name, path string }
	notes := make(map[place]Listed, len(l.Cut)+len(l.Skipped))
	for _, x := range l.Cut {
		notes[place{x.Name, x.Path}] = Listed{Listed: ListedCut, Why: x.Reason}
	}
	for _, x := range l.Skipped {
		notes[place{x.Name, x.Path}] = Listed{Listed: ListedNot, Why: x.Reason}
	}
	found := map[*definition.Definition]Listed{}
	for _, d := range wanted {
		if d.Kind == definition.Instruction {
			continue
		}
		text, shown := lines[listingKey(d)]
		one, noted := notes[place{d.Name, d.Origin.Path}]
		switch {
		case shown && !noted:
			one.Listed = ListedWhole
		case !shown && noted:
			one.Listed = ListedNot
		case !shown:
			continue
		}
		one.Text = text
		found[d] = one
	}
	return found, nil
}
