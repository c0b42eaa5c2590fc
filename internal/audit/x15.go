package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

func x15() Rule {
	return Rule{
		ID: "X15", Name: "destructive-command", Title: "A whole system, home or disk is deleted", Scope: "code",
		Severity: Review, Confidence: High,
		Why: "One run, and what the user has on this machine is gone. A model does not know the moment at which it would be right.",
		Fix: "Name the one directory that is meant, check that it is there, and ask before it is deleted.",
		CWE: []int{73, 250}, OWASP: "AST03",
		find: findX15,
	}
}

func findX15(p *pass) {
	for i := range p.Commands {
		c := &p.Commands[i]
		if what := destroys(c); what != "" {
			p.at(c.Place, "%s", what).standing(c.Standing)
		}
	}
}

// destroys says what a command destroys; "" where it does not, as far as is known.
func destroys(c *fact.Command) string {
	flag := func(letters string) bool {
		return slices.ContainsFunc(c.Args, func(a string) bool {
			return len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.ContainsAny(a, letters)
		})
	}
	switch c.Name {
	case "rm":
		if (flag("rR") || c.Has("--recursive")) && slices.ContainsFunc(c.Args, isRoot) {
			return "everything in the system, the home or the current directory is deleted"
		}
	case "find":
		if len(c.Args) > 1 && isRoot(c.Args[0]) && c.Args[0] != "*" && c.Has("-delete") && !slices.ContainsFunc(c.Args, func(a string) bool {
			return strings.HasSuffix(a, "name") || a == "-path" || a == "-regex" || a == "-empty"
		}) {
			return "everything in the system or the home is deleted"
		}
	case "chmod", "chown":
		if (flag("R") || c.Has("--recursive")) && slices.ContainsFunc(c.Args, func(a string) bool { return a == "/" || a == "/*" }) {
			return "the rights of the whole system are changed"
		}
	case "dd":
		for _, a := range c.Args {
			if to, ok := strings.CutPrefix(a, "of="); ok && isDisk(to) {
				return "a disk is written over"
			}
		}
	case "shred", "wipefs", "blkdiscard", "sgdisk":
		if slices.ContainsFunc(c.Args, isDisk) {
			return "a disk is wiped"
		}
	case "diskutil":
		if len(c.Args) > 1 && strings.HasPrefix(strings.ToLower(c.Args[0]), "erase") && slices.ContainsFunc(c.Args, isDisk) {
			return "a disk is wiped"
		}
	case "diskpart":
		if strings.Contains(strings.ToLower(c.Input), "clean") {
			return "a disk is wiped"
		}
	case "format":
		if len(c.Args) > 0 && isDrive(c.Args[0]) {
			return "a disk is formatted"
		}
	case "remove-item", "ri", "rd", "rmdir", "del", "erase":
		deep := slices.ContainsFunc(c.Args, func(a string) bool {
			low := strings.ToLower(a)
			return low == "/s" || len(low) > 1 && strings.HasPrefix("-recurse", low)
		})
		if deep && slices.ContainsFunc(c.Args, isDrive) {
			return "everything on a drive or in the home is deleted"
		}
	}
	if strings.HasPrefix(c.Name, "mkfs") && slices.ContainsFunc(c.Args, isDisk) {
		return "a disk is formatted"
	}
	if slices.ContainsFunc(c.Writes, isDisk) {
		return "a disk is written over"
	}
	if strings.HasPrefix(c.Name, ":") && strings.Contains(c.Text, ":|:") {
		return "processes are started without end"
	}
	return ""
}

// isRoot reports whether a path is all of a system, of a home or of where one is.
func isRoot(path string) bool {
	switch path {
	case "/", "/*", "/.", "/..", "~", "~/", "~/*", "$HOME", "$HOME/", "$HOME/*", "${HOME}", "${HOME}/", "${HOME}/*", "*", "--no-preserve-root", "/home", "/home/*", "/Users", "/Users/*", "/etc", "/usr", "/var", "/root", "/boot", "/bin", "/lib", "~/.*", "$HOME/.*", "/System", "/c/", "/mnt/c", "/mnt/c/", "/mnt/c/*":
		return true
	}
	return false
}

// isDisk reports whether a path is a disk of a machine, and not a name that stands for
// any.
func isDisk(path string) bool {
	for _, head := range []string{"/dev/sda", "/dev/sdb", "/dev/nvme0n1", "/dev/nvme1n1", "/dev/vda", "/dev/xvda", "/dev/hda", "/dev/disk0", "/dev/disk1", "/dev/rdisk0", "/dev/rdisk1", "/dev/mmcblk0", `\\.\PhysicalDrive0`, "disk0", "disk1"} {
		if rest, ok := strings.CutPrefix(path, head); ok && (rest == "" || rest[0] >= '0' && rest[0] <= '9' || rest[0] == 'p') {
			return true
		}
	}
	return false
}

// isDrive reports whether a path is a drive of Windows, its system or a home.
func isDrive(path string) bool {
	low := strings.ToLower(strings.Trim(path, `"'`))
	switch strings.TrimRight(low, `\/*`) {
	case "c:", "d:", "%systemroot%", "%userprofile%", "$home", "$env:userprofile", "$env:systemroot", "~", `c:\windows`, `c:\users`, "%homepath%", "$env:homepath", "%systemdrive%", "$env:systemdrive":
		return true
	}
	return low == "/" || low == "/*"
}
