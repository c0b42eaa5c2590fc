package coreutils

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzPrepareText asserts that no command line panics and that what is
// understood can be run over an empty directory. The words are separated by
// newlines.
func FuzzPrepareText(f *testing.F) {
	for _, line := range []string{"grep\n-rnE\n(a|b)+\n.", "sed\n-n\n/a/,$!{s/x/y/2gp;q3}", "sort\n-k1.2b,3nr\n-t,", "cut\n-d,\n-f1,3-", "tr\n-cs\n[:alnum:]\n[x*]", "printf\n%-*.3d %b\\n\n3\nx",
		"date\n-d\n2024-01-31 10:00 +0200 next month\n+%-d %10N %::z", "seq\n-w\n-1\n.5\n2", "xargs\n-I{}\necho\n{}", "echo\n-e\n\\x41\\u20ac\\c", "nl\n-ba\n-nrz", "fold\n-sw3", "paste\n-sd\\n,", "uniq\n-cf1", "comm\n-12\na\n-", "jq\n-r\n.a[] // \"x\"", "sleep\n0", "tac", "rev", "uname\n-sm", "column\n-t\n-s\n,", "diff\n-iu\n-\n-", "id\n-un", "md5sum\n-z", "nproc\n--ignore=1"} {
		f.Add(line, "a b\n'c' 1\n{\"a\":[1,2]}\n")
	}
	f.Fuzz(func(t *testing.T, line, stdin string) {
		argv := strings.Split(line, "\n")
		c, ok := Lookup(argv[0])
		if !ok || argv[0] == "sleep" || len(line) > 2000 {
			return
		}
		p, err := c.Prepare(argv)
		if err != nil {
			if u, isUsage := err.(*UsageError); !isUsage || u.Word < 0 || u.Word >= len(argv) || u.Message == "" {
				t.Fatalf("%q: %#v", argv, err)
			}
			return
		}
		for _, path := range p.Paths {
			if path.Word < 0 || path.Word >= len(argv) || path.Word > 0 && !strings.Contains(argv[path.Word], path.Name) {
				t.Fatalf("%q: path %+v is not in its word", argv, path)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		out := &limitedWriter{left: 1 << 20}
		p.Run(ctx, &IO{FS: noFS{}, Stdin: strings.NewReader(stdin), Stdout: out, Stderr: io.Discard, Dir: "/", Exec: func(context.Context, []string, io.Reader) int { return 0 }})
		if ctx.Err() != nil {
			t.Fatalf("%q does not end", argv)
		}
	})
}

// limitedWriter is a reader that goes away.
type limitedWriter struct{ left int }

func (w *limitedWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// FuzzRegex asserts that what is translated compiles, and that translation
// keeps plain text plain.
func FuzzRegex(f *testing.F) {
	for _, s := range []string{`a\(b\|c\)*d`, `^[^]a-z[:digit:]]\{2,3\}$`, `(a|b)+{1,2}`, `\<x\>\b\B`, `*a**`, `[[.a.][=b=]]`, `a\{,3\}`, `(`, `[`, `\`, `()|`, `x{1000}{1000}`, `^*`, `\(^a\|b$\)`} {
		f.Add(s, "abc abd")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		for _, d := range []dialect{basic, extended, fixed, perl} {
			re, err := compileRegex(pattern, d, false)
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

// noFS is a file system without files.
type noFS struct{}

func gone(name string) error { return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist} }

func (noFS) Open(name string) (File, error)             { return nil, gone(name) }
func (noFS) ReadDir(name string) ([]fs.FileInfo, error) { return nil, gone(name) }
func (noFS) Stat(name string) (fs.FileInfo, error)      { return nil, gone(name) }
func (noFS) Lstat(name string) (fs.FileInfo, error)     { return nil, gone(name) }
func (noFS) Readlink(name string) (string, error)       { return "", gone(name) }

func textBench(b *testing.B, argv ...string) {
	var in bytes.Buffer
	for i := range 20_000 {
		in.WriteString("line ")
		in.WriteString(strings.Repeat("x", i%17))
		in.WriteString(" of some text, with a name = value pair\n")
	}
	c, _ := Lookup(argv[0])
	p, err := c.Prepare(argv)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(in.Len()))
	b.ReportAllocs()
	for b.Loop() {
		p.Run(b.Context(), &IO{FS: noFS{}, Stdin: bytes.NewReader(in.Bytes()), Stdout: io.Discard, Stderr: io.Discard})
	}
}

func BenchmarkGrepLiteral(b *testing.B) { textBench(b, "grep", "-F", "xxxx of") }
func BenchmarkGrepRegex(b *testing.B)   { textBench(b, "grep", "-E", "x{4,} (of|on) [a-z]+") }
func BenchmarkSort(b *testing.B)        { textBench(b, "sort") }
func BenchmarkSortKey(b *testing.B)     { textBench(b, "sort", "-k2,2", "-k1n") }
func BenchmarkSed(b *testing.B)         { textBench(b, "sed", "s/name = \\(.*\\)/\\1/") }
func BenchmarkCut(b *testing.B)         { textBench(b, "cut", "-d", " ", "-f2,4") }
func BenchmarkUniq(b *testing.B)        { textBench(b, "uniq", "-c") }
func BenchmarkTr(b *testing.B)          { textBench(b, "tr", "a-z", "A-Z") }
