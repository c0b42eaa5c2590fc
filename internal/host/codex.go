package host

import (
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// codexHost is the OpenAI Codex CLI.
func codexHost() Host {
	return Host{
		Name: "codex", Versions: []string{"0.169.0"}, View: codexView,
		Export: codexExport, Servers: codexServers, Connect: codexConnect,
		Client:       func(name string) bool { return name == "codex-mcp-client" || name == "codex" }, // source
		Bodies:       func() *Bodies { return &Bodies{Dirs: []string{".codex/prompts"}, Syntax: codexPromptSyntax} },
		AgentServers: codexAgentServers,
	}
}

// codexConnect: documented, a project's file counts in projects that the user trusts.
func codexConnect(string) Connect {
	return Connect{
		Project: []string{".codex/config.toml"}, User: []string{".codex/config.toml"},
		Next: "it reads the file only in a project that you trust; see /mcp",
	}
}

// codexAgentServers are those of its agents, which are TOML.
func codexAgentServers(key string, syntax definition.Format) *ServerFormat {
	if syntax != definition.TOML || key == "mcp-servers" {
		return nil
	}
	f := codexServers()
	f.Name, f.Path, f.Shared = "mcp_servers of an agent", "", false
	return f
}

func codexView(string) *Profile {
	return &Profile{
		Facts:     codexFacts(),
		Roots:     codexRoots(),
		Ancestors: ToRepository,
		MaxFile:   maxHostFile,
		Walk:      Walk{SkipHidden: true, Modules: true, NoFileLinks: true, MaxDirs: 2000},
		// AGENTS.override.md takes the place of the AGENTS.md beside it (n02).
		Fallbacks: []Fallback{{Files: []string{"AGENTS.md"}, Unless: []string{"AGENTS.override.md"}, Beside: true}},
		Plugins:   &Plugins{Manifests: []Manifest{{Path: ".codex-plugin/plugin.json"}}, Root: "${PLUGIN_ROOT}"},
		Configs:   codexConfigs(),
		UserDir:   ".codex", UserEnv: codexHome,
		Dialect: codexDialect(),
		Fields:  codexFields, Naming: codexNaming, Described: codexDescribed,
		DeepAlike: true, Clash: codexClash,
		NameField:    codexNameField,
		Refuses:      codexRefuses,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   codexPrecedence,
		Prompt:       codexPrompt(),
		Listing:      codexListing(),
		Instructions: codexInstructions(),
		Unread:       codexUnread(), Adaptations: codexAdaptations(),
		Switches: SwitchContextTokens,
	}
}

func codexFacts() []Fact {
	return []Fact{
		{CellRoots, Observed, "Reads skills from .agents/skills and .codex/skills of the project, and from the same two in the home directory.", "n01"},
		{CellRoots, FromSource, "Looks in every directory from the working directory up to the top of the repository; without a repository in the working directory alone.", "core-skills/src/loader.rs"},
		{CellRoots, FromSource, "CODEX_HOME moves ~/.codex; /etc/codex/skills holds those of administrators, and ~/.codex/skills/.system its own.", "core-skills/src/loader.rs"},
		{CellWalk, Observed, "A skill may stand in the root itself, up to six directories deep, in node_modules and inside another skill; directories that begin with a dot are left out.", "n09, rows d7, node_modules/nm and par"},
		{CellWalk, Observed, "A SKILL.md that is a link is not read; a directory that is one is.", "rows filelink and dirlink"},
		{CellWalk, FromSource, "Walks 2,000 directories below one root and no more.", "core-skills/src/loader.rs"},
		{CellDelimiters, Observed, "The first line and a later one have to be \"---\", blanks around it aside; a byte order mark, an empty line before it or an empty block leave no frontmatter, and then no skill.", "rows blank, bom, tailo, nofm"},
		{CellYAML, Observed, "Values with \": \" and values that begin with \"[\", \"{\", \"@\" or a backquote and are no YAML are quoted and tried again; everything else that is no YAML drops the skill.", "rows anch, at, bracket, quote; n09"},
		{CellYAML, FromSource, "The keys name, description and metadata may stand only once; others may be repeated.", "core-skills/src/loader.rs"},
		{CellYAML, Observed, "A file that is not valid UTF-8 is not read.", "n09"},
		{CellAgents, Observed, "Lists no agent to the model in its messages.", "n06"},
		{CellAgents, Documented, "Agents are TOML files in .codex/agents and ~/.codex/agents.", "formats dossier, section 4"},
		{CellTrust, FromSource, "Skills of a project are read whether it is trusted or not; its config.toml only if it is.", "core-skills/src/loader.rs"},
		{CellCommands, Observed, "Custom prompts are gone: /prompts:name is text.", "n05"},
		{CellRendering, Observed, "A skill that a prompt names as $name follows the prompt, the whole file as it is with its frontmatter; nothing in it is replaced or run.", "n07"},
		{CellRendering, FromSource, "A name that two skills have brings in neither; [$name](path) does. PATH, HOME and other names of common variables are none.", "core-skills/src/injection.rs"},
		{CellRendering, FromSource, "A model loads a skill by reading its file.", "core-skills/src/render.rs"},
		{CellFields, Observed, "Reads name, description and metadata of a skill and ignores the rest, disable-model-invocation too.", "rows dmi, unk, yesbool; n09"},
		{CellFields, Observed, "A skill without a description is not loaded, nor one with a list for it or with a text for metadata.", "rows nodesc, listdesc, metastr"},
		{CellFields, Observed, "A description of more than 1,024 characters is cut to that length, with \"...\" at its end, and runs of white space become single blanks.", "rows desc1600 and dashline"},
		{CellFields, Documented, "An agent needs name, description and developer_instructions.", "formats dossier, section 4"},
		{CellNames, Observed, "A skill has the name in its frontmatter, else that of its directory; any characters may be in it.", "rows badname, mism, noname, numname, spname"},
		{CellNames, Observed, "A name of more than 64 characters, with that of the plugin before it, keeps the skill from being loaded.", "row nnn"},
		{CellClashes, Observed, "Two skills of one name are both listed; the name alone then means neither.", "observations of n11; formats dossier, section 4"},
		{CellListing, Observed, "Lists every skill with its description and its file; nothing is escaped, and disable-model-invocation changes nothing.", "n09, row dmi"},
		{CellListing, Observed, "A description has at most 1,024 characters and ends with \"...\" where it is cut.", "rows desc1025, desc1600"},
		{CellListing, Observed, "Of 300 skills all are listed, with descriptions of some 30 characters.", "n14"},
		{CellListing, FromSource, "The list has 2 % of the context: all descriptions are shortened alike, then dropped, then entries are left out; where it is tight, paths begin with r0, r1 and a table says what these are.", "core-skills/src/render.rs"},
		{CellListing, FromSource, "Order: the host's own, administrators, project, user, each by name.", "core-skills/src/render.rs"},
		{CellListing, Inferred, "The context has 272,000 tokens: that makes the 22 kB of n14, and the 5,440 tokens of its logs. Of 1,000 skills it was seen to list 326, which this does not give for short paths. Advice on how to use skills follows the list and is not shown here.", "n14; openai/codex#24299; observations"},
		{CellListing, FromSource, "policy.allow_implicit_invocation: false in agents/openai.yaml hides a skill.", "core-skills/src/loader.rs"},
		{CellInstructions, Observed, "Reads ~/.codex/AGENTS.md and the AGENTS.md of the project, in whose place AGENTS.override.md stands where there is one; nothing is imported.", "n02, n03, n04"},
		{CellInstructions, FromSource, "The user's come first, then those from the top of the repository down to the working directory, of which 32 KiB together are sent.", "core/src/agents_md.rs"},
		{CellInstructions, FromSource, "project_doc_fallback_filenames names files that stand in where a directory of the project has neither, project_doc_max_bytes says how much is sent; both are read from the user's config.toml here, not from that of a project.", "core/src/agents_md.rs"},
	}
}

// codexRoots: the order is that of the repository first (source, loader.rs); of two
// skills with one name both are in force, so that it decides little.
func codexRoots() []Root {
	agents := ending(definition.Agent, ".toml", treeDepth, ByStem)
	own := func(p *places) *places {
		return p.dir(".codex/skills", skillFile(0, skillDepth)).dir(".codex/agents", agents)
	}
	return join(
		own(placesIn(definition.Project, InProject).dir(".agents/skills", skillFile(0, skillDepth))).
			file("AGENTS.override.md").file("AGENTS.md"),
		placesIn(definition.User, InHome).dir(".agents/skills", skillFile(0, skillDepth)),
		own(placesIn(definition.User, InHome).movedBy(codexHome, 0)).
			file(".codex/AGENTS.override.md").file(".codex/AGENTS.md"),
		placesIn(definition.Bundled, InHome).movedBy(codexHome, 0).dir(".codex/skills/.system", skillFile(0, skillDepth)),
		placesIn(definition.Managed, InManaged).managed(codexManaged()).dir("skills", skillFile(0, skillDepth)),
		placesIn(definition.Plugin, InPlugin).dir("skills", skillFile(0, skillDepth)).last(ofPlugin("skills", false)),
	)
}

// codexHome moves the user's directory.
const codexHome = "CODEX_HOME"

func codexDialect() Dialect {
	return Dialect{
		Delimiters: Delimiters{
			Indented: true, AnyIndent: true, TrailingSpace: true, CRLF: true, NeedsLF: true, Empty: EmptyBlockNone,
		},
		Needed: isSkill, Second: SecondQuotes, UTF8: true,
		DuplicateKeys: true, Unique: []string{"name", "description", "metadata"},
	}
}

func codexPrecedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Project, definition.User, definition.Plugin, definition.Bundled, definition.Managed}
}

