package mcp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host/registry"
)

// readTOML reads entries from Codex's TOML tables.
func readTOML(t *testing.T, text string) ([]Server, []string) {
	t.Helper()
	f := formatOf(t, "codex")
	file := diag.NewFile("config.toml", []byte(text))
	doc, wrong := frontmatter.ParseTOML(file)
	var said []string
	for _, d := range wrong {
		said = append(said, d.Message)
	}
	var list []Server
	for _, e := range doc.Entries {
		if e.Key == f.Key {
			some, found := Read(file, e.Value, f, Origin{})
			list = append(list, some...)
			for _, d := range found {
				said = append(said, d.Message)
			}
		}
	}
	return list, said
}

// TestDuplicateKeys checks that the last of several duplicate keys wins, as it does in the hosts.
func TestDuplicateKeys(t *testing.T) {
	f := formatOf(t, "claude-code")
	list, _ := readJSON(t, `{"mcpServers": {"a": {"command": "first"}, "b": {"command": "b"}, "a": {"command": "second", "command": "last", "args": ["x"], "args": ["y"]}}}`, f)
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	for _, s := range list {
		if s.Name == "a" && (s.Command.String() != "last" || len(s.Args) != 1 || s.Args[0].String() != "y") {
			t.Errorf("%s", describe(&s))
		}
	}
	list, _ = readJSON(t, `{"mcpServers": {"a": {"command": "x", "env": {"A": "one", "A": "two"}, "env": {"A": "three"}}}}`, f)
	if len(list) != 1 || len(list[0].Env) != 1 || list[0].Env[0].Value.String() != "three" {
		t.Errorf("%+v", list)
	}
}

// TestTOMLForms checks tables, dotted keys, inline tables and other forms.
func TestTOMLForms(t *testing.T) {
	for text, want := range map[string]string{
		"[mcp_servers.a]\ncommand = \"x\"\nargs = [\"1\", \"2\"]\n[mcp_servers.a.env]\nA = \"b\"\n": "a stdio [x] [1] [2] A=b",
		"mcp_servers.a.command = \"x\"\nmcp_servers.a.env.LEVEL = \"debug\"\n":                      "a stdio [x]",
		"mcp_servers = { a = { command = \"x\", enabled = false } }\n":                              "a stdio [x]",
		"[mcp_servers.\"a b\"]\nurl = \"https://x.example\"\n":                                      "a b http",
		"[[mcp_servers]]\ncommand = \"x\"\n":                                                        "!",
		"[[mcp_servers.a]]\ncommand = \"x\"\n":                                                      "!",
		"mcp_servers = 3\n":                                                                         "!",
		"[mcp_servers]\na = \"x\"\n":                                                                "!",
		"[mcp_servers.a]\ncommand = \"x\"\nargs = \"--y\"\n":                                        "!",
		"[mcp_servers.a]\ncommand = \"x\"\nenv = [\"A=b\"]\n":                                       "!",
		"[mcp_servers.a]\ncommand = [\"x\", \"y\"]\n":                                               "a stdio [x] [y]",
		"[mcp_servers.a]\ncommand = \"x\"\nargs = [1, true, [\"z\"]]\n":                             "!",
		"[mcp_servers.a]\ncommand = \"x\"\nstartup_timeout_sec = \"soon\"\ntool_timeout_sec = -1\n": "!",
		"[mcp_servers.a]\ncommand = 2026-01-01\n":                                                   "",
	} {
		list, said := readTOML(t, text)
		got := ""
		if len(list) > 0 {
			got = describe(&list[0])
		}
		if want == "!" && len(said) == 0 || want != "!" && !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, %q", text, got, said)
		}
	}
}

