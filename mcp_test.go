package vade_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/servers"
	"github.com/vadehq/vade/internal/testenv"
)

// TestServerSecretsStayHidden puts a secret into server files and searches every output for it.
func TestServerSecretsStayHidden(t *testing.T) {
	entries := []string{
		`{"command":"x","env":{"API_KEY":"@"}}`, `{"command":"x","env":{"SOMETHING":"@"}}`, `{"command":"x","args":["--token","@"]}`,
		`{"command":"x","args":["-e","K=@"]}`, `{"type":"http","url":"https://u:@P@x.example/mcp"}`, `{"type":"http","url":"https://x.example/?key=@"}`,
		`{"type":"http","url":"https://x.example","headers":{"Authorization":"Bearer @"}}`, `{"command":"x","oauth":{"clientSecret":"@"}}`,
		`{"command":"x","env":{"K":"${K:-@}"}}`, `{"type":"@"}`, `"@"`, `{"command":["x","@"]}`, `{"command":"x","env":{"A":"@`,
	}
	shared := []string{".mcp.json", ".cursor/mcp.json", ".gemini/settings.json", ".qwen/settings.json", ".github/mcp.json"}
	made := 0
	testenv.Check(t, func(rt *rapid.T) {
		secret := rapid.StringMatching(`[A-Za-z]{6}[0-9]{2}[A-Za-z]{4}[0-9]{3}[a-z]{8}[A-Z0-9]{4}`).Draw(rt, "secret")
		entry := strings.NewReplacer("@P@", secret+"@", "@", secret).Replace(rapid.SampledFrom(entries).Draw(rt, "entry"))
		project, home := fstest.MapFS{}, fstest.MapFS{}
		files := map[string]string{
			".vscode/mcp.json":           `{"servers":{"planted":` + entry + `}}`,
			"opencode.json":              `{"mcp":{"planted":` + entry + `}}`,
			".claude/agents/a.md":        "---\nname: a\ndescription: d\nmcpServers: {planted: {command: x, env: {API_KEY: " + secret + "}}}\n---\nx\n",
			".codex/config.toml":         "[mcp_servers.planted]\ncommand = \"x\"\nenv = { K = \"" + secret + "\" }\nbearer_token = \"" + secret + "\"\n",
			".claude-plugin/plugin.json": `{"name":"plug","mcpServers":{"planted":` + entry + `}}`,
		}
		for _, f := range shared {
			files[f] = `{"mcpServers":{"planted":` + entry + `}}`
		}
		name := rapid.SampledFrom(append(shared, ".vscode/mcp.json", "opencode.json", ".claude/agents/a.md", ".codex/config.toml", ".claude-plugin/plugin.json")).Draw(rt, "file")
		project[name] = &fstest.MapFile{Data: []byte(files[name])}
		home[".claude.json"] = &fstest.MapFile{Data: []byte(`{"mcpServers":{"planted":` + entry + `},"primaryApiKey":"` + secret + `"}`)}
		made += len(everyOutput(rt, secret, project, home))
	})
	if made < 1000 {
		t.Fatalf("only %d bytes were made: the test is broken", made)
	}
}

func everyOutput(t *rapid.T, secret string, project, home fstest.MapFS) string {
	ctx := context.Background()
	c, err := catalog.Open(ctx, catalog.Options{
		Layers: []catalog.LayerFS{{Layer: definition.Project, Name: "p", FS: project}, {Layer: definition.User, Name: "u", FS: home}}, Isolated: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var out bytes.Buffer
	found, err := c.Overview(ctx, catalog.Query{All: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := found.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	s, err := servers.List(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(text)
	for _, d := range s.Diagnostics {
		out.WriteString(d.String() + d.Source + d.Fix)
	}
	for _, host := range export.ServerHosts() {
		x, err := export.Servers(ctx, s, export.Request{Host: host, User: true})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s %+v", x.Data, x.Losses)
		m, losses, err := export.Map(s, export.Request{Host: host, User: true})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s %+v", m, losses)
	}
	for _, host := range export.PluginHosts() {
		x, err := export.Plugin(ctx, c, export.PluginRequest{Request: export.Request{Host: host, Kinds: nil, User: true}, Name: "p"})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range x.Files {
			if f.Kind == 0 {
				out.Write(f.Data)
			}
		}
	}
	if at := strings.Index(strings.ToUpper(out.String()), strings.ToUpper(secret)); at >= 0 {
		t.Fatalf("%s comes out again: %.200q", secret, out.String()[max(at-100, 0):])
	}
	return out.String()
}

func TestServersWithOneName(t *testing.T) {
	c, err := catalog.Open(context.Background(), catalog.Options{Layers: []catalog.LayerFS{
		{Layer: definition.Project, Name: "p", FS: fstest.MapFS{
			".mcp.json":        {Data: []byte(`{"mcpServers":{"a":{"command":"one"},"b":{"command":"x"}}}`)},
			".vscode/mcp.json": {Data: []byte(`{"servers":{"a":{"command":"two"},"b":{"type":"stdio","command":"x"}}}`)},
		}},
		{Layer: definition.User, Name: "u", FS: fstest.MapFS{".cursor/mcp.json": {Data: []byte(`{"mcpServers":{"a":{"command":"one"}}}`)}}},
	}, Isolated: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := servers.List(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, one := range s.List {
		var paths []string
		for _, o := range one.Origins {
			paths = append(paths, o.Path)
		}
		got = append(got, fmt.Sprintf("%s %s %s %v", one.Name, one.Command[0], one.State, paths))
	}
	want := "a one loaded [.mcp.json u/.cursor/mcp.json]; a two shadowed [.vscode/mcp.json]; b x loaded [.mcp.json .vscode/mcp.json]"
	if text := strings.Join(got, "; "); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	for _, host := range export.ServerHosts() {
		x, err := export.Servers(context.Background(), s, export.Request{Host: host})
		if err != nil || fmt.Sprint(x.Servers) != "[a b]" || len(x.Losses) > 0 {
			t.Errorf("%s: %v %v %v", host, x.Servers, x.Losses, err)
		}
	}
}
