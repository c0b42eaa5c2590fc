package host

import "github.com/vadehq/vade/definition"

// Toggles are a host's settings that disable definitions. The profile's reader of these
// settings uses the same rows.
type Toggles struct {
	// Skills is the setting for skills, and Plugins the setting for installed plugins, by their ID
	// NAME@MARKETPLACE. nil means that there is none.
	Skills, Plugins *Toggle
	// Instead is what a user can do instead, if the host has no setting for skills.
	Instead string
}

// Toggle is a setting that disables definitions.
type Toggle struct {
	// Settings is the setting's key in each of the host's files. A change is written to the first
	// existing file of a scope, or else to the scope's first file. A host that has no such file in
	// the project has the setting only for all of the user's projects.
	Settings []UnreadSetting
	// Off and On are the values for a name in an object. If they are zero, the setting is the list
	// of the disabled names, or in TOML, a list of tables with the path of a skill and "enabled".
	Off, On definition.Value
	// Commands means that the setting also applies to commands.
	Commands bool
}

// SettingsDisable is the reason for dropping a definition that a Toggle disables.
const SettingsDisable = "the host's settings disable it"

// ToggleIn returns the settings with a key.
func ToggleIn(list []UnreadSetting, key string) *Toggle {
	t := &Toggle{}
	for _, s := range list {
		if s.Key[len(s.Key)-1] == key {
			t.Settings = append(t.Settings, s)
		}
	}
	return t
}

// Words sets Off and On, the values for a name in an object.
func (t *Toggle) Words(kind definition.ValueKind, off, on string) *Toggle {
	t.Off, t.On = definition.Value{Kind: kind, Text: off}, definition.Value{Kind: kind, Text: on}
	return t
}
