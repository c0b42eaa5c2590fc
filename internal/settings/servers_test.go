package settings

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// TestJudgeServers checks that the host's settings decide which servers are
// used. Each case has user, project and managed settings.
func TestJudgeServers(t *testing.T) {
	p, _ := registry.Lookup("claude-code")
	stdio := ServerJudged{Name: "a b", Command: []string{"npx", "-y", "x"}, Approval: true}
	remote := ServerJudged{Name: "r", URL: "https://x.example/mcp", Approval: true}
	given := ServerJudged{Name: "a b", Command: []string{"npx", "-y", "x"}, Given: true}
	users := ServerJudged{Name: "a b", Command: []string{"npx", "-y", "x"}}
	for _, c := range []struct {
		user, project, managed string
		v                      ServerJudged
		want                   Approval
		why                    string
	}{
		{"", "", "", stdio, Asks, "no setting approves it"},
		{"", "", "", users, Approved, ""},
		{`{"enabledMcpjsonServers": ["a_b"]}`, "", "", stdio, Approved, ""},
		{`{"enabledMcpjsonServers": ["other"]}`, "", "", stdio, Asks, ""},
		{"", `{"enableAllProjectMcpServers": true}`, "", stdio, Approved, ""},
		{`{"enableAllProjectMcpServers": true}`, `{"enableAllProjectMcpServers": false}`, "", stdio, Asks, ""},
		{`{"enableAllProjectMcpServers": true}`, `{"disabledMcpjsonServers": ["a b"]}`, "", stdio, Denied, "disabledMcpjsonServers in project rejects it"},
		{"", `{"disabledMcpjsonServers": ["a b"]}`, "", users, Approved, ""},
		{`{"deniedMcpServers": [{"serverName": "a b"}]}`, "", "", users, Denied, "deniedMcpServers in user denies it"},
		{`{"deniedMcpServers": [{"serverName": "a_b"}]}`, "", "", users, Approved, ""},
		{`{"deniedMcpServers": [{"serverCommand": ["npx", "-y", "x"]}]}`, "", "", given, Denied, ""},
		{`{"deniedMcpServers": [{"serverCommand": ["npx", "-y"]}]}`, "", "", given, Approved, ""},
		{"", `{"deniedMcpServers": [{"serverName": "a b"}]}`, "", given, Approved, ""},
		{"", "", `{"deniedMcpServers": [{"serverUrl": "https://*.example/*"}]}`, remote, Denied, ""},
		{"", "", `{"deniedMcpServers": [{"serverUrl": "https://*.example"}]}`, remote, Asks, ""},
		{"", "", `{"allowedMcpServers": []}`, users, Denied, "allowedMcpServers in the settings does not include it"},
		{"", "", `{"allowedMcpServers": []}`, given, Approved, ""},
		{"", "", `{"allowedMcpServers": [{"serverName": "a b"}]}`, stdio, Asks, ""},
		{"", "", `{"allowedMcpServers": [{"serverName": "a b"}, {"serverCommand": ["y"]}]}`, users, Denied, ""},
		{"", "", `{"allowedMcpServers": [{"serverName": "a b"}, {"serverUrl": "https://y/*"}]}`, users, Approved, ""},
		{`{"allowedMcpServers": [{"serverName": "a b"}]}`, "", `{"allowedMcpServers": []}`, users, Approved, ""},
		{`{"allowedMcpServers": [{"serverName": "a b"}]}`, "", `{"allowedMcpServers": [], "allowManagedMcpServersOnly": true}`, users, Denied, ""},
		{`{"allowedMcpServers": [{"serverName": "c"}]}`, "", `{"allowManagedMcpServersOnly": true}`, users, Approved, ""},
		{`{"allowedMcpServers": [{"serverName": "c"}], "allowManagedMcpServersOnly": true}`, "", "", users, Denied, ""},
		{`{"allowedMcpServers": [{"serverName": "a b"}], "deniedMcpServers": [{"serverName": "a b"}]}`, "", "", users, Denied, "denies"},
	} {
		var files []File
		for _, f := range []File{
			{Source: host.SourceUser, Path: "user", Data: []byte(c.user)}, {Source: host.SourceProject, Path: "project", Data: []byte(c.project)},
			{Source: host.SourceManaged, Path: "managed", Data: []byte(c.managed)},
		} {
			if len(f.Data) > 0 {
				files = append(files, f)
			}
		}
		s := Read(p.Settings, files)
		if len(s.Diagnostics) > 0 {
			t.Errorf("%+v: %v", c, s.Diagnostics)
		}
		got, why, fix := s.Servers.Judge(c.v, p.Settings, p.Approvals.Same)
		if got != c.want || !strings.Contains(why, c.why) || (got == Approved) != (why == "" && fix == "") {
			t.Errorf("%s %s %s %s: %d %q %q", c.user, c.project, c.managed, c.v.Name, got, why, fix)
		}
	}
}

// TestServerRulesOfTheWrongForm checks that invalid rules are skipped and reported.
func TestServerRulesOfTheWrongForm(t *testing.T) {
	p, _ := registry.Lookup("claude-code")
	for text, rules := range map[string]int{
		`{"deniedMcpServers": {"serverName": "x"}}`: 0, `{"deniedMcpServers": ["x"]}`: 0, `{"deniedMcpServers": [{}]}`: 0,
		`{"deniedMcpServers": [{"serverName": "x", "serverUrl": "y"}, {"serverName": "z"}]}`: 1,
		`{"allowedMcpServers": "x"}`: 0, `{"enabledMcpjsonServers": true}`: 0, `{"enableAllProjectMcpServers": "yes"}`: 0,
	} {
		s := Read(p.Settings, []File{{Source: host.SourceUser, Path: "user", Data: []byte(text)}})
		if len(s.Diagnostics) != 1 || len(s.Servers.Denied) != rules || len(s.Servers.AllowedBy)+len(s.Servers.On) != 0 {
			t.Errorf("%s: %v %+v", text, s.Diagnostics, s.Servers)
		}
	}
}
