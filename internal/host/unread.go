package host

import "github.com/vadehq/vade/definition"

// UnreadSetting is a key of a host's settings file that changes what the host
// loads, and that Vade does not read: where it is there, that is said.
type UnreadSetting struct {
	// Base is where the file is looked for: InWorkDir, InProject or InHome. Env and
	// EnvDepth are those of a [Root].
	Base      Base
	Path, Env string
	EnvDepth  int
	Format    definition.Format
	// Key are the keys from the top of the file down to the value.
	Key []string
	// What says what the host does with it, as in "names further files".
	What string
}

// UnreadIn are keys of one file, each with what it does.
func UnreadIn(b Base, path, env string, keys ...[2]string) []UnreadSetting {
	var list []UnreadSetting
	for _, k := range keys {
		list = append(list, UnreadSetting{Base: b, Path: path, Env: env, Key: []string{k[0]}, What: k[1]})
	}
	return list
}

// BelowKey puts the keys of settings below another key.
func BelowKey(key string, list []UnreadSetting) []UnreadSetting {
	for i := range list {
		list[i].Key = append([]string{key}, list[i].Key...)
	}
	return list
}

// InTOML are settings of TOML files.
func InTOML(list []UnreadSetting) []UnreadSetting {
	for i := range list {
		list[i].Format = definition.TOML
	}
	return list
}
