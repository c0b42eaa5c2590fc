package mcp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/jsonc"
)

// formatOf returns the format of a host's own file.
func formatOf(t testing.TB, name string) *host.ServerFormat {
	t.Helper()
	p, ok := registry.Lookup(name)
	if !ok || p.Servers == nil {
		t.Fatalf("%s has no format of servers", name)
	}
	return p.Servers
}

// readJSON reads the map under the format's key, or the whole text if the key is missing.
func readJSON(t testing.TB, text string, f *host.ServerFormat) ([]Server, []diag.Diagnostic) {
	t.Helper()
	data := []byte(text)
	v, _, ok := jsonc.Find(data, f.Key)
	if !ok {
		if v, ok = jsonc.Parse(data); !ok {
			t.Fatalf("no JSON: %s", text)
		}
	}
	return Read(diag.NewFile("file", data), v, f, Origin{Origin: definition.Origin{Layer: definition.Project, Path: "file"}})
}

// describe writes an entry on one line.
func describe(s *Server) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", s.Name, s.Transport)
	for _, w := range s.CommandLine() {
		fmt.Fprintf(&b, " [%s]", w)
	}
	for _, p := range s.Env {
		fmt.Fprintf(&b, " %s=%s", p.Key, p.Value)
	}
	if len(s.Cwd) > 0 {
		fmt.Fprintf(&b, " in %s", s.Cwd)
	}
	if len(s.URL) > 0 {
		fmt.Fprintf(&b, " %s", s.URL)
	}
	for _, p := range s.Headers {
		fmt.Fprintf(&b, " %s: %s", p.Key, p.Value)
	}
	if s.Timeout > 0 {
		fmt.Fprintf(&b, " within %s", s.Timeout)
	}
	if s.StartTimeout > 0 {
		fmt.Fprintf(&b, " starts within %s", s.StartTimeout)
	}
	if s.Disabled {
		b.WriteString(" off")
	}
	if s.HasTools {
		fmt.Fprintf(&b, " only %v", s.Tools)
	}
	if len(s.NotTools) > 0 {
		fmt.Fprintf(&b, " not %v", s.NotTools)
	}
	for _, x := range s.Extras {
		fmt.Fprintf(&b, " +%s", x.Key)
	}
	return b.String()
}

func describeAll(list []Server) string {
	var lines []string
	for i := range list {
		lines = append(lines, describe(&list[i]))
	}
	return strings.Join(lines, "\n")
}

