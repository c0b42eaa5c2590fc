package host

import (
	"encoding/json"
	"slices"
	"strings"
)

// Adaptation is a key of a settings file that changes the profile itself. It widens
// what is read by no more than files in places that the profile has.
type Adaptation struct {
	// UnreadSetting says where the key stands. Where Apply does not take its value,
	// it is reported as one that is not read.
	UnreadSetting
	// Apply changes a profile by a value; false where it does not take it.
	Apply func(p *Profile, value json.RawMessage) bool
}

// Adapting are those of some settings with a key, in their order, that one function
// applies.
func Adapting(list []UnreadSetting, key string, b Base, apply func(*Profile, json.RawMessage) bool) []Adaptation {
	var out []Adaptation
	for _, s := range list {
		if s.Base == b && s.Key[len(s.Key)-1] == key {
			out = append(out, Adaptation{s, apply})
		}
	}
	return out
}

// maxFileNames is the number of names of instruction files that settings may give.
const maxFileNames = 20

// FileNames reads the name of a file, or a list of them. Each has to be a name
// alone, so that it leads nowhere else.
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
