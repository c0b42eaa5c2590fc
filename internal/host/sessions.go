package host

// Sessions describes where a host records its sessions.
type Sessions struct {
	// Format is the name of the format, which internal/transcript reads.
	Format string
	// Dir is the directory with the files, relative to the home directory. If the environment
	// variable Env is set, it is Moved relative to that variable's value.
	Dir, Env, Moved string
	// Files are patterns of the files below Dir, in the syntax of [path.Match].
	Files []string
	// NoCommands means that a session has only the text that a user's command expands to, not the
	// command's name.
	NoCommands bool
}
