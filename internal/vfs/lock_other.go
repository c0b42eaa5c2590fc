//go:build !windows && (!unix || solaris || aix)

package vfs

import "os"

const lockFile, scratchLock = "", ""

func lockDir(*os.Root, string, string) (release func(), err error) { return nil, errNoLocks }

func linkRight(error) bool { return false }
