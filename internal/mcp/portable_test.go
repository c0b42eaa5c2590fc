package mcp

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/jsonc"
)

// portableFormat returns the Agent Plugins format.
func portableFormat(t *testing.T) *host.ServerFormat {
	t.Helper()
	for _, p := range registry.Profiles() {
		if p.Plugin != nil && p.Plugin.Servers != nil && p.Plugin.Servers.Portable {
			return p.Plugin.Servers
		}
	}
	t.Fatal("no host has it")
	return nil
}

// TestPortableRules checks that an entry that violates the specification is omitted entirely and
// the reason is reported, and that all other entries are written.
func TestPortableRules(t *testing.T) {
	for entry, want := range map[string]string{
		`{"command": "npx", "args": ["-y", "x", "src/y"]}`:                                  "",
		`{"command": "./bin/x"}`:                                                            "is a project file",
		`{"command": "bin/x"}`:                                                              "requires a command without a path",
		`{"command": "/usr/bin/x"}`:                                                         "requires a command without a path",
		`{"command": "C:\\x.exe"}`:                                                          "requires a command without a path",
		`{"command": "npx -y x"}`:                                                           "requires a command without a path",
		`{"command": "node", "args": ["./x.js"]}`:                                           "its argument ./x.js",
		`{"command": "node", "args": [".."]}`:                                               "its argument ..",
		`{"command": "node", "args": ["${CLAUDE_PROJECT_DIR}/x"]}`:                          "the project directory",
		`{"command": "node", "env": {"PLUGIN_ROOT": "/x"}}`:                                 "sets the variable PLUGIN_ROOT itself",
		`{"type": "http", "url": "https://x.example", "headers": {"X-A": "a"}}`:             "",
		`{"type": "http", "url": "https://x.example", "headers": {"X-A": "a", "x-a": "b"}}`: "duplicate headers",
		`{"type": "http", "url": "https://x.example", "headers": {"X A": "a"}}`:             "not a valid HTTP header",
		`{"type": "http", "url": "http://x.example"}`:                                       "does not allow this URL",
	} {
		list, found := readJSON(t, `{"mcpServers": {"s": `+entry+`}}`, formatOf(t, "claude-code"))
		if len(list) != 1 || len(found) > 0 {
			t.Errorf("%s: %v", entry, found)
			continue
		}
		all, losses := Map(list, portableFormat(t), true)
		said := ""
		for _, l := range losses {
			said += l.Message + "\n"
			if want != "" && (!l.Omitted || l.Fix == "") {
				t.Errorf("%s: %+v", entry, l)
			}
		}
		if want == "" && (len(all.Pairs) != 1 || said != "") || want != "" && (len(all.Pairs) != 0 || !strings.Contains(said, want)) {
			t.Errorf("%s: %d written; %s", entry, len(all.Pairs), said)
		}
	}
	// This directory is inside the plugin.
	list, _ := readJSON(t, `{"servers": {"s": {"command": "x", "cwd": "${workspaceFolder}/d"}, "t": {"command": "x", "cwd": "d"}}}`, formatOf(t, "copilot-vscode"))
	if all, losses := Map(list, portableFormat(t), true); len(all.Pairs) != 0 || len(losses) != 2 {
		t.Errorf("%v %+v", all, losses)
	}
}

// TestProjectDirectory checks that .mcp.json's variable for the project directory is read as a
// directory, not as an environment variable. If the other host does not replace that variable, a
// note must be added.
func TestProjectDirectory(t *testing.T) {
	const text = `{"mcpServers": {"s": {"command": "node", "args": ["${CLAUDE_PROJECT_DIR}/x.js", "--root=${CLAUDE_PROJECT_DIR:-.}"], "env": {"ROOT": "${CLAUDE_PROJECT_DIR}"}}}}`
	list, found := readJSON(t, text, formatOf(t, "claude-code"))
	if len(list) != 1 || len(found) > 0 || len(list[0].Notes) != 2 || len(list[0].Hidden) > 0 {
		t.Fatalf("%+v %v", list, found)
	}
	if fix := list[0].Notes[0].Fix; fix != "use ${CLAUDE_PROJECT_DIR:-.}" {
		t.Errorf("fix %q", fix)
	}
	for name, want := range map[string][]string{
		"copilot-vscode": {`"${workspaceFolder}/x.js"`, `"--root=${workspaceFolder}"`, `"ROOT": "${workspaceFolder}"`},
		"claude-code":    {`"${CLAUDE_PROJECT_DIR:-.}/x.js"`, `"--root=${CLAUDE_PROJECT_DIR:-.}"`, `"ROOT": "${CLAUDE_PROJECT_DIR:-.}"`},
	} {
		data, losses := Write(list, formatOf(t, name), false)
		for _, w := range want {
			if !strings.Contains(string(data), w) || len(losses) > 0 {
				t.Errorf("%s: no %s in %s %v", name, w, data, losses)
			}
		}
	}
	data, losses := Write(list, formatOf(t, "gemini"), false)
	if strings.Contains(string(data), "PROJECT_DIR") || len(losses) == 0 {
		t.Errorf("%s %v", data, losses)
	}
	list[0].Args = list[0].Args[:1]
	if data, _ = Write(list, formatOf(t, "gemini"), false); !strings.Contains(string(data), `"./x.js"`) {
		t.Errorf("%s", data)
	}
	// In a plugin, the host replaces the variable.
	v, _, _ := jsonc.Find([]byte(text), "mcpServers")
	in := Origin{Origin: definition.Origin{Layer: definition.Plugin}}
	if list, _ := Read(diag.NewFile("file", []byte(text)), v, formatOf(t, "claude-code"), in); len(list[0].Notes) != 0 {
		t.Errorf("%+v", list[0].Notes)
	}
}
