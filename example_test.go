package vade_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing/fstest"
	"time"

	"github.com/vadehq/vade"
)

// project returns options for a small in-memory repository.
func project() vade.Options {
	files := fstest.MapFS{
		".claude/skills/review/SKILL.md": {Data: []byte("---\ndescription: Review a change\nallowed-tools: Read, Grep\n---\nRead $ARGUMENTS twice.\n")},
		".claude/commands/fix.md":        {Data: []byte("---\ndescription: Fix an issue\n---\nFix issue $0.\n\n@docs/how.md\n")},
		".agents/skills/review/SKILL.md": {Data: []byte("---\ndescription: Another review\n---\n")},
		"vade.yaml":                      {Data: []byte("bundled: {disable: ['*']}\n")},
		"docs/how.md":                    {Data: []byte("# How we fix things\n\nTest first.\n")},
	}
	return vade.Options{
		Layers: []vade.LayerFS{{Layer: vade.Project, Name: "project", FS: files}}, Isolated: true,
		Now: func() time.Time { return time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC) },
	}
}

func Example() {
	ctx := context.Background()
	c, err := vade.Open(ctx, project())
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	list, err := c.List(ctx, vade.Query{Kinds: []vade.Kind{vade.Skill, vade.Command}})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range list {
		fmt.Printf("%s %s (%s): %.18s\n", d.Kind(), d.Name(), d.Layer(), d.Description())
	}
	// Output:
	// skill review (project): Review a change
	// command fix (project): Fix an issue
}

func ExampleCatalog_Load() {
	ctx := context.Background()
	c, err := vade.Open(ctx, project())
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	result, err := c.Load(ctx, "/fix", "12")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Command.Text)
	fmt.Println(result.Expansions.Files[0].Reference, result.Expansions.Files[0].Resolved)
	// Output:
	// Fix issue 12.
	//
	// ## How we fix things (from docs/how.md)
	//
	// Test first.
	//
	// @docs/how.md true
}

func ExampleCatalog_Load_failure() {
	ctx := context.Background()
	c, err := vade.Open(ctx, project())
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	_, err = c.Load(ctx, "skill:revue")
	var failed *vade.Error
	if errors.As(err, &failed) {
		fmt.Println(failed.Code, failed.AvailableSkills)
		fmt.Println(failed.Fix)
	}
	// Output:
	// SKILL_NOT_FOUND [review]
	// did you mean review?
}

func ExampleCatalog_Get() {
	ctx := context.Background()
	c, err := vade.Open(ctx, project())
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	d, err := c.Get(ctx, vade.Skill, "review")
	if err != nil {
		log.Fatal(err)
	}
	body, err := d.Body(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fields, err := d.Frontmatter(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(body)
	fmt.Println(fields.Keys(), fields.Text("allowed-tools"))
	// Output:
	// Read $ARGUMENTS twice.
	// [description allowed-tools] Read, Grep
}

func ExampleDefinition_ShadowedBy() {
	ctx := context.Background()
	c, err := vade.Open(ctx, project())
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	all, err := c.List(ctx, vade.Query{All: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range all {
		if by, ok := d.ShadowedBy(); ok {
			fmt.Printf("%s: %s (%s)\n", d.Path(), d.State(), d.Reason())
			fmt.Println(by.Path(), "is active")
		}
	}
	// Output:
	// .agents/skills/review/SKILL.md: shadowed (.claude/skills/review/SKILL.md is active: .claude/skills takes precedence over .agents/skills)
	// .claude/skills/review/SKILL.md is active
}

func ExampleCatalog_Render() {
	ctx := context.Background()
	o := project()
	o.As = "claude-code"
	c, err := vade.Open(ctx, o)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	r, err := c.Render(ctx, vade.RenderRequest{Prompt: "/review 'the parser' twice"})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range r.Messages {
		fmt.Printf("[%s]\n%s\n", m.Role, m.Text)
	}
	// Output:
	// [user]
	// <command-message>review</command-message>
	// <command-name>/review</command-name>
	// <command-args>'the parser' twice</command-args>
	//
	// [user]
	// Base directory for this skill: project/.claude/skills/review
	//
	// Read 'the parser' twice twice.
}
