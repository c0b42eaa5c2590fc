package host

import (
	"slices"

	"github.com/vadehq/vade/internal/definition"
)

// skillDepth is how deep below its root the neutral view finds a skill: real
// collections group them by one or two directories, Codex 0.169 goes to six.
const skillDepth = 6

// treeDepth is how deep the neutral view finds the other kinds.
const treeDepth = 8

// maxNeutralFile is the length above which the neutral view drops a file: a
// multiple of the longest definition seen in the wild (294 kB).
const maxNeutralFile = 4 << 20

const readme = "README files in a directory of definitions are documentation"

func skillRules() []Rule {
	return []Rule{
		{Kind: definition.Skill, File: "SKILL.md", FoldCase: true, Max: skillDepth, Boundary: true, Naming: ByDir},
		{Kind: definition.Skill, Suffix: ".skill.md", FoldCase: true, Max: treeDepth},
	}
}

// commandRules also find skills, because Claude Code reads
// commands/x/SKILL.md as the skill x (case m16).
func commandRules() []Rule {
	return []Rule{
		{Kind: definition.Skill, File: "SKILL.md", Min: 1, Max: skillDepth, Boundary: true, Naming: ByDir},
		{Kind: definition.Command, File: "README.md", FoldCase: true, Max: treeDepth, Skip: readme},
		{Kind: definition.Command, Suffix: ".md", FoldCase: true, Max: treeDepth, Naming: ByPath, Index: "index"},
	}
}

// githubCommandRules: the ending says the kind and is no part of the name.
func githubCommandRules() []Rule {
	named := Rule{Kind: definition.Command, Suffix: ".command.md", FoldCase: true, Max: treeDepth, Naming: ByPath}
	return slices.Insert(commandRules(), 2, named)
}

func agentRules() []Rule {
	return []Rule{
		{Kind: definition.Agent, File: "README.md", FoldCase: true, Max: treeDepth, Skip: readme},
		{Kind: definition.Agent, Suffix: ".agent.md", FoldCase: true, Max: treeDepth},
		{Kind: definition.Agent, Suffix: ".chatmode.md", FoldCase: true, Max: treeDepth},
		{Kind: definition.Agent, Suffix: ".md", FoldCase: true, Max: treeDepth},
		{Kind: definition.Agent, Suffix: ".toml", Max: treeDepth, Format: definition.TOML},
	}
}

// githubAgentRules: below an agent's own directory stand instructions for it.
func githubAgentRules() []Rule {
	return append([]Rule{
		{Kind: definition.Instruction, Suffix: ".instructions.md", FoldCase: true, Min: 1, Max: 1, Naming: ByPath, ForAgent: true},
	}, agentRules()...)
}

func suffixRules(k definition.Kind, suffixes ...string) []Rule {
	var rules []Rule
	for _, s := range suffixes {
		rules = append(rules, Rule{Kind: k, Suffix: s, FoldCase: true, Max: treeDepth, Naming: ByPath})
	}
	return rules
}

// instructionFile is the rule of a root that is one file.
func instructionFile(name string) []Rule {
	return []Rule{{Kind: definition.Instruction, File: name, Naming: ByFile}}
}

func promptRules() []Rule { return suffixRules(definition.Command, ".prompt.md") }

func instructionsRules() []Rule { return suffixRules(definition.Instruction, ".instructions.md") }

// pluginRoots are the directories of a plugin, which its manifest may change
// (Claude Code 2.1.329: skills adds to the default, the others replace it).
func pluginRoots(commands, skills func() []Rule) []Root {
	root := func(dir string, replaces bool, rules []Rule) Root {
		return Root{Layer: definition.Plugin, Base: InPlugin, Dir: dir, Component: dir, Replaces: replaces, Rules: rules}
	}
	return []Root{
		root("skills", false, skills()),
		root("commands", true, commands()),
		root("agents", true, agentRules()),
		{Layer: definition.Plugin, Base: InPlugin, Rules: []Rule{{Kind: definition.Skill, File: "SKILL.md", Naming: ByDir}}},
	}
}
