package sandbox

import (
	"encoding/json"

	"github.com/vadehq/vade/definition"
)

// The helper reads the request from one inherited pipe and writes its responses to another.
const (
	requestFD  = 3
	responseFD = 4
	// magic is the prefix of a request, which distinguishes it from data in unrelated pipes.
	magic = "vade-order-1\n"
	// maxRequest is the maximum size of a request in bytes.
	maxRequest = 16 << 20
)

// request is what the parent sends to the helper. It is sent through a pipe, so that it does not
// appear in process lists.
type request struct {
	Path      string
	Args, Env []string
	Dir       string
	AnyDir    bool
	// Paths in Read, Write and Exec must exist. Paths in Needs and Runs may be missing.
	Read, Write, Exec, Needs, Runs []string
	Network                        bool
	Require, BestEffort            bool
	CPU, Memory, Tasks             uint64
}

// response is what the helper sends to its parent. The helper sends one response when the
// restrictions are active, and one if a step fails. Errno is 0 if the error is not an errno.
type response struct {
	Isolation definition.Isolation
	Op        string
	Path      string
	Errno     int
	Text      string
}

func (o *request) marshal() ([]byte, error) {
	body, err := json.Marshal(o)
	return append([]byte(magic), body...), err
}
