package definition

// Hook is a command or URL that a host invokes when an event occurs. It is
// configured in a settings file or a plugin.
type Hook struct {
	Event, Matcher, Type string
	// Command is the command line or URL.
	Command string
	Origin  Origin
}
