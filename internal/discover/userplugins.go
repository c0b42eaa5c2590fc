package discover

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/vfs"
)

// listedPlugin is a plugin in a host's list of installed plugins.
type listedPlugin struct {
	Name, Marketplace string
	Dir               string `json:"cache_path"`
	Enabled           bool
}

// listedPlugins adds the plugins in a host's list of installed plugins. The list contains each
// plugin's directory. Plugins without a marketplace come first, followed by the other listed
// plugins, and then the plugins in the user's local marketplaces. If the settings have a map of
// enabled plugins, the map applies to every plugin from a marketplace (Copilot CLI 1.0.102, case
// p01).
func (p *Plan) listedPlugins(home base, in host.Installed) {
	t, file := p.homeDir(home, in.File, in.Env)
	if t == nil {
		return
	}
	var list struct{ InstalledPlugins []listedPlugin }
	p.decodeJSON(t, file, &list)
	slices.SortStableFunc(list.InstalledPlugins, func(a, b listedPlugin) int {
		return cmp.Compare(min(1, len(a.Marketplace)), min(1, len(b.Marketplace)))
	})
	i := installer{plan: p, tree: t}
	names := i.localMarkets(home, in)
	enabled := p.enabledPlugins(home, in)
	for _, l := range list.InstalledPlugins {
		id, on := l.Name, l.Enabled
		if l.Marketplace != "" {
			id += "@" + l.Marketplace
		}
		if enabled.on != nil {
			on = l.Marketplace == "" || enabled.on[id]
		}
		i.addOpened(i.inHome(id, strings.ReplaceAll(l.Dir, `\`, "/")), id, entry{Name: l.Name, named: true}, on, "")
	}
	for _, from := range names {
		m := i.markets[from]
		i.load(m)
		for _, name := range m.names {
			e, id := m.entries[name], name+"@"+from
			if on, set := enabled.on[id]; set && e.local && fs.ValidPath(e.dir) {
				i.addOpened(i.openSubtree(m.tree, e.dir, path.Join(m.Dir, e.dir)), id, entry{Name: name, named: true}, on, "")
			}
		}
	}
}

// localMarkets finds the local directories that the user's settings declare as marketplaces. It
// returns the marketplaces' names in order.
func (i *installer) localMarkets(home base, in host.Installed) []string {
	i.markets = map[string]*market{}
	var names []string
	t, file := i.plan.homeDir(home, in.UserSettings[0], in.Env)
	if t == nil {
		return nil
	}
	data, err := i.plan.readSettings(t, file)
	if err != nil {
		return nil
	}
	added, _, _ := jsonc.Find(jsonc.Plain(data), "extraKnownMarketplaces")
	for _, pair := range added.Pairs {
		source := pair.Value.Pair("source")
		m := &market{Dir: source.Pair("path").Text}
		if m.Source.Source = source.Pair("source").Text; m.local() {
			i.markets[pair.Key] = m
			names = append(names, pair.Key)
		}
	}
	return names
}

// stored adds the plugins in the host's plugin store that the settings enable.
func (p *Plan) stored(home base, in host.Installed) {
	if len(in.Enabled) == 0 {
		return
	}
	t, store := p.homeDir(home, in.Store, in.Env)
	if t == nil {
		return
	}
	i := installer{plan: p, tree: t}
	for _, id := range in.Enabled {
		name, from, _ := strings.Cut(id, "@")
		if strings.ContainsAny(name+from, `/\`) || !fs.ValidPath(path.Join(from, name)) {
			continue
		}
		var dirs []string
		dir := path.Join(store, from, name)
		if version := newest(t, dir); version != "" {
			dirs = []string{t.Path(path.Join(dir, version))}
		}
		i.add(id, dirs, true)
	}
}

// newest returns the version of a stored plugin to use: "local" if it exists, and otherwise the
// highest version. Numeric parts are compared as numbers.
func newest(t *vfs.Tree, dir string) string {
	last := ""
	entries, _, _ := t.ReadDir(dir, maxPlugins)
	for _, e := range entries {
		switch {
		case e.Type != vfs.Dir && e.Type != vfs.Link:
		case e.Name == "local":
			return e.Name
		case slices.CompareFunc(strings.Split(e.Name, "."), strings.Split(last, "."), compareNumbers) > 0:
			last = e.Name
		}
	}
	return last
}

func compareNumbers(a, b string) int {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	if errX != nil || errY != nil {
		return strings.Compare(a, b)
	}
	return cmp.Compare(x, y)
}
