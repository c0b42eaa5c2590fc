package codex

import (
	"strconv"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// listing is that of Codex 0.169.0. The recorded cases have the listing of
// 300 skills (n14: all there, each shortened to some thirty characters, about 22
// kB together) and that nothing is escaped (n09); the rest is source
// (codex-rs/core-skills/src/render.rs).
func listing() *host.Listing {
	return &host.Listing{
		// A skill whose frontmatter keeps models off is listed (row dmi of the
		// frontmatter matrix); only a file beside it hides one.
		Manual: true,
		Policy: &host.ListingPolicy{File: "agents/openai.yaml", Keys: []string{"policy", "allow_implicit_invocation"}},
		// Rows desc1025 and desc1600.
		MaxDescription: 1024, Ellipsis: "...", Runes: true,
		Line: line, RealPaths: true,
		Frame: frame,
		Alias: &host.ListingAlias{
			Root:  func(n int, dir string) string { return "- `r" + strconv.Itoa(n) + "` = `" + dir + "`" },
			Path:  func(n int, rel string) string { return "r" + strconv.Itoa(n) + "/" + rel },
			Frame: 2296, Table: 173,
		},
		Rank: rank, Compare: strings.Compare,
		// The context's length is inferred: two hundredths of it are the 5,440 tokens of
		// logs of the host (openai/codex#24299), and at four bytes a token the 22 kB
		// of n14.
		Budget: host.Budget{
			Overflow: host.SpreadEvenly, Around: len("- \n"),
			ContextTokens: 272_000, Fraction: 0.02, CharsPerToken: 1, Least: 1, BytesPerToken: 4,
		},
	}
}

func line(e host.ListedItem) string {
	if e.Description == "" {
		return e.Name + ": (file: " + e.Path + ")"
	}
	return e.Name + ": " + e.Description + " (file: " + e.Path + ")"
}

// rank: the host's own, what the administrator placed, the project's, the
// user's; plugins count as the user's.
func rank(d *definition.Definition) int {
	switch d.Origin.Layer {
	case definition.Bundled:
		return 0
	case definition.Managed:
		return 1
	case definition.Project:
		return 2
	}
	return 3
}

// frame is the block up to its last entry. The host's advice on how to use
// skills, which follows it, is left out.
func frame(t host.ListedText) string {
	const intro = "A skill is a set of local instructions to follow that is stored in a `SKILL.md` file. " +
		"Below is the list of skills that can be used. "
	var b strings.Builder
	b.WriteString("## Skills\n" + intro)
	if len(t.Roots) == 0 {
		b.WriteString("Each entry includes a name, description, and file path so you can open the source for full " +
			"instructions when using a specific skill.\n")
	} else {
		b.WriteString("Each entry includes a name, description, and a short path that can be expanded into an absolute " +
			"path using the skill roots table.\n### Skill roots\n" + strings.Join(t.Roots, "\n") + "\n")
	}
	b.WriteString("### Available skills\n- " + strings.Join(t.Lines, "\n- "))
	return b.String()
}

// instructions are those of Codex 0.169.0: the override takes the place of
// AGENTS.md in its own directory (n02), nothing else is read and nothing imported
// (n02, n03, n04). The order, the length and the wrapping are source
// (codex-rs/core/src/agents_md.rs).
func instructions() *host.Instructions {
	const override, agents = "AGENTS.override.md", "AGENTS.md"
	user, project := definition.User, definition.Project
	return &host.Instructions{
		Rows: []host.InstructionRow{
			{Layer: user, Source: host.SourceUser, Dir: ".codex", File: override, Group: "codex", SkipEmpty: true},
			{Layer: user, Source: host.SourceUser, Dir: ".codex", File: agents, Group: "codex", SkipEmpty: true},
			{Layer: project, Source: host.SourceProject, File: override, Group: "codex", NotNested: true},
			{Layer: project, Source: host.SourceProject, File: agents, Group: "codex", NotNested: true},
		},
		MaxFile: host.MaxNeutralFile, MaxTotal: 32 << 10, Whole: true, Exact: true,
		Compose: compose, Closer: "</INSTRUCTIONS>",
	}
}

func compose(s host.InstructionSession, files []host.InstructionText) []host.InstructionMessage {
	var own, project []string
	for _, f := range files {
		if f.Layer == definition.User {
			own = append(own, strings.TrimSpace(f.Text))
		} else {
			project = append(project, f.Text)
		}
	}
	text := strings.Join(own, "\n\n")
	if len(own) > 0 && len(project) > 0 {
		text += "\n\n--- project-doc ---\n\n"
	}
	text += strings.Join(project, "\n\n")
	return []host.InstructionMessage{{
		Role: "user", Text: "# AGENTS.md instructions for " + s.WorkDir + "\n\n<INSTRUCTIONS>\n" + text + "\n</INSTRUCTIONS>",
	}}
}
