package coreutils

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzRegex asserts that what is translated compiles, and that translation
// keeps plain text plain.
func FuzzRegex(f *testing.F) {
	for _, s := range []string{`a\(b\|c\)*d`, `^[^]a-z[:digit:]]\{2,3\}$`, `(a|b)+{1,2}`, `\<x\>\b\B`, `*a**`, `[[.a.][=b=]]`, `a\{,3\}`, `(`, `[`, `\`, `()|`, `x{1000}{1000}`, `^*`, `\(^a\|b$\)`} {
		f.Add(s, "abc abd")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		for _, d := range []dialect{basic, extended, emacs, fixed, perl} {
			re, err := compileBoth(pattern, d)
			if err != nil {
				continue
			}
			loc := re.FindStringIndex(text)
			if d == fixed && (loc != nil) != strings.Contains(text, pattern) && utf8.ValidString(text) && utf8.ValidString(pattern) {
				t.Fatalf("%q in %q: %v", pattern, text, loc)
			}
			if plain := regexp.MustCompile(`^[a-z ]+$`); plain.MatchString(pattern) && (loc != nil) != strings.Contains(text, pattern) {
				t.Fatalf("plain %q in %q: %v", pattern, text, loc)
			}
		}
	})
}

func compileBoth(pattern string, d dialect) (*regexp.Regexp, error) {
	src, err := translate(pattern, d)
	if err != nil {
		return nil, err
	}
	return compile(src, d, false)
}

// noFS is a file system without files.
type noFS struct{}

func gone(name string) error { return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist} }

func (noFS) Open(name string) (File, error)             { return nil, gone(name) }
func (noFS) ReadDir(name string) ([]fs.FileInfo, error) { return nil, gone(name) }
func (noFS) Stat(name string) (fs.FileInfo, error)      { return nil, gone(name) }
func (noFS) Lstat(name string) (fs.FileInfo, error)     { return nil, gone(name) }
func (noFS) Readlink(name string) (string, error)       { return "", gone(name) }
