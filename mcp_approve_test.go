package vade_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/servers"
)

// TestServersToBeApproved covers a host that asks the user to approve the project's servers. In
// that host's view, each entry says whether it needs approval, is rejected or is denied, and which
// setting decides this. In the neutral view, servers do not need approval.
func TestServersToBeApproved(t *testing.T) {
	dir, home, managed := t.TempDir(), t.TempDir(), t.TempDir()
	writeTree(t, dir, map[string]string{
		".git/HEAD":                   "",
		".mcp.json":                   `{"mcpServers": {"asked": {"command": "a"}, "fine": {"command": "b"}, "off": {"command": "c"}, "banned": {"command": "d", "args": ["--x"]}}}`,
		".claude/settings.json":       `{"enabledMcpjsonServers": ["fine"]}`,
		".claude/settings.local.json": `{"disabledMcpjsonServers": ["off"]}`,
	})
	writeTree(t, home, map[string]string{".claude.json": `{"mcpServers": {"own": {"command": "e"}, "off": {"command": "f"}}}`})
	writeTree(t, managed, map[string]string{"managed-settings.json": `{"deniedMcpServers": [{"serverCommand": ["d", "--x"]}]}`})
	servers := func(as string) map[string]servers.Server {
		t.Helper()
		c, err := catalog.Open(t.Context(), catalog.Options{Dir: dir, Home: home, ManagedDir: managed, As: as, Getenv: func(string) string { return "" }})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		s, err := servers.List(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]servers.Server{}
		for _, one := range s.List {
			all[one.Name+" "+one.Origins[0].Layer.String()] = one
		}
		return all
	}
	all := servers("claude-code")
	for name, want := range map[string]struct {
		state            definition.State
		approval, reason string
	}{
		"asked project": {definition.Loaded, "asks", "no setting approves it"}, "fine project": {definition.Loaded, "", ""},
		"off project":    {definition.Dropped, "denied", "disabledMcpjsonServers in .claude/settings.local.json"},
		"banned project": {definition.Dropped, "denied", "deniedMcpServers in "}, "own user": {definition.Loaded, "", ""},
		// A rejected server does not shadow other servers.
		"off user": {definition.Loaded, "", ""},
	} {
		got := all[name]
		if got.State != want.state || got.Approval != want.approval || !strings.Contains(got.Reason, want.reason) || (got.Approval != "") != (got.Fix != "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for name, one := range servers("") {
		if one.Approval != "" {
			t.Errorf("the neutral view: %s: %+v", name, one)
		}
	}
	// A managed file excludes all other files.
	if err := os.WriteFile(filepath.Join(managed, "managed-mcp.json"), []byte(`{"mcpServers": {"given": {"command": "g"}}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, one := range servers("claude-code") {
		if (name == "given managed") != (one.State == definition.Loaded) {
			t.Errorf("beside a managed file: %s: %+v", name, one)
		}
	}
}
