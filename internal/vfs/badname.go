package vfs

import (
	"runtime"
	"strings"
	"unicode"
)

const windows = runtime.GOOS == "windows"

// HasExecBits reports whether files of this system have a right to be run.
func HasExecBits() bool { return !windows }

// CheckName refuses with ErrBadName, on every system, the names that Windows
// does not take for the file they seem to name: devices (NUL, com1.txt),
// alternate streams and drives (anything with a colon), paths of servers and
// of the object manager (\\server\share, //server/share, \??\), and elements
// that end with a dot or a blank. It is for names that a definition writes; a
// slash and a backslash both end an element. It looks at nothing but the text.
func CheckName(name string) error {
	if doubleRoot(name) {
		return &nameError{name}
	}
	for element := range strings.FieldsFuncSeq(name, isSlash) {
		if specialElement(element) {
			return &nameError{name}
		}
	}
	return nil
}

// nameError is ErrBadName with the name.
type nameError struct{ name string }

func (e *nameError) Error() string { return e.name + ": " + ErrBadName.Error() }

func (e *nameError) Unwrap() error { return ErrBadName }

func isSlash(r rune) bool { return r == '/' || r == '\\' }

// doubleRoot reports whether a path begins as those of servers and devices do.
// Three slashes and more are one to the other systems, and are let through.
func doubleRoot(name string) bool {
	lead := name[:len(name)-len(strings.TrimLeft(name, `/\`))]
	if len(lead) == 2 || len(lead) > 2 && strings.Contains(lead, `\`) {
		return true
	}
	return len(lead) == 1 && (name[1:] == "??" || strings.HasPrefix(name[1:], "??/") || strings.HasPrefix(name[1:], `??\`))
}

// special reports whether a name of a tree, on Windows, is not the file that
// its elements say. A backslash is no letter there.
func special(name string) bool {
	if strings.Contains(name, `\`) {
		return true
	}
	for element := range strings.SplitSeq(name, "/") {
		if specialElement(element) {
			return true
		}
	}
	return false
}

func specialElement(e string) bool {
	if e == "." || e == ".." || e == "" {
		return false
	}
	return strings.Contains(e, ":") || strings.TrimRight(e, ". ") != e || device(e)
}

// device reports whether an element is a device, whatever comes behind a dot.
func device(e string) bool {
	e, _, _ = strings.Cut(e, ".")
	e = strings.ToUpper(strings.TrimRight(e, " "))
	switch e {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	number, port := strings.CutPrefix(e, "COM")
	if !port {
		number, port = strings.CutPrefix(e, "LPT")
	}
	switch number {
	case "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
		return port
	}
	return false
}

// shortened reports whether an element looks like the second, short name that
// Windows gives a long one: up to eight characters with a tilde and a digit.
func shortened(e string) bool {
	stem, ext, _ := strings.Cut(e, ".")
	at := strings.LastIndexByte(stem, '~')
	if at < 0 || at == len(stem)-1 || len(stem) > 8 || len(ext) > 3 {
		return false
	}
	return strings.Trim(stem[at+1:], "0123456789") == ""
}

// IsGit reports whether an element of a path is the directory of a repository of git
// to some system: ".git" in whatever case, with full stops, blanks or a stream behind
// it, with characters inside that HFS+ passes over, or by its short name "git~1"
// (documented: core.protectNTFS and core.protectHFS of git-config). Slash and
// backslash both end an element. It looks at nothing but the text.
func IsGit(name string) bool {
	for element := range strings.FieldsFuncSeq(name, isSlash) {
		element, _, _ = strings.Cut(element, ":")
		element = strings.TrimRight(strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) {
				return -1
			}
			return unicode.ToLower(r)
		}, element), ". ")
		if element == ".git" || element == "git~1" {
			return true
		}
	}
	return false
}
