package host

import "github.com/vadehq/vade/definition"

// UnreadSetting is a settings key that affects what the host loads. Vade reports the key if a file
// sets it, unless an [Adaptation] applies its value.
type UnreadSetting struct {
	// Base is the directory that Path is relative to: InWorkDir, InProject or InHome. Env and
	// EnvDepth have the same meaning as in [Root].
	Base      Base
	Path, Env string
	EnvDepth  int
	Format    definition.Format
	// Key holds the keys that lead from the top-level object in the file to the value.
	Key []string
	// Effect describes the key's effect in the host, for example "names additional files".
	Effect string
}

// EntryRow is a key in a settings file whose value is an object that contains definitions. Each
// member's key is a definition's name, and its value holds the definition's fields. Definitions in
// files of the same layer take precedence over these definitions unless First is set.
type EntryRow struct {
	UnreadSetting
	Layer definition.Layer
	Kind  definition.Kind
	First bool
	// Body is the key of the definition's body.
	Body string
	// File is the key of the path of a separate file in the same format. The name and members in
	// that file replace those in the entry. The path is absolute, relative to the settings file, or
	// begins with "~/". An entry whose file is missing or invalid is ignored. If File is "",
	// entries cannot refer to files.
	File string
}

// EntriesIn returns an [EntryRow] for the given key in each of the files.
func EntriesIn(files []UnreadSetting, key string, kind definition.Kind, body string) []EntryRow {
	var rows []EntryRow
	for _, f := range files {
		f.Key = []string{key}
		row := EntryRow{UnreadSetting: f, Layer: definition.Project, Kind: kind, Body: body}
		if f.Base == InHome {
			row.Layer = definition.User
		}
		rows = append(rows, row)
	}
	return rows
}

// UnreadIn returns settings for several keys in one file. Each element of keys is a key and its
// effect.
func UnreadIn(b Base, path, env string, keys ...[2]string) []UnreadSetting {
	var list []UnreadSetting
	for _, k := range keys {
		list = append(list, UnreadSetting{Base: b, Path: path, Env: env, Key: []string{k[0]}, Effect: k[1]})
	}
	return list
}

// BelowKey prepends key to the path of each setting's key, so the settings are nested in key. It
// returns list.
func BelowKey(key string, list []UnreadSetting) []UnreadSetting {
	for i := range list {
		list[i].Key = append([]string{key}, list[i].Key...)
	}
	return list
}

// InTOML marks settings as being in a TOML file.
func InTOML(list []UnreadSetting) []UnreadSetting {
	for i := range list {
		list[i].Format = definition.TOML
	}
	return list
}
