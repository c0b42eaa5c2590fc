package host

// Ability is something that a host can do and others can not.
type Ability uint8

// The abilities, each of which is a member of a [Host] and of its [Profile].
const (
	// CanExport: files of definitions (Export).
	CanExport Ability = iota + 1
	// CanServers: a file of MCP servers (Servers).
	CanServers
	// CanPlugin: a plugin (Plugin).
	CanPlugin
	// CanOptions: options of a program's own (SDK).
	CanOptions
	// CanPermit: a check of its own of shell commands (Permission).
	CanPermit
	// CanConnect: a file that an entry for an MCP server can be added to (Connect).
	CanConnect
)
