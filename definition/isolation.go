package definition

// Isolation lists the restrictions that a sandbox enforced.
type Isolation struct {
	Files    bool   `json:"files"`    // only the named paths can be opened
	Network  bool   `json:"network"`  // no sockets can be created
	Exec     bool   `json:"exec"`     // only the named binaries can be executed
	Syscalls bool   `json:"syscalls"` // the system call filter is active
	ABI      int    `json:"abi"`      // Landlock ABI version; 0 means none
	Reason   string `json:"reason,omitempty"`
}
