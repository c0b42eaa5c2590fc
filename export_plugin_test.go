package vade_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/servers"
)

func writeTree(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// openAlone opens the catalog for a directory, without the user's files.
func openAlone(t testing.TB, o catalog.Options) *catalog.Catalog {
	t.Helper()
	o.Home, o.ManagedDir = t.TempDir(), t.TempDir()
	o.Getenv = func(string) string { return "" }
	c, err := catalog.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestPluginHoldsTheDefinitions exports a project as a plugin and as the host's own files. The
// plugin must contain the same definitions, with the plugin's name as a prefix.
func TestPluginHoldsTheDefinitions(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, map[string]string{
		".git/HEAD":                        "",
		".claude/skills/deploy/SKILL.md":   "---\nname: deploy\ndescription: Deploys.\n---\nDeploy.\n",
		".claude/skills/deploy/ref.md":     "More.\n",
		".github/skills/triage/SKILL.md":   "---\nname: triage\ndescription: Sorts issues.\n---\nSort.\n",
		".claude/commands/ops/push.md":     "---\ndescription: Pushes.\n---\nPush.\n",
		".claude/agents/sec.md":            "---\nname: sec\ndescription: Looks.\n---\nLook.\n",
		".github/agents/plan.agent.md":     "---\nname: plan\ndescription: Plans.\ntools: [read, edit]\n---\nPlan.\n",
		".mcp.json":                        `{"mcpServers":{"a":{"command":"x"}}}`,
		"AGENTS.md":                        "Be brief.\n",
		".gemini/commands/git/fix.toml":    "description = \"Fixes.\"\nprompt = \"Fix it.\"\n",
		".opencode/command/opened.md":      "---\ndescription: Opens.\n---\nOpen.\n",
		".agents/skills/shared-1/SKILL.md": "---\nname: shared-1\ndescription: Shared.\n---\nShare.\n",
	})
	ctx := context.Background()
	for _, host := range export.PluginHosts() {
		t.Run(host, func(t *testing.T) {
			e, err := export.Plugin(ctx, openAlone(t, catalog.Options{Dir: dir}), export.PluginRequest{
				Request: export.Request{Host: host}, Name: "tools",
			})
			if err != nil {
				t.Fatal(err)
			}
			out := t.TempDir()
			if _, err := e.Write(out, false); err != nil {
				t.Fatal(err)
			}
			want := map[string]bool{}
			for _, f := range e.Files {
				if f.Kind != 0 {
					want[inPlugin(host, "tools", f)] = true
				}
			}
			if len(want) < 4 {
				t.Fatalf("only %d definitions: %v", len(want), want)
			}
			empty := t.TempDir()
			c := openAlone(t, catalog.Options{Dir: empty, As: host, PluginDirs: []string{filepath.Join(out, "tools")}})
			list, err := c.List(ctx, catalog.Query{})
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]bool{}
			for _, d := range list {
				got[d.Kind().String()+" "+d.Name()] = true
			}
			for name := range want {
				if !got[name] {
					t.Errorf("%s is not read again; there are %v", name, got)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d were written, %d are read: %v", len(want), len(got), got)
			}
			problems, err := c.Diagnostics(ctx)
			if err != nil || len(problems) > 0 {
				t.Errorf("reading it: %v %v", problems, err)
			}
			servers, err := servers.List(ctx, c)
			if err != nil || len(servers.List) != 1 || servers.List[0].Origins[0].Plugin != "tools" {
				t.Errorf("servers %+v, %v", servers, err)
			}
		})
	}
}

// TestPluginPathsStayInside checks that all files except the marketplace are in the plugin's
// directory, regardless of their names.
func TestPluginPathsStayInside(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, map[string]string{
		".git/HEAD":                    "",
		".claude/skills/a/SKILL.md":    "---\nname: ../../up\ndescription: x\n---\nx ${CLAUDE_PROJECT_DIR}/../y .claude/skills/../z\n",
		".claude/agents/b.md":          "---\nname: ../../../.git/x\ndescription: x\n---\nx\n",
		".github/agents/c.agent.md":    "---\nname: \"con\"\ndescription: x\n---\nx\n",
		".gemini/commands/d/e.toml":    "prompt = \"x\"\n",
		".claude/commands/..f/g.md":    "x\n",
		".claude/skills/h/SKILL.md":    "---\ndescription: x\n---\nx\n",
		".claude/skills/h/.hidden/i":   "x\n",
		".claude/skills/.git/SKILL.md": "---\ndescription: x\n---\nx\n",
	})
	for _, host := range export.PluginHosts() {
		e, err := export.Plugin(context.Background(), openAlone(t, catalog.Options{Dir: dir}), export.PluginRequest{
			Request: export.Request{Host: host}, Name: "p",
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range e.Files {
			if f.Path != ".claude-plugin/marketplace.json" && (!strings.HasPrefix(f.Path, "p/") || !filepath.IsLocal(f.Path) || slices.Contains(strings.Split(f.Path, "/"), ".git")) {
				t.Errorf("%s: %s", host, f.Path)
			}
		}
		if _, err := e.Write(t.TempDir(), false); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// inPlugin returns the kind and name that a plugin's definition has in a host.
// Copilot CLI omits the plugin's name.
func inPlugin(host, plugin string, f export.ExportedFile) string {
	name := strings.ReplaceAll(f.Name, "/", ":")
	if host == "copilot-cli" && f.Kind != definition.Agent {
		return fmt.Sprintf("%s %s", f.Kind, name)
	}
	return fmt.Sprintf("%s %s:%s", f.Kind, plugin, name)
}

// TestPortablePluginLeavesServersOut checks that Agent Plugins omit and report server settings that
// the format does not support or would interpret differently. Plugins for other hosts must include
// the settings.
func TestPortablePluginLeavesServersOut(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, map[string]string{
		".git/HEAD": "",
		".mcp.json": `{"mcpServers": {"good": {"command": "npx", "args": ["-y", "x"]}, "own": {"command": "./bin/x"}, "here": {"command": "node", "args": ["${CLAUDE_PROJECT_DIR:-.}/x.js"]},
			"twice": {"type": "http", "url": "https://x.example", "headers": {"X-A": "a", "x-a": "b"}}}}`,
		".agents/skills/a/SKILL.md": "---\nname: a\ndescription: x\n---\nx\n",
	})
	for host, want := range map[string]int{"agentskills": 1, "claude-code": 4} {
		e, err := export.Plugin(t.Context(), openAlone(t, catalog.Options{Dir: dir}), export.PluginRequest{Request: export.Request{Host: host}, Name: "p"})
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, f := range e.Files {
			if strings.HasSuffix(f.Path, "mcp.json") {
				text = string(f.Data)
			}
		}
		for i, name := range []string{"good", "own", "here", "twice"} {
			if has := strings.Contains(text, `"`+name+`": {`); has != (i < want) {
				t.Errorf("%s: %s: %v in %s", host, name, has, text)
			}
			left := slices.ContainsFunc(e.Losses, func(l export.HostLoss) bool { return l.Whole && l.Name == name && l.Fix != "" && l.Line > 0 })
			if left != (i >= want) {
				t.Errorf("%s: %s: %+v", host, name, e.Losses)
			}
		}
	}
}
