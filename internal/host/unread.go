package host

import "github.com/vadehq/vade/definition"

// UnreadSetting is a settings key that affects what the host loads. Vade reports the key if a file
// sets it, unless an [Adaptation] applies its value.
type UnreadSetting struct {
	// Base is the directory that Path is relative to: InWorkDir, InProject or
	// InHome. Env and EnvDepth work as in [Root].
	Base      Base
	Path, Env string
	EnvDepth  int
	Format    definition.Format
	// Key holds the keys on the path from the top of the file to the value.
	Key []string
	// Effect describes the key's effect in the host, for example "names additional files".
	Effect string
}

// EntryRow is a key in a settings file whose members are definitions. A member's key is the
// definition's name, and its value holds the fields. The definitions have lower precedence than the
// files in their layer unless First is set.
type EntryRow struct {
	UnreadSetting
	Layer definition.Layer
	Kind  definition.Kind
	First bool
	// Body is the member that holds the body.
	Body string
	// File is the member that names a separate file in the same format. The file's name and members
	// replace those in the entry. The path is absolute, relative to the settings file, or begins
	// with "~/". An entry whose file is missing or invalid is ignored. If File is "", entries
	// cannot refer to files.
	File string
}

// EntriesIn returns a row for a settings key in each of the files.
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

// UnreadIn returns settings for several keys in one file, given pairs of key and effect.
func UnreadIn(b Base, path, env string, keys ...[2]string) []UnreadSetting {
	var list []UnreadSetting
	for _, k := range keys {
		list = append(list, UnreadSetting{Base: b, Path: path, Env: env, Key: []string{k[0]}, Effect: k[1]})
	}
	return list
}

// BelowKey nests the settings' keys under another key.
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
