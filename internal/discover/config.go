package discover

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/mcp"
	"github.com/vadehq/vade/internal/vfs"
)

// TOMLReader parses a TOML file. Package parse provides the implementation.
type TOMLReader func(shown string, data []byte) ([]definition.Entry, []diag.Diagnostic)

// Configuration holds the hooks and MCP servers that a host's configuration files define.
type Configuration struct {
	Hooks   []definition.Hook
	Servers []mcp.Server
}

// ReadConfiguration reads the profile's files that define hooks and MCP servers.
func (p *Plan) ReadConfiguration(toml TOMLReader) (Configuration, []diag.Diagnostic) {
	c := configReader{plan: p, toml: toml}
	before := len(p.Diagnostics)
	for i, cfg := range p.Profile.ConfigFiles() {
		c.row = i
		for n, at := range p.configPlaces(&cfg) {
			c.distance = n
			c.read(&cfg, at.tree, at.dir, at.plugin)
		}
	}
	c.distance = 0
	for _, plug := range p.Plugins {
		if !plug.failed() {
			c.inline(plug)
		}
	}
	found := append(p.Diagnostics[before:len(p.Diagnostics):len(p.Diagnostics)], c.diagnostics...)
	p.Diagnostics = p.Diagnostics[:before]
	for i := range found {
		// The source line may contain a server's secret.
		found[i].Source = ""
	}
	return c.Configuration, found
}

type configPlace struct {
	tree   *vfs.Tree
	dir    string
	plugin *Plugin
}

func (p *Plan) configPlaces(cfg *host.Config) []configPlace {
	var places []configPlace
	switch cfg.Base {
	case host.InPlugin:
		for _, plug := range p.Plugins {
			if plug.failed() {
				continue
			}
			places = append(places, configPlace{plug.Tree, path.Join(plug.Dir, cfg.Path), plug})
		}
	case host.InManaged:
		if t := p.managed(cfg.Managed); t != nil {
			places = append(places, configPlace{t, cfg.Path, nil})
		}
	default:
		for _, b := range p.bases[cfg.Base] {
			tree, name := b.tree, cfg.Path
			if b.added || b.touched || b.above {
				continue
			}
			if cfg.Base == host.InHome {
				if tree, name = p.movedDir(b, cfg.Path, cfg.Env, cfg.EnvDepth); tree == nil {
					continue
				}
			}
			places = append(places, configPlace{tree, path.Join(b.dir, name), nil})
		}
	}
	return places
}

type configReader struct {
	Configuration
	plan        *Plan
	toml        TOMLReader
	diagnostics []diag.Diagnostic
	// row is the configuration file's index in the profile, and distance is the distance of the
	// file's directory from the working directory.
	row, distance int
}

func (c *configReader) read(cfg *host.Config, t *vfs.Tree, name string, plug *Plugin) {
	origin := definition.Origin{Layer: cfg.Layer, Path: c.plan.Show(t, name), Distance: short(c.distance)}
	if plug != nil {
		origin.Plugin = plug.Name
	}
	data, err := readFollowing(t, name, maxConfig)
	if err != nil {
		if !isNotExist(err) && !errors.Is(err, vfs.ErrDirectory) {
			c.diagnostics = append(c.diagnostics, Unreadable(origin.Path, err))
		}
		return
	}
	if cfg.Format == definition.TOML {
		entries, found := c.toml(origin.Path, data)
		c.diagnostics = append(c.diagnostics, found...)
		c.tomlHooks(cfg, origin, data, entries)
		for _, key := range cfg.Servers {
			if i := slices.IndexFunc(entries, func(e definition.Entry) bool { return e.Key == key }); i >= 0 {
				c.servers(cfg, origin, data, entries[i].Value, plug)
				return
			}
		}
		return
	}
	plain := jsonc.Plain(data)
	keys := manifest{}
	if err := json.Unmarshal(plain, &keys); err != nil {
		c.diagnostics = append(c.diagnostics, diag.ForJSON(origin.Path, data, err))
		return
	}
	c.jsonServers(cfg, origin, plain, keys, plug)
	if cfg.Hooks != "" {
		if raw, ok := keys[cfg.Hooks]; ok {
			c.hooks(cfg.HookRules, origin, raw)
			if v, _, ok := jsonc.Find(plain, cfg.Hooks); ok {
				c.checkHooks(cfg.HookRules, diag.NewFile(origin.Path, data), v)
			}
		}
	}
}

