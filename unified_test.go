package vade_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/instructions"
	"github.com/vadehq/vade/internal/prompt"
)

// unified copies the fixture repository.
func unified(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "unified"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// openUnified opens the fixture for a user without personal files.
func openUnified(t *testing.T, dir string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(t.Context(), catalog.Options{Dir: dir, Home: filepath.Join(dir, "nobody"), ManagedDir: filepath.Join(dir, "nothing"), Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func readText(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func writeText(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, c *catalog.Catalog, kind definition.Kind, name string) catalog.Definition {
	t.Helper()
	d, err := c.Get(t.Context(), kind, name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestUnifiedCommandsWithoutPackage checks that a command does not need a package.json. It also
// checks precedence: the repository's command first, then the bundled command, then the package's.
func TestUnifiedCommandsWithoutPackage(t *testing.T) {
	dir := unified(t)
	for _, withPackage := range []bool{true, false} {
		if !withPackage {
			if err := os.Remove(filepath.Join(dir, "package.json")); err != nil {
				t.Fatal(err)
			}
		}
		c := openUnified(t, dir)
		list, err := c.List(t.Context(), catalog.Query{Kinds: []definition.Kind{definition.Command}})
		if err != nil {
			t.Fatal(err)
		}
		sources := map[string]string{}
		for _, d := range list {
			sources[d.Name()] = d.Source()
		}
		want := map[string]string{"review-pr": "repo", "summarize": "builtin", "label": "package"}
		if !withPackage {
			delete(want, "label")
		}
		for name, source := range want {
			if sources[name] != source {
				t.Errorf("package.json %v: %s comes from %q", withPackage, name, sources[name])
			}
		}
		if len(sources) != len(want) {
			t.Errorf("package.json %v: %v", withPackage, sources)
		}
	}
}

// TestUnifiedCommandsInjectContent checks that a command renders its text with the arguments, and
// only for the agents that it lists.
func TestUnifiedCommandsInjectContent(t *testing.T) {
	c := openUnified(t, unified(t))
	r, err := c.Load(t.Context(), "/review-pr 17")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"What a review of ours looks for", "The pull request: 17"} {
		if !strings.Contains(r.Command.Text, want) {
			t.Errorf("the command has not %q:\n%s", want, r.Command.Text)
		}
	}
	d := get(t, c, definition.Command, "review-pr")
	if d.ArgumentHint() != "[number, address, or 'current']" || !slices.Equal(d.Agents(), []string{"reviewer", "agent"}) {
		t.Errorf("hint %q, agents %q", d.ArgumentHint(), d.Agents())
	}
	for agent, may := range map[string]bool{"": true, "reviewer": true, "agent": true, "architect": false, "nobody": false} {
		_, err := c.LoadFor(t.Context(), agent, "/review-pr 17")
		var e *definition.Error
		switch {
		case may && err != nil, d.ForAgent(agent) != may:
			t.Errorf("agent %q: %v, offered %v", agent, err, d.ForAgent(agent))
		case !may && (!errors.As(err, &e) || e.Code != "NOT_FOR_AGENT" || !slices.Equal(e.Agents, []string{"reviewer", "agent"}) || !strings.Contains(e.Message, "reviewer, agent")):
			t.Errorf("agent %q: %v", agent, err)
		}
		r, err := c.Render(t.Context(), catalog.RenderRequest{Prompt: "/review-pr 17", Caller: agent})
		if err != nil || (r.Error == nil) != may {
			t.Errorf("rendered for %q: %v, %+v", agent, err, r)
		}
		list, err := c.List(t.Context(), catalog.Query{Kinds: []definition.Kind{definition.Command}, Agent: agent})
		if err != nil || slices.ContainsFunc(list, func(d catalog.Definition) bool { return d.Name() == "review-pr" }) != may {
			t.Errorf("listed for %q: %v, %d", agent, err, len(list))
		}
	}
}

// TestUnifiedSkills checks that skills are listed without their content and loaded by name.
func TestUnifiedSkills(t *testing.T) {
	c := openUnified(t, unified(t))
	d := get(t, c, definition.Skill, "rest-api-design")
	if d.Title() != "REST API Design" || d.Source() != "builtin" || !slices.Equal(d.Keywords(), []string{"api", "rest", "http"}) {
		t.Errorf("title %q, source %q, keywords %q", d.Title(), d.Source(), d.Keywords())
	}
	s, err := c.LoadSkill(t.Context(), "", "rest-api-design")
	if err != nil {
		t.Fatal(err)
	}
	if s.ID != "rest-api-design" || s.Name != "REST API Design" || s.Source != "builtin" || !strings.HasPrefix(s.Content, "\n## Methods") && !strings.HasPrefix(s.Content, "## Methods") || s.Tokens == 0 {
		t.Errorf("%+v", s)
	}
	_, err = c.LoadSkill(t.Context(), "", "rest-api")
	var e *definition.Error
	if !errors.As(err, &e) || !errors.Is(err, definition.ErrNotFound) || e.Code != "SKILL_NOT_FOUND" {
		t.Fatalf("%v", err)
	}
	if want := "Skill 'rest-api' not found. Available skills: design-patterns, migrations, rest-api-design, security"; !strings.HasPrefix(e.Message, want) {
		t.Errorf("%q", e.Message)
	}
	p, err := prompt.Build(t.Context(), c, prompt.Request{Agent: "reviewer"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| design-patterns | The patterns that the parcel service is built of |", `Example: loadSkill({ skillId: "design-patterns" })`} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("the reviewer is not told %q:\n%s", want, p.Text)
		}
	}
}

// TestUnifiedServers checks that the editor's servers are passed to the SDK without secrets.
func TestUnifiedServers(t *testing.T) {
	c := openUnified(t, unified(t))
	o, err := export.NewSDKOptions(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.MCPServers) != 2 {
		t.Fatalf("servers: %s", o.MCPServers)
	}
	if got := string(o.MCPServers["orchestration"]); got != `{"type":"stdio","command":"node","args":["tools/orchestration.js"],"env":{"DESK_MODE":"read"}}` {
		t.Errorf("orchestration: %s", got)
	}
	if got := string(o.MCPServers["tracker"]); !strings.Contains(got, `"https://tracker.example/mcp"`) || !strings.Contains(got, "Bearer ${") || strings.Contains(got, "input:") {
		t.Errorf("tracker: %s", got)
	}
}

// TestUnifiedInstructions checks that instructions are wrapped in an element that names their
// source, that the elements are in the documented order, and that no text can close an element.
func TestUnifiedInstructions(t *testing.T) {
	c := openUnified(t, unified(t))
	in, err := instructions.BuildForAgent(t.Context(), c, "architect", "internal/api/api.go", "README.md")
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, p := range in.Parts {
		parts = append(parts, p.Source+" "+p.Scope.String()+" "+p.Path)
	}
	want := []string{
		"repo all .github/instructions/house.instructions.md", "repo all .github/copilot-instructions.md",
		"repo agent .github/agents/architect/plans.instructions.md", "repo files .github/instructions/go.instructions.md",
		"bundled all assets/instructions/tone.instructions.md",
	}
	if !slices.Equal(parts, want) {
		t.Errorf("parts %q", parts)
	}
	if !strings.HasPrefix(in.Text, `<custom-instructions source="repo" agent="architect">`+"\n") {
		t.Errorf("the text begins otherwise:\n%s", in.Text)
	}
	if n := strings.Count(in.Text, "</custom-instructions>"); n != 2 || !strings.Contains(in.Text, "&lt;/custom-instructions>") {
		t.Errorf("%d elements end in:\n%s", n, in.Text)
	}
	if !slices.ContainsFunc(in.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == "INSTRUCTION_TAG" }) {
		t.Error("nobody says that a tag is escaped")
	}
	if p := in.Parts[3]; p.File != "internal/api/api.go" || p.Pattern != "**/*.go" {
		t.Errorf("%+v", p)
	}
	for _, agent := range []string{"reviewer", ""} {
		other, err := instructions.BuildForAgent(t.Context(), c, agent)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(other.Text, "plans/NAME.md") || strings.Contains(other.Text, "number of the parcel") {
			t.Errorf("%q gets what is for the architect, or for files:\n%s", agent, other.Text)
		}
	}
}

// TestUnifiedIDs checks that an agent can be referred to by its file name, and that definitions for
// that name apply to the agent.
func TestUnifiedIDs(t *testing.T) {
	dir := unified(t)
	file := filepath.Join(dir, ".github", "agents", "architect.agent.md")
	writeText(t, file, strings.Replace(readText(t, file), "name: architect", "name: Solution Architect", 1))
	command := filepath.Join(dir, ".github", "commands", "plan.command.md")
	writeText(t, command, "---\ndescription: d\nagents: [architect]\n---\nPlan.")
	// Two agents have this file name, but the name can refer to only one agent. Remove the other
	// one.
	if err := os.Remove(filepath.Join(dir, "assets", "agents", "architect.agent.md")); err != nil {
		t.Fatal(err)
	}
	c := openUnified(t, dir)
	d := get(t, c, definition.Agent, "Solution Architect")
	if d.ID() != "architect" {
		t.Errorf("id %q", d.ID())
	}
	for _, name := range []string{"architect", "Solution Architect"} {
		p, err := prompt.Build(t.Context(), c, prompt.Request{Agent: name})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"You are the architect", "plans/NAME.md", `agent="Solution Architect"`} {
			if !strings.Contains(p.Text, want) {
				t.Errorf("%s: the prompt has not %q:\n%s", name, want, p.Text)
			}
		}
		if _, err := c.LoadFor(t.Context(), name, "/plan"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
