package host

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
)

// Adaptation is a settings key that changes the profile itself. It only adds files in
// directories that the profile already reads.
type Adaptation struct {
	// UnreadSetting is the setting's key and file. A value that Apply rejects is reported as
	// unread.
	UnreadSetting
	// Apply applies a value to a profile. It returns false if it does not accept the value.
	Apply func(p *Profile, value json.RawMessage) bool
	// ApplyIn is used in place of Apply if the value depends on the absolute working directory and
	// those above it, up to the top of the project.
	ApplyIn func(p *Profile, value json.RawMessage, dirs []string) bool
}

// Adapting returns the adaptations, in order, for all settings with the given key below a base.
func Adapting(list []UnreadSetting, key string, b Base, apply func(*Profile, json.RawMessage) bool) []Adaptation {
	var out []Adaptation
	for _, s := range ToggleIn(list, key).Settings {
		if s.Base == b {
			out = append(out, Adaptation{UnreadSetting: s, Apply: apply})
		}
	}
	return out
}

// maxFileNames is the maximum number of instruction file names in settings.
const maxFileNames = 20

// FileNames parses a file name or a list of file names. Each must be a bare name, so that it
// cannot refer to another directory.
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

// SkillsOff applies a list of skills that the settings disable.
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

// Refuse makes the profile drop definitions that the host's settings disable, in addition to
// those that p.Refuses already drops.
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
