package vade_test

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/servers"
)

// TestServersOfHostileFiles checks that malformed server files produce entries
// or diagnostics, and that valid files next to them are found.
func TestServersOfHostileFiles(t *testing.T) {
	read := func(files map[string]string) *servers.Servers {
		t.Helper()
		dir := t.TempDir()
		files[".git/HEAD"] = ""
		writeTree(t, dir, files)
		s, err := servers.List(t.Context(), openAlone(t, catalog.Options{Dir: dir}))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	codes := func(s *servers.Servers) string {
		var list []string
		for _, d := range s.Diagnostics {
			list = append(list, string(d.Code)+" "+d.File)
			if d.Source != "" {
				t.Errorf("a line is shown: %+v", d)
			}
		}
		return strings.Join(list, "; ")
	}

	// Use syntax that editors allow.
	s := read(map[string]string{".vscode/mcp.json": "\xef\xbb\xbf// All of them\r\n{\r\n  /* of the team */ \"servers\": {\r\n    \"a\": {\"command\": \"x\", \"args\": [\"// no\", \"/* comment */\",],}, // last\r\n  },\r\n}\r\n"})
	if len(s.List) != 1 || len(s.List[0].Command) != 3 || s.List[0].Command[1] != "// no" || s.List[0].Origins[0].Line != 4 || len(s.Diagnostics) > 0 {
		t.Errorf("%+v %s", s.List, codes(s))
	}

	// Files that are too long, too deep, truncated, not JSON or not text must be reported and must
	// not hide other files.
	for name, text := range map[string]string{
		"long":    `{"mcpServers": {"a": {"command": "` + strings.Repeat("x", 5<<20) + `"}}}`,
		"deep":    `{"mcpServers": ` + strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000) + "}",
		"lists":   `{"mcpServers": {"a": {"command": "x", "args": ` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}}}`,
		"cut":     `{"mcpServers": {"a": {"command": "x"`,
		"none":    "mcpServers: {a: {command: x}}",
		"bytes":   "{\"mcpServers\": {\"a\xff\": {\"command\": \"\x00\"",
		"list":    `[{"mcpServers": {}}]`,
		"flag":    `{"mcpServers": true}`,
		"command": `{"mcpServers": {"a": {"command": {"x": "y"}}}}`,
	} {
		s := read(map[string]string{".mcp.json": text, ".cursor/mcp.json": `{"mcpServers": {"good": {"command": "y"}}}`})
		if got := s.Named("good"); len(got) != 1 || got[0].State != definition.Loaded || !strings.Contains(codes(s), ".mcp.json") {
			t.Errorf("%s: %+v %.300s", name, got, codes(s))
		}
	}

	// Names are only text: escape sequences and paths in names have no effect.
	s = read(map[string]string{".mcp.json": `{"mcpServers": {"\u001b[31mred": {"command": "x"}, "a\nb": {"command": "x"}, "../../up": {"command": "x"}, "": {"command": "x"}, "__proto__": {"command": "x"}}}`})
	if len(s.List) != 5 {
		t.Errorf("%+v %s", s.List, codes(s))
	}
	for _, host := range export.ServerHosts() {
		x, err := export.Servers(t.Context(), s, export.Request{Host: host})
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(string(x.Data), "\x1b\x07") {
			t.Errorf("%s: a control character is written: %q", host, x.Data)
		}
	}
}
