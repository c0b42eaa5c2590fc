package codex

import (
	"strconv"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// listing describes how Codex 0.169.0 lists definitions. In one recording, all 300 skills are
// listed, about 22 kB in total, with descriptions of about 30 characters each (case n14). Nothing
// is escaped (case n09). The rest comes from the source (codex-rs/core-skills/src/render.rs).
func listing() *host.Listing {
	return &host.Listing{
		// A frontmatter field that disables model invocation does not hide a skill (row dmi in the
		// frontmatter matrix). Only a policy file does.
		Manual: true,
		Policy: &host.ListingPolicy{File: "agents/openai.yaml", Keys: []string{"policy", "allow_implicit_invocation"}},
		// See rows desc1025 and desc1600.
		MaxDescription: 1024, Ellipsis: "...", Runes: true,
		Line: line, Own: ownSkills(),
		Frame: frame,
		Alias: &host.ListingAlias{
			Root:  func(n int, dir string) string { return "- `r" + strconv.Itoa(n) + "` = `" + dir + "`" },
			Path:  func(n int, rel string) string { return "r" + strconv.Itoa(n) + "/" + rel },
			Order: rootOrder, Store: storeOf,
			Free: 141,
		},
		Rank: rank, Compare: strings.Compare,
		Agent: func(name, description, _ string) string {
			return name + ": {\n" + description + "\n}"
		},
		AgentFrame: func(lines []string) string { return "Available roles:\n" + strings.Join(lines, "\n") },
		AgentNote:  locked,
		AgentHidden: func(d *definition.Definition, _ func(key string) string) string {
			if d.Origin.Layer == definition.Project {
				return "Codex reads a project's agents only if you trust the project; to trust it, add trust_level = \"trusted\" to its [projects.\"PATH\"] table in ~/.codex/config.toml"
			}
			return ""
		},
		// The context size is inferred. The host logs a budget of 5,440 tokens
		// (openai/codex#24299), which is 2 % of that size. At four bytes per token, this matches
		// the 22 kB in n14.
		Budget: host.Budget{
			Overflow: host.SpreadEvenly, EntryOverhead: len("- \n"),
			ContextTokens: 272_000, Fraction: 0.02, CharsPerToken: 1, Least: 1, BytesPerToken: 4,
		},
	}
}

// locked returns the note about an agent's settings that cannot be changed, or "" if there are none
// (observed in 0.169.0).
func locked(d *definition.Definition) string {
	switch model, effort := d.Fields.Model(), d.Fields.Effort(); {
	case model != "" && effort != "":
		return "\n- This role's model is set to `" + model + "` and its reasoning effort is set to `" + effort + "`. These settings cannot be changed."
	case model != "":
		return "\n- This role's model is set to `" + model + "` and cannot be changed."
	case effort != "":
		return "\n- This role's reasoning effort is set to `" + effort + "` and cannot be changed."
	}
	return ""
}

func line(e host.ListedItem) string {
	if e.Description == "" {
		return e.Name + ": (file: " + e.Path + ")"
	}
	return e.Name + ": " + e.Description + " (file: " + e.Path + ")"
}

// rank returns a definition's position by layer: built-in, managed, project, user. Plugins have the
// same rank as the user's definitions.
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

// rootOrder returns the position of a definition's root. The order is: the project's .codex
// directories, from the working directory up; the user's, the host's and the administrator's
// directories; plugins (case p01); and last, the project's .agents directories, from the repository
// root down (observed in Codex 0.169.0).
func rootOrder(o *definition.Origin) int {
	const user, agents = 1 << 16, 1 << 17
	shared := strings.HasSuffix(o.Root, ".agents/skills")
	switch o.Layer {
	case definition.Project:
		if shared {
			return agents - int(o.Distance)
		}
		return int(o.Distance)
	case definition.User:
		if shared {
			return user + 1
		}
		return user
	case definition.Bundled:
		return user + 2
	case definition.Managed:
		return user + 3
	}
	return user + 4
}

// storeOf returns an installed plugin's directory and its marketplace's directory, given a root in
// the plugin. Both are "" for other roots. A plugin with a single skill is listed under the
// marketplace's directory, which several plugins can share (case p01).
func storeOf(root string) (plugin, shared string) {
	const in = "/plugins/cache/"
	at := strings.LastIndex(root, in)
	if at < 0 {
		return "", ""
	}
	market, rest, _ := strings.Cut(root[at+len(in):], "/")
	name, _, _ := strings.Cut(rest, "/")
	shared = root[:at+len(in)] + market
	return shared + "/" + name, shared
}

// frame returns the listing up to and including the last entry. It omits the advice on how to use
// skills that the host adds after the entries.
func frame(t host.ListedText) string {
	const intro = "A skill is a set of local instructions to follow that is stored in a `SKILL.md` file. " +
		"Below is the list of skills that can be used. "
	var b strings.Builder
	b.WriteString("## Skills\n" + intro + "Each entry includes a name, description, and a short path that can be expanded " +
		"into an absolute path using the skill roots table.\n### Skill roots\n" + strings.Join(t.Roots, "\n") + "\n")
	b.WriteString("### Available skills\n- " + strings.Join(t.Lines, "\n- "))
	return b.String()
}

// instructions describes how Codex 0.169.0 reads instructions. AGENTS.override.md replaces
// AGENTS.md in the same directory (case n02), and nothing else is read or imported (cases n02, n03
// and n04). The order, limit and wrapping come from the source (codex-rs/core/src/agents_md.rs).
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

// compose returns the message with the instructions. It mentions the working directory only if the
// project has instructions (0.169.0, case i12).
func compose(s host.InstructionSession, files []host.InstructionText) []host.InstructionMessage {
	var own, project []string
	for _, f := range files {
		if f.Layer == definition.User {
			own = append(own, strings.TrimSpace(f.Text))
		} else {
			project = append(project, f.Text)
		}
	}
	title, text := "# AGENTS.md instructions", strings.Join(own, "\n\n")
	if len(own) > 0 && len(project) > 0 {
		text += "\n\n--- project-doc ---\n\n"
	}
	if len(project) > 0 {
		title += " for " + s.WorkDir
	}
	text += strings.Join(project, "\n\n")
	return []host.InstructionMessage{{Role: "user", Text: title + "\n\n<INSTRUCTIONS>\n" + text + "\n</INSTRUCTIONS>"}}
}
