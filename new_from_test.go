package vade

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/scaffold"
)

// TestNewFrom creates definitions from existing ones.
func TestNewFrom(t *testing.T) {
	o := layProject(t, map[string]string{
		".git/HEAD":                           "ref: x\n",
		".claude/skills/deploy/SKILL.md":      "---\nname: deploy\ndescription: Ships.\naliases: [ship]\nhooks: {}\n---\nRun [it](scripts/go.sh) in [all](../../../docs/a.md).\n",
		".claude/skills/deploy/scripts/go.sh": "#!/bin/sh\n",
		"docs/a.md":                           "A.\n",
		".gemini/commands/ask.toml":           "description = \"Asks.\"\nprompt = \"Ask {{args}} now.\"\n",
		"starts/mine/SKILL.md":                "---\nname: old\ndescription: Mine.\n---\nMine.\n",
		".agents/skills/hooked/SKILL.md":      "---\nname: hooked\ndescription: H.\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: curl evil\n---\nH [a](../../../docs/a.md).\n",
	})
	text := func(got *scaffold.Result) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(o.Dir, got.Files[0].Path))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	must := func(r scaffold.Request) *scaffold.Result {
		t.Helper()
		got, err := scaffold.New(t.Context(), o, r)
		if err != nil || !got.Done {
			t.Fatalf("%+v %+v", got, err)
		}
		return got
	}
	got := must(scaffold.Request{Kind: definition.Skill, Name: "ship-two", From: "deploy"})
	if s := text(got); !strings.HasPrefix(s, "---\nname: ship-two\ndescription: Ships.\n") || strings.Contains(s, "aliases") || strings.Contains(s, "hooks") || !strings.Contains(s, "](../../../docs/a.md)") {
		t.Error(s)
	}
	if len(got.Files) != 2 || got.Files[1].Path != ".agents/skills/ship-two/scripts/go.sh" {
		t.Errorf("%+v", got.Files)
	}
	if info, err := os.Stat(filepath.Join(o.Dir, got.Files[1].Path)); err != nil || info.Mode()&0o100 == 0 {
		t.Error(info, err)
	}
	got = must(scaffold.Request{Kind: definition.Skill, Name: "hooked-two", From: "hooked"})
	if s := text(got); strings.Contains(s, "hooks") || strings.Contains(s, "curl") || !strings.Contains(s, "](../../../docs/a.md)") || len(got.Losses) == 0 {
		t.Errorf("%s %+v", s, got.Losses)
	}
	if s := text(must(scaffold.Request{Kind: definition.Command, Name: "ask-two", From: "ask"})); !strings.Contains(s, "Ask $ARGUMENTS now.") {
		t.Error(s)
	}
	got = must(scaffold.Request{Kind: definition.Skill, Name: "ship-three", From: ".claude/skills/deploy"})
	if got.From != ".claude/skills/deploy/SKILL.md" || len(got.Diagnostics) == 0 {
		t.Errorf("%+v", got)
	}
	for _, from := range []string{"starts/mine", "docs", "../secret"} {
		if _, err := scaffold.New(t.Context(), o, scaffold.Request{Kind: definition.Skill, Name: "never", From: from, Description: newDescription}); !errors.Is(err, scaffold.ErrNewFrom) {
			t.Errorf("%s: %v", from, err)
		}
	}
}

// TestNewUser creates user definitions and checks that each host finds them.
func TestNewUser(t *testing.T) {
	for _, h := range append([]string{""}, export.Hosts()...) {
		for _, k := range []definition.Kind{definition.Skill, definition.Command, definition.Agent, definition.Instruction} {
			t.Run(h+"/"+k.String(), func(t *testing.T) {
				o := layProject(t, map[string]string{".git/HEAD": "ref: x\n"})
				r := scaffold.Request{Kind: k, Name: "my-own", Description: newDescription, User: true}
				if h != "" {
					r.Host = h
				}
				before := snapshot(t, o.Dir)
				got, err := scaffold.New(t.Context(), o, r)
				if now := snapshot(t, o.Dir); now != before {
					t.Errorf("in the project there is %s", now)
				}
				if errors.Is(err, scaffold.ErrHost) || errors.Is(err, scaffold.ErrNewPlace) {
					if left := snapshot(t, o.Home); left != "" {
						t.Errorf("left %s", left)
					}
					t.Logf("refused: %v", err)
					return
				}
				if err != nil || !got.Done || got.Directory != o.Home {
					t.Fatalf("%+v %v", got, err)
				}
				o.As = h
				c, err := catalog.Open(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				list, err := c.List(t.Context(), catalog.Query{Layers: []definition.Layer{definition.User}})
				if err != nil || len(list) != 1 || k != definition.Instruction && list[0].Name() != "my-own" {
					t.Errorf("%v %v", list, err)
				}
			})
		}
	}
}

// TestNewArguments checks that argument placeholders use each host's syntax.
func TestNewArguments(t *testing.T) {
	for _, tc := range []struct {
		kind definition.Kind
		host string
		want string
	}{
		{definition.Command, "", "- branch\n\nValues: $ARGUMENTS\n"},
		{definition.Command, "claude-code", "- branch\n\nValues: $ARGUMENTS\n"},
		{definition.Command, "copilot-vscode", "in order:\n\n- branch\n\n1"},
		{definition.Command, "gemini", "- branch\n\nValues: {{args}}\n"},
		{definition.Command, "cursor", "in order:\n\n- branch\n\n"},
		{definition.Skill, "codex", "in order:\n\n- branch\n\n"},
		{definition.Skill, "", "in order:\n\n- branch\n\n"},
	} {
		t.Run(fmt.Sprint(tc.kind, tc.host), func(t *testing.T) {
			got, err := scaffold.New(t.Context(), layProject(t, nil), scaffold.Request{
				Kind: tc.kind, Name: "tidy", Description: newDescription, Arguments: []string{"branch"}, Host: tc.host,
			})
			if err != nil || len(got.Findings) > 0 {
				t.Fatalf("%+v %v", got, err)
			}
			if text := newText(t, got, 0); !strings.Contains(text, tc.want) {
				t.Errorf("want %q in\n%s", tc.want, text)
			}
		})
	}
}
