package sandbox

import (
	"encoding/json"

	"github.com/vadehq/vade/definition"
)

// mark is the name that a helper is started under. With it come two pipes: the
// order is read from the first, the answer is written to the second.
const (
	orderFD  = 3
	answerFD = 4
	// magic begins an order, so that other pipes are told from ours.
	magic = "vade-order-1\n"
	// maxOrder bounds what a helper reads, in bytes.
	maxOrder = 16 << 20
)

// order is what the parent tells its helper, over a pipe so that no process
// list shows it.
type order struct {
	Path      string
	Args, Env []string
	Dir       string
	AnyDir    bool
	// Read, Write and Exec must exist; Needs and Runs may be missing.
	Read, Write, Exec, Needs, Runs []string
	Network                        bool
	Require, BestEffort            bool
	CPU, Memory, Tasks             uint64
}

// answer is what the helper tells its parent: one when the walls stand, and
// another if it fails after that. Errno is 0 where there is none.
type answer struct {
	Walls definition.Isolation
	Op    string
	Path  string
	Errno int
	Text  string
}

func (o *order) marshal() ([]byte, error) {
	body, err := json.Marshal(o)
	return append([]byte(magic), body...), err
}
