package host

import (
	"slices"
	"testing"

	"github.com/vadehq/vade/internal/definition"
)

// TestConnectFiles asserts that each path of the table is a row of its profile, on
// every system, and that no profile with a file of servers of its own is missing.
func TestConnectFiles(t *testing.T) {
	for _, p := range Profiles() {
		for _, goos := range []string{"linux", "darwin", "windows"} {
			var table Connect
			if p.Connect != nil {
				table = p.Connect(goos)
			}
			for layer, want := range map[definition.Layer][]string{definition.Project: table.Project, definition.User: table.User} {
				got := p.ConnectFiles(layer, goos)
				if len(got) != len(want) {
					t.Errorf("%s %s %s: %d files, the table has %d", p.Name, goos, layer, len(got), len(want))
				}
				for _, c := range got {
					if c.Words.Key == "" || !slices.Contains(c.Servers, c.Words.Key) {
						t.Errorf("%s: %s is written under a key that is not read", p.Name, c.Path)
					}
				}
			}
		}
		has := p.Servers != nil && p.Servers.Path != "" && p.Name != "neutral"
		if has != slices.Contains(Connectable(), p.Name) {
			t.Errorf("%s: has a file of servers: %v, can be connected: %v", p.Name, has, !has)
		}
	}
}
