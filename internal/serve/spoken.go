package serve

import (
	"context"

	"github.com/vadehq/vade/internal/catalog"
)

// unspoken stands in lists for a description that the audit refuses: a list is read by a
// model before it loads anything.
const unspoken = "(its description is not shown: the audit refuses this definition; a person can see why with vade audit)"

// spoken is the description of a definition as a list gives it to a model.
func spoken(ctx context.Context, d catalog.Definition) string {
	if d.Speakable(ctx) != nil {
		return unspoken
	}
	return d.Description()
}
