package connect

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"

	"github.com/vadehq/vade/internal/testenv"
)

func formatOf(t testing.TB, name string) *host.ServerFormat {
	t.Helper()
	p, ok := registry.Lookup(name)
	if !ok || p.Servers == nil {
		t.Fatalf("%s has no servers", name)
	}
	return p.Servers
}

func text(s string) definition.Value { return definition.Value{Kind: definition.String, Text: s} }

func program() definition.Value {
	return definition.Value{Kind: definition.Map, Pairs: []definition.Entry{
		{Key: "command", Value: text("vade")},
		{Key: "args", Value: definition.Value{Kind: definition.List, Items: []definition.Value{text("serve")}}},
	}}
}

func addEntry(data []byte, f *host.ServerFormat) ([]byte, error) {
	x, err := read(data, f, "vade")
	if err != nil {
		return nil, err
	}
	y, err := x.add(program())
	if err != nil {
		return nil, err
	}
	return y.data, nil
}

func removeEntry(data []byte, f *host.ServerFormat) ([]byte, error) {
	x, err := read(data, f, "vade")
	if err != nil {
		return nil, err
	}
	y, err := x.remove()
	if err != nil {
		return nil, err
	}
	return y.data, nil
}

func updateEntry(data []byte, f *host.ServerFormat) ([]byte, error) {
	x, err := read(data, f, "vade")
	if err != nil {
		return nil, err
	}
	y, err := x.update(program())
	if err != nil {
		return nil, err
	}
	return y.data, nil
}

// findEntry returns the entry in a file.
func findEntry(data []byte, f *host.ServerFormat) (definition.Entry, error) {
	x, err := read(data, f, "vade")
	if err != nil {
		return definition.Entry{}, err
	}
	return x.entry, nil
}

const pretty = `"vade": {
      "command": "vade",
      "args": ["serve"]
    }`

func TestAdd(t *testing.T) {
	const inLine = `"vade": { "command": "vade", "args": ["serve"] }`
	claude, codex := formatOf(t, "claude-code"), formatOf(t, "codex")
	for _, c := range []struct {
		name   string
		format *host.ServerFormat
		before string
		after  string
	}{
		{"no file", claude, "<none>", "{\n  \"mcpServers\": {\n    " + pretty + "\n  }\n}\n"},
		{"empty file", claude, "", "\n{\n  \"mcpServers\": {\n    " + pretty + "\n  }\n}\n"},
		{"empty object", claude, "{}\n", "{\n  \"mcpServers\": { " + inLine + " }\n}\n"},
		{"no servers", claude, "{\n  \"a\": 1 // one\n}\n", "{\n  \"mcpServers\": {\n    " + pretty + "\n  },\n  \"a\": 1 // one\n}\n"},
		{"empty servers", claude, "{\n  \"mcpServers\": {}\n}\n", "{\n  \"mcpServers\": {\n    " + inLine + "\n  }\n}\n"},
		{"one server", claude, "{\n  \"mcpServers\": {\n    \"a\": {},\n  }\n}\n", "{\n  \"mcpServers\": {\n    " + pretty + ",\n    \"a\": {},\n  }\n}\n"},
		{"one line", claude, `{"x":1}`, `{"mcpServers": { ` + inLine + ` }, "x":1}`},
		{
			"tabs and CRLF", claude, "{\r\n\t// all\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {}\r\n\t}\r\n}",
			"{\r\n\t// all\r\n\t\"mcpServers\": {\r\n\t\t\"vade\": {\r\n\t\t\t\"command\": \"vade\",\r\n\t\t\t\"args\": [\"serve\"]\r\n\t\t},\r\n\t\t\"a\": {}\r\n\t}\r\n}",
		},
		{"no TOML", codex, "<none>", "[mcp_servers.vade]\ncommand = \"vade\"\nargs = [\"serve\"]\n"},
		{"TOML", codex, "model = \"x\" # why\n", "model = \"x\" # why\n\n[mcp_servers.vade]\ncommand = \"vade\"\nargs = [\"serve\"]\n"},
		{"TOML without an end", codex, "[a]\nb = 1", "[a]\nb = 1\n[mcp_servers.vade]\ncommand = \"vade\"\nargs = [\"serve\"]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := []byte(c.before)
			if c.before == "<none>" {
				before = nil
			}
			got, err := addEntry(before, c.format)
			if err != nil || string(got) != c.after {
				t.Fatalf("%v\n%s\nwant\n%s", err, got, c.after)
			}
			back, err := removeEntry(got, c.format)
			if err != nil || !bytes.Equal(back, before) || (back == nil) != (before == nil) {
				t.Fatalf("%v: back is %q, was %q", err, back, before)
			}
		})
	}
}

