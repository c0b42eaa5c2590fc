package host

// Sessions describes where and how a host records its sessions.
type Sessions struct {
	// Format is the name of the format in which the host records sessions. Package transcript can
	// read it.
	Format string
	// Dir is the directory that contains the files, relative to the home directory. If the
	// environment variable Env is set, the directory is Moved, relative to the value of Env.
	Dir, Env, Moved string
	// Files lists patterns for the files below Dir, in [path.Match] syntax.
	Files []string
	// NoCommands is set if a session records only the expanded text of a user's
	// command, not the command's name.
	NoCommands bool
}
