//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in the kernel's struct seccomp_data. Both machines are little endian.
const (
	offsetNr   = 0
	offsetArch = 4
	offsetArgs = 16
)

// restrictCalls raises the wall of system calls and says so in walls. It is
// the last wall, since it may take away what the others are built with.
func restrictCalls(o *order, walls *Walls) {
	prog := filterFor(policyOf(o, walls.ABI))
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&fprog)), 0, 0)
	if err != nil {
		walls.Reason = fmt.Sprintf("no system call filter: %v", err)
		return
	}
	walls.Syscalls = true
	walls.Network = !o.Network
}

// callPolicy is what the filter refuses beside the calls it always refuses.
type callPolicy struct {
	network  bool // sockets for the internet are allowed
	metadata bool // modes and times of files may be changed
	truncate bool // Landlock guards truncate
	signals  bool // Landlock guards signals
}

func policyOf(o *order, abi int) callPolicy {
	return callPolicy{network: o.Network, metadata: len(o.Write) > 0, truncate: abi >= 3, signals: abi >= 6}
}

// filter is a program under construction.
type filter struct{ prog []unix.SockFilter }

func (f *filter) add(code uint16, k uint32, jt, jf uint8) {
	f.prog = append(f.prog, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
}

func (f *filter) load(offset uint32)   { f.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset, 0, 0) }
func (f *filter) mask(bits uint32)     { f.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, bits, 0, 0) }
func (f *filter) refuse(e unix.Errno)  { f.end(unix.SECCOMP_RET_ERRNO | uint32(e)) }
func (f *filter) end(verdict uint32)   { f.add(unix.BPF_RET|unix.BPF_K, verdict, 0, 0) }
func (f *filter) allow()               { f.end(unix.SECCOMP_RET_ALLOW) }
func (f *filter) unlessEqual(k uint32) { f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, 1, 0) }

// call begins the rule of one system call: body does not fall through, and
// the number is loaded again for what follows.
func (f *filter) call(nr uint32, body func(*filter)) {
	var b filter
	body(&b)
	f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, nr, 0, uint8(len(b.prog)))
	f.prog = append(f.prog, b.prog...)
}

// arg loads the low half of an argument, which is all of an int.
func (f *filter) arg(n uint32) { f.load(offsetArgs + 8*n) }

// filterFor writes the program. What no rule names is allowed.
func filterFor(p callPolicy) []unix.SockFilter {
	var f filter
	f.load(offsetArch)
	f.unlessEqual(nativeArch)
	f.end(unix.SECCOMP_RET_KILL_PROCESS)
	f.load(offsetNr)
	if x32Bit != 0 {
		f.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, x32Bit, 0, 1)
		f.refuse(unix.ENOSYS)
	}
	for _, r := range refusedCalls(p) {
		f.call(uint32(r.nr), func(b *filter) { b.refuse(r.err) })
	}
	argumentRules(&f, p)
	f.allow()
	return f.prog
}

// argumentRules are the calls that are refused for what they are asked.
func argumentRules(f *filter, p callPolicy) {
	f.call(unix.SYS_CLONE, func(b *filter) {
		b.arg(0)
		b.mask(unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
			unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET)
		b.only(unix.EPERM, 0)
	})
	f.call(unix.SYS_IOCTL, func(b *filter) {
		b.arg(1)
		b.never(unix.EPERM, unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCSETD)
	})
	families := []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
	if !p.network {
		families = nil
	}
	f.call(unix.SYS_SOCKET, func(b *filter) {
		b.arg(0)
		b.only(unix.EACCES, families...)
	})
	// Only a pair that is connected for good: a datagram socket could still
	// name another receiver with every message.
	f.call(unix.SYS_SOCKETPAIR, func(b *filter) {
		b.arg(0)
		b.unlessEqual(unix.AF_UNIX)
		b.refuse(unix.EACCES)
		b.arg(1)
		b.mask(0xf)
		b.only(unix.EACCES, unix.SOCK_STREAM)
	})
	// Limits and scheduling of oneself, which is 0, and of nobody else.
	for _, c := range []struct{ nr, whose uint32 }{{unix.SYS_PRLIMIT64, 0}, {unix.SYS_SETPRIORITY, 1},
		{unix.SYS_SCHED_SETAFFINITY, 0}, {unix.SYS_SCHED_SETSCHEDULER, 0}, {unix.SYS_SCHED_SETPARAM, 0},
		{unix.SYS_SCHED_SETATTR, 0}} {
		f.call(c.nr, func(b *filter) {
			b.arg(c.whose)
			b.only(unix.EPERM, 0)
		})
	}
}

// only allows the call when the loaded argument is one of list.
func (f *filter) only(e unix.Errno, list ...uint32) {
	for _, k := range list {
		f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, 0, 1)
		f.allow()
	}
	f.refuse(e)
}

// never refuses the call when the loaded argument is one of list.
func (f *filter) never(e unix.Errno, list ...uint32) {
	for _, k := range list {
		f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, 0, 1)
		f.refuse(e)
	}
	f.allow()
}

// filterWorks reports whether the kernel has filters and can refuse with them.
func filterWorks() bool {
	var action [4]byte
	binary.NativeEndian.PutUint32(action[:], unix.SECCOMP_RET_ERRNO)
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return e == 0
}
