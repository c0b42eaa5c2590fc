package connect

import (
	"errors"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
)

// TestUpdateInPlace asserts that only the keys change that say something else.
func TestUpdateInPlace(t *testing.T) {
	wanted := program()
	wanted.Pairs[0].Value = text("/opt/vade")
	keep := func(pairs ...definition.Entry) definition.Value {
		v := wanted
		v.Pairs = append(append([]definition.Entry{}, wanted.Pairs...), pairs...)
		return v
	}
	env := definition.Entry{Key: "env", Value: definition.Value{Kind: definition.Map, Pairs: []definition.Entry{{Key: "K", Value: text("secret")}}}}
	claude, codex := formatOf(t, "claude-code"), formatOf(t, "codex")
	for _, c := range []struct {
		name, before, after string
		toml                bool
		value               definition.Value
	}{
		{
			"JSON on lines", "{\"mcpServers\": {\n  \"vade\": {\n    // mine\n    \"env\": {\"K\":   \"secret\"},\n    \"command\": \"vade\", \"args\": [ \"serve\" ]\n  }\n}}",
			"{\"mcpServers\": {\n  \"vade\": {\n    // mine\n    \"env\": {\"K\":   \"secret\"},\n    \"command\": \"/opt/vade\", \"args\": [ \"serve\" ]\n  }\n}}", false, keep(env),
		},
		{
			"JSON on one line, a key less", `{"mcpServers":{"vade":{"env":{"K":"secret"},"command":"vade","type":"stdio"}}}`,
			`{"mcpServers":{"vade":{"args": ["serve"], "env":{"K":"secret"},"command":"/opt/vade"}}}`, false, keep(env),
		},
		{
			"TOML with a table of its own", "[mcp_servers.vade]\ncommand = 'vade' # mine\n[mcp_servers.vade.env]\nK = 'secret'\n",
			"[mcp_servers.vade]\nargs = [\"serve\"]\ncommand = \"/opt/vade\" # mine\n[mcp_servers.vade.env]\nK = 'secret'\n", true, keep(env),
		},
	} {
		f := claude
		if c.toml {
			f = codex
		}
		got, err := update([]byte(c.before), f, definition.Entry{Key: "vade", Value: c.value})
		if err != nil || string(got) != c.after {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, got, c.after)
		}
	}
}

// TestPlaces asserts that a file which is not edited is said with its place.
func TestPlaces(t *testing.T) {
	claude, codex := formatOf(t, "claude-code"), formatOf(t, "codex")
	for _, c := range []struct {
		text         string
		toml         bool
		line, column int
		message      string
	}{
		{"{\n  \"a\": {\n", false, 2, 9, "ends before"},
		{"{\n  \"a\": x\n}", false, 2, 8, "not valid JSON"},
		{"{\n  \"mcpServers\": \"x\"\n}", false, 2, 17, "mcpServers is a string"},
		{" [1]", false, 1, 2, "is a list"},
		{"a = 1\nb = \n", true, 2, 0, "not valid TOML"},
	} {
		f := claude
		if c.toml {
			f = codex
		}
		_, _, _, err := find([]byte(c.text), f, "vade")
		e, ok := errors.AsType[*placeError](err)
		if !ok || e.line != c.line || c.column > 0 && e.column != c.column || !strings.Contains(e.message, c.message) {
			t.Errorf("%q: %+v, %v", c.text, e, err)
		}
	}
	for _, blank := range []string{"", " \n", "// nothing\n"} {
		if _, _, has, err := find([]byte(blank), claude, "vade"); has.Key != "" || err != nil {
			t.Errorf("%q: %v %v", blank, has, err)
		}
	}
}
