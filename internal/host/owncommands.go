package host

import "slices"

// ownCommands lists hosts' built-in commands that a definition with the same name could imitate, in
// sorted order. It omits names that many definitions use, such as "review" and "plan", because a
// definition with such a name is not misleading.
var ownCommands = [...]string{"add-dir", "approvals", "clear", "compact", "exit", "help", "login", "logout", "permissions", "policies", "quit", "rewind", "terminal-setup", "trust"}

// OwnCommand reports whether name is a host's built-in command that a definition could imitate.
func OwnCommand(name string) bool {
	_, found := slices.BinarySearch(ownCommands[:], name)
	return found
}
