package audit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func capabilities(t *testing.T, skill string, more ...string) Manifest {
	t.Helper()
	files := fstest.MapFS{"SKILL.md": {Data: []byte(skill), Mode: 0o644}}
	for i := 0; i+1 < len(more); i += 2 {
		files[more[i]] = &fstest.MapFile{Data: []byte(more[i+1]), Mode: 0o644}
	}
	return Capabilities(auditFS(t, files, "charts"))
}

// rows writes a manifest as lines: kind, what, u for used and d for declared.
func rows(m Manifest) []string {
	var list []string
	for _, c := range m.Capabilities {
		mark := ""
		if c.Used {
			mark += "u"
		}
		if c.Declared {
			mark += "d"
		}
		list = append(list, fmt.Sprintf("%s %s %s", c.Kind, c.What, mark))
	}
	return list
}

func TestCapabilities(t *testing.T) {
	const body = "Run it:\n\n```bash\ncd charts\ngit status > state.txt\njq . data.json\ncurl -s https://api.charts-host.com/v1\n```\n\nNever run `rm -rf build`.\n"
	for _, c := range []struct {
		name, fm string
		want     []string
		declares bool
	}{
		{"nothing declared", "", []string{"run curl u", "run git u", "run jq u", "write state.txt u", "net api.charts-host.com u", "tool Bash u"}, false},
		{"one command", "allowed-tools: Bash(git status:*), Read\n", []string{"run curl u", "run git ud", "run jq u", "read * d", "write state.txt u", "net api.charts-host.com u", "tool Bash ud", "tool Read d"}, true},
		{"a shell", "allowed-tools: Bash\n", []string{"run * d", "run curl ud", "run git ud", "run jq ud", "write state.txt u", "net api.charts-host.com u", "tool Bash ud"}, true},
		{"requirements", "compatibility: Needs git and jq.\nmetadata:\n  host: {requires: {bins: [curl], env: [CHARTS_KEY]}}\n",
			[]string{"run curl ud", "run git ud", "run jq ud", "write state.txt u", "net api.charts-host.com u", "env CHARTS_KEY d", "tool Bash u"}, true},
		{"a domain", "allowed-tools: WebFetch(domain:charts-host.com)\n", []string{"run curl u", "run git u", "run jq u", "write state.txt u", "net api.charts-host.com ud", "net charts-host.com d", "tool Bash u", "tool WebFetch d"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := capabilities(t, "---\nname: charts\ndescription: Draws charts.\n"+c.fm+"---\n\n# Charts\n\n"+body)
			if got := rows(m); !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if m.Declares != c.declares || !m.Complete {
				t.Errorf("declares %v, complete %v", m.Declares, m.Complete)
			}
			for _, x := range m.Capabilities {
				if x.Path != "SKILL.md" || x.Line == 0 {
					t.Errorf("%s %s is at %s:%d", x.Kind, x.What, x.Path, x.Line)
				}
			}
		})
	}
}

func TestCapabilitiesOfNothing(t *testing.T) {
	m := capabilities(t, "---\nname: charts\ndescription: Draws charts.\n---\nThink about it.\n", "blob", "\x00\x01\x02")
	data, err := json.Marshal(m)
	if err != nil || string(data) != `{"declares":false,"capabilities":[],"complete":false}` {
		t.Errorf("%s, %v", data, err)
	}
}
