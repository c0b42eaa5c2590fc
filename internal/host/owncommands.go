package host

import "slices"

// ownCommands lists hosts' built-in commands that show or change an agent's permissions, in sorted
// order. It omits names that many definitions use, such as "review" and "plan", because they are
// not misleading.
var ownCommands = [...]string{"add-dir", "approvals", "clear", "compact", "exit", "help", "login", "logout", "permissions", "policies", "quit", "rewind", "terminal-setup", "trust"}

// OwnCommand reports whether name is a host's built-in command that shows or changes an agent's
// permissions.
func OwnCommand(name string) bool {
	_, found := slices.BinarySearch(ownCommands[:], name)
	return found
}
