package host

import (
	"slices"

	"github.com/vadehq/vade/definition"
)

// SkillDepth is the maximum depth below its root at which the neutral view finds a skill. In real
// collections, skills are one or two directories deep. Codex 0.169 reads six levels.
const SkillDepth = 6

// TreeDepth is the maximum depth at which the neutral view finds definitions other than skills.
const TreeDepth = 8

// MaxNeutralFile is the maximum file size, in bytes, in the neutral view; larger files are dropped.
// The longest definition in real collections is 294 kB.
const MaxNeutralFile = 4 << 20

const Readme = "README files in a definition directory are treated as documentation"

func SkillRules() []Rule {
	return []Rule{
		{Kind: definition.Skill, File: "SKILL.md", FoldCase: true, Max: SkillDepth, Boundary: true, Naming: ByDir},
		{Kind: definition.Skill, Suffix: ".skill.md", FoldCase: true, Max: TreeDepth},
	}
}

// CommandRules returns rules for commands. They also match skills, because Claude Code reads
// commands/x/SKILL.md as the skill x (case m16).
func CommandRules() []Rule {
	return []Rule{
		{Kind: definition.Skill, File: "SKILL.md", Min: 1, Max: SkillDepth, Boundary: true, Naming: ByDir},
		{Kind: definition.Command, File: "README.md", FoldCase: true, Max: TreeDepth, Skip: Readme},
		{Kind: definition.Command, Suffix: ".md", FoldCase: true, Max: TreeDepth, Naming: ByPath, Index: "index"},
	}
}

// GithubCommandRules returns [CommandRules] and a rule for the suffix .command.md, which is not
// part of the name.
func GithubCommandRules() []Rule {
	named := Rule{Kind: definition.Command, Suffix: ".command.md", FoldCase: true, Max: TreeDepth, Naming: ByPath}
	return slices.Insert(CommandRules(), 2, named)
}

func AgentRules() []Rule {
	return []Rule{
		{Kind: definition.Agent, File: "README.md", FoldCase: true, Max: TreeDepth, Skip: Readme},
		{Kind: definition.Agent, Suffix: ".agent.md", FoldCase: true, Max: TreeDepth},
		{Kind: definition.Agent, Suffix: ".chatmode.md", FoldCase: true, Max: TreeDepth},
		{Kind: definition.Agent, Suffix: ".md", FoldCase: true, Max: TreeDepth},
		{Kind: definition.Agent, Suffix: ".toml", Max: TreeDepth, Format: definition.TOML},
	}
}

// GithubAgentRules returns [AgentRules] and a rule for instructions: a directory named after an
// agent contains instructions for that agent.
func GithubAgentRules() []Rule {
	return append([]Rule{
		{Kind: definition.Instruction, Suffix: ".instructions.md", FoldCase: true, Min: 1, Max: 1, Naming: ByPath, ForAgent: true},
	}, AgentRules()...)
}

func SuffixRules(k definition.Kind, suffixes ...string) []Rule {
	var rules []Rule
	for _, s := range suffixes {
		rules = append(rules, Rule{Kind: k, Suffix: s, FoldCase: true, Max: TreeDepth, Naming: ByPath})
	}
	return rules
}

// InstructionFile returns the rules for a root that is a single file.
func InstructionFile(name string) []Rule {
	return []Rule{{Kind: definition.Instruction, File: name, Naming: ByFile}}
}

func PromptRules() []Rule { return SuffixRules(definition.Command, ".prompt.md") }

func InstructionsRules() []Rule { return SuffixRules(definition.Instruction, ".instructions.md") }

// WorkflowRules returns rules that select scripts of at most 512 KiB directly in a directory
// (observed in Claude Code 2.1.330). The script itself sets the workflow's name.
func WorkflowRules() []Rule {
	return []Rule{{Kind: definition.Workflow, Suffix: ".js", Format: definition.Script, Limit: 512 << 10}}
}

// PluginWorkflows returns the root for a plugin's workflows. The client lists
// them in file system order (observed in Claude Code 2.1.330).
func PluginWorkflows() Root {
	return Root{
		Layer: definition.Plugin, Base: InPlugin, Dir: "workflows", Component: "workflows", Replaces: true,
		Rules: WorkflowRules(), DiskOrder: true,
	}
}

// PluginRoots returns a plugin's directories. Its manifest may change them: the key skills adds
// directories, and the other keys replace the default (Claude Code 2.1.329).
func PluginRoots(commands, skills func() []Rule) []Root {
	root := func(dir string, replaces bool, rules []Rule) Root {
		return Root{Layer: definition.Plugin, Base: InPlugin, Dir: dir, Component: dir, Replaces: replaces, Rules: rules}
	}
	return []Root{
		root("skills", false, skills()),
		root("commands", true, commands()),
		root("agents", true, AgentRules()),
		{Layer: definition.Plugin, Base: InPlugin, Rules: []Rule{{Kind: definition.Skill, File: "SKILL.md", Naming: ByDir}}},
	}
}