func TestAddRefuses(t *testing.T) {
	claude, codex := formatOf(t, "claude-code"), formatOf(t, "codex")
	for _, c := range []struct {
		format       *host.ServerFormat
		before, want string
	}{
		{claude, "{\n  \"a\": {\n", "line 2, column 9: invalid JSON: unexpected end"},
		{claude, "{\n  \"a\": x\n}", "line 2, column 8: invalid JSON"},
		{claude, `{"a":01}`, "line 1, column 7: invalid JSON"},
		{claude, `/* no end`, "layout of the servers is unusual"},
		{claude, " [1]", "line 1, column 2: the file must be an object"},
		{claude, `null`, "line 1, column 1: the file must be an object"},
		{claude, "{\n  \"mcpServers\": []\n}", "line 2, column 17: mcpServers must be an object"},
		{claude, `{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "nested too deeply"},
		{codex, "a = 1\nb = \n", "line 2, column "},
		{codex, "mcp_servers = { a = { command = \"x\" } }\n", "layout of the servers is unusual"},
		{codex, "mcp_servers = 1\n", "line 1, column 15: mcp_servers must be a table"},
	} {
		if got, err := addEntry([]byte(c.before), c.format); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %q, %v, want %v", c.before, got, err, c.want)
		}
	}
}

// TestUpdate checks that an update replaces the whole entry and nothing else.
func TestUpdate(t *testing.T) {
	claude, codex := formatOf(t, "claude-code"), formatOf(t, "codex")
	for _, c := range []struct {
		name          string
		format        *host.ServerFormat
		before, after string
	}{
		{
			"JSON on lines", claude, "{\"mcpServers\": {\n    // ours\n    \"vade\": {\n \"command\": \"x\" },\n    \"b\": {}\n}}",
			"{\"mcpServers\": {\n    // ours\n    " + pretty + ",\n    \"b\": {}\n}}",
		},
		{"JSON on one line", claude, `{"mcpServers":{"a":{},"vade":{"command":"x"}}}`, `{"mcpServers":{"a":{},"vade":{ "command": "vade", "args": ["serve"] }}}`},
		{"TOML", codex, "[mcp_servers.vade]\ncommand = 'x'\n[a]\nb = 1 # one\n", "[a]\nb = 1 # one\n\n[mcp_servers.vade]\ncommand = \"vade\"\nargs = [\"serve\"]\n"},
	} {
		got, err := updateEntry([]byte(c.before), c.format)
		if err != nil || string(got) != c.after {
			t.Errorf("%s: %v\n%q\nwant\n%q", c.name, err, got, c.after)
		}
	}
}

// TestRemoveAfterEdits checks removal from files that were edited after the entry was added.
func TestRemoveAfterEdits(t *testing.T) {
	claude, codex := formatOf(t, "claude-code"), formatOf(t, "codex")
	for _, c := range []struct {
		name          string
		format        *host.ServerFormat
		before, after string
	}{
		{"last of two", claude, "{\"mcpServers\": {\"a\": {}, \"vade\": {\"command\":\"vade\"}}}", "{\"mcpServers\": {\"a\": {}}}"},
		{"between two", claude, "{\n \"mcpServers\": {\n  \"a\": {},\n  \"vade\": {\"command\":\"vade\"},\n  // b\n  \"b\": {}\n }\n}\n", "{\n \"mcpServers\": {\n  \"a\": {},\n  // b\n  \"b\": {}\n }\n}\n"},
		{"with more keys", claude, "{\n  \"mcpServers\": {\n    \"vade\": {\n      \"command\": \"vade\",\n      \"env\": { \"A\": \"b\" }\n    },\n  }\n}\n", "{\n  \"mcpServers\": {\n  }\n}\n"},
		{"a table behind it", codex, "a = 1\n\n[mcp_servers.vade]\ncommand = \"vade\"\nargs = [\"serve\"]\n\n[b]\nc = 1\n", "a = 1\n\n[b]\nc = 1\n"},
		{"more keys in the table", codex, "a = 1\n\n[mcp_servers.vade]\ncommand = \"vade\"\nenabled = true # on\n[b]\nc = 1\n", "a = 1\n\n[b]\nc = 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := removeEntry([]byte(c.before), c.format)
			if err != nil || string(got) != c.after {
				t.Fatalf("%v\n%q\nwant\n%q", err, got, c.after)
			}
		})
	}
}

func TestRemoveTOML(t *testing.T) {
	codex := formatOf(t, "codex")
	for in, want := range map[string]string{
		"[mcp_servers]\nvade = { command = \"vade\" }\n":           "[mcp_servers]\n",
		"[mcp_servers]\nvade.command = \"vade\"\nvade.args = []\n": "[mcp_servers]\n",
		"[mcp_servers.vade]\na = 1\n[b]\n[mcp_servers.vade.env]\n": "",
	} {
		got, err := removeEntry([]byte(in), codex)
		if string(got) != want || errors.Is(err, errShape) != (want == "") {
			t.Errorf("%q: %q %v", in, got, err)
		}
	}
}

// blanks generates text that may occur between two tokens of a JSON file.
func blanks(t *rapid.T, end string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"", " ", "\t", end, end + "  ", "// c" + end, "/* { \" */"}), 0, 2).Draw(t, "blanks"), "")
}

func object(t *rapid.T, end string, depth int) string {
	var b strings.Builder
	b.WriteString("{" + blanks(t, end))
	n := rapid.IntRange(0, 3).Draw(t, "members")
	keys := rapid.Permutation([]string{"mcpServers", "servers", "mcp", "a", "$schema", "é"}).Draw(t, "keys")
	for i := range n {
		if i > 0 {
			b.WriteString("," + blanks(t, end))
		}
		b.WriteString(`"` + keys[i] + `"` + blanks(t, end) + ":" + blanks(t, end))
		if depth < 2 && (strings.HasPrefix(keys[i], "mcp") || rapid.Bool().Draw(t, "deep")) {
			b.WriteString(object(t, end, depth+1))
		} else {
			b.WriteString(rapid.SampledFrom([]string{"1", "null", `"x, } // y"`, "[1, {}]", "true"}).Draw(t, "value"))
		}
		b.WriteString(blanks(t, end))
	}
	if n > 0 && rapid.Bool().Draw(t, "comma") {
		b.WriteString("," + blanks(t, end))
	}
	return b.String() + "}"
}

// TestRemoveIsTheInverseOfAdd checks that remove undoes add for JSON files in any layout.
func TestRemoveIsTheInverseOfAdd(t *testing.T) {
	formats := []*host.ServerFormat{formatOf(t, "claude-code"), formatOf(t, "opencode"), formatOf(t, "copilot-vscode")}
	added := 0
	testenv.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		before := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "bom") + blanks(t, end)
		if rapid.IntRange(0, 9).Draw(t, "empty") > 0 {
			before += object(t, end, 0) + blanks(t, end)
		}
		f := rapid.SampledFrom(formats).Draw(t, "format")
		after, err := addEntry([]byte(before), f)
		if err != nil {
			return
		}
		added++
		back, err := removeEntry(after, f)
		if err != nil || back == nil || string(back) != before {
			t.Fatalf("%v\nwas  %q\nwith %q\nback %q", err, before, after, back)
		}
	})
	if added == 0 {
		t.Fatal("nothing could be added: the test is broken")
	}
}

func FuzzJSON(f *testing.F) {
	format := formatOf(f, "claude-code")
	for _, s := range []string{"", "{}", "{\n}", `{"mcpServers":{}}`, `{"mcpServers":{"a":{}}}`, "{\n  \"a\": 1, // x\n}\n", "\ufeff{\"mcpServers\": {\n}}", `{"mcpServers":{"vade":{"command":"vade"}}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { both(t, data, format) })
}

func FuzzTOML(f *testing.F) {
	format := formatOf(f, "codex")
	for _, s := range []string{"", "a = 1", "[mcp_servers.a]\ncommand = \"x\"\n", "[mcp_servers]\n", "x = '''\n[mcp_servers.vade]\n'''\n", "a.b = 1\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { both(t, data, format) })
}

func both(t *testing.T, data []byte, f *host.ServerFormat) {
	// The added line feed would combine with a carriage return at the end of the file.
	if data == nil || bytes.HasSuffix(data, []byte("\r")) {
		return
	}
	found, err := findEntry(data, f)
	if err != nil {
		return
	}
	if found.Key != "" {
		// The existing entry may have any layout, but it must not be in the result.
		after, err := removeEntry(data, f)
		if err != nil {
			return
		}
		if still, err := findEntry(after, f); still.Key != "" || err != nil {
			t.Fatalf("%q: %v %v of %q", after, still, err, data)
		}
		if after, err = updateEntry(data, f); err == nil {
			if v, err := findEntry(after, f); err != nil || !same(v.Value, program()) {
				t.Fatalf("%q: %v of %q", after, err, data)
			}
		}
		return
	}
	after, err := addEntry(data, f)
	if err != nil {
		return
	}
	back, err := removeEntry(after, f)
	if err != nil || !bytes.Equal(back, data) || back == nil {
		t.Fatalf("%v: was %q with %q back %q", err, data, after, back)
	}
}
