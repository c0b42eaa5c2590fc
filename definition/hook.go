package definition

// Hook is a command or URL, configured in a settings file or a plugin, that a host runs
// automatically when an event occurs.
type Hook struct {
	Event, Matcher, Type string
	// Command is the command line or the URL.
	Command string
	Origin  Origin
}
