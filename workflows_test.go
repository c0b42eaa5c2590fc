package vade_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

// meta returns a workflow with the given members in its meta object.
func meta(members string) string { return "export const meta = {" + members + "}\nawait agent('x')\n" }

// The text and ordering below were observed in Claude Code 2.1.330.

func TestWorkflowsAreListed(t *testing.T) {
	o, added := layFiles(t, map[string]string{
		".claude/workflows/z.js":          meta("name:'b',description:'z <b>\\n x',whenToUse:'when'"),
		".claude/workflows/a.js":          meta("name:'c',description:'a'"),
		".claude/workflows/.h.js":         meta("name:'hidden',description:'d'"),
		".claude/workflows/n.js":          meta("name:'none'"),
		".claude/workflows/e.js":          "export default {}",
		".claude/workflows/sub/s.js":      meta("name:'s',description:'d'"),
		".claude/workflows/s.js":          meta("name:'taken',description:'a skill has the name'"),
		".claude/workflows/k.js":          meta("name:'k',description:'a command has the name'"),
		".claude/skills/taken/SKILL.md":   "---\ndescription: skill\n---\n",
		".claude/commands/k.md":           "---\ndescription: command\n---\n",
		"~/.claude/workflows/m.js":        meta("name:'a2',description:'user'"),
		"~/.claude/workflows/c.js":        meta("name:'c',description:'the project has the name'"),
		"@managed/.claude/workflows/m.js": meta("name:'managed',description:'d'"),
		"+/.claude/workflows/x.js":        meta("name:'added',description:'d'"),
		"~/p/.claude-plugin/plugin.json":  `{"name":"p"}`,
		"~/p/workflows/w.js":              meta("name:'w',description:'plugin'"),
		"~/p/workflows/c.js":              meta("name:'c',description:'before the command'"),
		"~/p/commands/c.md":               "---\ndescription: command\n---\n",
		"~/p/commands/q.md":               "---\ndescription: q\n---\n",
		".claude/commands/p/w.md":         "---\ndescription: project\n---\n",
	})
	o.PluginDirs, o.Client.AddDirs = []string{o.Home + "/p"}, []string{added}
	l, err := listingOf(t, o)
	must(t, err)
	want := []string{
		"taken: skill", "k: command", "p:w: project", "p:c: before the command", "a2: user", "b: z <b>\n x - when", "c: a", "hidden: d", "p:q: q",
	}
	if diff := cmp.Diff(want, l.Skills); diff != "" {
		t.Error(diff)
	}
}

func TestWorkflowsAreCalled(t *testing.T) {
	files := map[string]string{
		".claude/workflows/r.js": meta(`name:'rev',description:'D "q"',whenToUse:'W',phases:[{title:'One',detail:'x'},5,{detail:'y'},{title:'Two'}]`),
		".claude/workflows/q.js": meta("name:'q\"x',description:'D\\nE'"),
	}
	const end = "\n\nIf the user asks you to modify this workflow or write a new script, load the `workflow-authoring` skill first."
	const rev = "Run the \"rev\" workflow.\n\nD \"q\"\n\nW\n\nPhases:\n- One: x\n- Two\n\nInvoke: Workflow({ name: \"rev\""
	asks := "Execute skill: rev. The user can add the allow rule Skill(rev) to .claude/settings.local.json to let it run without asking."
	for _, tc := range []struct {
		request catalog.RenderRequest
		allow   string
		want    string
	}{
		{catalog.RenderRequest{Prompt: "/rev"}, "", rev + " })" + end},
		{catalog.RenderRequest{Prompt: "/rev a\"b\\c\nl2 <b> \u2028 $1 "}, "", rev + `, args: "a\"b\\c\nl2 <b> ` + "\u2028" + ` $1" })` + end},
		{catalog.RenderRequest{Prompt: `/q"x`}, "", "Run the \"q\"x\" workflow.\n\nD\nE\n\nInvoke: Workflow({ name: \"q\\\"x\" })" + end},
		{catalog.RenderRequest{Prompt: "rev", ByModel: true}, "", asks},
		{catalog.RenderRequest{Prompt: "rev", Arguments: "  a  b\n ", ByModel: true}, "Skill", rev + `, args: "a  b" })` + end},
	} {
		if tc.allow != "" {
			files["~/.claude/settings.json"] = `{"permissions":{"allow":["` + tc.allow + `"]}}`
		}
		o, _ := layFiles(t, files)
		c, err := catalog.Open(context.Background(), o)
		must(t, err)
		out, err := c.Render(context.Background(), tc.request)
		must(t, err)
		got := ""
		if n := len(out.Messages); n > 0 {
			got = out.Messages[n-1].Text
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q: %s", tc.request.Prompt, diff)
		}
		c.Close()
	}
}

// TestWorkflowsAreNotLoaded checks that the neutral view lists workflows but neither renders nor
// runs them.
func TestWorkflowsAreNotLoaded(t *testing.T) {
	o, _ := layFiles(t, map[string]string{".claude/workflows/r.js": meta("name:'rev',description:'d'")})
	o.As = ""
	c, err := catalog.Open(context.Background(), o)
	must(t, err)
	defer c.Close()
	for _, request := range []string{"/rev", "workflow:rev", ".claude/workflows/r.js"} {
		result, err := c.Load(context.Background(), request)
		if err == nil || result.Success || !strings.Contains(err.Error(), "workflow") {
			t.Errorf("%s: %v, %v", request, result.Success, err)
		}
	}
	d, err := c.Get(context.Background(), definition.Workflow, "rev")
	must(t, err)
	if d.Description() != "d" || d.Path() != ".claude/workflows/r.js" {
		t.Errorf("%s %s", d.Description(), d.Path())
	}
}

// TestCommandMap checks that a manifest can describe individual commands, and that commands with a
// file come first.
func TestCommandMap(t *testing.T) {
	const readme = "---\ndescription: readme\nname: rn\n---\nR [$0]\n"
	for manifest, want := range map[string][]string{
		`{"z":{"content":"c","description":"Z"},"a":{"content":"x"},"m":{"source":"./r2.md"},"b":{"source":"./README.md","description":"B"}}`: {"p:m: r2", "p:b (p:rn): B", "p:z: Z"},
		`{"i":{"content":"---\ndescription: fm\nname: n\n---\ntext"},"d":{"source":"./d"},"x:y":{"content":"c","description":"D"}}`:           {"p:x: x", "p:i (p:n): fm", "p:x:y: D"},
		`{"a":{"source":"./README.md","description":"A"},"b":{"source":"./README.md"}}`:                                                       {"p:a (p:rn): A"},
		`{}`: {}, `{"a":{}}`: {}, `{"a":{"source":"README.md"}}`: {}, `{"a":{"content":5},"b":{"content":"c","description":"d"}}`: {},
		`{"a":{"content":"c","source":"./README.md","description":"d"}}`: {}, `[{"source":"./README.md"}]`: {},
	} {
		o, _ := layFiles(t, map[string]string{
			"~/p/.claude-plugin/plugin.json": `{"name":"p","commands":` + manifest + "}",
			"~/p/README.md":                  readme, "~/p/r2.md": "---\ndescription: r2\n---\n",
			"~/p/d/x.md": "---\ndescription: x\n---\n", "~/p/commands/no.md": "---\ndescription: no\n---\n",
		})
		o.PluginDirs = []string{o.Home + "/p"}
		l, err := listingOf(t, o)
		must(t, err)
		if diff := cmp.Diff(want, l.Skills); diff != "" {
			t.Errorf("%s: %s", manifest, diff)
		}
	}
}
