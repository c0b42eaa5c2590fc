package opencode

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

func connect(string) host.Connect {
	return host.Connect{
		Project: []string{"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"},
		User:    []string{".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"},
		Next:    "start it anew; see: opencode mcp list",
	}
}

func Configs() []host.Config {
	return []host.Config{
		host.ServersIn(definition.Project, host.InProject, "opencode.json", servers()),
		host.ServersIn(definition.Project, host.InProject, "opencode.jsonc", servers()),
		host.ServersIn(definition.Project, host.InProject, ".opencode/opencode.json", servers()),
		host.ServersIn(definition.Project, host.InProject, ".opencode/opencode.jsonc", servers()),
		host.ServersIn(definition.User, host.InHome, ".config/opencode/opencode.json", servers()).MovedBy("XDG_CONFIG_HOME", 0),
		host.ServersIn(definition.User, host.InHome, ".config/opencode/opencode.jsonc", servers()).MovedBy("XDG_CONFIG_HOME", 0),
	}
}

// servers describes the key mcp of opencode's configuration (source: config/mcp.ts). {env:NAME}
// is replaced in the text of the entire file (documented).
func servers() *host.ServerFormat {
	return &host.ServerFormat{
		Name: "opencode.json", Basis: host.FromSource, Path: "opencode.json", Shared: true, Syntax: definition.Package, Key: "mcp",
		Types:       []host.ServerWord{{Word: "local", Transport: host.Stdio}, {Word: "remote", Transport: host.HTTP}, {Word: "remote", Transport: host.SSE}},
		Addresses:   []host.ServerWord{{Word: "url", Transport: host.HTTP}, {Word: "url", Transport: host.SSE}},
		Detects:     true,
		CommandList: true, Env: "environment", Headers: "headers", Timeout: "timeout", Unit: time.Millisecond, On: "enabled",
		Refs: host.RefCurly, RefsIn: host.AtAll,
	}
}

// unread: documented.
func unread() []host.UnreadSetting {
	keys := [][2]string{
		{"instructions", "names further instruction files"},
		{"command", "defines commands"},
		{"agent", "defines agents"},
	}
	off := [2]string{"skill", "allows and denies skills"}
	skills := [][2]string{{"paths", "names further directories of skills"}, {"urls", "names places on the network with skills"}}
	var list []host.UnreadSetting
	for _, name := range []string{"opencode.json", "opencode.jsonc"} {
		for _, at := range []host.UnreadSetting{
			{Base: host.InProject, Path: name}, {Base: host.InProject, Path: ".opencode/" + name},
			{Base: host.InHome, Path: ".config/opencode/" + name, Env: "XDG_CONFIG_HOME"},
		} {
			list = append(list, host.UnreadIn(at.Base, at.Path, at.Env, keys...)...)
			list = append(list, host.BelowKey("permission", host.UnreadIn(at.Base, at.Path, at.Env, off))...)
			list = append(list, host.BelowKey("skills", host.UnreadIn(at.Base, at.Path, at.Env, skills...))...)
		}
	}
	return list
}

// adaptations accepts only names of skills, without wildcards (h22).
func adaptations() []host.Adaptation {
	return append(host.Adapting(unread(), "skill", host.InHome, skillsDenied),
		host.Adapting(unread(), "skill", host.InProject, skillsDenied)...)
}

func skillsDenied(p *host.Profile, value json.RawMessage) bool {
	actions := map[string]string{}
	if json.Unmarshal(value, &actions) != nil {
		return false
	}
	for name := range actions {
		if strings.ContainsAny(name, "*?") {
			return false
		}
	}
	p.Refuse(func(d *definition.Definition) bool {
		return d.Kind == definition.Skill && actions[d.Name] == "deny"
	})
	return true
}
