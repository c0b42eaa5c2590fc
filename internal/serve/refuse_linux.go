package serve

import (
	"net"
	"syscall"
)

// refuseNew makes the system drop what comes for a listener from now on, so that its
// queue only becomes shorter: who wants to connect tries again, and is refused once the
// listener is closed. Where it does not work, the listener is closed while others may
// be in its queue.
func refuseNew(l net.Listener) {
	c, ok := l.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		// A filter that keeps no byte of any packet.
		_ = syscall.AttachLsf(int(fd), []syscall.SockFilter{{Code: syscall.BPF_RET | syscall.BPF_K}})
	})
}
