package host

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
)

// Adaptation is a settings key that changes the profile itself, such as a list of instruction file
// names or of disabled skills.
type Adaptation struct {
	// UnreadSetting holds the setting's key and file. If Apply rejects the setting's value, Vade
	// reports that it does not apply the setting.
	UnreadSetting
	// Apply applies a value to a profile. It returns false to reject the value.
	Apply func(p *Profile, value json.RawMessage) bool
	// ApplyIn, if set, is used instead of Apply. It also receives the absolute paths of the working
	// directory and its parents, up to the project root.
	ApplyIn func(p *Profile, value json.RawMessage, dirs []string) bool
}

// Adapting returns an [Adaptation] that uses apply for each setting in list that has the given key
// and base. It keeps the order of the list.
func Adapting(list []UnreadSetting, key string, b Base, apply func(*Profile, json.RawMessage) bool) []Adaptation {
	var out []Adaptation
	for _, s := range ToggleIn(list, key).Settings {
		if s.Base == b {
			out = append(out, Adaptation{UnreadSetting: s, Apply: apply})
		}
	}
	return out
}

// maxFileNames is the maximum number of instruction file names in a setting.
const maxFileNames = 20

// FileNames decodes a JSON string or list of strings as file names, without duplicates. It returns
// false if the value has another type, if a name is empty or contains a directory, or if the number
// of names is not between 1 and maxFileNames.
func FileNames(value json.RawMessage) ([]string, bool) {
	var one string
	var names []string
	if json.Unmarshal(value, &one) == nil {
		names = []string{one}
	} else if json.Unmarshal(value, &names) != nil {
		return nil, false
	}
	var list []string
	for _, name := range names {
		if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\:\x00") {
			return nil, false
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list, len(list) > 0 && len(list) <= maxFileNames
}

// SkillsOff is an [Adaptation.Apply] function for a setting that lists the names of disabled
// skills. It returns false if the value is not a list of strings.
func SkillsOff(p *Profile, value json.RawMessage) bool {
	var names []string
	if json.Unmarshal(value, &names) != nil {
		return false
	}
	p.Refuse(func(d *definition.Definition) bool {
		return d.Kind == definition.Skill && slices.Contains(names, d.Name)
	})
	return true
}

// Refuse makes the profile drop the definitions for which disabled returns true, with the reason
// [SettingsDisable], in addition to those that p.Refuses already drops.
func (p *Profile) Refuse(disabled func(*definition.Definition) bool) {
	refuses := p.Refuses
	p.Refuses = func(d *definition.Definition) string {
		if disabled(d) {
			return SettingsDisable
		}
		if refuses == nil {
			return ""
		}
		return refuses(d)
	}
}
