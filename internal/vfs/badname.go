package vfs

import (
	"runtime"
	"strings"
	"unicode"
)

const windows = runtime.GOOS == "windows"

// HasExecBits reports whether files on this system have execute permissions.
func HasExecBits() bool { return !windows }

// CheckName returns an ErrBadName error for names that Windows resolves to something other than the
// file with that name. It does so on every system. Such names are devices (NUL, com1.txt),
// alternate data streams and drives (anything with a colon), UNC and object manager paths
// (\\server\share, //server/share, \??\), and elements that end with a dot or a space. Both slashes
// and backslashes separate elements.
//
// Use CheckName for names in definitions. It checks only the text and does not access files.
func CheckName(name string) error {
	if isUNC(name) {
		return &nameError{name}
	}
	for element := range strings.FieldsFuncSeq(name, isSlash) {
		if specialElement(element) {
			return &nameError{name}
		}
	}
	return nil
}

// nameError is an ErrBadName error that includes the name.
type nameError struct{ name string }

func (e *nameError) Error() string { return e.name + ": " + ErrBadName.Error() }

func (e *nameError) Unwrap() error { return ErrBadName }

func isSlash(r rune) bool { return r == '/' || r == '\\' }

// isUNC reports whether a path starts like a UNC or device path. A path with three or more leading
// slashes is not one, because other systems treat them as a single slash.
func isUNC(name string) bool {
	lead := name[:len(name)-len(strings.TrimLeft(name, `/\`))]
	if len(lead) == 2 || len(lead) > 2 && strings.Contains(lead, `\`) {
		return true
	}
	return len(lead) == 1 && (name[1:] == "??" || strings.HasPrefix(name[1:], "??/") || strings.HasPrefix(name[1:], `??\`))
}

// special reports whether Windows might resolve a name in a tree to a different file. This includes
// all names that contain backslashes, because Windows treats them as separators.
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

// device reports whether an element is a device name, optionally with an extension.
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

// shortened reports whether an element looks like a Windows short name: at most eight characters,
// ending in a tilde and digits, and an optional extension.
func shortened(e string) bool {
	stem, ext, _ := strings.Cut(e, ".")
	at := strings.LastIndexByte(stem, '~')
	if at < 0 || at == len(stem)-1 || len(stem) > 8 || len(ext) > 3 {
		return false
	}
	return strings.Trim(stem[at+1:], "0123456789") == ""
}

// IsGit reports whether a path contains an element that some system resolves to a git directory.
// Such an element is ".git" in any case, including with trailing dots, spaces or a stream name, or
// with characters that HFS+ ignores. The short name "git~1" is another. See core.protectNTFS and
// core.protectHFS in git-config. Both slashes and backslashes separate elements. IsGit checks only
// the text and does not access files.
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
