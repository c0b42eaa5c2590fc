package publish

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DirURI returns the URI of a skill's directory, given the URI of its SKILL.md.
func DirURI(uri string) string { return strings.TrimSuffix(uri, "/"+Main) }

// nameOf returns the skill's name, given the URI of its SKILL.md.
func nameOf(uri string) string {
	base := DirURI(uri)
	return base[strings.LastIndexByte(base, '/')+1:]
}

// FileURI returns the URI for a file or directory in a skill. "." is the skill's directory.
func FileURI(uri, path string) string {
	if path == "." {
		return DirURI(uri)
	}
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return DirURI(uri) + "/" + strings.Join(parts, "/")
}

// FilePath is the inverse of [FileURI]. Given the URI of a file in a skill, it returns the file's
// path within the skill. It returns false if the file is not in the skill or its URI is not spelled
// exactly as FileURI spells it, so that each file has a single URI.
func FilePath(uri, file string) (string, bool) {
	if file == DirURI(uri) {
		return ".", true
	}
	rest, ok := strings.CutPrefix(file, DirURI(uri)+"/")
	if !ok {
		return "", false
	}
	parts := strings.Split(rest, "/")
	for i, p := range parts {
		text, err := url.PathUnescape(p)
		if err != nil || url.PathEscape(text) != p || !safeElement(text) {
			return "", false
		}
		parts[i] = text
	}
	return strings.Join(parts, "/"), true
}

// safeElement reports whether a path element is a plain name.
func safeElement(element string) bool {
	return element != "" && element != "." && element != ".." && utf8.ValidString(element) &&
		!strings.ContainsFunc(element, func(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) })
}

// safePath reports whether all elements of a path are plain names.
func safePath(path string) bool {
	for element := range strings.SplitSeq(path, "/") {
		if !safeElement(element) {
			return false
		}
	}
	return true
}

// EnclosingSkills calls yield with the SKILL.md URI of each skill that could contain the file
// or directory, outermost first, until yield returns false.
func EnclosingSkills(file string, yield func(skill string) bool) {
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
