package host

import "github.com/vadehq/vade/definition"

// Toggles describes a host's settings that disable definitions. The profile uses the same values
// when it reads these settings.
type Toggles struct {
	// Skills is the setting for skills. Plugins is the setting for installed plugins, by ID
	// (NAME@MARKETPLACE). nil means that the host has no such setting.
	Skills, Plugins *Toggle
	// Alternative tells users what else to do if the host has no setting for skills.
	Alternative string
}

// Toggle is a setting that disables definitions.
type Toggle struct {
	// Settings is the setting's key in each of the host's files. A change is written to the scope's
	// first existing file or, if none exists, to the scope's first file. If none of the files is in
	// the project, the setting applies to all of the user's projects.
	Settings []UnreadSetting
	// Off and On are the values that disable and enable a name if the setting is an object. If both
	// are zero, the setting is a list of disabled names or, in TOML, a list of tables with a
	// skill's path and the key "enabled".
	Off, On definition.Value
	// If Commands is set, the setting also applies to commands.
	Commands bool
}

// SettingsDisable is the reason for dropping a definition that a [Toggle] disables.
const SettingsDisable = "disabled in the host's settings"

// ToggleIn returns a Toggle for the settings in list that have the given key.
func ToggleIn(list []UnreadSetting, key string) *Toggle {
	t := &Toggle{}
	for _, s := range list {
		if s.Key[len(s.Key)-1] == key {
			t.Settings = append(t.Settings, s)
		}
	}
	return t
}

// Words sets Off and On to values of the given kind and returns t.
func (t *Toggle) Words(kind definition.ValueKind, off, on string) *Toggle {
	t.Off, t.On = definition.Value{Kind: kind, Text: off}, definition.Value{Kind: kind, Text: on}
	return t
}
