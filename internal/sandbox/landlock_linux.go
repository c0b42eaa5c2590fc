package sandbox

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"github.com/vadehq/vade/definition"
)

const (
	mayRead  = landlock.AccessFSSet(ll.AccessFSReadFile | ll.AccessFSReadDir)
	mayExec  = mayRead | landlock.AccessFSSet(ll.AccessFSExecute)
	mayWrite = mayRead | landlock.AccessFSSet(ll.AccessFSWriteFile|ll.AccessFSRemoveDir|ll.AccessFSRemoveFile|
		ll.AccessFSMakeDir|ll.AccessFSMakeReg|ll.AccessFSMakeFifo|ll.AccessFSMakeSym|ll.AccessFSTruncate)
	// ofFile holds the access rights that apply to files.
	ofFile = landlock.AccessFSSet(ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSExecute | ll.AccessFSTruncate)
)

// pathError describes a path for which no rule could be created.
type pathError struct {
	path string
	err  error
}

func (e *pathError) Error() string { return e.err.Error() }
func (e *pathError) Unwrap() error { return e.err }

func pathOf(err error) string {
	if e, ok := errors.AsType[*pathError](err); ok {
		return e.path
	}
	return ""
}

// landlockABI returns the Landlock ABI version to use, or 0 and the reason why
// Landlock is not available.
func landlockABI() (int, string) {
	v, err := ll.LandlockGetABIVersion()
	if err != nil || v <= 0 {
		return 0, fmt.Sprintf("Landlock is disabled or not supported by this kernel: %v", err)
	}
	if v < 6 {
		return v, ""
	}
	// Erratum 2 fixes signal scoping between threads. Without it, use version 5, which has no
	// signal scoping.
	if errata, err := ll.LandlockGetErrata(); err != nil || errata&2 == 0 {
		return 5, ""
	}
	return v, ""
}

// restrictFiles restricts file access, and TCP access if the kernel supports
// that. The error is a *pathError. A kernel without Landlock is not an error.
func restrictFiles(o *request) (definition.Isolation, error) {
	abi, reason := landlockABI()
	if abi == 0 {
		return definition.Isolation{Reason: reason}, nil
	}
	rules, err := rulesFor(o, abi)
	if err != nil {
		return definition.Isolation{}, err
	}
	c := configFor(abi)
	if o.Network {
		c.HandledAccessNet = 0
	}
	if err := c.Restrict(rules...); err != nil {
		return definition.Isolation{Reason: err.Error()}, nil
	}
	return definition.Isolation{Files: true, Exec: true, ABI: abi}, nil
}

func configFor(abi int) landlock.Config {
	all := [...]landlock.Config{landlock.V1, landlock.V2, landlock.V3, landlock.V4, landlock.V5, landlock.V6,
		landlock.V7, landlock.V8, landlock.V9, landlock.V10, landlock.V11}
	return all[min(abi, len(all))-1]
}

func rulesFor(o *request, abi int) ([]landlock.Rule, error) {
	write := mayWrite
	if abi >= 2 {
		write |= ll.AccessFSRefer
	}
	if abi < 3 {
		write &^= ll.AccessFSTruncate
	}
	devices := mayRead | landlock.AccessFSSet(ll.AccessFSWriteFile)
	var rules []landlock.Rule
	for _, g := range []struct {
		paths    []string
		access   landlock.AccessFSSet
		optional bool
	}{
		{systemReads(), mayRead, true},
		{[]string{"/dev/null", "/dev/zero"}, devices, true},
		{networkReads(o.Network), mayRead, true},
		{o.Needs, mayRead, true},
		{o.Runs, mayExec, true},
		{o.Read, mayRead, false},
		{o.Write, write, false},
		{o.Exec, mayExec, false},
	} {
		for _, path := range g.paths {
			rule, err := ruleFor(path, g.access)
			if g.optional && errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, &pathError{path, err}
			}
			rules = append(rules, rule)
		}
	}
	return rules, nil
}

func ruleFor(path string, access landlock.AccessFSSet) (landlock.Rule, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return nil, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= ofFile
	}
	return landlock.PathAccess(access, path), nil
}

// systemReads lists files and directories that programs need to start. Some of them may not exist.
// It excludes /usr/bin and similar directories, because the dynamic loader could otherwise run a
// binary that is not in Spec.Exec.
func systemReads() []string {
	return []string{
		"/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/lib", "/lib32", "/lib64", "/libx32",
		"/usr/share", "/usr/local/lib", "/usr/local/share", "/nix/store", "/gnu/store",
		"/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime",
		"/etc/alternatives", "/dev/urandom", "/dev/random",
	}
}

// networkReads lists files needed for name resolution and TLS certificates.
func networkReads(network bool) []string {
	if !network {
		return nil
	}
	return []string{
		"/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf",
		"/etc/services", "/etc/protocols", "/etc/ssl", "/etc/pki", "/etc/ca-certificates",
	}
}
