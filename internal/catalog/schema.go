package catalog

import (
	"fmt"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/schema"
)

// Schema returns a JSON Schema (draft 2020-12) of the frontmatter of a kind, as a
// host reads it; "" is Vade's own view, which has every field that it knows. A
// host may have a version behind it, as in [Options.As]. It fails for a host that
// is not known, and for a kind of which the host reads no frontmatter.
//
// The schema is made of the tables by which the definitions are read. What a
// schema can not say is missing in it: that the name of a skill is that of its
// directory, and which keys Vade reads in other spellings.
func Schema(kind definition.Kind, hostName string) ([]byte, error) {
	if hostName == "" {
		hostName = host.NeutralName
	}
	p, ok := registry.Lookup(hostName)
	if !ok {
		return nil, fmt.Errorf("no host is named %q", hostName)
	}
	if kind < definition.Skill || kind > definition.Instruction {
		return nil, fmt.Errorf("there is no kind %d", kind)
	}
	return schema.Of(p, kind)
}

// SchemaKinds returns the kinds that [Schema] has for a host.
func SchemaKinds(hostName string) []definition.Kind {
	p, ok := registry.Lookup(hostName)
	if !ok {
		return nil
	}
	return schema.Kinds(p)
}

// ProjectSchema returns the JSON Schema (draft 2020-12) of a project's vade.yaml.
func ProjectSchema() []byte { return config.Schema() }
