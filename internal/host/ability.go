package host

// Ability is a set of what a host has the tables of.
type Ability uint8

// The abilities, each of which is a member of a [Profile]. They are known without
// one, as it takes longer to build than a command to start.
const (
	// CanExport: files of definitions (Export).
	CanExport Ability = 1 << iota
	// CanServers: a file of MCP servers (Servers).
	CanServers
	// CanPlugin: a plugin (Plugin).
	CanPlugin
	// CanOptions: options of a program's own (SDK).
	CanOptions
	// CanPermit: a check of its own of shell commands (Permission).
	CanPermit
)

// With returns the names of the hosts that have an ability, in the order of
// [Profiles]. It builds no profile.
func With(a Ability) []string {
	var names []string
	for _, f := range families() {
		if f.can&a != 0 {
			names = append(names, f.name)
		}
	}
	return names
}
