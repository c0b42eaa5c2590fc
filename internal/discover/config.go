package discover

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// TOMLReader makes a JSON object of a TOML file; the parse stage has it.
type TOMLReader func(shown string, data []byte) (map[string]json.RawMessage, []diag.Diagnostic)

// Carried are the entries that travel with definitions: hooks and MCP servers.
type Carried struct {
	Hooks   []definition.Hook
	Servers []definition.Server
}

// Carry reads the files of settings that the profile names.
func (p *Plan) Carry(toml TOMLReader) (Carried, []diag.Diagnostic) {
	c := carrier{plan: p, toml: toml}
	before := len(p.Diagnostics)
	for i := range p.Profile.Configs {
		cfg := &p.Profile.Configs[i]
		for _, at := range p.configPlaces(cfg) {
			c.read(cfg, at.tree, at.dir, at.plugin)
		}
	}
	for _, plug := range p.Plugins {
		if !plug.failed() {
			c.inline(plug)
		}
	}
	found := append(p.Diagnostics[before:len(p.Diagnostics):len(p.Diagnostics)], c.diagnostics...)
	p.Diagnostics = p.Diagnostics[:before]
	return c.Carried, found
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
				if tree, name = p.homeDir(b, cfg.Path, cfg.Env); tree == nil {
					continue
				}
			}
			places = append(places, configPlace{tree, path.Join(b.dir, name), nil})
		}
	}
	return places
}

type carrier struct {
	Carried
	plan        *Plan
	toml        TOMLReader
	diagnostics []diag.Diagnostic
}

func (c *carrier) read(cfg *host.Config, t *vfs.Tree, name string, plug *Plugin) {
	var keys manifest
	if cfg.Format == definition.TOML {
		data, err := readFollowing(t, name, maxConfig)
		if err != nil {
			return
		}
		var found []diag.Diagnostic
		keys, found = c.toml(c.plan.Show(t, name), data)
		c.diagnostics = append(c.diagnostics, found...)
	} else {
		var ok bool
		if keys, ok = c.plan.readJSON(t, name); !ok {
			return
		}
	}
	origin := definition.Origin{Layer: cfg.Layer, Path: c.plan.Show(t, name)}
	if plug != nil {
		origin.Plugin = plug.Name
	}
	for _, key := range cfg.Servers {
		raw, ok := keys[key]
		if key == "." && !keys.has([]string{"mcpServers", "servers"}) {
			raw, _ = json.Marshal(keys)
			ok = len(keys) > 0
		}
		if ok {
			c.servers(origin, raw)
			break
		}
	}
	if cfg.Hooks != "" {
		if raw, ok := keys[cfg.Hooks]; ok {
			c.hooks(origin, raw)
		}
	}
}

// inline takes the hooks and servers that a manifest itself holds.
func (c *carrier) inline(plug *Plugin) {
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
				cfg.Servers = []string{"mcpServers", "."}
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
			c.hooks(origin, raw)
		} else {
			c.servers(origin, raw)
		}
	}
}

// servers reads a map of MCP servers. What may be secret, the environment and
// the headers, is not kept.
func (c *carrier) servers(origin definition.Origin, raw json.RawMessage) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		c.invalid(origin, "the MCP servers are not a map")
		return
	}
	for _, name := range sortedKeys(all) {
		var s struct {
			Type, URL, ServerURL, HTTPURL string
			Command                       json.RawMessage
		}
		if err := json.Unmarshal(all[name], &s); err != nil {
			c.invalid(origin, "the MCP server "+name+" is not an object of the usual form")
			continue
		}
		server := definition.Server{Name: name, Origin: origin, Type: s.Type, URL: cmp.Or(s.URL, s.ServerURL, s.HTTPURL)}
		var words []string
		if json.Unmarshal(s.Command, &server.Command) != nil && json.Unmarshal(s.Command, &words) == nil && len(words) > 0 {
			server.Command = words[0]
		}
		if server.Type == "" || server.Type == "local" {
			server.Type = "stdio"
			if server.Command == "" && server.URL != "" {
				server.Type = "http"
			}
		}
		c.Servers = append(c.Servers, server)
	}
}

// hooks reads a map from events to lists of hooks, each with a matcher and its
// handlers or, in some hosts, the handler itself.
func (c *carrier) hooks(origin definition.Origin, raw json.RawMessage) {
	var events map[string]json.RawMessage
	if err := json.Unmarshal(raw, &events); err != nil {
		c.invalid(origin, "the hooks are not a map from events to lists")
		return
	}
	type handler struct{ Type, Command, Bash, URL string }
	for _, event := range sortedKeys(events) {
		var groups []struct {
			Matcher string
			Hooks   []handler
			handler
		}
		if err := json.Unmarshal(events[event], &groups); err != nil {
			c.invalid(origin, "the hooks of "+event+" are not a list of the usual form")
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

func (c *carrier) invalid(origin definition.Origin, text string) {
	c.diagnostics = append(c.diagnostics, diag.For(origin.Path, diag.HooksInvalid, "%s; they are ignored", text).
		WithFix("correct the file"))
}

// PackageCommands reads the commands that a package.json at the top of the
// project contributes to a chat.
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
					// Each command is a part of the file, and an identity of its own.
					Real: t.RealPath(file) + "#" + participant.Name + "/" + c.Name, Row: len(p.Profile.Roots) - 1,
				},
			}
			d.Fields.Description = c.Description
			if participant.Name != "" {
				d.Fields.Agents = []string{participant.Name}
			}
			list = append(list, d)
		}
	}
	return list
}
