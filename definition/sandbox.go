package definition

// Sandbox describes how the commands that ran were sandboxed.
type Sandbox struct {
	// Mode is "in-process" if no process was started, "enforced" if file access was restricted
	// for every process, and "none" otherwise.
	Mode string `json:"mode"`
	// Isolation lists the restrictions that applied to every process.
	Isolation *Isolation `json:"isolation,omitempty"`
}
