//go:build !unix

package sandbox

import (
	"io/fs"
	"path/filepath"
	"strings"
)

func systemDirs() []string {
	return []string{`C:\Program Files\Git\cmd`, `C:\Windows\System32`}
}

// fileNames returns the name with the extension .exe, because only .exe files run without a shell.
func fileNames(name string) []string {
	if strings.EqualFold(filepath.Ext(name), ".exe") {
		return []string{name}
	}
	return []string{name + ".exe"}
}

func executable(fs.FileMode) bool { return true }

// ownership trusts every file, because permissions are not checked on this
// system. Search.Forbid still applies.
func ownership(info fs.FileInfo) owner {
	return owner{info.Mode() &^ 0o022, true}
}

// links returns 1, because hard links are not counted on this system.
func links(fs.FileInfo) uint64 { return 1 }

func sameName(a, b string) bool { return strings.EqualFold(a, b) }

const nonblock = 0

func missing(err error) error { return err }
