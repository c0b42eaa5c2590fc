package sandbox

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// limit sets resource limits. It never raises a limit.
func limit(o *request) error {
	files := uint64(unix.RLIM_INFINITY)
	if len(o.Write) == 0 {
		files = 0
	}
	for _, l := range []struct {
		what int
		max  uint64
	}{
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_FSIZE, files},
		{unix.RLIMIT_CPU, o.CPU},
		{unix.RLIMIT_NOFILE, 1024},
		{unix.RLIMIT_NPROC, o.Tasks},
		{unix.RLIMIT_DATA, o.Memory},
	} {
		if err := lower(l.what, l.max); err != nil {
			return fmt.Errorf("limit %d: %w", l.what, err)
		}
	}
	return nil
}

func lower(what int, max uint64) error {
	var have syscall.Rlimit
	if err := syscall.Getrlimit(what, &have); err != nil {
		return err
	}
	max = min(max, have.Max)
	// Use package syscall, because syscall.Exec would restore a file limit that
	// was set in any other way.
	return syscall.Setrlimit(what, &syscall.Rlimit{Cur: max, Max: max})
}

// dropCapabilities drops all of root's capabilities except those for accessing other users' files,
// which root needs in a project that it does not own. Other users have no capabilities.
func dropCapabilities() error {
	const keep = 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
	hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	if err := unix.Capget(&hdr, &have[0]); err != nil {
		return err
	}
	if have[0].Permitted|have[1].Permitted == 0 {
		return nil
	}
	if have[0].Effective&(1<<unix.CAP_SETPCAP) != 0 {
		for c := range 64 {
			if keep&(uint64(1)<<c) != 0 {
				continue
			}
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0); errors.Is(err, unix.EINVAL) {
				break
			} else if err != nil {
				return err
			}
		}
	}
	left := [2]unix.CapUserData{{
		Effective: have[0].Effective & keep, Permitted: have[0].Permitted & keep,
	}}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
		return err
	}
	return unix.Capset(&hdr, (*unix.CapUserData)(unsafe.Pointer(&left)))
}
