package discover

import (
	"cmp"
	"encoding/json"
	"errors"
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

// maxConfig is the maximum size of a manifest or settings file, in bytes.
const maxConfig = 4 << 20

// Plugin is a directory of definitions that are installed together.
type Plugin struct {
	Name string
	// ID is the name of the plugin's data directory. It consists of the name of the plugin and, if
	// any, the name of its marketplace.
	ID string
	// Manifest is the manifest's displayed path, or "".
	Manifest string
	Tree     *vfs.Tree
	Dir      string
	// Source is the absolute path of the directory, in the user's copy of a marketplace, from which
	// the host installed the plugin. It is "" if there is none.
	Source string
	// Disabled explains why the plugin is disabled, and Code is the corresponding diagnostic code.
	// Both are empty if the plugin is enabled.
	Disabled string
	Code     diag.Code
	// From describes what makes the directory a plugin: a manifest, a marketplace, the list of
	// installed plugins, or the user.
	From string

	// components maps component keys, such as "skills", to the paths in the manifest. added does
	// the same for the marketplace's entry.
	components, added map[string][]string
	// atRoot is set if the plugin is its marketplace's own directory.
	atRoot bool
	inline map[string]json.RawMessage
	// commands holds the commands that the manifest describes individually, or nil.
	commands []namedCommand
	// words is the format of MCP servers in the plugin's manifest.
	words *host.ServerFormat
}

type dirOf struct {
	dir   string
	named bool
	// command is set if the manifest describes the command in this directory.
	command *namedCommand
}

// namedCommand is a command for which a manifest gives either a file or the text.
type namedCommand struct{ name, description, source, content string }

// commandMap parses an object that maps names to commands. The result preserves the order, except
// that commands with a file precede those with text. ok is false if any of the object's values does
// not describe a command.
func commandMap(raw json.RawMessage) (list []namedCommand, ok bool) {
	v, ok := jsonc.Parse(raw)
	if !ok || v.Kind != definition.Map {
		return nil, false
	}
	list = []namedCommand{}
	for _, e := range v.Pairs {
		text := func(key string) (string, bool) {
			member := e.Value.Pair(key)
			return member.Text, member.Kind == definition.String
		}
		c := namedCommand{name: e.Key}
		var isFile, isText bool
		c.description, _ = text("description")
		c.source, isFile = text("source")
		if c.content, isText = text("content"); isFile == isText || isFile && !strings.HasPrefix(c.source, "./") {
			return nil, false
		}
		list = append(list, c)
	}
	var files, texts []namedCommand
	for _, c := range list {
		if c.source != "" {
			files = append(files, c)
		} else {
			texts = append(texts, c)
		}
	}
	return append(append(list[:0], files...), texts...), true
}

// dirs returns the plugin's directories in which the root is read, in the host's order. Paths in a
// manifest may replace the default path, while paths in the marketplace's entry are added to it.
// There is one exception: if the plugin is the marketplace's own directory, the entry's skill paths
// replace the default path for skills (Claude Code 2.1.330).
func (pl *Plugin) dirs(root *host.Root) []dirOf {
	named, added := pl.components[root.Component], pl.added[root.Component]
	var list []dirOf
	isCommands := root.Component == "commands" && pl.commands != nil
	replaced := root.Replaces && len(named) > 0 || isCommands || root.Component == "skills" && pl.atRoot && len(added) > 0 && !slices.Contains(added, ".")
	if root.Component == "" || !replaced {
		list = append(list, dirOf{dir: path.Join(pl.Dir, root.Dir)})
	}
	if root.Component == "" {
		return list
	}
	for i := range pl.commands {
		if c := &pl.commands[i]; isCommands {
			list = append(list, dirOf{dir: path.Join(pl.Dir, c.source), named: true, command: c})
		}
	}
	for _, n := range slices.Concat(named, added) {
		if d := path.Join(pl.Dir, n); !slices.Contains(list, dirOf{dir: d}) {
			list = append(list, dirOf{dir: d, named: true})
		}
	}
	return list
}

// manifest maps the keys of a plugin manifest, or of another JSON file, to their unparsed values.
type manifest map[string]json.RawMessage

// findPlugins sets p.Plugins.
func (p *Plan) findPlugins() {
	rules := p.Profile.Plugins
	if rules == nil {
		return
	}
	for _, dir := range p.env.PluginDirs {
		p.pluginDir(dir)
	}
	p.installed(rules)
	if !rules.InProject {
		return
	}
	for _, b := range p.bases[host.InProject] {
		if b.above {
			continue
		}
		p.marketplaces(b.tree, b.dir)
		p.addPlugin(b.tree, b.dir, entry{}, "manifest")
	}
}

// pluginDir adds a plugin directory specified by the user.
func (p *Plan) pluginDir(dir string) {
	reported := len(p.Diagnostics)
	t := p.open(dir, vfs.Options{})
	if t == nil {
		if len(p.Diagnostics) == reported {
			p.Diagnostics = append(p.Diagnostics, diag.For(dir, diag.PluginInvalid, "the plugin directory does not exist").
				WithFix("specify an existing directory"))
		}
		return
	}
	plug := p.addPlugin(t, ".", entry{Name: path.Base(dir)}, "user")
	if plug != nil {
		plug.ID = plug.Name + "-inline"
	}
}

// entry describes a plugin in a marketplace. Its component keys have the same meaning as in a
// plugin's manifest.
type entry struct {
	Name   string
	Source json.RawMessage
	// If Strict is false, the entry defines the plugin without a manifest. If such an entry names
	// components, the plugin must not have a manifest.
	Strict *bool
	keys   manifest

	// dir is the path of a local source, relative to the marketplace.
	dir   string
	local bool
	// named is set if the plugin is named after the entry even if its manifest has a name.
	named bool
}

// components reports whether the entry has a key that lists components.
func (e *entry) components() bool { return e.keys.has(componentKeys()) }

// componentKeys returns the manifest keys whose values are paths of definitions.
func componentKeys() []string {
	return []string{"skills", "commands", "agents", "rules", "workflows", "contextFileName"}
}

func (e *entry) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &e.keys); err != nil {
		return err
	}
	e.Source = e.keys["source"]
	if raw, ok := e.keys["strict"]; ok && json.Unmarshal(raw, &e.Strict) != nil {
		e.Strict = nil
	}
	if name, ok := e.keys["name"]; ok {
		return json.Unmarshal(name, &e.Name)
	}
	return nil
}

