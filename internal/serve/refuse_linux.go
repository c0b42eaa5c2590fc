package serve

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
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
		none := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K}
		_ = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &none})
	})
}
