package mcp

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/jsonc"
)

var update = flag.Bool("update", false, "regenerate the golden files")

// everything has one entry for each feature that some format does not support.
const everything = `{"servers": {
  "archive": {"command": "old", "args": ["$HOME/x"], "env": {"ARCHIVE": "${env:OTHER}"}},
  "events": {"type": "sse", "url": "https://events.example.com/sse"},
  "files": {"command": "npx", "args": ["-y", "files", "${workspaceFolder}"], "cwd": "${workspaceFolder}/data", "env": {"FILES_TOKEN": "${env:FILES_TOKEN}", "LEVEL": "debug", "KEY": "plain-secret-9"}},
  "issues": {"type": "http", "url": "https://issues.example.com/mcp", "headers": {"Authorization": "Bearer ${env:ISSUES_TOKEN}", "X-Team": "core", "X-Who": "${env:WHO}", "X-Mix": "a ${env:MIX}"}, "dev": {"watch": "src"}},
  "local": {"type": "http", "url": "http://localhost:3000/mcp"},
  "odd name": {"command": "${env:BIN}"},
  "search": {"type": "http", "url": "https://search.example.com/mcp?region=eu", "headers": {"X-Api-Key": "${input:search-key}"}}
}}`

func everyServer(t testing.TB) []Server {
	list, found := readJSON(t, everything, formatOf(t, "copilot-vscode"))
	if len(found) > 0 || len(list) != 7 {
		t.Fatal(found)
	}
	return list
}

// TestWriteEveryFormat compares each host's output and losses with golden files.
func TestWriteEveryFormat(t *testing.T) {
	list := everyServer(t)
	for _, p := range registry.Profiles() {
		if p.Servers == nil {
			continue
		}
		data, losses := Write(list, p.Servers, false)
		var b strings.Builder
		b.Write(data)
		b.WriteString("---\n")
		for _, l := range losses {
			b.WriteString(l.Server + " " + l.Kind + ": " + l.Message + "\n")
		}
		compareGolden(t, p.Name+".golden", b.String())
		if again, _ := Write(list, p.Servers, false); string(again) != string(data) {
			t.Errorf("%s: the second time other bytes are written", p.Name)
		}
		if strings.Contains(b.String(), "plain-secret") {
			t.Errorf("%s: a secret is written", p.Name)
		}
	}
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s", file, got)
	}
}

// readBack parses written output.
func readBack(t testing.TB, data []byte, f *host.ServerFormat) []Server {
	t.Helper()
	file := diag.NewFile("back", data)
	var v definition.Value
	if f.Syntax == definition.TOML {
		doc, found := frontmatter.ParseTOML(file)
		if len(found) > 0 {
			t.Fatalf("%s\n%v", data, found)
		}
		for _, e := range doc.Entries {
			if e.Key == f.Key {
				v = e.Value
			}
		}
	} else {
		if !json.Valid(data) {
			t.Fatalf("no JSON: %s", data)
		}
		v, _, _ = jsonc.Find(data, f.Key)
	}
	list, found := Read(file, v, f, Origin{})
	if len(found) > 0 {
		t.Fatalf("%s\n%v", data, found)
	}
	return list
}

func TestAgentPluginsTakeSafeAddressesOnly(t *testing.T) {
	for address, want := range map[string]bool{
		"https://x.example/mcp": true, "http://x.example": false, "http://localhost:1/x": true, "http://127.0.0.1": true,
		"http://[::1]:9/sse": true, "https://u@x.example": false, "https://x.example/#f": false, "ftp://x": false, "": false,
		"http://localhost.evil.example": false, "HTTPS://X.example": true, "https://": false, "http://127.evil.example": false,
	} {
		if got := isPortableURL(address); got != want {
			t.Errorf("%q: %v", address, got)
		}
	}
}
