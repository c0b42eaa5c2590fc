package sandbox

import "golang.org/x/sys/unix"

// nativeArch is the only system call ABI allowed.
const nativeArch = unix.AUDIT_ARCH_X86_64

// x32Bit marks calls that use the x32 ABI.
const x32Bit = 0x40000000

func oldCalls() []int {
	return []int{unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_CHMOD, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT,
		unix.SYS_USELIB, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_CREATE_MODULE, unix.SYS_SYSFS,
		unix.SYS_USTAT}
}

func oldModeCalls() []modeCall {
	return []modeCall{{unix.SYS_OPEN, 1, 2}, {unix.SYS_CREAT, noFlags, 1}, {unix.SYS_MKNOD, noFlags, 1}}
}
