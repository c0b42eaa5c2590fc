package listing

import (
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

// PolicyHides reports whether a policy file next to a skill hides the skill from models. data is
// the policy file's content. Invalid YAML hides nothing, as in the source file
// codex-rs/core-skills/src/loader.rs.
func PolicyHides(p *host.ListingPolicy, data []byte) bool {
	doc, _ := frontmatter.ParseYAML(&diag.File{Name: p.File, Data: data})
	if !doc.Valid {
		return false
	}
	v := definition.Value{Kind: definition.Map, Pairs: doc.Entries}
	for _, key := range p.Keys {
		at := slices.IndexFunc(v.Pairs, func(e definition.Entry) bool { return e.Key == key })
		if at < 0 {
			return false
		}
		v = v.Pairs[at].Value
	}
	return v.Kind == definition.Bool && v.Text == "false"
}
