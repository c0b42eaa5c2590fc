package sandbox

import "golang.org/x/sys/unix"

// nativeArch is the only convention that calls may come by.
const nativeArch = unix.AUDIT_ARCH_AARCH64

// x32Bit is 0: there is no second convention with the same architecture.
const x32Bit = 0

func oldCalls() []int          { return nil }
func oldModeCalls() []modeCall { return nil }