func TestReadFormats(t *testing.T) {
	for _, c := range []struct{ host, text, want string }{
		{"claude-code", `{"mcpServers":{"a":{"command":"npx","args":["-y","x"],"env":{"K":"${K}","L":"${L:-info}","M":"$M"},"timeout":5000}}}`,
			"a stdio [npx] [-y] [x] K=${K} L=${L:-info} M=$M within 5s"},
		{"claude-code", `{"mcpServers":{"a":{"type":"sse","url":"https://x.example/sse","headers":{"X-Team":"core"}},"b":{"type":"ws","url":"wss://x.example"},"c":{"url":"https://y.example"}}}`,
			"a sse https://x.example/sse X-Team: core\nb ws wss://x.example\nc http https://y.example"},
		{"copilot-vscode", `{"servers":{"a":{"type":"stdio","command":"${workspaceFolder}/bin/x","args":["${env:A}","${input:key}","${config:b}"],"envFile":"${workspaceFolder}/.env","cwd":"${userHome}"}}}`,
			"a stdio [${dir:project}/bin/x] [${A}] [${input:key}] [${config:b}] in ${dir:home} +envFile"},
		{"cursor", `{"mcpServers":{"a":{"url":"https://x.example/mcp","headers":{"Authorization":"Bearer ${env:T}"},"auth":{"CLIENT_ID":"web"}}}}`,
			"a http https://x.example/mcp Authorization: Bearer ${T} +auth"},
		{"gemini", `{"mcpServers":{"a":{"url":"https://x.example/sse"},"b":{"httpUrl":"https://x.example/mcp","includeTools":["t"],"excludeTools":["u"],"trust":true},"c":{"command":"x","env":{"A":"$B","C":"${D}"},"timeout":600}}}`,
			"a sse https://x.example/sse\nb http https://x.example/mcp only [t] not [u] +trust\nc stdio [x] A=${B} C=${D} within 600ms"},
		{"gemini", `{"mcpServers":{"a":{"url":"https://x.example/mcp","type":"http"},"b":{"tcp":"ws://x.example"}}}`,
			"a http https://x.example/mcp\nb ws ws://x.example"},
		{"opencode", `{"mcp":{"a":{"type":"local","command":["bun","x","y"],"environment":{"K":"{env:K}"},"enabled":false},"b":{"type":"remote","url":"https://x.example","oauth":false}}}`,
			"a stdio [bun] [x] [y] K=${K} off\nb http https://x.example +oauth"},
		{"opencode", `{"mcp":{"servers":{"a":{"type":"local","command":["x"]}}}}`, "a stdio [x]"},
		{"copilot-cli", `{"mcpServers":{"a":{"type":"local","command":"x","args":["$HOME/y"],"tools":["*"]},"b":{"type":"http","url":"https://x.example","tools":["t"],"headers":{"X":"${X}"}}}}`,
			"a stdio [x] [${HOME}/y]\nb http https://x.example X: ${X} only [t]"},
		{"claude-code", `{"mcpServers":{"a":{"command":"x","url":"https://x.example"},"b":{},"c":7,"d":{"type":"odd","command":"x"},"e":{"type":"http"},"f":{"command":"y","args":"z"}}}`,
			"a stdio [x]\nf stdio [y]"},
	} {
		list, found := readJSON(t, c.text, formatOf(t, c.host))
		if got := describeAll(list); got != c.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s\n%v", c.host, c.text, got, c.want, found)
		}
		for _, d := range found {
			if d.Code != diag.MCPInvalid || d.Line == 0 || d.Fix == "" || d.Source != "" {
				t.Errorf("%s: %+v", c.host, d)
			}
		}
	}
}

func TestReadTOML(t *testing.T) {
	str := func(s string) definition.Value { return definition.Value{Kind: definition.String, Text: s} }
	list := func(s ...string) definition.Value { return definition.ListValue(s) }
	num := func(s string) definition.Value { return definition.Value{Kind: definition.Number, Text: s} }
	object := func(pairs ...definition.Entry) definition.Value {
		return definition.Value{Kind: definition.Map, Pairs: pairs}
	}
	is := func(k string, v definition.Value) definition.Entry { return definition.Entry{Key: k, Value: v} }
	v := object(
		is("a", object(is("command", str("x")), is("args", list("${A}")), is("env", object(is("L", str("info")))), is("env_vars", list("K")),
			is("startup_timeout_sec", num("2.5")), is("tool_timeout_sec", num("60")), is("enabled", definition.BoolValue(false)))),
		is("b", object(is("url", str("https://x.example")), is("bearer_token_env_var", str("T")), is("http_headers", object(is("X", str("core")))),
			is("env_http_headers", object(is("Y", str("YV")))), is("enabled_tools", list("t")), is("disabled_tools", list("u")))),
	)
	got, found := Read(diag.NewFile("file", nil), v, formatOf(t, "codex"), Origin{})
	want := "a stdio [x] [${A}] K=${K} L=info within 1m0s starts within 2.5s off\n" +
		"b http https://x.example Authorization: Bearer ${T} X: core Y: ${YV} only [t] not [u]"
	if describeAll(got) != want || len(found) > 0 {
		t.Errorf("got  %s\nwant %s\n%v", describeAll(got), want, found)
	}
	if k := got[0].Args[0]; k.has(Env) {
		t.Errorf("a format without references has one: %v", k)
	}
}