// TestValuesOfTheWrongType checks that values with the wrong type are reported
// and that the rest of the entry is kept.
func TestValuesOfTheWrongType(t *testing.T) {
	f := formatOf(t, "claude-code")
	for text, want := range map[string]int{
		`{"command": "x", "env": {"A": {"b": "c"}, "B": ["d"], "C": null, "D": 8080, "E": true}}`: 2,
		`{"type": "http", "url": "https://x.example", "headers": {"A": [], "D": 1, "E": false}}`:  2,
		`{"command": "x", "env": ["A=b"]}`: 0, `{"command": "x", "env": "A=b"}`: 0, `{"type": "http", "url": "https://x.example", "headers": 7}`: 0,
	} {
		list, found := readJSON(t, `{"mcpServers": {"a": `+text+`}}`, f)
		if len(list) != 1 || len(found) != 1 || len(list[0].Env)+len(list[0].Headers) != want {
			t.Errorf("%s: %+v %v", text, list, found)
		}
	}
}

// TestUsersInAddresses checks that user names and passwords in URLs are never
// kept, wherever the URLs occur.
func TestUsersInAddresses(t *testing.T) {
	const secret = "hunter2pass"
	for _, entry := range []string{
		`{"type": "http", "url": "https://me:hunter2pass@x.example/mcp"}`,
		`{"type": "http", "url": "https://hunter2pass@x.example/mcp"}`,
		`{"type": "http", "url": "HTTPS://me:hunter2pass@[::1]:80/?a=b"}`,
		`{"type": "http", "url": "https://me%3Ahunter2pass:@x.example"}`,
		`{"command": "x", "args": ["--db", "postgres://me:hunter2pass@h/db"]}`,
		`{"command": "x", "args": ["--db=postgres://me:hunter2pass@h/db"]}`,
		`{"command": "sh", "args": ["-c", "curl https://me:hunter2pass@x.example && true"]}`,
		`{"command": "x", "env": {"DB": "postgres://me:hunter2pass@h/db"}}`,
		`{"type": "http", "url": "https://x.example", "headers": {"X-Up": "https://me:hunter2pass@h"}}`,
	} {
		list, found := readJSON(t, `{"mcpServers": {"a": `+entry+`}}`, formatOf(t, "claude-code"))
		if strings.HasPrefix(entry, `{"type": "http", "url": "https://hunter2pass@`) {
			// A user name without a password is shown if it consists of plain words.
			continue
		}
		all := fmt.Sprintf("%+v %v", list, found)
		for _, p := range registry.Profiles() {
			if p.Servers != nil {
				data, losses := Write(list, p.Servers, false)
				all += string(data) + fmt.Sprint(losses)
			}
		}
		if len(list) != 1 || strings.Contains(all, secret) {
			t.Errorf("%s: kept in %s", entry, all)
		}
	}
}

// TestManyServersAreCheap checks that merging the maximum number of entries
// from the maximum number of files takes linear time.
func TestManyServersAreCheap(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"mcpServers": {`)
	for i := range maxServers + 500 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"s%d": {"command": "c%d"}`, i, i)
	}
	b.WriteString("}}")
	list, found := readJSON(t, b.String(), formatOf(t, "claude-code"))
	if len(list) != maxServers || len(found) != 1 {
		t.Fatalf("%d entries, %v", len(list), found)
	}
	held := 0
	var all []Server
	for i := range 20 {
		for _, s := range list {
			s.Origins = []Origin{{Origin: definition.Origin{Layer: definition.Project, Path: fmt.Sprint("file", i%4)}, Rank: i}}
			if i%2 == 1 {
				s.Args = []Text{{{Text: fmt.Sprint(i)}}}
			}
			all = append(all, s)
		}
	}
	merged := Merge(all, nil, func(*Server) string { held++; return "" })
	loaded := 0
	for _, s := range merged {
		if s.State == definition.Loaded {
			loaded++
		}
	}
	// For each name, ten entries are the same and ten differ.
	if len(merged) != 11*maxServers || loaded != maxServers || held != len(merged) {
		t.Errorf("%d merged, %d active, %d asked", len(merged), loaded, held)
	}
	if !slices.IsSortedFunc(merged, func(a, b Server) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("they are not in the order of names")
	}
}
