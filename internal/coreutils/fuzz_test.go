package coreutils

import (
	"context"
	"errors"
	"io"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzPrepare checks that every command line is either rejected or terminates.
func FuzzPrepare(f *testing.F) {
	for _, line := range []string{
		"ls -la a.txt", "cat -A a.txt -", "head -n -1 a.txt", "tail +2 a.txt", "wc -lwmcL", "find . -name *.x -o -type d -printf %p\\n",
		"find . ( -size +1k , ! -mtime -3 ) -prune", "[ ( a = b ) -o ! -f x ]", "test 1 -lt 2 -a -n x", "stat -c %10N a.txt", "du -ah", "tree -a -I x|y -L 2",
		"basename -s .x a.x", "realpath -m a/../b", "readlink -f a", "type -t ls", "command -v x", "which a/b", "diff -ruN . src", "diff -wB a.txt -", "diff -U1 -x *.x src -N .", "cmp -s a.txt -", "sha256sum --tag a.txt", "column -ts o -o | a.txt", "printf %5s x", "grep -n o a.txt", "sort -k2,3n",
	} {
		f.Add(strings.ReplaceAll(line, " ", "\x00"), "one\ntwo\n")
	}
	f.Fuzz(func(t *testing.T, line, stdin string) {
		argv := strings.Split(line, "\x00")
		c, ok := Lookup(argv[0])
		if !ok {
			return
		}
		p, err := c.Prepare(argv)
		if err != nil {
			var use *UsageError
			if !errors.As(err, &use) || use.Word < 0 || use.Word > len(argv) {
				t.Fatalf("%q: %#v", argv, err)
			}
			return
		}
		for _, o := range p.Paths {
			if o.Word < 0 || o.Word >= len(argv) {
				t.Fatalf("%q: %v is no word", argv, o)
			}
		}
		if p.Run == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		x := &IO{FS: memTree(), Stdin: strings.NewReader(stdin), Stdout: io.Discard, Stderr: io.Discard, Dir: "/proj"}
		x.Exec = func(context.Context, []string, io.Reader) int { return 0 }
		if status := p.Run(ctx, x); status < 0 || status > 255 {
			t.Fatalf("%q: status %d", argv, status)
		}
	})
}

// FuzzGlob compares glob with path.Match, using patterns that both interpret the same way.
func FuzzGlob(f *testing.F) {
	for _, s := range [][2]string{{"*.md", "a.md"}, {"[!a-c]?", "dx"}, {`\*`, "*"}, {"[[:alpha:]]*", "ab"}, {"a**b", "ab"}, {"[]x]", "]"}, {"[", "["}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		// An argument cannot contain a NUL, and the pattern package ends a pattern there.
		if strings.Contains(pattern, "\x00") {
			return
		}
		re, err := glob(pattern, false)
		if _, folded := glob(pattern, true); (err == nil) != (folded == nil) {
			t.Fatalf("%q: %v, %v", pattern, err, folded)
		}
		if err != nil {
			return
		}
		got := re.MatchString(name)
		if strings.ContainsAny(pattern, "[]!\\") || strings.Contains(name, "/") || strings.ContainsRune(pattern+name, '\uFFFD') {
			return
		}
		if !utf8.ValidString(pattern) || !utf8.ValidString(name) {
			return
		}
		if want, err := path.Match(pattern, name); err == nil && got != want {
			t.Fatalf("%q %q: %v", pattern, name, got)
		}
	})
}

// FuzzRegex checks that translated expressions compile and that plain text is unchanged.
func FuzzRegex(f *testing.F) {
	for _, s := range []string{`a\(b\|c\)*d`, `^[^]a-z[:digit:]]\{2,3\}$`, `(a|b)+{1,2}`, `\<x\>\b\B`, `*a**`, `[[.a.][=b=]]`, `a\{,3\}`, `(`, `[`, `\`, `()|`, `x{1000}{1000}`, `^*`, `\(^a\|b$\)`} {
		f.Add(s, "abc abd")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		for _, d := range []dialect{basic, extended, fixed, perl} {
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
