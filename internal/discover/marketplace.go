package discover

import (
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// marketplaces adds the plugins that a directory's marketplace files list and that are in
// the same tree.
func (p *Plan) marketplaces(t *vfs.Tree, dir string) {
	for _, file := range p.Profile.Plugins.Marketplaces {
		var market struct {
			Plugins  []json.RawMessage
			Metadata struct{ PluginRoot string }
		}
		name := path.Join(dir, file)
		if !p.decodeJSON(t, name, &market) {
			continue
		}
		var elsewhere []string
		for i, raw := range market.Plugins {
			if p.ctx.Err() != nil {
				return
			}
			var e entry
			if err := json.Unmarshal(raw, &e); err != nil || e.Name == "" {
				p.Diagnostics = append(p.Diagnostics, diag.For(p.Show(t, name), diag.PluginInvalid, "entry %d of the plugins has no name", i+1).
					WithFix("give it a name and a source"))
				continue
			}
			source, local := localSource(e.Source)
			if !local {
				elsewhere = append(elsewhere, e.Name)
				continue
			}
			if !strings.HasPrefix(source, "./") && market.Metadata.PluginRoot != "" {
				source = path.Join(market.Metadata.PluginRoot, source)
			}
			p.localPlugin(t, dir, source, e, p.Show(t, name))
		}
		if len(elsewhere) > 0 {
			p.Diagnostics = append(p.Diagnostics, diag.For(p.Show(t, name), diag.PluginSource,
				"plugins from other sources are not read: %s", strings.Join(elsewhere, ", ")).
				WithFix("install them with their host, or pass a directory with --plugin-dir"))
		}
	}
}

// localPlugin adds a plugin by its path relative to the marketplace.
func (p *Plan) localPlugin(t *vfs.Tree, dir, source string, e entry, shown string) {
	at := path.Join(dir, source)
	if !fs.ValidPath(at) {
		p.Diagnostics = append(p.Diagnostics, diag.For(shown, diag.PluginInvalid, "plugin %s: %q is outside the project", e.Name, source).
			WithFix("name a directory below the marketplace, beginning with ./"))
		return
	}
	if typ, err := t.Lstat(at); err != nil || typ == vfs.File || typ == vfs.Other {
		p.Diagnostics = append(p.Diagnostics, diag.For(shown, diag.PluginSource, "plugin %s: the directory %s does not exist", e.Name, at).
			WithFix("fix the plugin's source"))
		return
	}
	if to, rel, err := t.Resolve(at); err == nil {
		t, at = to, rel
	}
	p.addPlugin(t, at, e, "marketplace")
}

// localSource returns the path of a source that is a directory next to the marketplace,
// given as a string or an object.
func localSource(raw json.RawMessage) (string, bool) {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, s != "" && !strings.Contains(s, "://") && !strings.HasPrefix(s, "git@")
	}
	var object struct{ Source, Type, Path string }
	if json.Unmarshal(raw, &object) != nil {
		return "", false
	}
	kind := object.Source + object.Type
	return object.Path, object.Path != "" && (kind == "" || kind == "local" || kind == "directory")
}

// installed adds the plugins in the user's home directory that the settings do not
// disable.
func (p *Plan) installed(rules *host.Plugins) {
	for _, b := range p.bases[host.InHome] {
		for _, d := range rules.Installed.Dirs {
			if t, dir := p.movedDir(b, d.Path, d.Env, d.EnvDepth); t != nil {
				p.installedBelow(t, dir, d.Levels)
			}
		}
		t, file := p.homeDir(b, rules.Installed.File, rules.Installed.Env)
		if t == nil || file == "" {
			continue
		}
		var list struct {
			Plugins map[string]json.RawMessage
		}
		if !p.decodeJSON(t, file, &list) {
			continue
		}
		enabled := p.enabledPlugins(b, rules.Installed)
		for _, id := range sortedKeys(list.Plugins) {
			for _, dir := range installPaths(list.Plugins[id]) {
				p.installedPlugin(t, id, dir, enabled)
			}
		}
	}
}

// installedBelow adds the plugins a number of levels below a directory.
func (p *Plan) installedBelow(t *vfs.Tree, dir string, levels int) {
	entries, _, err := t.ReadDir(dir, maxPlugins)
	if err != nil {
		if !isNotExist(err) {
			p.Diagnostics = append(p.Diagnostics, unreadable(p.Show(t, dir), err))
		}
		return
	}
	for _, e := range entries {
		if e.Type != vfs.Dir && e.Type != vfs.Link || strings.HasPrefix(e.Name, ".") {
			continue
		}
		at := path.Join(dir, e.Name)
		if levels > 1 {
			p.installedBelow(t, at, levels-1)
			continue
		}
		in, rel, err := t.Resolve(at)
		if err != nil {
			p.Diagnostics = append(p.Diagnostics, unreadable(p.Show(t, at), err))
			continue
		}
		if own := p.open(in.RealPath(rel), vfs.Options{}); own != nil {
			p.addPlugin(own, ".", entry{}, "installed")
		}
	}
}

func (p *Plan) installedPlugin(t *vfs.Tree, id, dir string, enabled map[string]bool) {
	rel, ok := t.Rel(dir)
	if !ok {
		p.Diagnostics = append(p.Diagnostics, diag.For(dir, diag.LinkOutside, "plugin %s is installed outside the home directory and is not read", id).
			WithFix("pass its directory with --plugin-dir"))
		return
	}
	in, at, err := t.Resolve(rel)
	if err != nil {
		p.Diagnostics = append(p.Diagnostics, unreadable(dir, err))
		return
	}
	// Installed plugins are third-party: a separate tree keeps their symlinks out of the
	// rest of the home directory.
	own := p.open(in.RealPath(at), vfs.Options{})
	if own == nil {
		return
	}
	name, _, _ := strings.Cut(id, "@")
	plug := p.addPlugin(own, ".", entry{Name: name}, "installed")
	if on, said := enabled[id]; plug != nil && !plug.failed() && (!on || !said) {
		plug.Disabled, plug.Code = "plugin "+id+" is installed but not switched on in enabledPlugins", diag.PluginSource
	}
}

// installPaths reads an installed plugin's entry: one object, or one per installation
// scope.
func installPaths(raw json.RawMessage) []string {
	type install struct{ InstallPath string }
	var many []install
	if json.Unmarshal(raw, &many) != nil {
		var one install
		if json.Unmarshal(raw, &one) != nil {
			return nil
		}
		many = []install{one}
	}
	var paths []string
	for _, i := range many {
		if dir := strings.ReplaceAll(i.InstallPath, `\`, "/"); dir != "" && !slices.Contains(paths, dir) {
			paths = append(paths, dir)
		}
	}
	return paths
}

// enabledPlugins merges the settings that enable plugins; the project's override others.
func (p *Plan) enabledPlugins(home base, in host.Installed) map[string]bool {
	enabled := map[string]bool{}
	read := func(t *vfs.Tree, from host.Base, f, name string) {
		var settings struct{ EnabledPlugins map[string]bool }
		if t != nil && !p.excludesSettings(from, f) && p.decodeJSON(t, name, &settings) {
			for id, on := range settings.EnabledPlugins {
				enabled[id] = on
			}
		}
	}
	for _, f := range in.UserSettings {
		t, name := p.homeDir(home, f, in.Env)
		read(t, host.InHome, f, name)
	}
	for _, f := range in.ProjectSettings {
		if len(p.bases[host.InTop]) > 0 {
			read(p.bases[host.InTop][0].tree, host.InProject, f, f)
		}
	}
	return enabled
}
