package vade_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade"
)

// TestConnectOthers asserts that an entry which Vade has not written is neither
// replaced nor removed, whatever its name or the path of its address, and that what
// Vade has written is known again.
func TestConnectOthers(t *testing.T) {
	const url = "http://127.0.0.1:8808"
	claude := func(name, entry string) string { return `{"mcpServers":{"` + name + `":` + entry + `}}` }
	for _, c := range []struct {
		host, file, before string
		r                  vade.ConnectRequest
		ours               bool
	}{
		{"claude-code", ".mcp.json", claude("github", `{"type":"http","url":"https://api.example.com/mcp","headers":{"Authorization":"Bearer hunter2"}}`), vade.ConnectRequest{Name: "github"}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"type":"http","url":"https://api.example.com/mcp","headers":{"Authorization":"Bearer hunter2"}}`), vade.ConnectRequest{}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"type":"http","url":"https://api.example.com/mcp"}`), vade.ConnectRequest{}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"type":"http","url":"https://api.example.com/mcp"}`), vade.ConnectRequest{URL: url}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"type":"http","url":"http://127.0.0.1:8808/mcp","headers":{"Authorization":"Bearer hunter2"}}`), vade.ConnectRequest{URL: url}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"type":"http","url":"http://127.0.0.1:8808/mcp","headers":{"Authorization":"Bearer ${VADE_SERVE_TOKEN:-hunter2}"}}`), vade.ConnectRequest{URL: url}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"type":"http","url":"http://127.0.0.1:8808/mcp","headers":{"X-Key":"hunter2"}}`), vade.ConnectRequest{URL: url}, false},
		{"claude-code", ".mcp.json", claude("github", `{"type":"http","url":"http://127.0.0.1:8808/mcp","timeout":5}`), vade.ConnectRequest{Name: "github", URL: url}, false},
		{"claude-code", ".mcp.json", claude("github", `{"type":"http","url":"https://api.example.com/mcp","headers":{"Authorization":"Bearer ${VADE_SERVE_TOKEN}"}}`), vade.ConnectRequest{Name: "github"}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"command":"/evil/vade","args":["-c","rm","serve"],"env":{"K":"hunter2"}}`), vade.ConnectRequest{}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"command":"/evil/vade","args":"serve"}`), vade.ConnectRequest{}, false},
		{"claude-code", ".mcp.json", claude("vade", `{"command":"vade","args":["serve"],"url":"https://api.example.com/mcp"}`), vade.ConnectRequest{}, false},
		{"codex", ".codex/config.toml", "[mcp_servers.gh]\nurl = 'https://api.example.com/mcp'\nbearer_token = 'hunter2'\n", vade.ConnectRequest{Name: "gh"}, false},
		{"codex", ".codex/config.toml", "[mcp_servers.vade]\nurl = 'https://api.example.com/mcp'\nbearer_token_env_var = 'HUNTER2'\n", vade.ConnectRequest{}, false},
		{"opencode", "opencode.json", `{"mcp":{"vade":{"type":"local","command":["vade","-c","serve"]}}}`, vade.ConnectRequest{}, false},

		{"claude-code", ".mcp.json", claude("vade", `{"type":"http","url":"https://vade.example.com/far","headers":{"Authorization":"Bearer ${VADE_SERVE_TOKEN}"}}`), vade.ConnectRequest{}, true},
		{"codex", ".codex/config.toml", "[mcp_servers.vade]\nurl = 'https://vade.example.com/mcp'\nbearer_token_env_var = 'VADE_SERVE_TOKEN'\n", vade.ConnectRequest{}, true},
		{"claude-code", ".mcp.json", claude("vade", `{"type":"http","url":"http://127.0.0.1:8808/mcp"}`), vade.ConnectRequest{URL: url}, true},
		{"claude-code", ".mcp.json", claude("other", `{"type":"http","url":"http://127.0.0.1:8808/mcp"}`), vade.ConnectRequest{Name: "other", URL: url, NoAuth: true}, true},
		{"claude-code", ".mcp.json", claude("other", `{"command":"/opt/vade","args":["serve","--as","codex"]}`), vade.ConnectRequest{Name: "other"}, true},
	} {
		o := connectOptions(t)
		file := filepath.Join(o.Dir, filepath.FromSlash(c.file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(c.before), 0o600)); err != nil {
			t.Fatal(err)
		}
		c.r.Host = c.host
		for _, remove := range []bool{false, true} {
			c.r.Remove = remove
			_, err := vade.Connect(context.Background(), o, c.r)
			if errors.Is(err, vade.ErrNotOurs) == c.ours || c.ours && err != nil || err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s, remove %v: %v", c.before, remove, err)
			}
		}
		c.r.Remove, c.r.Force = true, true
		got, err := vade.Connect(context.Background(), o, c.r)
		if err != nil || strings.Contains(got.Diff(), "hunter2") {
			t.Errorf("%s: by force: %v\n%s", c.before, err, got.Diff())
		}
	}
}

// TestConnectRemovesNoOwnKeys asserts that an entry which holds something of the user's
// is taken out by force only.
func TestConnectRemovesNoOwnKeys(t *testing.T) {
	o := connectOptions(t)
	file := filepath.Join(o.Dir, ".mcp.json")
	if err := os.WriteFile(file, []byte(`{"mcpServers":{"vade":{"command":"vade","args":["serve","--as","x"],"env":{"K":"hunter2"}}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r := vade.ConnectRequest{Host: "claude-code", Remove: true}
	if _, err := vade.Connect(context.Background(), o, r); !errors.Is(err, vade.ErrOwnKeys) || !strings.HasSuffix(err.Error(), ": env") {
		t.Errorf("%v", err)
	}
	r.Force = true
	if c := connectTo(t, o, r); c.Action != "remove" && c.Action != "delete" || len(c.Gone) == 0 {
		t.Errorf("%+v", c)
	}
}

// TestConnectHidesOthers asserts that a diff shows nothing of what others have written,
// however the file is laid out.
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
			got := connectTo(t, o, vade.ConnectRequest{Host: c.host, Remove: remove})
			if strings.Contains(got.Diff(), "hunter2") || !strings.Contains(got.Diff(), "serve") {
				t.Errorf("%s, remove %v:\n%s", c.before, remove, got.Diff())
			}
		}
		if data, _ := os.ReadFile(file); string(data) != c.before {
			t.Errorf("%q is %q", c.before, data)
		}
	}
}

// TestConnectEmptyFile asserts that a file with nothing in it is written to, and is as
// it was afterwards.
func TestConnectEmptyFile(t *testing.T) {
	for _, before := range []string{"", "\n", " \n\n"} {
		o := connectOptions(t)
		file := filepath.Join(o.Dir, ".mcp.json")
		if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		connectTo(t, o, vade.ConnectRequest{Host: "claude-code"})
		if data, _ := os.ReadFile(file); !strings.Contains(string(data), "serve") {
			t.Errorf("%q", data)
		}
		connectTo(t, o, vade.ConnectRequest{Host: "claude-code", Remove: true})
		if data, err := os.ReadFile(file); string(data) != before || err != nil {
			t.Errorf("%q is %q, %v", before, data, err)
		}
	}
}