func TestReadHides(t *testing.T) {
	f := formatOf(t, "claude-code")
	for _, c := range []struct {
		text, want string
		likely     bool
	}{
		{`{"a":{"command":"x","env":{"API_KEY":"abc"}}}`, "a stdio [x] API_KEY=‹hidden›", true},
		{`{"a":{"command":"x","env":{"NODE_OPTIONS":"--max-old-space-size=4096"}}}`, "a stdio [x] NODE_OPTIONS=‹hidden›", false},
		{`{"a":{"command":"x","env":{"LEVEL":"debug","PORT":"8080","ON":"true","DIR":"/var/lib/x","U":"https://api.example.com/v1","EMPTY":""}}}`,
			"a stdio [x] DIR=/var/lib/x EMPTY= LEVEL=debug ON=true PORT=8080 U=https://api.example.com/v1", false},
		{`{"a":{"command":"x","env":{"DB":"postgres://me:pw@h/db"}}}`, "a stdio [x] DB=‹hidden›", true},
		{`{"a":{"command":"x","env":{"DB":"postgres://me:${PW}@h/db"}}}`, "a stdio [x] DB=postgres://me:${PW}@h/db", false},
		{`{"a":{"command":"x","env":{"TOKEN":"${TOKEN:-abcdef}"}}}`, "a stdio [x] TOKEN=${TOKEN}", true},
		{`{"a":{"command":"x","args":["--token","abc","--port","80"]}}`, "a stdio [x] [--token] [‹hidden›] [--port] [80]", true},
		{`{"a":{"command":"x","args":["--api-key=abc","-e","PASSWORD=p","-e","LEVEL=debug"]}}`, "a stdio [x] [--api-key=‹hidden›] [-e] [PASSWORD=‹hidden›] [-e] [LEVEL=debug]", true},
		{`{"a":{"command":"x","args":["--header","Authorization: Bearer abc"]}}`, "a stdio [x] [--header] [Authorization: Bearer ‹hidden›]", true},
		{`{"a":{"command":"x","args":["--header","Authorization: Bearer ${T}"]}}`, "a stdio [x] [--header] [Authorization: Bearer ${T}]", false},
		{`{"a":{"command":"sh","args":["-c","TOKEN=abc exec x"]}}`, "a stdio [sh] [-c] [TOKEN=‹hidden› exec x]", true},
		{`{"a":{"command":"x","args":["ghp_abcdefghij0123456789abcdefghij012345"]}}`, "a stdio [x] [‹hidden›]", true},
		{`{"a":{"command":"x","args":["img@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]}}`,
			"a stdio [x] [img@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08]", false},
		{`{"a":{"type":"http","url":"https://me:pw@x.example/mcp?key=abc&team=core#f"}}`, "a http https://‹hidden›@x.example/mcp?key=‹hidden›&team=core#‹hidden›", true},
		{`{"a":{"type":"http","url":"https://hooks.example.com/services/T0001/B0002/aB3dE5gH7jK9mN1pQ3sT5vX7"}}`, "a http https://hooks.example.com/services/T0001/B0002/‹hidden›", true},
		{`{"a":{"type":"http","url":"https://x.example","headers":{"Authorization":"Bearer abc","Accept":"application/json"}}}`,
			"a http https://x.example Accept: application/json Authorization: Bearer ‹hidden›", true},
		{`{"a":{"command":"x","oauth":{"clientSecret":"abc"},"alwaysLoad":true}}`, "a stdio [x] +alwaysLoad +oauth", true},
	} {
		list, _ := readJSON(t, c.text, f)
		if got := describeAll(list); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
			continue
		}
		likely := false
		for _, h := range list[0].Hidden {
			likely = likely || h.Likely
			if h.Line == 0 || h.Path != "file" {
				t.Errorf("%s: %+v", c.text, h)
			}
		}
		hides := strings.Contains(c.want, hiddenText) || strings.Contains(c.want, "oauth") || strings.Contains(c.text, ":-")
		if likely != c.likely || hides != (len(list[0].Hidden) > 0) {
			t.Errorf("%s: hidden %+v", c.text, list[0].Hidden)
		}
	}
}

func TestNamesForSecrets(t *testing.T) {
	list, _ := readJSON(t, `{"my-api":{"command":"x","env":{"KEY":"a"},"args":["--token","b","c?d","sk-abcdefghij0123456789"]},
		"9":{"type":"http","url":"https://u:p@x.example","headers":{"X-Api-Key":"c","Authorization":"Basic d"}}}`, formatOf(t, "claude-code"))
	var names []string
	for i := range list {
		for _, h := range list[i].Hidden {
			names = append(names, h.Where+" "+h.Name)
		}
	}
	want := "env.KEY KEY, args[1] MY_API_TOKEN, args[3] MY_API_SECRET, url MCP_9_USER, headers.X-Api-Key MCP_9_X_API_KEY, headers.Authorization MCP_9_TOKEN"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
