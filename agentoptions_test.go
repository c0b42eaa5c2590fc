package vade_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/testenv"
)

func TestSDKOptionsOverBase(t *testing.T) {
	c := openUnified(t, unified(t))
	merged := func(base string) map[string]any {
		t.Helper()
		o, err := export.NewSDKOptions(t.Context(), c, json.RawMessage(base))
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		var all map[string]any
		if err := json.Unmarshal(data, &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := merged("")
	if len(all) != 6 || len(all["agents"].(map[string]any)) != 2 || len(all["settingSources"].([]any)) != 0 {
		t.Errorf("%v", all)
	}
	all = merged(`{"model": "opus", "agents": {"architect": {"description": "d", "prompt": "p", "observer": "x"}, "third": {"description": "d", "prompt": "p"}},
		"mcpServers": {"tracker": {"command": "x"}}, "allowedTools": ["Read", "mcp__vade__loadSkill"], "settingSources": ["project"],
		"plugins": [{"type": "local", "path": "./p"}], "systemPrompt": "Mine."}`)
	agents := all["agents"].(map[string]any)
	if len(agents) != 3 || agents["architect"].(map[string]any)["observer"] != "x" || all["model"] != "opus" {
		t.Errorf("agents %v, model %v", agents, all["model"])
	}
	if s := all["mcpServers"].(map[string]any); len(s) != 2 || s["tracker"].(map[string]any)["command"] != "x" {
		t.Errorf("servers %v", s)
	}
	if got := all["allowedTools"].([]any); !slices.Equal(got, []any{"mcp__vade__loadSkill", "Read"}) {
		t.Errorf("tools %v", got)
	}
	if len(all["plugins"].([]any)) != 1 || len(all["settingSources"].([]any)) != 1 {
		t.Errorf("plugins %v, sources %v", all["plugins"], all["settingSources"])
	}
	const ours = "## Available Skills"
	if got := all["systemPrompt"].(string); !strings.HasPrefix(got, "Mine.\n\n"+ours) {
		t.Errorf("prompt %q", got)
	}
	blocks := merged(`{"systemPrompt": ["a", "b"]}`)["systemPrompt"].([]any)
	if len(blocks) != 3 || !strings.HasPrefix(blocks[2].(string), ours) {
		t.Errorf("blocks %v", blocks)
	}
	preset := merged(`{"systemPrompt": {"type": "preset", "preset": "claude_code", "append": "Mine.", "snapshot": true}}`)["systemPrompt"].(map[string]any)
	if !strings.HasPrefix(preset["append"].(string), "Mine.\n\n"+ours) || preset["snapshot"] != true {
		t.Errorf("preset %v", preset)
	}
	custom := merged(`{"systemPrompt": {"type": "custom", "prompt": ["a"]}}`)["systemPrompt"].(map[string]any)
	if len(custom["prompt"].([]any)) != 2 {
		t.Errorf("custom %v", custom)
	}
	// An exported agent's prompt contains the skills and instructions; other prompts do not.
	for agent, want := range map[string]bool{"architect": false, "own": true} {
		for _, prompt := range []string{``, `, "systemPrompt": "Mine."`, `, "systemPrompt": ["a"]`, `, "systemPrompt": {"type": "preset"}`} {
			text, _ := json.Marshal(merged(`{"agent": "` + agent + `"` + prompt + `}`)["systemPrompt"])
			if strings.Contains(string(text), ours) != want {
				t.Errorf("%s%s: %s", agent, prompt, text)
			}
		}
	}
	for _, bad := range []string{`[]`, `{`, `{"agents": 3}`, `{"allowedTools": {}}`, `{"systemPrompt": 7}`} {
		if _, err := export.NewSDKOptions(t.Context(), c, json.RawMessage(bad)); err == nil {
			t.Errorf("%s is taken for options", bad)
		}
	}
}

// TestSDKOptionsPlugins checks that the SDK loads the named plugins and receives each definition
// only once.
func TestSDKOptionsPlugins(t *testing.T) {
	dir := t.TempDir()
	plugin := filepath.Join(dir, "plugin")
	writeText(t, filepath.Join(plugin, ".claude-plugin", "plugin.json"), `{"name": "p"}`)
	writeText(t, filepath.Join(plugin, "agents", "x.md"), "---\nname: x\ndescription: d\n---\nOf the plugin.")
	writeText(t, filepath.Join(dir, "project", ".github", "agents", "y.agent.md"), "---\nname: y\ndescription: d\n---\nOf the project.")
	c, err := catalog.Open(t.Context(), catalog.Options{
		Dir: filepath.Join(dir, "project"), Home: filepath.Join(dir, "home"), ManagedDir: filepath.Join(dir, "managed"), PluginDirs: []string{plugin},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if list, err := c.List(t.Context(), catalog.Query{Kinds: []definition.Kind{definition.Agent}}); err != nil || len(list) != 2 {
		t.Fatalf("%v: %d agents", err, len(list))
	}
	o, err := export.NewSDKOptions(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Agents) != 1 || o.Agents["y"].Prompt == "" || !slices.Equal(o.Plugins, []export.SDKPlugin{{Type: "local", Path: filepath.ToSlash(plugin)}}) {
		t.Errorf("agents %v, plugins %v", o.Agents, o.Plugins)
	}
	x, err := export.To(t.Context(), c, export.Request{Host: "claude-sdk"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range x.Files {
		if strings.Contains(string(f.Data), filepath.ToSlash(dir)) {
			t.Errorf("%s has a path of this machine", f.Path)
		}
	}
	if len(x.Losses) == 0 {
		t.Error("nobody says that the plugin is left out")
	}
}

// TestSDKExportLosses checks that everything the options cannot express is reported with its line,
// that nothing runs, and that the files contain neither server secrets nor local paths.
func TestSDKExportLosses(t *testing.T) {
	_, c := countedProject(t, fstest.MapFS{
		".github/agents/a.agent.md": {Data: []byte(`---
name: a
description: d
tools: [read, search, 'Bash(git:*)', telepathy]
model: gpt-9
effort: high
maxTurns: 4
permissionMode: bypassPermissions
memory: everywhere
hooks: {Stop: [{hooks: [{type: command, command: x}]}]}
mcpServers: [tracker, {own: {command: x, env: {TOKEN: abcdef0123456789abcdef}}}]
---
Body.`)},
		".github/agents/b.agent.md":     {Data: []byte("---\nname: b\ndescription: d\ndisallowedTools: 'mcp__*'\ntools: '*'\nbackground: true\n---\nBody.")},
		".github/agents/c.agent.md":     {Data: []byte("---\nname: c\ndescription: d\ntools: [telepathy]\ndisallowedTools: [clairvoyance]\n---\nBody.")},
		".opencode/agents/d.md":         {Data: []byte("---\nname: d\ndescription: d\ntools:\n  write: false\n  edit: false\n---\nBody.")},
		".agents/skills/s/SKILL.md":     {Data: []byte("---\ndescription: d\nallowed-tools: Bash\npaths: '*.go'\n---\nRun !`touch ran`, read @x.md and ${CLAUDE_SKILL_DIR}/y of $ARGUMENTS")},
		".agents/skills/m/SKILL.md":     {Data: []byte("---\ndescription: d\ndisable-model-invocation: true\n---\nFor people: $0")},
		".agents/commands/c.md":         {Data: []byte("---\ndescription: d\nargument-hint: '[x]'\narguments: [who]\nmodel: opus\n---\nHello $who, <b>&</b> $3")},
		".agents/commands/__proto__.md": {Data: []byte("Hostile.")},
		"x.md":                          {Data: []byte("SECRET OF X")},
	})
	x, err := export.To(t.Context(), c, export.Request{Host: "claude-sdk"})
	if err != nil {
		t.Fatal(err)
	}
	var lost []string
	for _, l := range x.Losses {
		lost = append(lost, l.What+" "+l.Source)
		if l.Host != "claude-sdk" || l.Message == "" || l.Fix == "" {
			t.Errorf("%+v", l)
		}
	}
	for _, want := range []string{
		"tool .github/agents/a.agent.md", "model .github/agents/a.agent.md", "field .github/agents/a.agent.md",
		"shell .agents/skills/s/SKILL.md", "file .agents/skills/s/SKILL.md", "argument .agents/skills/s/SKILL.md",
		"field .agents/skills/s/SKILL.md", "activation .agents/skills/s/SKILL.md", "field .agents/commands/c.md",
	} {
		if !slices.Contains(lost, want) {
			t.Errorf("not among the losses: %s\n%q", want, lost)
		}
	}
	files := map[string]string{}
	for _, f := range x.Files {
		files[f.Path] = string(f.Data)
		for _, never := range []string{"abcdef0123456789", "SECRET OF X", "gpt-9\",\n      \"prompt", "bypassPermissions\"\n"} {
			if strings.Contains(string(f.Data), never) && f.Path != "agents.json" {
				t.Errorf("%s has %q", f.Path, never)
			}
		}
	}
	if strings.Contains(files["agents.json"], "abcdef0123456789") {
		t.Error("a secret is copied")
	}
	var o struct {
		Agents map[string]export.SDKAgent
	}
	if err := json.Unmarshal([]byte(files["options.json"]), &o); err != nil {
		t.Fatal(err)
	}
	a, b := o.Agents["a"], o.Agents["b"]
	if want := []string{"Read", "Grep", "Glob", "Bash(git:*)", "mcp__vade__loadSkill"}; !slices.Equal(a.Tools, want) {
		t.Errorf("tools %q", a.Tools)
	}
	if a.Model != "" || string(a.Effort) != `"high"` || a.MaxTurns != 4 || a.PermissionMode != "" || a.Memory != "" {
		t.Errorf("%+v", a)
	}
	if len(a.MCPServers) != 2 || string(a.MCPServers[0]) != `"tracker"` || !strings.Contains(string(a.MCPServers[1]), `"own"`) {
		t.Errorf("servers %s", a.MCPServers)
	}
	if b.Tools != nil || strings.Contains(b.Prompt, "Available Skills") || b.Background == nil || !*b.Background {
		t.Errorf("%+v", b)
	}
	if c := o.Agents["c"]; c.Tools == nil || len(c.Tools) > 0 || !slices.Equal(c.DisallowedTools, []string{"clairvoyance"}) {
		t.Errorf("an agent got more than it had: %+v", c)
	}
	if d := o.Agents["d"]; d.Tools != nil || !slices.Equal(d.DisallowedTools, []string{"Edit", "Write", "MultiEdit", "NotebookEdit"}) {
		t.Errorf("tools that are switched off: %+v", d)
	}
	if !strings.Contains(files["skills.json"], ".agents/skills/s/y of $ARGUMENTS") || strings.Contains(files["skills.json"], "For people") {
		t.Errorf("skills: %s", files["skills.json"])
	}
	for _, want := range []string{`"__proto__"`, "<b>&</b>", "For people: ", `"argument": 0`} {
		if !strings.Contains(files["commands.json"], want) {
			t.Errorf("commands have not %s: %s", want, files["commands.json"])
		}
	}
	again, err := export.To(t.Context(), c, export.Request{Host: "claude-sdk"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Files {
		if string(x.Files[i].Data) != string(again.Files[i].Data) {
			t.Errorf("%s is another the second time", x.Files[i].Path)
		}
	}
	some, err := export.To(t.Context(), c, export.Request{Host: "claude-sdk", Kinds: []definition.Kind{definition.Command}, Names: []string{"c"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range some.Files {
		if f.Path == "agents.json" && strings.TrimSpace(string(f.Data)) != "{}" || f.Path == "commands.json" && strings.Contains(string(f.Data), "Hostile") {
			t.Errorf("%s: %s", f.Path, f.Data)
		}
	}
	if _, err := export.To(t.Context(), c, export.Request{Host: "claude-sdk", Names: []string{"nothing"}}); err == nil {
		t.Error("a name that nothing has is taken")
	}
}

// TestSDKExportIsJSON checks that the exported files are valid JSON for any content.
func TestSDKExportIsJSON(t *testing.T) {
	testenv.Check(t, func(rt *rapid.T) {
		body := rapid.String().Draw(rt, "body")
		description := rapid.StringMatching(`[ -~é\x00-\x1f]{0,40}`).Draw(rt, "description")
		quoted, _ := json.Marshal(description)
		head := "---\nname: a\ndescription: " + string(quoted) + "\n---\n"
		files := fstest.MapFS{
			".github/agents/a.agent.md": {Data: []byte(head + body)}, ".agents/commands/c.md": {Data: []byte(head + body)},
			".agents/skills/s/SKILL.md": {Data: []byte(head + body)}, "AGENTS.md": {Data: []byte(body)},
		}
		c, err := catalog.Open(t.Context(), catalog.Options{Isolated: true, Layers: []catalog.LayerFS{{Layer: definition.Project, Name: "app", FS: files}}})
		if err != nil {
			rt.Fatal(err)
		}
		defer c.Close()
		x, err := export.To(t.Context(), c, export.Request{Host: "claude-sdk"})
		if err != nil && strings.Contains(err.Error(), "AUDIT_BLOCKED") {
			// Skip text that contains deceptive Unicode characters.
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		for _, f := range x.Files {
			if strings.HasSuffix(f.Path, ".json") && !json.Valid(f.Data) {
				rt.Fatalf("%s is no JSON:\n%s", f.Path, f.Data)
			}
		}
	})
}
