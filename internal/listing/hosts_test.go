package listing

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host/registry"
)

// placed returns an entry for a file in the project's skills directory.
func placed(name, description string, change ...func(*definition.Definition)) Entry {
	e := at(name, description, change...)
	e.Root = "/p/.agents/skills"
	e.Path = e.Root + "/" + name + "/SKILL.md"
	return e
}

func TestFrames(t *testing.T) {
	for as, want := range frames {
		t.Run(as, func(t *testing.T) {
			lt := table(t, as)
			entries := []Entry{placed("zip", "Packs"), placed("deploy", `Ships <it> & "tests" it's`)}
			l := Skills(lt, entries, Limits{Total: Total(&lt.Budget, 0, 0, 0)})
			if diff := cmp.Diff(want, l.Text); diff != "" {
				t.Errorf("- want, + got:\n%s", diff)
			}
			if len(l.Lines) != 2 || l.Lines[0].Definition.Name != "deploy" || len(l.Cut) > 0 {
				t.Errorf("lines %v, cut %v", l.Lines, l.Cut)
			}
			for _, line := range l.Lines {
				if want != "" && !strings.Contains(want, line.Text) {
					t.Errorf("%q is not in the frame", line.Text)
				}
			}
			if none := Skills(lt, nil, Limits{}); none.Text != "" || none.Lines != nil {
				t.Errorf("of nothing: %+v", none)
			}
		})
	}
}

// TestEveryHostHasAFrame checks that frames has an entry for every host.
func TestEveryHostHasAFrame(t *testing.T) {
	for _, p := range registry.Profiles() {
		_, ok := frames[p.Name]
		if claude := strings.HasPrefix(p.Name, "claude"); p.Name != "neutral" && !claude && !ok {
			t.Errorf("%s has no row", p.Name)
		}
		if p.Listing == nil && p.Name != "neutral" {
			t.Errorf("%s has no listing", p.Name)
		}
	}
}

func TestCommandsAmongSkills(t *testing.T) {
	entries := []Entry{placed("zip", "Packs"), placed("a", "Command", command)}
	for as, want := range map[string][]string{
		"copilot-cli": {
			"<skill>\n  <name>zip</name>\n  <description>Packs</description>\n  <location>project</location>\n</skill>",
			"<skill>\n  <name>a</name>\n  <description>Command</description>\n  <location>project</location>\n</skill>",
		},
		"qwen": {
			"<skill>\n<name>\nzip\n</name>\n<description>\nPacks (project)\n</description>\n<location>\nproject\n</location>\n</skill>",
			"<skill>\n<name>\na\n</name>\n<description>\nCommand\n</description>\n</skill>",
		},
	} {
		lines, _ := texts(table(t, as), entries, Limits{Total: math.MaxInt})
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("%s: - want, + got:\n%s", as, diff)
		}
	}
}

func TestAgentsOfHosts(t *testing.T) {
	agents := []*definition.Definition{
		{Kind: definition.Agent, Name: "b", Description: "Does b\n\nand c"}, {Kind: definition.Agent, Name: "a"},
	}
	for as, want := range map[string][]string{
		"opencode": {"a: This subagent should only be called manually by the user.", "b: Does b\n\nand c"},
		"qwen":     {"**a**: ", "**b**: Does b\n\nand c"}, "copilot-cli": {"**a**: ", "**b**: Does b\n\nand c"},
		"codex": {"a: {\n\n}", "b: {\nDoes b\n\nand c\n}"}, "gemini": {"b -> Does b\n\nand c", "a -> "}, "pi": nil, "agentskills": nil,
	} {
		if diff := cmp.Diff(want, agentTexts(table(t, as), agents)); diff != "" {
			t.Errorf("%s: - want, + got:\n%s", as, diff)
		}
	}
}

// TestOrderOfHosts checks which layers and directories each host lists first.
func TestOrderOfHosts(t *testing.T) {
	row := func(l definition.Layer, n int) func(*definition.Definition) {
		return func(d *definition.Definition) { d.Origin.Layer, d.Origin.Row = l, int16(n) }
	}
	entries := []Entry{
		at("user-b", "d", row(definition.User, 4)), at("user-a", "d", row(definition.User, 5)),
		at("project-b", "d", row(definition.Project, 0)), at("project-a", "d", row(definition.Project, 1)),
		at("managed", "d", row(definition.Managed, 7)),
	}
	for as, want := range map[string]string{
		"codex":       "managed project-a project-b user-a user-b",
		"copilot-cli": "project-a project-b user-b user-a managed",
		"gemini":      "user-a user-b project-a project-b managed",
		"opencode":    "managed project-a project-b user-a user-b",
		"pi":          "project-b project-a user-b user-a managed",
		"qwen":        "managed project-a project-b user-a user-b",
	} {
		var got []string
		for _, l := range Skills(table(t, as), entries, Limits{Total: math.MaxInt}).Lines {
			got = append(got, l.Definition.Name)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, not %s", as, s, want)
		}
	}
}
