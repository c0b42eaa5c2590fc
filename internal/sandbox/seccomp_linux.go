//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/vadehq/vade/definition"
)

// Offsets in the kernel's struct seccomp_data. Both architectures are little-endian.
const (
	offsetNr   = 0
	offsetArch = 4
	offsetArgs = 16
)

// restrictCalls installs the system call filter and records it in enforced. It must run after all
// other restrictions are applied, because the filter may refuse calls that they need.
func restrictCalls(o *request, enforced *definition.Isolation) {
	prog := filterFor(policyOf(o, enforced.ABI))
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&fprog)), 0, 0)
	if err != nil {
		enforced.Reason = fmt.Sprintf("cannot install the seccomp filter: %v", err)
		return
	}
	enforced.Syscalls = true
	enforced.Network = !o.Network
}

// callPolicy configures which calls the filter refuses.
type callPolicy struct {
	network  bool // internet sockets are allowed
	metadata bool // changing the mode and times of open files is allowed
	truncate bool // Landlock restricts truncate
	signals  bool // Landlock restricts signals
}

func policyOf(o *request, abi int) callPolicy {
	return callPolicy{network: o.Network, metadata: len(o.Write) > 0, truncate: abi >= 3, signals: abi >= 6}
}

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

// call adds the rule for one system call. The instructions that body adds must return from the
// filter on every path. The system call number stays loaded for the rules that follow.
func (f *filter) call(nr uint32, body func(*filter)) {
	var b filter
	body(&b)
	f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, nr, 0, uint8(len(b.prog)))
	f.prog = append(f.prog, b.prog...)
}

// arg loads the low 32 bits of an argument.
func (f *filter) arg(n uint32) { f.load(offsetArgs + 8*n) }

// filterFor builds the filter. Calls without a rule are allowed.
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

// argumentRules adds rules that refuse calls depending on their arguments.
func argumentRules(f *filter, p callPolicy) {
	f.call(unix.SYS_CLONE, func(b *filter) {
		b.arg(0)
		b.mask(unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
			unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET)
		b.only(unix.EPERM, 0)
	})
	f.call(unix.SYS_IOCTL, func(b *filter) {
		b.arg(1)
		b.never(unix.EPERM, unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCSETD,
			unix.FS_IOC_SETFLAGS, fsIocSetVersion, fsIocSetXattr, unix.FS_IOC_ENABLE_VERITY)
	})
	families := []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
	if !p.network {
		families = nil
	}
	f.call(unix.SYS_SOCKET, func(b *filter) {
		b.arg(0)
		b.only(unix.EACCES, families...)
	})
	// Allow only stream pairs, which stay connected. A datagram socket can name
	// a different receiver in each message.
	f.call(unix.SYS_SOCKETPAIR, func(b *filter) {
		b.arg(0)
		b.unlessEqual(unix.AF_UNIX)
		b.refuse(unix.EACCES)
		b.arg(1)
		b.mask(0xf)
		b.only(unix.EACCES, unix.SOCK_STREAM)
	})
	// RLIMIT_DATA does not count shared memory or MAP_GROWSDOWN mappings.
	f.call(unix.SYS_MMAP, func(b *filter) {
		b.arg(3)
		b.mask(unix.MAP_GROWSDOWN)
		b.unlessEqual(0)
		b.refuse(unix.ENOMEM)
		b.arg(3)
		b.mask(unix.MAP_SHARED | unix.MAP_ANONYMOUS)
		b.never(unix.ENOMEM, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
	})
	metadataRules(f, p.metadata)
	// A process may change its own limits and scheduling (PID 0), but not those of other processes.
	for _, c := range []struct{ nr, whose uint32 }{{unix.SYS_PRLIMIT64, 0}, {unix.SYS_SETPRIORITY, 1},
		{unix.SYS_SCHED_SETAFFINITY, 0}, {unix.SYS_SCHED_SETSCHEDULER, 0}, {unix.SYS_SCHED_SETPARAM, 0},
		{unix.SYS_SCHED_SETATTR, 0}} {
		f.call(c.nr, func(b *filter) {
			b.arg(c.whose)
			b.only(unix.EPERM, 0)
		})
	}
}

// ioctl requests from linux/fs.h that change file attributes and are missing from golang.org/x/sys.
const (
	fsIocSetVersion = 0x40087602
	fsIocSetXattr   = 0x401c5820
)

// modeCall describes a system call that sets a file's mode: its number and the indexes of its
// arguments.
type modeCall struct{ nr, flags, mode uint32 }

// noFlags is the flags index of a modeCall that always uses its mode argument.
const noFlags = ^uint32(0)

// metadataRules adds rules that refuse opening a file with an access mode that bypasses Landlock.
// If metadata is set, it also adds rules that allow changing the mode and times of an open file,
// but never setting the set-user-ID and set-group-ID bits.
func metadataRules(f *filter, metadata bool) {
	for _, c := range append(oldModeCalls(), modeCall{unix.SYS_OPENAT, 2, 3}, modeCall{unix.SYS_MKNODAT, noFlags, 2},
		modeCall{unix.SYS_FCHMOD, noFlags, 1}) {
		if !metadata && c.flags == noFlags {
			continue
		}
		f.call(c.nr, func(b *filter) {
			if c.flags != noFlags {
				// With access mode 3, Linux opens a file for neither reading
				// nor writing, which Landlock allows for any file.
				b.arg(c.flags)
				b.mask(unix.O_ACCMODE)
				b.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, unix.O_ACCMODE, 0, 1)
				b.refuse(unix.EPERM)
				if !metadata {
					b.allow()
					return
				}
				// Without these flags, the mode is ignored.
				b.arg(c.flags)
				b.mask(unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY)
				b.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 0, 1)
				b.allow()
			}
			b.arg(c.mode)
			b.mask(unix.S_ISUID | unix.S_ISGID)
			b.only(unix.EPERM, 0)
		})
	}
	if !metadata {
		return
	}
	// Allow utimensat only without a path. It then changes the file whose descriptor is its first
	// argument.
	f.call(unix.SYS_UTIMENSAT, func(b *filter) {
		b.arg(1)
		b.unlessEqual(0)
		b.refuse(unix.EPERM)
		b.load(offsetArgs + 8*1 + 4)
		b.only(unix.EPERM, 0)
	})
}

// only restricts the loaded argument to the values in list. It adds instructions that allow the
// call if the argument is one of them and refuse the call otherwise.
func (f *filter) only(e unix.Errno, list ...uint32) {
	for _, k := range list {
		f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, 0, 1)
		f.allow()
	}
	f.refuse(e)
}

// never is the opposite of only. It adds instructions that refuse the call if the loaded argument
// is one of the values in list and allow the call otherwise.
func (f *filter) never(e unix.Errno, list ...uint32) {
	for _, k := range list {
		f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, 0, 1)
		f.refuse(e)
	}
	f.allow()
}

// noFilter is the reason reported for unrestricted system calls if filterWorks returns false.
const noFilter = "this kernel does not support seccomp filters"

// filterWorks reports whether the kernel supports filters that return an errno.
func filterWorks() bool {
	var action [4]byte
	binary.NativeEndian.PutUint32(action[:], unix.SECCOMP_RET_ERRNO)
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return e == 0
}
