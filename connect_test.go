package vade_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/connect"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/servers"
)

func connectOptions(t *testing.T) catalog.Options {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"project/.git", "home"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return catalog.Options{Dir: filepath.Join(dir, "project"), Home: filepath.Join(dir, "home"), Getenv: func(string) string { return "" }}
}

func connectTo(t *testing.T, o catalog.Options, r connect.Request) *connect.Connection {
	t.Helper()
	c, err := connect.Run(context.Background(), o, r)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(); err != nil {
		t.Fatal(err)
	}
	return c
}

func fileOf(o catalog.Options, c *connect.Connection) string {
	if rest, ok := strings.CutPrefix(c.Path, "~/"); ok {
		return filepath.Join(o.Home, rest)
	}
	return filepath.Join(o.Dir, c.Path)
}

// TestConnectPages checks that each host's page shows exactly the entry that Vade writes, that the
// host's view finds the server there, and that disconnecting leaves nothing behind.
func TestConnectPages(t *testing.T) {
	for _, h := range registry.Connectable() {
		page, err := os.ReadFile("docs/connect/" + h + ".md")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []connect.Request{
			{Host: h}, {Host: h, URL: "http://127.0.0.1:8808"}, {Host: h, User: true}, {Host: h, User: true, URL: "https://vade.example.com/mcp", NoAuth: true},
		} {
			o := connectOptions(t)
			c := connectTo(t, o, r)
			data, err := os.ReadFile(fileOf(o, c))
			if err != nil || c.Action != "create" {
				t.Fatalf("%s: %s %v", h, c.Action, err)
			}
			if !(r.User && r.NoAuth) && !strings.Contains(string(page), "```json\n"+string(data)+"```") && !strings.Contains(string(page), "```toml\n"+string(data)+"```") {
				t.Errorf("docs/connect/%s.md does not show\n%s", h, data)
			}
			if name := strings.TrimPrefix(c.Path, "~/"); !strings.Contains(string(page), filepath.Base(name)) || !strings.Contains(string(page), filepath.Dir(name)) {
				t.Errorf("docs/connect/%s.md does not name %s", h, c.Path)
			}
			view := o
			view.As = h
			cat, err := catalog.Open(context.Background(), view)
			if err != nil {
				t.Fatal(err)
			}
			servers, err := servers.List(context.Background(), cat)
			cat.Close()
			if err != nil {
				t.Fatal(err)
			}
			named := servers.Named("vade")
			if len(named) != 1 || named[0].State != definition.Loaded {
				t.Errorf("%s: %+v: the host does not find the entry: %+v", h, r, named)
			}
			r.Remove = true
			if c = connectTo(t, o, r); c.Action != "delete" {
				t.Errorf("%s: %s", h, c.Action)
			}
			if entries, _ := os.ReadDir(o.Dir); len(entries) != 1 {
				t.Errorf("%s: left in the project: %v", h, entries)
			}
		}
	}
}

