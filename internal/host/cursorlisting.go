package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// cursorListing: that Cursor lists its skills with name and description, without
// what only a user may call and what waits for a file, is documented. Its form is
// not known, and so there is no frame.
func cursorListing() *Listing {
	return &Listing{
		Paths:   true,
		Rank:    byLayer(definition.Project, definition.User),
		Compare: strings.Compare,
		Agent:   func(name, description, _ string) string { return name + ": " + description },
	}
}
