package remote

import (
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

const skillFile = "SKILL.md"

// maxURI is the length of the longest URI in bytes.
const maxURI = 2048

// maxPlace and maxScheme are the lengths of the longest path of a skill and of the
// longest scheme, in runes: both are shown before anybody has consented to anything.
const (
	maxPlace  = 128
	maxScheme = 32
)

// skillURI reads the URI of a skill: SCHEME://PATH…/NAME/SKILL.md. dir is the URI
// of its directory, place the path of it and name its last element. Each element is a
// name: the URI is shown, and is no place for sentences.
func skillURI(uri string) (dir, place, name string, ok bool) {
	place, ok = uriPath(uri)
	if !ok || path.Base(place) != skillFile {
		return "", "", "", false
	}
	dir, place = uri[:len(uri)-len("/"+skillFile)], path.Dir(place)
	if place == "." || !strings.HasSuffix(uri, "/"+skillFile) {
		return "", "", "", false
	}
	scheme, _, _ := strings.Cut(uri, ":")
	return dir, place, path.Base(place), validPath(place) && len(scheme) <= maxScheme
}

// uriPath returns what stands behind "SCHEME://" where it is a plain path: no
// element is empty or leads up, and nothing in it is invisible or escaped twice.
// The first element is no address that anything is asked at (documented).
func uriPath(uri string) (string, bool) {
	scheme, rest, ok := strings.Cut(uri, "://")
	if !ok || !validScheme(scheme) || len(uri) > maxURI || strings.ContainsAny(rest, "?#\\") || !utf8.ValidString(uri) {
		return "", false
	}
	plain, err := url.PathUnescape(rest)
	if err != nil || strings.Count(plain, "/") != strings.Count(rest, "/") || !utf8.ValidString(plain) || strings.ContainsAny(plain, "\\\x00") || strings.ContainsFunc(plain, hidden) {
		return "", false
	}
	for element := range strings.SplitSeq(plain, "/") {
		if element == "" || element == "." || element == ".." {
			return "", false
		}
	}
	return plain, true
}

func validScheme(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '+' && c != '-' && c != '.'
	})
}

// below returns the path of a URI under that of a directory.
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

func hidden(c rune) bool {
	return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || unicode.Is(unicode.Zl, c) || unicode.Is(unicode.Zp, c) || c == utf8.RuneError
}

// validName reports whether a name can be a part of one of ours: letters, digits and
// the marks that names of skills and prompts have, so that it is no sentence and no
// command. It is shown and typed, and stands in what a model reads.
func validName(name string) bool {
	return name != "" && name != "." && name != ".." && utf8.ValidString(name) && utf8.RuneCountInString(name) <= maxName &&
		!strings.ContainsFunc(name, func(c rune) bool {
			return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("-_.", c)
		})
}

// maxName is the length of the longest name of a skill (documented), in runes.
const maxName = 64
