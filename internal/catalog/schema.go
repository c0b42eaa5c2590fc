package catalog

import (
	"fmt"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/schema"
)

// Schema returns a JSON Schema (draft 2020-12) for a kind's frontmatter as a host reads it.
// hostName may include a version, as in [Options.As]; "" means the neutral view, which has every
// known field. Schema fails if the host is unknown or reads no frontmatter for the kind.
//
// The schema is generated from the tables used for parsing. It cannot express that a skill's name
// must match its directory, or which alternative key spellings Vade accepts.
func Schema(kind definition.Kind, hostName string) ([]byte, error) {
	if hostName == "" {
		hostName = host.NeutralName
	}
	p, ok := registry.Lookup(hostName)
	if !ok {
		return nil, fmt.Errorf("unknown host %q", hostName)
	}
	if kind < definition.Skill || kind > definition.Instruction {
		return nil, fmt.Errorf("unknown kind %d", kind)
	}
	return schema.Of(p, kind)
}

// SchemaKinds returns the kinds for which a host has a [Schema].
func SchemaKinds(hostName string) []definition.Kind {
	p, ok := registry.Lookup(hostName)
	if !ok {
		return nil
	}
	return schema.Kinds(p)
}

// ProjectSchema returns the JSON Schema (draft 2020-12) for vade.yaml.
func ProjectSchema() []byte { return config.Schema() }
