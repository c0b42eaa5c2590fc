package definition

// Sandbox describes how commands were sandboxed.
type Sandbox struct {
	// Mode is "in-process" if no process was started, "enforced" if every
	// process had restricted file access, and "none" otherwise.
	Mode string `json:"mode"`
	// Isolation lists the restrictions that applied to every process.
	Isolation *Isolation `json:"isolation,omitempty"`
}
