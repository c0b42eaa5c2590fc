package host

import "slices"

// ownCommands are hosts' built-in commands that show or change what an agent may do, in
// sorted order. Names that definitions commonly have, such as "review" and "plan", are
// not included, because they deceive nobody.
var ownCommands = [...]string{"add-dir", "approvals", "clear", "compact", "exit", "help", "login", "logout", "permissions", "policies", "quit", "rewind", "terminal-setup", "trust"}

// OwnCommand reports whether a name is a host's built-in command that shows or changes
// what an agent may do.
func OwnCommand(name string) bool {
	_, found := slices.BinarySearch(ownCommands[:], name)
	return found
}
