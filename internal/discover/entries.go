package discover

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
)

// EntryParser creates a definition from a member of a settings file. The positions in members are
// positions in data.
type EntryParser func(row *host.EntryRow, name string, o definition.Origin, data []byte, members definition.Value) *definition.Definition

// Entries returns the definitions in settings files; see [host.EntryRow].
func (p *Plan) Entries(toml TOMLReader, parse EntryParser) []*definition.Definition {
	before := len(p.Diagnostics)
	defer func() { p.Diagnostics = p.Diagnostics[:before] }()
	var list []*definition.Definition
	for i := range p.Profile.Entries {
		row := &p.Profile.Entries[i]
		for distance, at := range p.unreadPlaces(&row.UnreadSetting) {
			data := p.settingsOf(at, row.Format, toml).at(row.Key)
			value, ok := jsonc.Parse(data)
			if !ok || value.Kind != definition.Map {
				continue
			}
			shown := p.Show(at.tree, at.dir)
			if row.First {
				distance = -1
			}
			for _, e := range value.Pairs {
				if e.Value.Kind != definition.Map {
					continue
				}
				list = append(list, parse(row, e.Key, definition.Origin{
					Layer: row.Layer, Root: shown, Path: shown, Distance: short(distance),
					// Each entry is a separate part of the file, with its own identity.
					Real: at.tree.RealPath(at.dir) + "#" + row.Kind.String() + "/" + e.Key, Row: short(len(p.Profile.Roots) - 1),
				}, data, e.Value))
			}
		}
	}
	return list
}
