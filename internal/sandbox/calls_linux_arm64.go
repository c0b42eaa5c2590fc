package sandbox

import "golang.org/x/sys/unix"

// nativeArch is the only system call ABI allowed.
const nativeArch = unix.AUDIT_ARCH_AARCH64

// x32Bit is 0, because arm64 does not have a second ABI with the same architecture number.
const x32Bit = 0

func oldCalls() []int          { return nil }
func oldModeCalls() []modeCall { return nil }
