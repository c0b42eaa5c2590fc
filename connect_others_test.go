package vade_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/connect"
)

// TestConnectOthers checks that Vade recognizes its own entries, and that it does not replace or
// remove any other entry, regardless of the entry's name or URL path.
func TestConnectOthers(t *testing.T) {
	const url = "http://127.0.0.1:8808"
	claude := func(name, entry string) string { return `{"mcpServers":{"` + name + `":` + entry + `}}` }
	for _, c := range []struct {
		host, file, before string
		r                  connect.Request
		ours               bool
	}{
		{"claude-code", ".mcp.json", claude("github", `{"type":"http","url":"https://api.example.com/mcp","headers":{"Authorization":"Bearer hunter2"}}`), connect.Request{Name: "github"}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"type":"http","url":"https://api.example.com/mcp","headers":{"Authorization":"Bearer hunter2"}}`), connect.Request{}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"type":"http","url":"https://api.example.com/mcp"}`), connect.Request{}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"type":"http","url":"https://api.example.com/mcp"}`), connect.Request{URL: url}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"type":"http","url":"http://127.0.0.1:8808/mcp","headers":{"Authorization":"Bearer hunter2"}}`), connect.Request{URL: url}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"type":"http","url":"http://127.0.0.1:8808/mcp","headers":{"Authorization":"Bearer ${VADE_SERVE_TOKEN:-hunter2}"}}`), connect.Request{URL: url}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"type":"http","url":"http://127.0.0.1:8808/mcp","headers":{"X-Key":"hunter2"}}`), connect.Request{URL: url}, false},
		{"claude-code", ".mcp.json", claude("github", `{"type":"http","url":"http://127.0.0.1:8808/mcp","timeout":5}`), connect.Request{Name: "github", URL: url}, false},
		{"claude-code", ".mcp.json", claude("github", `{"type":"http","url":"https://api.example.com/mcp","headers":{"Authorization":"Bearer ${VADE_SERVE_TOKEN}"}}`), connect.Request{Name: "github"}, true},
		{"claude-code", ".mcp.json", claude("vade", `{"command":"/evil/vade","args":["-c","rm","serve"],"env":{"K":"hunter2"}}`), connect.Request{}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"command":"/evil/vade","args":"serve"}`), connect.Request{}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"command":"vade","args":["serve"],"url":"https://api.example.com/mcp"}`), connect.Request{}, false},
		{"codex", ".codex/config.toml", "[mcp_servers.gh]\nurl = 'https://api.example.com/mcp'\nbearer_token = 'hunter2'\n", connect.Request{Name: "gh"}, false},
		{"codex", ".codex/config.toml", "[mcp_servers.vade]\nurl = 'https://api.example.com/mcp'\nbearer_token_env_var = 'HUNTER2'\n", connect.Request{}, false},
		{"opencode", "opencode.json", `{"mcp":{"vade":{"type":"local","command":["vade","-c","serve"]}}}`, connect.Request{}, false},

		{"claude-code", ".mcp.json", claude("vade", `{"type":"http","url":"https://vade.example.com/far","headers":{"Authorization":"Bearer ${VADE_SERVE_TOKEN}"}}`), connect.Request{}, true},
		{"codex", ".codex/config.toml", "[mcp_servers.vade]\nurl = 'https://vade.example.com/mcp'\nbearer_token_env_var = 'VADE_SERVE_TOKEN'\n", connect.Request{}, true},
		{"claude-code", ".mcp.json", claude("vade", `{"type":"http","url":"http://127.0.0.1:8808/mcp"}`), connect.Request{URL: url}, true},
		{"claude-code", ".mcp.json", claude("other", `{"type":"http","url":"http://127.0.0.1:8808/mcp"}`), connect.Request{Name: "other", URL: url, NoAuth: true}, true},
		{"claude-code", ".mcp.json", claude("vade", `{"command":"./evil/vade","args":["serve"]}`), connect.Request{Program: "/opt/vade"}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"command":"vade/vade.exe","args":["serve"]}`), connect.Request{Command: "/opt/vade"}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"command":"/opt/vade","args":["serve"]}`), connect.Request{URL: url}, false},
		{"codex", ".codex/config.toml", "[mcp_servers.vade]\ncommand = './vade'\nargs = ['serve']\n", connect.Request{}, false},
		{"opencode", "opencode.json", `{"mcp":{"vade":{"type":"local","command":["./vade","serve"]}}}`, connect.Request{}, false},
		{"claude-code", ".mcp.json", claude("other", `{"command":"/opt/vade","args":["serve","--host","codex"]}`), connect.Request{Name: "other", Program: "/opt/vade"}, true},
		{"claude-code", ".mcp.json", claude("other", `{"command":"/opt/vade","args":["serve","--host","codex"]}`), connect.Request{Name: "other", Command: "/opt/vade"}, true},
		{"claude-code", ".mcp.json", claude("other", `{"command":"vade","args":["serve","--host","codex"]}`), connect.Request{Name: "other"}, true},
	} {
		o := connectOptions(t)
		file := filepath.Join(o.Dir, filepath.FromSlash(c.file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(c.before), 0o600)); err != nil {
			t.Fatal(err)
		}
		c.r.Host = c.host
		for _, remove := range []bool{false, true} {
			c.r.Remove = remove
			_, err := connect.Run(context.Background(), o, c.r)
			if isEvil := strings.Contains(c.before, "./evil"); isEvil && (err == nil || !strings.Contains(err.Error(), `it starts "./evil/vade"`)) {
				t.Errorf("%s: what it starts is not told: %v", c.before, err)
			}
			if errors.Is(err, connect.ErrNotOurs) == c.ours || c.ours && err != nil || err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s, remove %v: %v", c.before, remove, err)
			}
		}
		c.r.Remove, c.r.Force = true, true
		got, err := connect.Run(context.Background(), o, c.r)
		if err != nil || strings.Contains(got.Diff(), "hunter2") {
			t.Errorf("%s: by force: %v\n%s", c.before, err, got.Diff())
		}
	}
}

