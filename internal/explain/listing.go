package explain

import (
	"context"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

// Listed is what a model sees of a definition before it loads it. Listed is one of
// the constants Listed…, or "" where the view lists nothing of the kind; Text is
// the entry as the host writes it, Why says why it is cut or not there.
type Listed struct{ Listed, Text, Why string }

// Listed returns what the model sees of the definition.
func ListedOf(ctx context.Context, d catalog.Definition) (Listed, error) {
	all, err := listed(ctx, d.Catalog(), []*definition.Definition{d.Record()})
	return all[d.Record()], err
}

// listed returns what the model sees of some definitions. Those that are neither
// listed, nor noted as not listed, are not among them.
func listed(ctx context.Context, c *catalog.Catalog, wanted []*definition.Definition) (map[*definition.Definition]Listed, error) {
	lines, l, err := c.ListingLines(ctx)
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
		text, shown := lines[catalog.ListingKey(d)]
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
