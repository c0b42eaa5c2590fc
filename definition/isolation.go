package definition

// Walls says what was enforced.
type Isolation struct {
	Files    bool   `json:"files"`    // only the named paths can be opened
	Network  bool   `json:"network"`  // no socket can be made
	Exec     bool   `json:"exec"`     // only the named binaries can be executed
	Syscalls bool   `json:"syscalls"` // the system call filter stands
	ABI      int    `json:"abi"`      // of Landlock; 0 is none
	Reason   string `json:"reason,omitempty"`
}
