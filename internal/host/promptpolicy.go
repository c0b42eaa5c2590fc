package host

import "slices"

// PromptPolicy says when a host asks its user before it acts.
type PromptPolicy uint8

// The policies. PromptsExceptEdits changes files without asking, PromptsNever does
// everything without asking.
const (
	PromptsAlways PromptPolicy = iota
	PromptsExceptEdits
	PromptsNever
)

// PromptPolicyOf says what a word for a permission mode, an approval policy or a sandbox
// means in whatever host knows it; case and hyphens do not count.
func PromptPolicyOf(word string) PromptPolicy {
	folded := make([]byte, 0, len(word))
	for i := range len(word) {
		c := word[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != '-' && c != '_' && c != ' ' {
			folded = append(folded, c)
		}
	}
	switch string(folded) {
	case "bypasspermissions", "dontask", "dangerfullaccess", "never", "yolo", "dangerouslyskippermissions", "fullauto", "fullaccess", "autoapprove", "alwaysallow", "autoallow", "allowall":
		return PromptsNever
	case "acceptedits", "autoedit":
		return PromptsExceptEdits
	}
	return PromptsAlways
}

// ownCommands are commands of hosts by which users see and change what an agent may
// do, in their order. Those with names that definitions commonly have are not among
// them: a command "review" or "plan" deceives nobody.
var ownCommands = [...]string{"add-dir", "approvals", "clear", "compact", "exit", "help", "login", "logout", "permissions", "policies", "quit", "rewind", "terminal-setup", "trust"}

// OwnCommand reports whether a name is that of a command by which users of some host
// see or change what an agent may do.
func OwnCommand(name string) bool {
	_, found := slices.BinarySearch(ownCommands[:], name)
	return found
}
