package host

import "github.com/vadehq/vade/internal/definition"

// OwnDir is the directory below the home in which the neutral view finds the user's own
// definitions of a kind, wherever possible one that belongs to no host alone. Of
// instructions there is only that of Copilot.
func OwnDir(k definition.Kind) string {
	switch k {
	case definition.Skill:
		return ".agents/skills"
	case definition.Command:
		return ".agents/commands"
	case definition.Agent:
		return ".agents/agents"
	}
	return ".copilot/instructions"
}