// addPlugin adds a directory as a plugin if the directory contains a manifest or is described by an
// entry.
func (p *Plan) addPlugin(t *vfs.Tree, dir string, e entry, from string) *Plugin {
	real := t.RealPath(dir)
	for _, known := range p.pluginsAt[real] {
		if e.Name == "" || known.Name == e.Name {
			known.merge(p, e.keys, known.added, cmp.Or(known.Manifest, p.Show(t, dir)))
			return known
		}
	}
	if len(p.Plugins) >= maxPlugins {
		if len(p.Plugins) == maxPlugins && !p.tooManyPlugins {
			p.tooManyPlugins = true
			p.Diagnostics = append(p.Diagnostics, diag.For(p.Show(t, dir), diag.DirLimit, "only the first %d plugins are read", maxPlugins).
				WithFix("remove unused plugins"))
		}
		return nil
	}
	keys, shown, words, wrong, ok := p.manifest(t, dir)
	if !ok && e.Name == "" {
		return nil
	}
	plug := &Plugin{
		Name: e.Name, Manifest: shown, Tree: t, Dir: dir, From: from,
		components: map[string][]string{}, added: map[string][]string{}, atRoot: e.local && e.dir == ".", inline: map[string]json.RawMessage{}, words: words,
	}
	var name string
	if !e.named && json.Unmarshal(keys["name"], &name) == nil && name != "" {
		plug.Name = name
	}
	if plug.Name == "" {
		plug.Name = path.Base(t.RealPath(dir))
	}
	if wrong == nil && ok && e.Strict != nil && !*e.Strict && e.components() {
		d := diag.For(shown, diag.PluginInvalid, "its marketplace entry sets strict: false and lists components, so the plugin must not have a manifest").
			WithFix("remove the manifest, or remove strict: false from the marketplace entry")
		wrong = &d
	}
	if wrong != nil {
		wrong.Message = "plugin " + plug.Name + " is not loaded: " + wrong.Message
		p.Diagnostics = append(p.Diagnostics, *wrong)
		plug.Disabled, plug.Code = wrong.Message, wrong.Code
	} else {
		plug.merge(p, keys, plug.components, shown)
		delete(e.keys, "workflows")
		plug.merge(p, e.keys, plug.added, cmp.Or(shown, p.Show(t, dir)))
	}
	p.Plugins = append(p.Plugins, plug)
	if p.pluginsAt == nil {
		p.pluginsAt = map[string][]*Plugin{}
	}
	p.pluginsAt[real] = append(p.pluginsAt[real], plug)
	return plug
}

// manifest reads the first of the profile's manifests that exists in a directory. If the manifest
// makes the plugin invalid, wrong explains why.
func (p *Plan) manifest(t *vfs.Tree, dir string) (keys manifest, shown string, words *host.ServerFormat,
	wrong *diag.Diagnostic, ok bool) {
	for _, m := range p.Profile.Plugins.Manifests {
		name := path.Join(dir, m.Path)
		if words = m.Servers; words == nil {
			words = host.PluginServers()
		}
		if p.Profile.Plugins.Keys != nil {
			if keys, wrong = p.strictManifest(t, name); keys == nil && wrong == nil {
				continue
			}
			return keys, p.Show(t, name), words, wrong, true
		}
		if keys, ok = p.readJSON(t, name); !ok || !keys.is(m) {
			continue
		}
		return keys, p.Show(t, name), words, nil, true
	}
	return nil, "", host.PluginServers(), nil, false
}