// codexFields are the three fields of skills, and those of the agents, which are
// TOML.
func codexFields(k definition.Kind) []FieldRule {
	const text = TakesScalar | TakesNull
	switch k {
	case definition.Skill:
		return []FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: text, Type: Drops, Max: 64, Long: Drops, Basis: Observed, About: "The name of the skill; its directory without it."},
			{
				Key: "description", Field: definition.FieldDescription, Takes: text, Type: Drops, Required: true, Max: 1024, Long: Cuts, Mark: "...", Basis: Observed,
				About: "What the skill does and when to use it.",
			},
			// Of a null it is inferred, as it is of the value of short-description.
			{Key: "metadata", Field: definition.FieldMetadata, Takes: TakesMap, Type: Drops, Items: text, ItemKey: "short-description", Basis: Observed, About: "Its key short-description is a shorter description for people."},
		}
	case definition.Agent:
		return []FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: TakesText, Type: Drops, Required: true, Basis: Documented, About: "The name under which the agent is started."},
			{Key: "description", Field: definition.FieldDescription, Takes: TakesText, Type: Drops, Required: true, Basis: Documented, About: "When to use the agent."},
			{Key: "developer_instructions", Takes: TakesText, Type: Drops, Required: true, Basis: Documented, About: "The instructions of the agent."},
			{Key: "model", Field: definition.FieldModel, Takes: TakesText, Type: Drops, Basis: Documented, About: "The model that it runs on."},
			{Key: "model_reasoning_effort", Field: definition.FieldEffort, Takes: TakesText, Type: Drops, Basis: Documented, About: "How much the model thinks."},
			{
				Key: "sandbox_mode", Takes: TakesText, Type: Drops, Words: []string{"read-only", "workspace-write", "danger-full-access"}, Bad: Drops, Basis: Documented,
				About: "What the agent may write.",
			},
			{Key: "nickname_candidates", Takes: TakesList, Type: Drops, Items: TakesText, Basis: Documented, About: "Names to show for running agents."},
			{Key: "mcp_servers", Field: definition.FieldMCPServers, Takes: TakesMap, Type: Drops, Basis: Documented, About: "MCP servers of the agent's own."},
		}
	}
	return nil
}

