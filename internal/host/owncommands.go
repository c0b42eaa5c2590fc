package host

import "slices"

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
