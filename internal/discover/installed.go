package discover

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// installer adds the plugins that the user installed. tree contains the host's list of plugins.
type installer struct {
	plan *Plan
	tree *vfs.Tree
	// markets holds the user's marketplaces. It is nil if the host does not use them.
	markets map[string]*market
}

// market is a marketplace that the user added.
type market struct {
	Source struct{ Source string }
	Dir    string `json:"installLocation"`

	read    bool
	tree    *vfs.Tree // nil if the directory cannot be opened; then there are no entries
	entries map[string]entry
	// names holds the names of the entries in the order of the marketplace file.
	names []string
}

// local reports whether the marketplace is one of the user's own directories,
// where the host reads plugins in place (Claude Code 2.1.330, case h74).
func (m *market) local() bool { return m.Source.Source == "directory" }

// knownMarkets reads the list of marketplaces that the user added.
func (p *Plan) knownMarkets(home base, in host.Installed) map[string]*market {
	if in.Known == "" {
		return nil
	}
	markets := map[string]*market{}
	if t, file := p.homeDir(home, in.Known, in.Env); t != nil {
		p.decodeJSON(t, file, &markets)
	}
	return markets
}

// load reads the marketplace's entries, unless it has done so already.
func (i *installer) load(m *market) {
	if m.read {
		return
	}
	m.read, m.entries = true, map[string]entry{}
	m.Dir = strings.ReplaceAll(m.Dir, `\`, "/")
	if m.tree = i.open(m.Dir); m.tree != nil {
		i.readMarket(m)
	}
}

// entry returns the marketplace's entry for a plugin.
func (i *installer) entry(m *market, name string) (entry, bool) {
	i.load(m)
	e, ok := m.entries[name]
	return e, ok
}

func (i *installer) readMarket(m *market) {
	var file struct {
		Plugins  []json.RawMessage
		Metadata struct{ PluginRoot string }
	}
	for _, name := range i.plan.Profile.Plugins.Installed.Marketplaces {
		if i.plan.decodeJSON(m.tree, name, &file) {
			break
		}
	}
	for _, raw := range file.Plugins {
		var e entry
		if json.Unmarshal(raw, &e) != nil || e.Name == "" {
			continue
		}
		if e.dir, e.local = localSource(e.Source); e.local {
			if !strings.HasPrefix(e.dir, "./") && file.Metadata.PluginRoot != "" {
				e.dir = path.Join(file.Metadata.PluginRoot, e.dir)
			}
			e.dir = path.Clean(e.dir)
		}
		m.entries[e.Name] = e
		m.names = append(m.names, e.Name)
	}
}

// open opens a directory that is named in one of the user's lists. If the home directory is an
// in-memory tree, it returns nil.
func (i *installer) open(dir string) *vfs.Tree {
	replaced := slices.ContainsFunc(i.plan.env.Layers, func(l LayerFS) bool { return l.Layer == definition.User })
	if replaced || !vfs.IsAbs(dir) {
		return nil
	}
	return i.plan.open(dir, vfs.Options{})
}

// add adds the plugin with the given ID, which has the form NAME@MARKETPLACE. dirs holds the
// directories in which the plugin is installed. It may be empty.
func (i *installer) add(id string, dirs []string, on bool) {
	name, from, _ := strings.Cut(id, "@")
	e, why := entry{Name: name}, ""
	if i.markets != nil {
		m := i.markets[from]
		known := m != nil
		if known {
			e, known = i.entry(m, name)
		}
		if !known {
			e, why = entry{Name: name}, fmt.Sprintf("plugin %s is not in any marketplace that the user added", id)
		} else if m.local() && e.local && fs.ValidPath(e.dir) {
			// The marketplace may be the clone of an untrusted repository, so symlinks must not
			// leave the plugin's directory.
			i.addOpened(i.openSubtree(m.tree, e.dir, path.Join(m.Dir, e.dir)), id, e, on, why)
			return
		}
	}
	if on && len(dirs) == 0 {
		i.plan.Diagnostics = append(i.plan.Diagnostics, diag.For(id, diag.PluginSource, "the plugin is enabled in enabledPlugins but not installed").
			WithFix("install the plugin in %s, or remove it from enabledPlugins", i.plan.Profile.Name))
	}
	for _, dir := range dirs {
		i.addOpened(i.inHome(id, dir), id, e, on, why)
	}
}

// inHome opens an installed plugin. Installed plugins come from third parties, so each plugin has
// its own tree. Its symlinks cannot lead to the rest of the home directory.
func (i *installer) inHome(id, dir string) *vfs.Tree {
	p := i.plan
	rel, ok := i.tree.Rel(dir)
	if !ok {
		p.Diagnostics = append(p.Diagnostics, diag.For(dir, diag.LinkOutside, "plugin %s is installed outside %s, so it is not read", id, i.tree.Dir()).
			WithFix("pass its directory with --plugin-dir"))
		return nil
	}
	return i.openSubtree(i.tree, rel, dir)
}

// openSubtree opens a directory in t as a separate tree, so symlinks cannot leave the directory.
func (i *installer) openSubtree(t *vfs.Tree, rel, shown string) *vfs.Tree {
	in, at, err := t.Resolve(rel)
	if err != nil {
		i.plan.Diagnostics = append(i.plan.Diagnostics, Unreadable(shown, err))
		return nil
	}
	return i.plan.open(in.RealPath(at), vfs.Options{})
}

// addOpened adds a plugin whose directory is already open. why is the reason why the host does not
// load the plugin, or "".
func (i *installer) addOpened(t *vfs.Tree, id string, e entry, on bool, why string) {
	if t == nil {
		return
	}
	plug := i.plan.addPlugin(t, ".", e, "installed")
	if plug == nil || plug.failed() {
		return
	}
	plug.ID = strings.ReplaceAll(id, "@", "-")
	if _, from, _ := strings.Cut(id, "@"); e.local && !i.markets[from].local() {
		plug.Source = path.Join(i.markets[from].Dir, e.dir)
	}
	switch {
	case !on:
		why = "plugin " + id + " is installed but not enabled in enabledPlugins"
	case why == "" && i.replaced(plug):
		why = "the session uses plugin " + plug.Name + " from a plugin directory instead"
	}
	if why != "" {
		plug.Disabled, plug.Code = why, diag.PluginSource
	}
}

// replaced reports whether the session has a plugin directory with the same plugin name. The host
// uses it instead of the installed plugin (Claude Code 2.1.330).
func (i *installer) replaced(plug *Plugin) bool {
	return slices.ContainsFunc(i.plan.Plugins, func(other *Plugin) bool {
		return other != plug && other.Name == plug.Name && other.From == "user"
	})
}

// switches maps plugin IDs to whether the plugins are enabled. It preserves key order.
type switches struct {
	ids []string
	on  map[string]bool
}

// UnmarshalJSON adds an object's members. Values other than true are treated as false.
func (s *switches) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return err
	}
	if s.on == nil {
		s.on = map[string]bool{}
	}
	for d.More() {
		var id, value any
		id, err := d.Token()
		if err != nil {
			return err
		}
		if err := d.Decode(&value); err != nil {
			return err
		}
		name, _ := id.(string)
		if _, known := s.on[name]; !known {
			s.ids = append(s.ids, name)
		}
		s.on[name] = value == true
	}
	return nil
}

// enabledPlugins merges the settings that enable plugins. The project's settings override the
// user's but do not change a plugin's position (Claude Code 2.1.330).
func (p *Plan) enabledPlugins(home base, in host.Installed) switches {
	var enabled switches
	read := func(t *vfs.Tree, from host.Base, f, name string) {
		settings := struct{ EnabledPlugins *switches }{&enabled}
		if t != nil && !p.excludesSettings(from, f) {
			p.decodeJSON(t, name, &settings)
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
