package definition

// Sandbox says what stood around the commands that ran.
type Sandbox struct {
	// Mode is "in-process" where no process was started, "enforced" where the
	// walls around files stood for all of them, and "none".
	Mode string `json:"mode"`
	// Walls are those that stood for each process.
	Isolation *Isolation `json:"isolation,omitempty"`
}
