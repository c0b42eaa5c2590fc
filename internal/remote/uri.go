package remote

import (
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

const skillFile = "SKILL.md"

// maxURI limits the length of a URI, in bytes.
const maxURI = 2048

// maxPathRunes is the maximum length of the path in a skill's URI, in runes, and maxScheme is the
// maximum length of the scheme. Both parts are shown before the user has approved anything.
const (
	maxPathRunes = 128
	maxScheme    = 32
)

// skillURI parses a skill's URI, SCHEME://PATH…/NAME/SKILL.md. dir is the URI of the skill's
// directory, skillPath is that directory's path, and name is the path's last element. Because the
// URI is displayed, each element must be a valid name, which cannot contain prose.
func skillURI(uri string) (dir, skillPath, name string, ok bool) {
	skillPath, ok = uriPath(uri)
	if !ok || path.Base(skillPath) != skillFile {
		return "", "", "", false
	}
	dir, skillPath = uri[:len(uri)-len("/"+skillFile)], path.Dir(skillPath)
	if skillPath == "." || !strings.HasSuffix(uri, "/"+skillFile) {
		return "", "", "", false
	}
	scheme, _, _ := strings.Cut(uri, ":")
	return dir, skillPath, path.Base(skillPath), validPath(skillPath) && len(scheme) <= maxScheme
}

// uriPath returns the decoded text after "SCHEME://" if it is a plain path, which has no empty, "."
// or ".." elements, no invisible characters, no backslashes, and no escaped slashes. According to
// the specification, the first element is part of the path and not a host to contact.
func uriPath(uri string) (string, bool) {
	scheme, rest, ok := strings.Cut(uri, "://")
	if !ok || !validScheme(scheme) || len(uri) > maxURI || strings.ContainsAny(rest, "?#\\") || !utf8.ValidString(uri) {
		return "", false
	}
	decoded, err := url.PathUnescape(rest)
	if err != nil || strings.Count(decoded, "/") != strings.Count(rest, "/") || !utf8.ValidString(decoded) || strings.ContainsAny(decoded, "\\\x00") || strings.ContainsFunc(decoded, invisible) {
		return "", false
	}
	for element := range strings.SplitSeq(decoded, "/") {
		if element == "" || element == "." || element == ".." {
			return "", false
		}
	}
	return decoded, true
}

func validScheme(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '+' && c != '-' && c != '.'
	})
}

// below returns the path of uri relative to dir, and reports whether uri is a plain URI below dir.
func below(dir, uri string) (string, bool) {
	rest, ok := strings.CutPrefix(uri, dir+"/")
	if !ok {
		return "", false
	}
	if _, ok := uriPath(uri); !ok {
		return "", false
	}
	plain, err := url.PathUnescape(rest)
	return plain, err == nil
}

func invisible(c rune) bool {
	return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || unicode.Is(unicode.Zl, c) ||
		unicode.Is(unicode.Zp, c) || c == utf8.RuneError
}

// validName reports whether a name can be part of a definition name: letters,
// digits, dots, underscores and hyphens. Users see and type names, and models
// read them, so a name must not be able to contain a sentence or a command.
func validName(name string) bool {
	return name != "" && name != "." && name != ".." && utf8.ValidString(name) && utf8.RuneCountInString(name) <= maxName &&
		!strings.ContainsFunc(name, func(c rune) bool {
			return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("-_.", c)
		})
}

// maxName is the maximum length of a skill name, in runes, according to the specification.
const maxName = 64
