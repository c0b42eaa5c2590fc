package vade

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
)

// TestSDKExportPlugins checks that a marketplace's local plugins are included, unless something in
// a plugin would run or be allowed automatically. Excluded plugins are listed with the option that
// includes them.
func TestSDKExportPlugins(t *testing.T) {
	const skill = "---\nname: x\ndescription: d\n---\nText.\n"
	files := map[string]string{
		".git/HEAD": "ref: refs/heads/main\n",
		".claude-plugin/marketplace.json": `{"name": "m", "owner": {"name": "o"}, "plugins": [
			{"name": "plain", "source": "./plugins/plain"}, {"name": "hooked", "source": "./plugins/hooked"},
			{"name": "inline", "source": "./plugins/inline"}, {"name": "served", "source": "./plugins/served"},
			{"name": "leave", "source": "./plugins/leave"}, {"name": "shell", "source": "./plugins/shell"},
			{"name": "bin", "source": "./plugins/bin"}, {"name": "foreign", "source": "./plugins/foreign"},
			{"name": "readme", "source": "./plugins/readme"}, {"name": "depth", "source": "./plugins/depth"},
			{"name": "future", "source": "./plugins/future"}, {"name": "bare", "source": "./plugins/bare"},
			{"name": "far", "source": {"source": "github", "repo": "a/b"}}]}`,
		"plugins/plain/.claude-plugin/plugin.json":   `{"name": "plain", "version": "1.0.0", "description": "d"}`,
		"plugins/plain/skills/x/SKILL.md":            skill,
		"plugins/hooked/.claude-plugin/plugin.json":  `{"name": "hooked"}`,
		"plugins/hooked/hooks/hooks.json":            `{"hooks": {}}`,
		"plugins/inline/.claude-plugin/plugin.json":  `{"name": "inline", "hooks": {"Stop": []}}`,
		"plugins/inline/skills/x/SKILL.md":           skill,
		"plugins/served/.claude-plugin/plugin.json":  `{"name": "served"}`,
		"plugins/served/.mcp.json":                   `{"mcpServers": {"s": {"command": "s"}}}`,
		"plugins/served/agents/a.md":                 "---\nname: a\ndescription: d\n---\nText.\n",
		"plugins/leave/.claude-plugin/plugin.json":   `{"name": "leave"}`,
		"plugins/leave/skills/x/SKILL.md":            "---\nname: x\ndescription: d\nallowed-tools: Bash\n---\nText.\n",
		"plugins/shell/.claude-plugin/plugin.json":   `{"name": "shell"}`,
		"plugins/shell/commands/x.md":                "---\ndescription: d\n---\n!`date`\n",
		"plugins/bin/.claude-plugin/plugin.json":     `{"name": "bin"}`,
		"plugins/bin/bin/tool":                       "#!/bin/sh\n",
		"plugins/foreign/.github/plugin/plugin.json": `{"name": "foreign"}`,
		"plugins/foreign/skills/x/SKILL.md":          skill,
		"plugins/future/.claude-plugin/plugin.json":  `{"name": "future", "starters": ["./run"]}`,
		"plugins/bare/skills/x/SKILL.md":             skill,
		// A file next to a skill is not a definition in any host.
		"plugins/bare/skills/x/examples.md": "Write `!`+\"`date`\"+` so: !`date`\n",
		// A host may load files that Vade considers documentation or that are too deep for Vade.
		"plugins/readme/.claude-plugin/plugin.json":        `{"name": "readme"}`,
		"plugins/readme/commands/README.md":                "---\nallowed-tools: Bash\n---\nRun.\n",
		"plugins/depth/.claude-plugin/plugin.json":         `{"name": "depth"}`,
		"plugins/depth/commands/1/2/3/4/5/6/7/8/9/10/x.md": "!`date`\n",
	}
	c, err := catalog.Open(context.Background(), layProject(t, files))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	x, err := export.To(context.Background(), c, export.Request{Host: "claude-sdk"})
	if err != nil {
		t.Fatal(err)
	}
	var options struct{ Plugins []export.SDKPlugin }
	for _, f := range x.Files {
		if f.Path == "options.json" {
			if err := json.Unmarshal(f.Data, &options); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := []export.SDKPlugin{{Type: "local", Path: "./plugins/bare", SkipMCPDiscovery: true}, {Type: "local", Path: "./plugins/plain", SkipMCPDiscovery: true}, {Type: "local", Path: "./plugins/served", SkipMCPDiscovery: true}}
	if !slices.Equal(options.Plugins, want) {
		t.Errorf("plugins %v", options.Plugins)
	}
	said := map[string]string{}
	for _, l := range x.Losses {
		said[l.Name] += l.Message + " / " + l.Fix
	}
	for name, word := range map[string]string{
		"hooked": "hooks", "inline": "hooks", "leave": "allowed-tools", "shell": "shell", "bin": "bin", "foreign": "manifest", "future": "starters", "readme": "README.md", "depth": "x.md",
		"served": "MCP servers",
	} {
		if !strings.Contains(said[name], word) || name != "served" && !strings.Contains(said[name], `{type: "local", path: "./plugins/`+name+`"}`) {
			t.Errorf("%s: %q", name, said[name])
		}
	}
	if said["plain"] != "" {
		t.Errorf("plain: %q", said["plain"])
	}
	// If definitions are selected, plugins are not included.
	if x, err = export.To(context.Background(), c, export.Request{Host: "claude-sdk", Kinds: []definition.Kind{definition.Agent}}); err != nil {
		t.Fatal(err)
	}
	for _, f := range x.Files {
		if f.Path == "options.json" && strings.Contains(string(f.Data), "./plugins/") {
			t.Errorf("%s", f.Data)
		}
	}
}
