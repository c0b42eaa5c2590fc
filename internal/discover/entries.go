package discover

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/vfs"
)

// EntryParser creates a definition from an entry in a settings file. data is the file's content,
// and positions in members refer to it.
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
				name, data, members := e.Key, data, e.Value
				if file := members.Pair(row.File).Text; row.File != "" && file != "" {
					keys := p.settingsOf(p.entryFile(at, file), row.Format, toml)
					if keys == nil {
						continue
					}
					name, data, members = replaced(name, members, keys)
				}
				list = append(list, parse(row, name, definition.Origin{
					Layer: row.Layer, Root: shown, Path: shown, Distance: short(distance),
					// All entries are in the same file, so the entry's key makes the path unique.
					Real: at.tree.RealPath(at.dir) + "#" + row.Kind.String() + "/" + e.Key, Row: short(len(p.Profile.Roots) - 1),
				}, data, members))
			}
		}
	}
	return list
}

// entryFile returns the location of a file that is named in a settings file. It returns the zero
// value if the file is outside both the project and the home directory.
func (p *Plan) entryFile(at configPlace, file string) configPlace {
	file = strings.ReplaceAll(file, `\`, "/")
	homes := p.bases[host.InHome]
	switch rest, inHome := strings.CutPrefix(file, "~/"); {
	case inHome && len(homes) > 0:
		at.tree, at.dir = homes[0].tree, path.Clean(rest)
	case vfs.IsAbs(file):
		for _, b := range slices.Concat(homes, p.bases[host.InTop]) {
			if rel, ok := b.tree.Rel(path.Clean(file)); ok {
				return configPlace{tree: b.tree, dir: rel}
			}
		}
		return configPlace{}
	default:
		at.dir = path.Join(path.Dir(at.dir), file)
	}
	if !fs.ValidPath(at.dir) {
		return configPlace{}
	}
	return at
}

// replaced merges the keys of a file into an entry's members, where the file's keys take
// precedence. It returns the entry's name, and the merged members both as JSON and as a value.
func replaced(name string, members definition.Value, keys manifest) (string, []byte, definition.Value) {
	merged := manifest{}
	for _, m := range members.Pairs {
		merged[m.Key] = jsonc.Append(nil, m.Value, "")
	}
	maps.Copy(merged, keys)
	var own string
	if json.Unmarshal(keys["name"], &own) == nil {
		name = cmp.Or(strings.TrimSpace(own), name)
	}
	data, _ := json.Marshal(merged)
	members, _ = jsonc.Parse(data)
	return name, data, members
}