// codexNaming: white space becomes single blanks, and the name with its
// namespace has at most 64 characters (source; cases n09 and the matrix).
func codexNaming(k definition.Kind) NameRule {
	if k != definition.Skill {
		return NameRule{}
	}
	return NameRule{Clean: collapse, Place: collapse, Max: 64, Long: Drops}
}

func codexDescribed(k definition.Kind) DescriptionRule {
	if k != definition.Skill {
		return DescriptionRule{Missing: MissingNothing}
	}
	return DescriptionRule{Clean: collapse, Missing: MissingNothing}
}

// codexClash: the same name twice is listed twice (case n11).
func codexClash(k definition.Kind) Clash {
	if k == definition.Skill {
		return BothLoad
	}
	return FirstWins
}

func codexNameField(k definition.Kind) bool { return k == definition.Skill || k == definition.Agent }

func codexRefuses(*definition.Definition) string { return "" }

// codexPrompt says what Codex makes of what is called: a user names a skill
// anywhere in a prompt, and the file of the skill follows as a message (0.169.0,
// case n07; the form is read in its source: core-skills).
func codexPrompt() *Prompt {
	return &Prompt{
		UserCall: func(k definition.Kind, name string) string {
			if k != definition.Skill {
				return ""
			}
			return "$" + name
		},
		ModelCall: byReading,
		Calls: &Calls{
			Prefix: noPrefix,
			User: only(definition.Skill, &Template{Whole: true, Wrap: func(w Wrapped) string {
				return "<skill>\n<name>" + w.Name + "</name>\n<path>" + w.File + "</path>\n" + w.Body + "\n</skill>"
			}}),
			Model: wholeFile(), ByFile: true,
			Mentions: codexMentions,
			Gone: func(name string) (why, fix string) {
				// n05
				if strings.HasPrefix(name, "prompts:") {
					return "Codex has no custom prompts since 0.117", "make it a skill, which a user calls as $" + strings.TrimPrefix(name, "prompts:")
				}
				return "", ""
			},
		},
	}
}