// jsonServers reads the map of servers in a JSON file. Hosts store the map under different keys.
func (c *configReader) jsonServers(cfg *host.Config, origin definition.Origin, data []byte, keys manifest, plug *Plugin) {
	var at []string
	if cfg.ForProject != "" {
		if at = c.project(cfg.ForProject, keys); at == nil {
			return
		}
	}
	for _, key := range cfg.Servers {
		path := append(slices.Clone(at), key)
		switch {
		case key != ".":
		case keys.has([]string{"mcpServers", "servers"}) || len(keys) == 0:
			continue
		default:
			path = nil
		}
		if v, found, ok := jsonc.Find(data, path...); ok {
			c.servers(cfg, origin, data, v, plug)
			return
		} else if found {
			c.tooDeep(origin)
			return
		}
	}
}

// tooDeep reports servers that are ignored because they are nested too deeply.
func (c *configReader) tooDeep(origin definition.Origin) {
	c.diagnostics = append(c.diagnostics, diag.For(origin.Path, diag.MCPInvalid, "ignored the MCP servers because they are nested too deeply").
		WithFix("define each server as one object"))
}

// project returns the key path of this project's entry in the user's file. The
// entry's key is the working directory or the project root.
func (c *configReader) project(key string, keys manifest) []string {
	var dirs map[string]json.RawMessage
	if c.plan.Project == nil || json.Unmarshal(keys[key], &dirs) != nil {
		return nil
	}
	for _, dir := range []string{c.plan.Project.Path(c.plan.WorkDir), c.plan.Project.Path(".")} {
		if _, ok := dirs[dir]; ok {
			return []string{key, dir}
		}
	}
	return nil
}

// inline reads the hooks and servers in a plugin manifest, including those in files that the
// manifest names.
func (c *configReader) inline(plug *Plugin) {
	origin := definition.Origin{Layer: definition.Plugin, Path: plug.Manifest, Plugin: plug.Name}
	for _, key := range []string{"hooks", "mcpServers"} {
		raw, ok := plug.inline[key]
		if !ok {
			continue
		}
		for _, file := range componentPaths(raw, 0) {
			cfg := host.Config{Layer: definition.Plugin, Format: definition.Package}
			if key == "hooks" {
				cfg.Hooks = "hooks"
			} else {
				cfg.Servers, cfg.Words = []string{"mcpServers", "."}, plug.words
			}
			if name := path.Join(plug.Dir, file); !strings.HasPrefix(name, "..") && path.Clean(file) != "hooks/hooks.json" && path.Clean(file) != ".mcp.json" {
				c.read(&cfg, plug.Tree, name, plug)
			}
		}
		if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
			continue
		}
		if key == "hooks" {
			var wrapped struct{ Hooks json.RawMessage }
			if json.Unmarshal(raw, &wrapped) == nil && wrapped.Hooks != nil {
				raw = wrapped.Hooks
			}
			c.hooks(nil, origin, raw)
			continue
		}
		cfg := host.Config{Layer: definition.Plugin, Words: plug.words}
		if v, ok := jsonc.Parse(raw); ok {
			c.servers(&cfg, origin, nil, v, plug)
		} else {
			c.tooDeep(origin)
		}
	}
}

// servers reads a map of MCP servers. data is the file's content, or nil if positions are unknown.
func (c *configReader) servers(cfg *host.Config, origin definition.Origin, data []byte, v definition.Value, plug *Plugin) {
	list, found := mcp.Read(diag.NewFile(origin.Path, data), v, cfg.Words,
		mcp.Origin{Origin: origin, BeforeProject: cfg.First, Rank: c.row})
	if data == nil {
		for i := range list {
			list[i].ClearPositions()
		}
		for i := range found {
			found[i].Line, found[i].Column, found[i].EndLine, found[i].EndColumn = 0, 0, 0, 0
		}
	}
	if plug != nil && plug.Disabled != "" {
		for i := range list {
			list[i].State, list[i].Reason = definition.Disabled, plug.Disabled
		}
	}
	c.Servers = append(c.Servers, list...)
	c.diagnostics = append(c.diagnostics, found...)
}

