package publish

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Base is the URI of a skill's directory, by that of its SKILL.md.
func Base(uri string) string { return strings.TrimSuffix(uri, "/"+Main) }

// lastName is the name in the URI of a SKILL.md.
func lastName(uri string) string {
	base := Base(uri)
	return base[strings.LastIndexByte(base, '/')+1:]
}

// FileURI is the URI of a file or a directory of a skill, "." being the skill's own.
func FileURI(uri, path string) string {
	if path == "." {
		return Base(uri)
	}
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return Base(uri) + "/" + strings.Join(parts, "/")
}

// FilePath is the path of what another URI names in a skill, "." for the skill's
// directory. It is false for what is not in the skill, and for each spelling but the
// one of [FileURI], so that one file has one URI.
func FilePath(uri, file string) (string, bool) {
	if file == Base(uri) {
		return ".", true
	}
	rest, ok := strings.CutPrefix(file, Base(uri)+"/")
	if !ok {
		return "", false
	}
	parts := strings.Split(rest, "/")
	for i, p := range parts {
		text, err := url.PathUnescape(p)
		if err != nil || url.PathEscape(text) != p || !safe(text) {
			return "", false
		}
		parts[i] = text
	}
	return strings.Join(parts, "/"), true
}

// safe reports whether an element of a path is a name and nothing else.
func safe(element string) bool {
	return element != "" && element != "." && element != ".." && utf8.ValidString(element) &&
		!strings.ContainsFunc(element, func(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) })
}

// safePath reports whether all elements of a path are.
func safePath(path string) bool {
	for element := range strings.SplitSeq(path, "/") {
		if !safe(element) {
			return false
		}
	}
	return true
}

// Scopes calls yield with each URI that the SKILL.md of a skill could have which
// holds what a URI names, the outermost first, until it returns false.
func Scopes(file string, yield func(skill string) bool) {
	scheme := strings.Index(file, "://")
	if scheme < 0 {
		return
	}
	for i := scheme + 3; i <= len(file); i++ {
		if i == len(file) || file[i] == '/' {
			if i > scheme+3 && !yield(file[:i]+"/"+Main) {
				return
			}
		}
	}
}