// merge adds components to the plugin. keys comes from a manifest or a marketplace entry, and shown
// is that file's displayed path. merge adds the paths in keys to into, by component key.
func (pl *Plugin) merge(p *Plan, keys manifest, into map[string][]string, shown string) {
	for _, key := range componentKeys() {
		raw, ok := keys[key]
		if !ok {
			continue
		}
		if list, ok := commandMap(raw); ok && key == "commands" {
			pl.commands = pl.insideOnly(p, list, shown)
			continue
		}
		for _, dir := range firstComponents(p, pl, key, componentPaths(raw, 0), shown) {
			clean := path.Clean(strings.TrimPrefix(dir, p.Profile.Plugins.Root+"/"))
			if !fs.ValidPath(clean) {
				p.Diagnostics = append(p.Diagnostics, diag.For(shown, diag.PluginInvalid, "%s in plugin %s: %q is outside the plugin", key, pl.Name, dir).
					WithFix("specify a path inside the plugin that starts with ./"))
				continue
			}
			if !slices.Contains(into[key], clean) {
				into[key] = append(into[key], clean)
			}
		}
	}
	for _, key := range []string{"hooks", "mcpServers"} {
		if raw, ok := keys[key]; ok {
			pl.inline[key] = raw
		}
	}
}

// firstComponents returns the first maxComponents elements of list. It reports a problem if there
// are more.
func firstComponents[E any](p *Plan, pl *Plugin, key string, list []E, shown string) []E {
	if len(list) <= maxComponents {
		return list
	}
	p.Diagnostics = append(p.Diagnostics, diag.For(shown, diag.PluginInvalid, "%s in plugin %s: only the first %d of %d paths are used", key, pl.Name, maxComponents, len(list)).
		WithFix("list directories instead of individual files"))
	return list[:maxComponents]
}

// insideOnly removes the commands whose files are outside the plugin, and those beyond the limit.
// It reports what it removes.
func (pl *Plugin) insideOnly(p *Plan, list []namedCommand, shown string) []namedCommand {
	return slices.DeleteFunc(firstComponents(p, pl, "commands", list, shown), func(c namedCommand) bool {
		if fs.ValidPath(path.Clean(c.source)) {
			return false
		}
		p.Diagnostics = append(p.Diagnostics, diag.For(shown, diag.PluginInvalid, "commands in plugin %s: %q is outside the plugin", pl.Name, c.source).
			WithFix("specify a path inside the plugin that starts with ./"))
		return true
	})
}

// maxComponents is the maximum number of paths per component key, and maxPlugins is the maximum
// number of plugins.
const (
	maxComponents = 1000
	maxPlugins    = 2000
)

// componentPaths parses a component key, which is a path, a map that contains a path, or a list of
// these. Hosts do not read nested lists.
func componentPaths(raw json.RawMessage, depth int) []string {
	if depth > 1 {
		return nil
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		var paths []string
		for _, item := range list {
			paths = append(paths, componentPaths(item, depth+1)...)
		}
		return paths
	}
	var object struct{ Path, Source string }
	if json.Unmarshal(raw, &object) == nil {
		for _, s := range []string{object.Path, object.Source} {
			if s != "" {
				return []string{s}
			}
		}
	}
	return nil
}

// readJSON reads a settings file or manifest, which may contain comments and trailing commas.
func (p *Plan) readJSON(t *vfs.Tree, name string) (manifest, bool) {
	keys := manifest{}
	ok := p.decodeJSON(t, name, &keys)
	return keys, ok
}

func (p *Plan) decodeJSON(t *vfs.Tree, name string, into any) bool {
	data, err := p.readSettings(t, name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, vfs.ErrDirectory) {
			p.Diagnostics = append(p.Diagnostics, Unreadable(p.Show(t, name), err))
		}
		return false
	}
	if err := json.Unmarshal(jsonc.Plain(data), into); err != nil {
		p.Diagnostics = append(p.Diagnostics, diag.ForJSON(p.Show(t, name), data, err))
		return false
	}
	return true
}

// readFollowing reads a file, following symlinks.
func readFollowing(t *vfs.Tree, name string, limit int64) ([]byte, error) {
	data, err := t.ReadFile(name, limit)
	if !errors.Is(err, vfs.ErrLink) {
		return data, err
	}
	to, rel, err := t.Resolve(name)
	if err != nil {
		return nil, err
	}
	return to.ReadFile(rel, limit)
}

// ownSkillUnread reports whether the host ignores the SKILL.md in the plugin's own directory
// because the plugin has other skills (Claude Code 2.1.330). It returns false if root is not the
// root for that SKILL.md.
func (pl *Plugin) ownSkillUnread(p *Plan, root *host.Root) bool {
	if root.Component != "" || !p.Profile.Plugins.RootSkillAlone || root.Rules[0].Kind != definition.Skill {
		return false
	}
	if len(pl.components["skills"])+len(pl.added["skills"]) > 0 {
		return true
	}
	_, err := pl.Tree.Lstat(path.Join(pl.Dir, "skills"))
	return err == nil
}
