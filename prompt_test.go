package vade_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/prompt"
	"github.com/vadehq/vade/internal/tokens"

	"github.com/vadehq/vade/internal/testenv"
)

func whats(p *prompt.Prompt) []string {
	var list []string
	for _, x := range p.Parts {
		list = append(list, strings.TrimSpace(x.What+" "+x.Name))
	}
	return list
}

func TestPrompt(t *testing.T) {
	c := openUnified(t, unified(t))
	p, err := prompt.Build(t.Context(), c, prompt.Request{Agent: "architect", Files: []string{"internal/api/api.go"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"prompt architect", "skill design-patterns", "skill rest-api-design", "skills", "instructions"}
	if got := whats(p); !slices.Equal(got, want) {
		t.Errorf("parts %q", got)
	}
	var texts []string
	for _, x := range p.Parts {
		texts = append(texts, x.Text)
		if x.Tokens != tokens.Estimate(x.Text) || x.Characters != utf8.RuneCountInString(x.Text) {
			t.Errorf("%s: %d tokens, %d characters", x.What, x.Tokens, x.Characters)
		}
	}
	sum := 0
	for _, x := range p.Parts {
		sum += x.Tokens
	}
	if whole := tokens.Estimate(p.Text); p.Tokens != sum || p.Tokens < whole-len(p.Parts) || p.Tokens > whole+len(p.Parts) {
		t.Errorf("%d tokens, %d by the parts, %d by the text", p.Tokens, sum, whole)
	}
	if p.Text != strings.Join(texts, "\n\n") {
		t.Error("the text is not its parts")
	}
	if strings.Contains(p.Parts[3].Text, "rest-api-design") {
		t.Error("a skill that is in the prompt is in the table too")
	}
	main, err := prompt.Build(t.Context(), c, prompt.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if got := whats(main); !slices.Equal(got, []string{"skills", "instructions"}) {
		t.Errorf("the main conversation: %q", got)
	}
	var e *definition.Error
	if _, err := prompt.Build(t.Context(), c, prompt.Request{Agent: "architekt"}); !errors.As(err, &e) || e.Code != "AGENT_NOT_FOUND" || !strings.Contains(e.Fix, "architect") {
		t.Errorf("%v", err)
	}
	if _, err := prompt.Build(t.Context(), c, prompt.Request{Budget: -1}); err == nil {
		t.Error("a budget below 0 is taken")
	}
}

func TestPromptSkillsOfAgent(t *testing.T) {
	_, c := countedProject(t, fstest.MapFS{
		".github/agents/a.agent.md":       {Data: []byte("---\nname: a\ndescription: d\nuseSkills: [one, one, gone, manual]\n---\nBody.")},
		".agents/skills/one/SKILL.md":     {Data: []byte("---\ndescription: One.\n---\nText of one. <custom-instructions source=\"managed\">")},
		".agents/skills/manual/SKILL.md":  {Data: []byte("---\ndescription: Manual.\ndisable-model-invocation: true\n---\nText of manual.")},
		".agents/skills/pathed/SKILL.md":  {Data: []byte("---\ndescription: Pathed.\npaths: '*.go'\n---\nText.")},
		".agents/skills/special/SKILL.md": {Data: []byte("---\ndescription: Special.\nagents: [b]\n---\nText.")},
		"main.go":                         {Data: []byte("package x")},
	})
	p, err := prompt.Build(t.Context(), c, prompt.Request{Agent: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if got := whats(p); !slices.Equal(got, []string{"prompt a", "skill one", "skill manual"}) && !slices.Equal(got, []string{"prompt a", "skill one", "skill manual", "skills"}) {
		t.Errorf("parts %q", got)
	}
	if strings.Contains(p.Text, "Pathed.") || strings.Contains(p.Text, "Special.") || strings.Contains(p.Text, "<custom-instructions") {
		t.Errorf("the text has what is not for it:\n%s", p.Text)
	}
	var said []string
	for _, d := range p.Diagnostics {
		said = append(said, string(d.Code))
	}
	for _, want := range []string{"SKILL_NOT_FOUND", "INSTRUCTION_TAG"} {
		if !slices.Contains(said, want) {
			t.Errorf("nobody says %s: %q", want, said)
		}
	}
	p, err = prompt.Build(t.Context(), c, prompt.Request{Agent: "a", Files: []string{"main.go"}})
	if err != nil || !strings.Contains(p.Text, "| pathed | Pathed. |") {
		t.Errorf("with a file: %v\n%s", err, p.Text)
	}
}

// TestPromptOfHosts checks that a host's view uses that host's listing and instructions.
func TestPromptOfHosts(t *testing.T) {
	files := fstest.MapFS{
		".claude/agents/a.md":         {Data: []byte("---\nname: a\ndescription: d\nskills: one\n---\nBody.")},
		".claude/skills/one/SKILL.md": {Data: []byte("---\ndescription: One.\n---\nText of one.")},
		".claude/skills/two/SKILL.md": {Data: []byte("---\ndescription: Two.\n---\nText of two.")},
		"CLAUDE.md":                   {Data: []byte("Be brief.")},
		"AGENTS.md":                   {Data: []byte("Be brief.")},
		".gemini/agents/a.md":         {Data: []byte("---\nname: a\ndescription: d\n---\nBody.")},
	}
	open := func(as string) *catalog.Catalog {
		t.Helper()
		c, err := catalog.Open(t.Context(), catalog.Options{As: as, Isolated: true, Layers: []catalog.LayerFS{{Layer: definition.Project, Name: "app", FS: files}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	c := open("claude-code")
	p, err := prompt.Build(t.Context(), c, prompt.Request{Agent: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if got := whats(p); !slices.Equal(got, []string{"prompt a", "skill", "skills", "agents", "instructions"}) {
		t.Errorf("parts %q", got)
	}
	for _, want := range []string{"Body.", "Text of one.", "\ntwo: Two.", "Be brief."} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("the text has not %q:\n%s", want, p.Text)
		}
	}
	p, err = prompt.Build(t.Context(), c, prompt.Request{Budget: 1})
	if err != nil || len(p.Cut) != 2 || strings.Contains(p.Text, "Two.") {
		t.Errorf("with a budget of 1: %v, cut %v\n%s", err, p.Cut, p.Text)
	}
	if _, err := prompt.Build(t.Context(), open("gemini"), prompt.Request{Budget: 1}); err == nil {
		t.Error("a host without a budget takes one")
	}
	for _, as := range catalog.Hosts() {
		if as == "neutral" {
			continue
		}
		if _, err := prompt.Build(t.Context(), open(as), prompt.Request{}); err != nil {
			t.Errorf("%s: %v", as, err)
		}
	}
}

// TestPromptBudget checks that the table's rows fit the budget regardless of the descriptions, and
// that every skill is named.
func TestPromptBudget(t *testing.T) {
	testenv.Check(t, func(rt *rapid.T) {
		files := fstest.MapFS{}
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,8}`), 1, 8, rapid.ID[string]).Draw(rt, "names")
		for _, n := range names {
			text := rapid.StringMatching(`[a-z|<>/ -]{1,60}`).Draw(rt, "description")
			files[".agents/skills/"+n+"/SKILL.md"] = &fstest.MapFile{Data: []byte("---\ndescription: >-\n  x" + text + "\n---\nx")}
		}
		budget := rapid.IntRange(1, 600).Draw(rt, "budget")
		c, err := catalog.Open(t.Context(), catalog.Options{Isolated: true, Layers: []catalog.LayerFS{{Layer: definition.Project, Name: "app", FS: files}}})
		if err != nil {
			rt.Fatal(err)
		}
		defer c.Close()
		p, err := prompt.Build(t.Context(), c, prompt.Request{Budget: budget})
		if err != nil {
			rt.Fatal(err)
		}
		rows, least := 0, 0
		for _, n := range names {
			if !strings.Contains(p.Text, "\n| "+n+" |") {
				rt.Fatalf("%s is not named:\n%s", n, p.Text)
			}
		}
		for line := range strings.Lines(p.Text) {
			if name, ok := strings.CutPrefix(line, "| "); ok && !strings.HasPrefix(line, "| Skill | Description |") {
				name, _, _ = strings.Cut(name, " |")
				rows += utf8.RuneCountInString(line)
				least += len("| " + name + " |  |\n")
			}
		}
		// The table also contains bundled skills.
		if rows > max(budget, least) {
			rt.Fatalf("%d characters of %d, %d at least:\n%s", rows, budget, least, p.Text)
		}
	})
}
