package discover

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/vfs"
)

// UnreadSettings reports keys in the host's settings files that affect loading but that Vade does
// not support; see [host.UnreadSetting]. It does not report unreadable files, which are reported
// elsewhere.
func (p *Plan) UnreadSettings(toml TOMLReader) []diag.Diagnostic {
	before := len(p.Diagnostics)
	defer func() { p.Diagnostics = p.Diagnostics[:before] }()
	var found []diag.Diagnostic
	files := map[string]manifest{}
	for i := range p.Profile.Unread {
		s := &p.Profile.Unread[i]
		for _, at := range p.unreadPlaces(s) {
			shown := p.Show(at.tree, at.dir)
			keys, known := files[shown]
			if !known {
				keys = p.settingsOf(at, s.Format, toml)
				files[shown] = keys
			}
			if keys.at(s.Key) != nil {
				found = append(found, diag.For(shown, diag.SettingNotRead, "%s %s, but Vade ignores this setting, so %s may load different definitions",
					strings.Join(s.Key, "."), s.Effect, p.Profile.Name).WithFix("check in %s which definitions it loads, or remove the setting", p.Profile.Name))
			}
		}
	}
	return found
}

// Adapt applies the settings that change the profile, which it modifies in place. It must be called
// before [Plan.AddPlaces].
func (p *Plan) Adapt(toml TOMLReader) {
	before := len(p.Diagnostics)
	defer func() { p.Diagnostics = p.Diagnostics[:before] }()
	for i := range p.Profile.Adaptations {
		a := &p.Profile.Adaptations[i]
		for _, at := range p.unreadPlaces(&a.UnreadSetting) {
			raw := p.settingsOf(at, a.Format, toml).at(a.Key)
			if raw == nil || !p.apply(a, raw) {
				continue
			}
			p.Profile.Unread = slices.DeleteFunc(p.Profile.Unread, func(s host.UnreadSetting) bool {
				return s.Base == a.Base && s.Path == a.Path && slices.Equal(s.Key, a.Key)
			})
		}
	}
}

func (p *Plan) apply(a *host.Adaptation, value json.RawMessage) bool {
	if a.ApplyIn == nil {
		return a.Apply(p.Profile, value)
	}
	var dirs []string
	for _, b := range p.bases[host.InProject] {
		if !b.above && b.nested == "" && !b.added && !b.touched {
			dirs = append(dirs, b.tree.RealPath(b.dir))
		}
	}
	return a.ApplyIn(p.Profile, value, dirs)
}

func (p *Plan) unreadPlaces(s *host.UnreadSetting) []configPlace {
	var places []configPlace
	for _, b := range p.bases[s.Base] {
		if b.added || b.touched || b.above || b.nested != "" {
			continue
		}
		tree, name := b.tree, s.Path
		if s.Base == host.InHome {
			if tree, name = p.movedDir(b, s.Path, s.Env, s.EnvDepth); tree == nil {
				continue
			}
		}
		places = append(places, configPlace{tree, path.Join(b.dir, name), nil})
	}
	return places
}

// SettingPlace is a settings file's location.
type SettingPlace struct {
	Tree *vfs.Tree
	Name string
}

// SettingPlaces returns the files in which the host looks for a setting, starting with the one
// nearest to the working directory. The files need not exist.
func (p *Plan) SettingPlaces(s *host.UnreadSetting) []SettingPlace {
	var places []SettingPlace
	for _, at := range p.unreadPlaces(s) {
		places = append(places, SettingPlace{at.tree, at.dir})
	}
	return places
}

// readSettings returns the content of a settings file, or its replacement in Edited.
func (p *Plan) readSettings(t *vfs.Tree, name string) ([]byte, error) {
	data, edited := p.env.Edited[t.Path(name)]
	switch {
	case !edited:
		return readFollowing(t, name, maxConfig)
	case data == nil:
		return nil, fs.ErrNotExist
	}
	return data, nil
}

func (p *Plan) settingsOf(at configPlace, format definition.Format, toml TOMLReader) manifest {
	if at.tree == nil {
		return nil
	}
	if format != definition.TOML {
		keys, _ := p.readJSON(at.tree, at.dir)
		return keys
	}
	data, err := p.readSettings(at.tree, at.dir)
	if err != nil {
		return nil
	}
	entries, problems := toml(p.Show(at.tree, at.dir), data)
	if len(problems) > 0 {
		return nil
	}
	keys := manifest{}
	for i := range entries {
		keys[entries[i].Key] = jsonc.Append(nil, entries[i].Value, "")
	}
	return keys
}

// at returns the value at a path of nested keys, or nil if it is missing or empty.
func (m manifest) at(path []string) json.RawMessage {
	raw, ok := m[path[0]]
	if !ok {
		return nil
	}
	if len(path) > 1 {
		inner := manifest{}
		if json.Unmarshal(raw, &inner) != nil {
			return nil
		}
		return inner.at(path[1:])
	}
	switch text := string(bytes.TrimSpace(raw)); text {
	case "null", "[]", "{}", `""`:
		return nil
	}
	return raw
}