// hooks reads a map from events to lists of hooks. A hook consists of a matcher and handlers. In
// some hosts, a list element may itself be a handler.
func (c *configReader) hooks(rules *host.HookRules, origin definition.Origin, raw json.RawMessage) {
	var events map[string]json.RawMessage
	if err := json.Unmarshal(raw, &events); err != nil {
		c.invalid(origin, "the hooks must be an object that maps events to lists")
		return
	}
	type handler struct{ Type, Command, Bash, URL string }
	for _, event := range sortedKeys(events) {
		if rules != nil && slices.Contains(rules.Settings, event) {
			continue
		}
		var groups []struct {
			Matcher string
			Hooks   []handler
			handler
		}
		if err := json.Unmarshal(events[event], &groups); err != nil {
			if rules == nil || bytes.HasPrefix(events[event], []byte("[")) { // checkHooks reports the rest
				c.invalid(origin, "the hooks for "+event+" must be a list of objects")
			}
			continue
		}
		for _, g := range groups {
			handlers := g.Hooks
			if len(handlers) == 0 {
				handlers = []handler{g.handler}
			}
			for _, h := range handlers {
				c.Hooks = append(c.Hooks, definition.Hook{
					Event: event, Matcher: g.Matcher, Type: cmp.Or(h.Type, "command"), Command: cmp.Or(h.Command, h.Bash, h.URL), Origin: origin,
				})
			}
		}
	}
}

// tomlHooks reads the hooks in a TOML file.
func (c *configReader) tomlHooks(cfg *host.Config, origin definition.Origin, data []byte, entries []definition.Entry) {
	for i := range entries {
		e := &entries[i]
		if cfg.Hooks == "" || e.Key != cfg.Hooks {
			continue
		}
		for _, h := range host.GroupedHooks(e.Value) {
			c.Hooks = append(c.Hooks, definition.Hook{Event: h.Event, Matcher: h.Matcher, Type: h.Type, Command: h.Command, Origin: origin})
		}
		c.checkHooks(cfg.HookRules, diag.NewFile(origin.Path, data), e.Value)
	}
}

// checkHooks reports problems that the host's rules find in the hooks.
func (c *configReader) checkHooks(rules *host.HookRules, file *diag.File, hooks definition.Value) {
	if rules == nil {
		return
	}
	for _, p := range rules.Check(hooks) {
		c.diagnostics = append(c.diagnostics, diag.At(file, p.Span, diag.HooksInvalid, "%s", p.Message).WithFix("%s", p.Fix))
	}
}

func (c *configReader) invalid(origin definition.Origin, text string) {
	c.diagnostics = append(c.diagnostics, diag.For(origin.Path, diag.HooksInvalid, "%s; the hooks are ignored", text).
		WithFix("map each event to a list of objects"))
}

// PackageCommands reads the chat commands in the package.json at the project root.
func (p *Plan) PackageCommands() ([]*definition.Definition, []diag.Diagnostic) {
	if !p.Profile.Package {
		return nil, nil
	}
	before := len(p.Diagnostics)
	var list []*definition.Definition
	for _, b := range p.bases[host.InTop] {
		list = append(list, p.packageCommands(b.tree)...)
	}
	found := slices.Clone(p.Diagnostics[before:])
	p.Diagnostics = p.Diagnostics[:before]
	return list, found
}

func (p *Plan) packageCommands(t *vfs.Tree) []*definition.Definition {
	const file = "package.json"
	var pkg struct {
		Contributes struct {
			ChatParticipants []struct {
				Name     string
				Commands []struct{ Name, Description string }
			}
		}
	}
	if typ, err := t.Lstat(file); err != nil || typ == vfs.Dir || !p.decodeJSON(t, file, &pkg) {
		return nil
	}
	var list []*definition.Definition
	for _, participant := range pkg.Contributes.ChatParticipants {
		for _, c := range participant.Commands {
			if c.Name == "" {
				continue
			}
			d := &definition.Definition{
				Kind: definition.Command, Format: definition.Package, Name: c.Name, Title: c.Name, Description: c.Description,
				Origin: definition.Origin{
					Layer: definition.Bundled, Root: file, Path: p.Show(t, file),
					// All commands are in the same file, so the command's name makes the path
					// unique.
					Real: t.RealPath(file) + "#" + participant.Name + "/" + c.Name, Row: short(len(p.Profile.Roots) - 1),
				},
			}
			d.Fields.Description = c.Description
			if participant.Name != "" {
				d.Fields.SetList(definition.FieldAgents, []string{participant.Name})
			}
			list = append(list, d)
		}
	}
	return list
}
