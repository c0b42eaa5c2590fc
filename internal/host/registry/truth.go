package registry

import (
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/claude"
)

// ProjectInstructions is the path of the file with project-wide instructions,
// relative to a source-of-truth directory. vade import writes this file, and
// vade sync generates CLAUDE.md, AGENTS.md and similar files from it.
const ProjectInstructions = "instructions/project.instructions.md"

// SourceOfTruth returns the profile for source-of-truth directories: the neutral view restricted to
// these directories. The profile also describes how definitions are written to them. to is a
// directory that contains everything, laid out like .github. If to is "", skills are in .agents and
// everything else is in .github.
func SourceOfTruth(to string) *host.Profile {
	p := Neutral()
	dir := func(name string) string { return to + "/" + name }
	sources, whole := []string{to}, dir(ProjectInstructions)
	if to == "" {
		sources, whole = []string{".agents", ".github"}, ".github/copilot-instructions.md"
		dir = func(name string) string {
			if name == "skills" {
				return ".agents/skills"
			}
			return ".github/" + name
		}
	}
	// If hosts read this directory, its files must have the names that hosts look for.
	laid := to == "" || to == ".github" || !p.Reads(to)
	p.Narrow(sources, true)
	has := func(name string) bool {
		return laid || slices.ContainsFunc(p.Roots, func(r host.Root) bool { return r.Dir == dir(name) })
	}
	command := ".command.md"
	if !laid {
		command = ".md"
	}
	p.Export = &host.Export{
		Place: func(k definition.Kind) *host.ExportPlace {
			switch {
			case k == definition.Skill && has("skills"):
				return &host.ExportPlace{Dir: dir("skills"), File: "SKILL.md", Join: "-"}
			case k == definition.Command && has("commands"):
				return &host.ExportPlace{Dir: dir("commands"), Suffix: command, Join: "/"}
			case k == definition.Agent && has("agents"):
				return &host.ExportPlace{Dir: dir("agents"), Suffix: ".agent.md", Join: "-", Name: true}
			}
			return nil
		},
		Syntax: claude.Syntax,
		Tools:  &host.ExportTools{Name: host.SameTool, Server: host.MCPToolName, Rules: true},
		Model:  func(name string) (string, bool) { return name, true },
		Keeps:  true,
		Instructions: &host.ExportInstructions{
			Whole: whole, Nested: true, Imports: true, Dir: dir("instructions"), Suffix: ".instructions.md", Paths: "applyTo",
		},
		Basis: host.Inferred, Source: "the layout that the neutral view reads",
	}
	if !has("instructions") {
		p.Export.Instructions = nil
	}
	return p
}