// TestConnectRemovesNoOwnKeys checks that an entry to which the user added keys is removed only
// with --force.
func TestConnectRemovesNoOwnKeys(t *testing.T) {
	o := connectOptions(t)
	file := filepath.Join(o.Dir, ".mcp.json")
	if err := os.WriteFile(file, []byte(`{"mcpServers":{"vade":{"command":"vade","args":["serve","--host","x"],"env":{"K":"hunter2"}}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r := connect.Request{Host: "claude-code", Remove: true}
	if _, err := connect.Run(context.Background(), o, r); !errors.Is(err, connect.ErrOwnKeys) || !strings.HasSuffix(err.Error(), ": env.K") {
		t.Errorf("%v", err)
	}
	r.Force = true
	if c := connectTo(t, o, r); c.Action != "remove" && c.Action != "delete" || len(c.Gone) == 0 {
		t.Errorf("%+v", c)
	}
}

// TestConnectHidesOthers checks that a diff never shows text that Vade did not write, however the
// file is formatted.
func TestConnectHidesOthers(t *testing.T) {
	for _, c := range []struct{ host, file, before string }{
		{"claude-code", ".mcp.json", `{"mcpServers":{"other":{"command":"x","env":{"API_KEY":"hunter2"}}}}`},
		{"claude-code", ".mcp.json", `{"mcpServers":{},"env":{"API_KEY":"hunter2"}}`},
		{"claude-code", ".mcp.json", "{\n// hunter2 {\n\"mcpServers\":{}\n/*\n[hunter2]\n hunter2 {\n*/\n}\n"},
		{"codex", ".codex/config.toml", "a = '''\nhunter2 {\n[hunter2]\n'''\n"},
	} {
		o := connectOptions(t)
		file := filepath.Join(o.Dir, filepath.FromSlash(c.file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(c.before), 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, remove := range []bool{false, true} {
			got := connectTo(t, o, connect.Request{Host: c.host, Remove: remove})
			if strings.Contains(got.Diff(), "hunter2") || !strings.Contains(got.Diff(), "serve") {
				t.Errorf("%s, remove %v:\n%s", c.before, remove, got.Diff())
			}
		}
		if data, _ := os.ReadFile(file); string(data) != c.before {
			t.Errorf("%q is %q", c.before, data)
		}
	}
}

// TestConnectEmptyFile checks that an entry is added to an empty file, and that
// removing it restores the file exactly.
func TestConnectEmptyFile(t *testing.T) {
	for _, before := range []string{"", "\n", " \n\n"} {
		o := connectOptions(t)
		file := filepath.Join(o.Dir, ".mcp.json")
		if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		connectTo(t, o, connect.Request{Host: "claude-code"})
		if data, _ := os.ReadFile(file); !strings.Contains(string(data), "serve") {
			t.Errorf("%q", data)
		}
		connectTo(t, o, connect.Request{Host: "claude-code", Remove: true})
		if data, err := os.ReadFile(file); string(data) != before || err != nil {
			t.Errorf("%q is %q, %v", before, data, err)
		}
	}
}

// TestConnectForeignKeys checks that an entry's foreign keys are reported and kept, and that
// --force removes them.
func TestConnectForeignKeys(t *testing.T) {
	for _, c := range []struct {
		host, file, before string
		r                  connect.Request
		action, kept, gone string
	}{
		{"claude-code", ".mcp.json", `{"mcpServers":{"vade":{"type":"stdio","command":"vade","args":["serve"],"env":{"PATH":"/evil","LD_PRELOAD":"/evil.so"},"disabled":true}}}`, connect.Request{}, "none", "env.PATH env.LD_PRELOAD disabled", "env.PATH env.LD_PRELOAD disabled"},
		{"claude-code", ".mcp.json", `{"mcpServers":{"vade":{"command":"vade","args":["serve","-C","/evil"],"cwd":"./evil"}}}`, connect.Request{}, "none", "args cwd", "cwd"},
		{"claude-code", ".mcp.json", `{"mcpServers":{"vade":{"type":"http","url":"http://127.0.0.1:8808/mcp","headers":{"Authorization":"Bearer ${VADE_SERVE_TOKEN}","X-Key":"k"}}}}`, connect.Request{URL: "http://127.0.0.1:8808"}, "none", "headers.X-Key", "headers.X-Key"},
		{"opencode", "opencode.json", `{"mcp":{"vade":{"type":"local","command":["vade","serve","--http"],"enabled":false}}}`, connect.Request{}, "none", "command enabled", "command enabled"},
		{"codex", ".codex/config.toml", "[mcp_servers.vade]\ncommand = 'vade'\nargs = ['serve']\n[mcp_servers.vade.env]\nPATH = '/evil'\n", connect.Request{}, "none", "env.PATH", "env.PATH"},
		{"claude-code", ".mcp.json", `{"mcpServers":{"vade":{"type":"stdio","command":"/opt/vade","args":["serve"]}}}`, connect.Request{Program: "/opt/vade"}, "none", "", ""},
		{"claude-code", ".mcp.json", `{"mcpServers":{"vade":{"type":"stdio","command":"./evil/vade","args":["serve"]}}}`, connect.Request{Force: true}, "update", "", "command"},
	} {
		o := connectOptions(t)
		file := filepath.Join(o.Dir, filepath.FromSlash(c.file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(c.before), 0o600)); err != nil {
			t.Fatal(err)
		}
		c.r.Host = c.host
		got, err := connect.Run(context.Background(), o, c.r)
		if err != nil || got.Action != c.action || strings.Join(got.Kept, " ") != c.kept {
			t.Errorf("%s: %v, %+v", c.before, err, got)
			continue
		}
		if c.gone == "" {
			continue
		}
		c.r.Force = true
		if got, err = connect.Run(context.Background(), o, c.r); err != nil || got.Action != "update" || len(got.Kept) > 0 || !strings.HasSuffix(strings.Join(got.Gone, " "), c.gone) {
			t.Errorf("%s: by force: %v, %+v", c.before, err, got)
			continue
		}
		if err := got.Write(); err != nil {
			t.Fatal(err)
		}
		if data, _ := os.ReadFile(file); strings.Contains(string(data), "evil") || !strings.Contains(string(data), "vade") {
			t.Errorf("%s: by force: %s", c.before, data)
		}
	}
}

// TestConnectShowsTheEntry checks that the diff shows the changes to the entry regardless of
// formatting, but never shows possible secrets.
func TestConnectShowsTheEntry(t *testing.T) {
	for _, c := range []struct {
		host, file, before string
		r                  connect.Request
		minus, plus        string
	}{
		{
			"claude-code", ".mcp.json", `{"other":{"k":"hunter2"},"mcpServers":{"vade":{"type":"stdio","command":"vade","args":["serve"],"env":{"K":"hunter2"}}}}`,
			connect.Request{Command: "/opt/vade", Force: true},
			"-      \"command\": \"vade\",\n", "+      \"command\": \"/opt/vade\",\n",
		},
		{
			"claude-code", ".mcp.json", `{"mcpServers":{"vade":{"command":"./evil/vade","args":["serve","--token=hunter2","hunter2"],"timeout":5},"b":{"env":{"K":"hunter2"}}}}`,
			connect.Request{Force: true},
			"-      \"command\": \"./evil/vade\",\n-      \"args\": \"…\",\n-      \"timeout\": 5\n", "+      \"args\": [\"serve\"]\n",
		},
		{
			"claude-code", ".mcp.json", "{\n  \"mcpServers\": {\n    \"vade\": {\n      \"command\": \"./evil/vade\", \"cwd\": \"hunter2\", // hunter2\n      \"args\": [\n        \"-c\",\n        \"hunter2\"\n      ]\n    }\n  }\n}\n",
			connect.Request{Remove: true, Force: true},
			"-      \"command\": \"./evil/vade\",\n-      \"cwd\": \"…\",\n-      \"args\": \"…\"\n", " {\n",
		},
		{
			"claude-code", ".mcp.json", `{"mcpServers":{"vade":{"url":"https://u:hunter2@a.example/hunter2?k=hunter2","headers":{"X":"hunter2"}}}}`,
			connect.Request{Remove: true, Force: true},
			"-      \"url\": \"https://a.example/…\",\n-      \"headers\": {\n-        \"X\": \"…\"\n", "",
		},
		{
			"codex", ".codex/config.toml", "[mcp_servers.vade]\ncommand = './vade'\nargs = ['serve', '--key', 'hunter2']\nenv = { K = 'hunter2' }\n[mcp_servers.vade.more]\nx = 'hunter2'\n",
			connect.Request{Force: true},
			"-command = \"./vade\"\n", "+command = \"vade\"\n",
		},
	} {
		o := connectOptions(t)
		file := filepath.Join(o.Dir, filepath.FromSlash(c.file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(c.before), 0o600)); err != nil {
			t.Fatal(err)
		}
		c.r.Host = c.host
		got, err := connect.Run(context.Background(), o, c.r)
		if err != nil {
			t.Errorf("%s: %v", c.before, err)
			continue
		}
		if diff := got.Diff(); !strings.Contains(diff, c.minus) || !strings.Contains(diff, c.plus) || strings.Contains(diff, "hunter2") {
			t.Errorf("%s:\n%s", c.before, diff)
		}
	}
}
