package catalog

import (
	"cmp"
	"context"

	"github.com/vadehq/vade/definition"
)

// hooks returns the hooks in a definition's frontmatter, in the form of Claude Code: a map from
// events to lists of groups.
func (c *Catalog) hooks(ctx context.Context, d *definition.Definition) []definition.TurnHook {
	if !d.Fields.HasHooks {
		return nil
	}
	doc, err := c.Document(ctx, d)
	if err != nil {
		return nil
	}
	var list []definition.TurnHook
	for i := range doc.Entries {
		e := &doc.Entries[i]
		if definition.LookupField(e.Key) != definition.FieldHooks {
			continue
		}
		for _, event := range e.Value.Pairs {
			for _, group := range event.Value.Items {
				for _, h := range group.Pair("hooks").Items {
					command := ""
					for _, key := range [...]string{"command", "url", "prompt", "tool"} {
						command = cmp.Or(command, h.Pair(key).Text)
					}
					list = append(list, definition.TurnHook{
						Event: event.Key, Matcher: group.Pair("matcher").Text, Type: h.Pair("type").Text, Command: command,
					})
				}
			}
		}
	}
	return list
}
