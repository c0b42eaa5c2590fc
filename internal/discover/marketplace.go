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

// marketplaces adds the plugins listed in a directory's marketplace files, if the plugins are in
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
		var nonLocal []string
		for i, raw := range market.Plugins {
			if p.ctx.Err() != nil {
				return
			}
			var e entry
			if err := json.Unmarshal(raw, &e); err != nil || e.Name == "" {
				p.Diagnostics = append(p.Diagnostics, diag.For(p.Show(t, name), diag.PluginInvalid, "plugin entry %d is not an object with a name", i+1).
					WithFix("use an object with a name and a source"))
				continue
			}
			source, local := localSource(e.Source)
			if !local {
				nonLocal = append(nonLocal, e.Name)
				continue
			}
			if !strings.HasPrefix(source, "./") && market.Metadata.PluginRoot != "" {
				source = path.Join(market.Metadata.PluginRoot, source)
			}
			p.localPlugin(t, dir, source, e, p.Show(t, name))
		}
		if len(nonLocal) > 0 {
			p.Diagnostics = append(p.Diagnostics, diag.For(p.Show(t, name), diag.PluginSource,
				"plugins from non-local sources are not read: %s", strings.Join(nonLocal, ", ")).
				WithFix("install them in the host, or pass a local copy with --plugin-dir"))
		}
	}
}

// localPlugin adds a plugin of a marketplace. source is the plugin's path, which is relative to the
// marketplace's directory.
func (p *Plan) localPlugin(t *vfs.Tree, dir, source string, e entry, shown string) {
	at := path.Join(dir, source)
	if !fs.ValidPath(at) {
		p.Diagnostics = append(p.Diagnostics, diag.For(shown, diag.PluginInvalid, "plugin %s: %q is outside the project", e.Name, source).
			WithFix("specify a path inside the marketplace that starts with ./"))
		return
	}
	if typ, err := t.Lstat(at); err != nil || typ == vfs.File || typ == vfs.Other {
		p.Diagnostics = append(p.Diagnostics, diag.For(shown, diag.PluginSource, "plugin %s: the directory %s does not exist", e.Name, at).
			WithFix("create the directory, or correct the plugin's source in this file"))
		return
	}
	if to, rel, err := t.Resolve(at); err == nil {
		t, at = to, rel
	}
	p.addPlugin(t, at, e, "marketplace")
}

// localSource returns the path in a plugin source, given as a string or an object, if the plugin is
// in a local directory.
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

// installed adds the plugins in the user's home directory. If the host keeps a list of installed
// plugins, the plugins that the settings enable or disable are added first, in the order of the
// settings.
func (p *Plan) installed(rules *host.Plugins) {
	for _, b := range p.bases[host.InHome] {
		for _, d := range rules.Installed.Dirs {
			if t, dir := p.movedDir(b, d.Path, d.Env, d.EnvDepth); t != nil {
				p.installedBelow(t, dir, d.Levels)
			}
		}
		if rules.Installed.Listed {
			p.listedPlugins(b, rules.Installed)
			continue
		}
		p.stored(b, rules.Installed)
		t, file := p.homeDir(b, rules.Installed.File, rules.Installed.Env)
		if t == nil || file == "" {
			continue
		}
		var list struct {
			Plugins map[string]json.RawMessage
		}
		p.decodeJSON(t, file, &list)
		enabled := p.enabledPlugins(b, rules.Installed)
		i := installer{plan: p, tree: t, markets: p.knownMarkets(b, rules.Installed)}
		for _, id := range enabled.ids {
			i.add(id, installPaths(list.Plugins[id]), enabled.on[id])
		}
		for _, id := range sortedKeys(list.Plugins) {
			if _, set := enabled.on[id]; !set {
				i.add(id, installPaths(list.Plugins[id]), false)
			}
		}
	}
}

// installedBelow adds the plugins that are the given number of levels below a directory.
func (p *Plan) installedBelow(t *vfs.Tree, dir string, levels int) {
	entries, _, err := t.ReadDir(dir, maxPlugins)
	if err != nil {
		if !isNotExist(err) {
			p.Diagnostics = append(p.Diagnostics, Unreadable(p.Show(t, dir), err))
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
			p.Diagnostics = append(p.Diagnostics, Unreadable(p.Show(t, at), err))
			continue
		}
		if own := p.open(in.RealPath(rel), vfs.Options{}); own != nil {
			p.addPlugin(own, ".", entry{}, "installed")
		}
	}
}

// installPaths returns the directories in an installed plugin's entry, which is an object or a list
// with one object per installation scope.
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
