package definition

// Hook is a hook that a file of settings or a plugin carries: something that a
// host runs by itself when an event happens.
type Hook struct {
	Event, Matcher, Type string
	// Command is what it runs, or the address that it calls.
	Command string
	Origin  Origin
}
