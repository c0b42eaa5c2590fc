//go:build amd64 || arm64

package sandbox

import "golang.org/x/sys/unix"

// refusal holds a refused system call and the error that it returns.
type refusal struct {
	nr  int
	err unix.Errno
}

// refusedCalls returns the system calls that p refuses regardless of their arguments.
func refusedCalls(p callPolicy) []refusal {
	var list []refusal
	refuse := func(err unix.Errno, calls ...int) {
		for _, nr := range calls {
			list = append(list, refusal{nr, err})
		}
	}
	// clone3's flags are in memory, which a filter cannot read. C libraries fall back to clone.
	refuse(unix.ENOSYS, unix.SYS_CLONE3)
	// Refuse access to other processes.
	refuse(unix.EPERM, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP,
		unix.SYS_PIDFD_GETFD, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_MOVE_PAGES,
		unix.SYS_MIGRATE_PAGES, unix.SYS_IOPRIO_SET)
	// Refuse leaving the process group, because only the processes in the group are killed when the
	// command ends.
	refuse(unix.EPERM, unix.SYS_SETSID, unix.SYS_SETPGID)
	// Refuse changes to mounts, namespaces and the root directory, and access to files by handle.
	refuse(unix.EPERM, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOUNT_SETATTR,
		unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG,
		unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_OPEN_BY_HANDLE_AT,
		unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_ACCT)
	// Refuse ways around the other restrictions: the filter does not see operations submitted
	// through io_uring, and Landlock does not cover memfd files.
	refuse(unix.EPERM, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
		unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET)
	// Refuse changes to the kernel and to system-wide settings.
	refuse(unix.EPERM, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_PERSONALITY,
		unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE,
		unix.SYS_DELETE_MODULE, unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_SYSLOG,
		unix.SYS_VHANGUP, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY,
		unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME, unix.SYS_NFSSERVCTL,
		unix.SYS_LOOKUP_DCOOKIE)
	// Refuse access to keys and IPC objects, which are shared with the user's other programs.
	refuse(unix.EPERM, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_SHMGET, unix.SYS_SHMAT,
		unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN)
	// Refuse changes to file owners, attributes and modes, which Landlock does not restrict. A
	// filter cannot read a path, so every such call that takes a path is refused. For system calls
	// on an open file, see metadataRules.
	refuse(unix.EPERM, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FILE_SETATTR)
	// cp -p and sed -i set the mode through an ACL, and fall back to chmod on this error.
	refuse(unix.EOPNOTSUPP, unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
		unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT)
	refuse(unix.EPERM, oldCalls()...)
	// openat2's flags are in memory, which a filter cannot read. Programs fall back to openat.
	refuse(unix.ENOSYS, unix.SYS_OPENAT2)
	if !p.metadata {
		refuse(unix.EPERM, unix.SYS_FCHMOD, unix.SYS_UTIMENSAT)
	}
	if !p.network {
		refuse(unix.EACCES, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4)
	}
	if !p.truncate {
		refuse(unix.EACCES, unix.SYS_TRUNCATE)
	}
	if !p.signals {
		refuse(unix.EPERM, unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
			unix.SYS_PIDFD_SEND_SIGNAL)
	}
	return list
}