// codexMentions finds "$name" and "[$name](path)" at any place of a text. Names of
// common environment variables are none (source: injection.rs).
func codexMentions(text string) []SkillMention {
	var list []SkillMention
	for i := 0; i < len(text); {
		n := strings.IndexAny(text[i:], "$[")
		if n < 0 {
			break
		}
		i += n
		if text[i] == '[' {
			if name, path, end := linkedMention(text, i); end > 0 {
				if !isShellVariable(name) {
					list = append(list, SkillMention{Name: name, Path: path})
				}
				i = end
				continue
			}
			i++
			continue
		}
		name := mentionName(text[i+1:])
		if i += 1 + len(name); name != "" && !isShellVariable(name) {
			list = append(list, SkillMention{Name: name})
		}
	}
	return list
}

// linkedMention reads "[$name](path)" at i; end is 0 where there is none.
func linkedMention(text string, i int) (name, path string, end int) {
	rest, ok := strings.CutPrefix(text[i:], "[$")
	if !ok {
		return "", "", 0
	}
	name = mentionName(rest)
	rest, ok = strings.CutPrefix(rest[len(name):], "]")
	if name == "" || !ok {
		return "", "", 0
	}
	rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t\n\r\f"), "(")
	n := strings.IndexByte(rest, ')')
	if !ok || n < 0 {
		return "", "", 0
	}
	if path = strings.TrimSpace(rest[:n]); path == "" {
		return "", "", 0
	}
	return name, strings.TrimPrefix(path, "skill://"), len(text) - len(rest) + n + 1
}

func mentionName(s string) string {
	n := 0
	for n < len(s) && (isLetter(s[n]) || s[n] >= '0' && s[n] <= '9' || strings.IndexByte("_-:", s[n]) >= 0) {
		n++
	}
	return s[:n]
}

func isShellVariable(name string) bool {
	switch strings.ToUpper(name) {
	case "PATH", "HOME", "USER", "SHELL", "PWD", "TMPDIR", "TEMP", "TMP", "LANG", "TERM", "XDG_CONFIG_HOME":
		return true
	}
	return false
}

// codexListing is that of Codex 0.169.0. The recorded cases have the listing of
// 300 skills (n14: all there, each shortened to some thirty characters, about 22
// kB together) and that nothing is escaped (n09); the rest is source
// (codex-rs/core-skills/src/render.rs).
func codexListing() *Listing {
	return &Listing{
		// A skill whose frontmatter keeps models off is listed (row dmi of the
		// frontmatter matrix); only a file beside it hides one.
		Manual: true,
		Policy: &ListingPolicy{File: "agents/openai.yaml", Keys: []string{"policy", "allow_implicit_invocation"}},
		// Rows desc1025 and desc1600.
		MaxDescription: 1024, Ellipsis: "...", Runes: true,
		Line: codexLine, RealPaths: true,
		Frame: codexFrame,
		Alias: &ListingAlias{
			Root:  func(n int, dir string) string { return "- `r" + strconv.Itoa(n) + "` = `" + dir + "`" },
			Path:  func(n int, rel string) string { return "r" + strconv.Itoa(n) + "/" + rel },
			Frame: 2296, Table: 173,
		},
		Rank: codexRank, Compare: strings.Compare,
		// The context's length is inferred: two hundredths of it are the 5,440 tokens of
		// logs of the host (openai/codex#24299), and at four bytes a token the 22 kB
		// of n14.
		Budget: Budget{
			Overflow: SpreadEvenly, Around: len("- \n"),
			ContextTokens: 272_000, Fraction: 0.02, CharsPerToken: 1, Least: 1, BytesPerToken: 4,
		},
	}
}

func codexLine(e ListedItem) string {
	if e.Description == "" {
		return e.Name + ": (file: " + e.Path + ")"
	}
	return e.Name + ": " + e.Description + " (file: " + e.Path + ")"
}

// codexRank: the host's own, what the administrator placed, the project's, the
// user's; plugins count as the user's.
func codexRank(d *definition.Definition) int {
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

// codexFrame is the block up to its last entry. The host's advice on how to use
// skills, which follows it, is left out.
func codexFrame(t ListedText) string {
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

// codexInstructions are those of Codex 0.169.0: the override takes the place of
// AGENTS.md in its own directory (n02), nothing else is read and nothing imported
// (n02, n03, n04). The order, the length and the wrapping are source
// (codex-rs/core/src/agents_md.rs).
func codexInstructions() *Instructions {
	const override, agents = "AGENTS.override.md", "AGENTS.md"
	user, project := definition.User, definition.Project
	return &Instructions{
		Rows: []InstructionRow{
			{Layer: user, Source: SourceUser, Dir: ".codex", File: override, Group: "codex", SkipEmpty: true},
			{Layer: user, Source: SourceUser, Dir: ".codex", File: agents, Group: "codex", SkipEmpty: true},
			{Layer: project, Source: SourceProject, File: override, Group: "codex", NotNested: true},
			{Layer: project, Source: SourceProject, File: agents, Group: "codex", NotNested: true},
		},
		MaxFile: maxNeutralFile, MaxTotal: 32 << 10, Whole: true, Exact: true,
		Compose: codexCompose, Closer: "</INSTRUCTIONS>",
	}
}

func codexCompose(s InstructionSession, files []InstructionText) []InstructionMessage {
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
	return []InstructionMessage{{
		"user", "# AGENTS.md instructions for " + s.WorkDir + "\n\n<INSTRUCTIONS>\n" + text + "\n</INSTRUCTIONS>",
	}}
}

func codexConfigs() []Config {
	return []Config{
		serversIn(definition.Project, InProject, ".codex/config.toml", codexServers()),
		serversIn(definition.User, InHome, ".codex/config.toml", codexServers()).movedBy(codexHome, 0),
	}
}
