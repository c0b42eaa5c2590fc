package definition

// Hook is a command or other action that a host runs when an event occurs. It is configured in a
// settings file or a plugin.
type Hook struct {
	Event, Matcher, Type string
	// Command is the command line, URL, prompt or tool name.
	Command string
	Origin  Origin
}