// TestConnectFileChanges checks that a file that changes between reading and
// writing is not touched.
func TestConnectFileChanges(t *testing.T) {
	o := connectOptions(t)
	file := filepath.Join(o.Dir, ".mcp.json")
	for _, before := range []string{"", "{}"} {
		if before != "" {
			if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c, err := connect.Run(context.Background(), o, connect.Request{Host: "claude-code"})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(`{"a":1}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := c.Write(); err == nil {
			t.Error("it was written")
		}
		if data, _ := os.ReadFile(file); string(data) != `{"a":1}` {
			t.Errorf("%q", data)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

func TestConnectKeepsMode(t *testing.T) {
	o := connectOptions(t)
	file := filepath.Join(o.Home, ".claude.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	connectTo(t, o, connect.Request{Host: "claude-code", User: true})
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 && filepath.Separator == '/' {
		t.Errorf("%v %v", info.Mode(), err)
	}
	connectTo(t, o, connect.Request{Host: "claude-code", User: true, Remove: true})
	if data, _ := os.ReadFile(file); string(data) != "{}" {
		t.Errorf("%q", data)
	}
}

func TestConnectRefuses(t *testing.T) {
	o := connectOptions(t)
	for _, c := range []struct {
		r    connect.Request
		want error
	}{
		{connect.Request{Host: "nobody"}, export.ErrNoHost},
		{connect.Request{Host: "pi"}, export.ErrNoFiles},
		{connect.Request{Host: "claude-code", URL: "ftp://x"}, nil},
		{connect.Request{Host: "claude-code", URL: "http://u:p@x"}, nil},
		{connect.Request{Host: "claude-code", URL: "http://x/?key=secret"}, nil},
		{connect.Request{Host: "claude-code", Name: "a\nb"}, nil},
		{connect.Request{Host: "codex", Name: "a.b"}, nil},
	} {
		if got, err := connect.Run(context.Background(), o, c.r); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%+v: %+v, %v", c.r, got, err)
		}
	}
}

// TestConnectEveryHost checks each host, in the project and for the user. In a file with comments,
// only the entry is added; a second run changes nothing, a dry run writes nothing, and removal
// restores every byte.
func TestConnectEveryHost(t *testing.T) {
	if n := len(registry.Connectable()); n < 8 {
		t.Fatalf("%d hosts", n)
	}
	for _, h := range registry.Connectable() {
		for _, user := range []bool{false, true} {
			o := connectOptions(t)
			r := connect.Request{Host: h, User: user}
			c := connectTo(t, o, r)
			file := fileOf(o, c)
			before := "{\n\t// Mine, with a comment.\n\t\"zeta\": [1, 2], /* and one more */\n\t\"alpha\": {\"x\": \"{ // no comment\"},\n}\n"
			if strings.HasSuffix(file, ".toml") {
				before = "# Mine, with a comment.\nzeta = [1, 2] # and one more\n\n[alpha]\nx = '[mcp_servers.vade]'\n"
			}
			put := func(text string) {
				t.Helper()
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			holds := func(what, want string) {
				t.Helper()
				if data, err := os.ReadFile(file); err != nil || string(data) != want {
					t.Errorf("%s %v: %s: %v\n%s\nnot\n%s", h, user, what, err, data, want)
				}
			}
			put(before)
			if c, err := connect.Run(context.Background(), o, r); err != nil || c.Action != "add" || !strings.Contains(c.Diff(), "vade") {
				t.Fatalf("%s %v: %+v %v", h, user, c, err)
			}
			holds("only shown", before)
			connectTo(t, o, r)
			added, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(added), "Mine, with a comment.") || !strings.Contains(string(added), "and one more") || !strings.Contains(string(added), "serve") {
				t.Errorf("%s %v: %v\n%s", h, user, err, added)
			}
			if c := connectTo(t, o, r); c.Action != "none" {
				t.Errorf("%s %v: a second time: %s", h, user, c.Action)
			}
			holds("a second time", string(added))
			r.Remove = true
			connectTo(t, o, r)
			holds("taken out", before)
			if c := connectTo(t, o, r); c.Action != "none" {
				t.Errorf("%s %v: taken out twice: %s", h, user, c.Action)
			}
		}
	}
}

// TestConnectHostileFiles checks, for each host, that a file in another format
// is rejected with a reason and stays unchanged.
func TestConnectHostileFiles(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("links need rights on this system")
	}
	for _, h := range registry.Connectable() {
		for name, spoil := range map[string]func(file, other string) error{
			"a link":            func(file, other string) error { return os.Symlink(other, file) },
			"a link to nowhere": func(file, other string) error { return os.Symlink(other+"-none", file) },
			"a second name":     func(file, other string) error { return os.Link(other, file) },
			"a directory":       func(file, _ string) error { return os.Mkdir(file, 0o755) },
			"too long": func(file, _ string) error {
				return errors.Join(os.WriteFile(file, []byte("{}"), 0o644), os.Truncate(file, 64<<20))
			},
			"no text": func(file, _ string) error { return os.WriteFile(file, []byte("\xff\xfe\x00{"), 0o644) },
			"half":    func(file, _ string) error { return os.WriteFile(file, []byte("{\"a\": [\n= "), 0o644) },
			"deep": func(file, _ string) error {
				return os.WriteFile(file, []byte("a="+strings.Repeat("[", 200_000)), 0o644)
			},
		} {
			for _, remove := range []bool{false, true} {
				o := connectOptions(t)
				c, err := connect.Run(context.Background(), o, connect.Request{Host: h})
				if err != nil {
					t.Fatal(err)
				}
				file, other := fileOf(o, c), filepath.Join(filepath.Dir(o.Dir), "other")
				if err := os.WriteFile(other, []byte("{}"), 0o644); err != nil {
					t.Fatal(err)
				}
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := spoil(file, other); err != nil {
					t.Fatal(err)
				}
				before, _ := os.Lstat(file)
				c, err = connect.Run(context.Background(), o, connect.Request{Host: h, Remove: remove})
				if err == nil && c.Action != "none" {
					err = c.Write()
				}
				if err == nil && !remove || err != nil && (len(err.Error()) > 500 || strings.Contains(err.Error(), "\x00")) {
					t.Errorf("%s: %s, remove %v: %v, %s", h, name, remove, err, c.Action)
				}
				after, err := os.Lstat(file)
				if err != nil || after.Mode() != before.Mode() || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
					t.Errorf("%s: %s, remove %v: it was changed", h, name, remove)
				}
				if data, _ := os.ReadFile(other); string(data) != "{}" {
					t.Errorf("%s: %s: what it leads to is %q", h, name, data)
				}
			}
		}
	}
}

// TestConnectKeepsOwnKeys checks that keys added to Vade's entry are kept, that
// such an entry is not changed, and that no diff shows those keys.
func TestConnectKeepsOwnKeys(t *testing.T) {
	const url = "http://127.0.0.1:8808"
	for _, c := range []struct {
		host, file, before string
		r                  connect.Request
		// after is the expected file. "" means rejected and "=" means unchanged.
		after string
	}{
		{"claude-code", ".mcp.json", `{"mcpServers":{"vade":{"command":"vade","args":["serve"],"env":{"K":"hunter2"}}}}`, connect.Request{URL: url}, ""},
		{"claude-code", ".mcp.json", `{"mcpServers":{"vade":{"type":"stdio","command":"vade","args":["serve"],"env":{"K":"hunter2"}}}}`, connect.Request{}, "="},
		{"claude-code", ".mcp.json", `{"mcpServers":{"vade":{"type":"stdio","command":"/opt/vade","args":["serve","--host","codex"]}}}`, connect.Request{Program: "/opt/vade"}, "="},
		{"claude-code", ".mcp.json", `{"mcpServers":{"vade":{"type":"stdio","command":"vade","args":["serve","--host","hunter2"],"env":{"K":"hunter2"}}}}`, connect.Request{Command: "/opt/vade"}, ""},
		{"claude-code", ".mcp.json", `{"mcpServers":{"vade":{"type":"stdio","command":"vade","args":["serve"]}}}`, connect.Request{Command: "/opt/vade"},
			`{"mcpServers":{"vade":{ "type": "stdio", "command": "/opt/vade", "args": ["serve"] }}}`},
		{"claude-code", ".mcp.json", `{"mcpServers":{"vade":{"command":"vade","args":["serve","--host","codex"]}}}`, connect.Request{URL: url}, ""},
		{"cursor", ".cursor/mcp.json", `{"mcpServers":{"vade":{"command":"vade","args":["serve","--host","cursor"],"env":{"K":"hunter2"}}}}`, connect.Request{}, "="},
		{"claude-code", ".mcp.json", `{"mcpServers":{"vade":{"type":"http","url":"http://127.0.0.1:1/mcp","headers":{"Authorization":"Bearer ${VADE_SERVE_TOKEN}","X-Key":"hunter2"}}}}`, connect.Request{URL: url}, ""},
		{"claude-code", ".mcp.json", `{"mcpServers":{"vade":{"type":"http","url":"http://127.0.0.1:8808/mcp","headers":{"Authorization":"Bearer ${VADE_SERVE_TOKEN}","X-Key":"hunter2"}}}}`, connect.Request{URL: url}, "="},
		{"claude-code", ".mcp.json", `{"mcpServers":{"vade":{"type":"http","url":"http://127.0.0.1:8808/mcp","headers":{"Authorization":"Bearer ${VADE_SERVE_TOKEN}"},"timeout":5}}}`, connect.Request{URL: url, NoAuth: true}, ""},
		{"codex", ".codex/config.toml", "[mcp_servers.vade]\ncommand = \"vade\"\nargs = [\"serve\"]\n[mcp_servers.vade.env]\nK = \"hunter2\"\n", connect.Request{URL: url}, ""},
		{"codex", ".codex/config.toml", "[mcp_servers.vade]\ncommand = \"vade\"\nargs = [\"serve\"]\n[mcp_servers.vade.env]\nK = \"hunter2\"\n", connect.Request{}, "="},
		{"opencode", "opencode.json", `{"mcp":{"vade":{"type":"local","command":["vade","serve","--host","x"],"environment":{"K":"hunter2"}}}}`, connect.Request{Command: "/opt/vade"}, ""},
	} {
		o := connectOptions(t)
		file := filepath.Join(o.Dir, filepath.FromSlash(c.file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(c.before), 0o600)); err != nil {
			t.Fatal(err)
		}
		c.r.Host = c.host
		got, err := connect.Run(context.Background(), o, c.r)
		want := c.after
		switch {
		case c.after == "":
			if !errors.Is(err, connect.ErrOwnKeys) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s %+v: %v", c.before, c.r, err)
			}
			c.r.Force = true
			if got, err = connect.Run(context.Background(), o, c.r); err != nil || got.Action != "update" || strings.Contains(got.Diff(), "hunter2") {
				t.Errorf("by force: %v\n%s", err, got.Diff())
			}
			continue
		case c.after == "=":
			want = c.before
			if err != nil || got.Action != "none" {
				t.Errorf("%s %+v: %+v, %v", c.before, c.r, got, err)
				continue
			}
		case err != nil || got.Action != "update":
			t.Errorf("%s %+v: %+v, %v", c.before, c.r, got, err)
			continue
		}
		if strings.Contains(got.Diff(), "hunter2") {
			t.Errorf("%s: the diff shows the secret:\n%s", c.before, got.Diff())
		}
		if err := got.Write(); err != nil {
			t.Fatal(err)
		}
		if data, _ := os.ReadFile(file); string(data) != want {
			t.Errorf("%s %+v:\n%s\nwant\n%s", c.before, c.r, data, want)
		}
		c.r.Remove, c.r.Force = true, true
		if got, err = connect.Run(context.Background(), o, c.r); err != nil || strings.Contains(got.Diff(), "hunter2") {
			t.Errorf("%s: taken out: %v\n%s", c.before, err, got.Diff())
		}
	}
}
