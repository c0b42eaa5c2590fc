package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/diag"

	"github.com/vadehq/vade/internal/testenv"
)

// bind creates a binding for each placeholder in text.
func bind(text string, values map[string]string) []Binding {
	var list []Binding
	for i := 0; i < len(text); i++ {
		for name, value := range values {
			if strings.HasPrefix(text[i:], name) {
				list = append(list, Binding{Span: diag.Span{Start: i, End: i + len(name)}, Value: value, Argument: true})
				i += len(name) - 1
				break
			}
		}
	}
	return list
}

func TestParseSubset(t *testing.T) {
	for _, text := range []string{
		"git status", "a | b | c", "a && b || c; d", "a 2>/dev/null", "a >/dev/null 2>&1", "a &>/dev/null", "! a",
		`echo "x $(b c) y"`, "x=$(a); echo $x", "for f in *.md; do wc -l $f; done", "if a; then b; elif c; then d; else e; fi",
		"(a; b)", "{ a; b; }", "wc -l < go.mod", "a\nb\n# note\nc", `find . \( -name a -o -name b \)`, "echo $?", "[ -d src ] && ls", "git log HEAD@{1} @{u}..",
		"a `b`", "cat <f", "",
	} {
		s, err := Parse(text, nil)
		if err != nil {
			t.Errorf("Parse(%q): %v", text, err)
		} else if strings.HasPrefix(text, "[") && !s.Commands[0].Words[0].Known {
			t.Errorf("Parse(%q): the command name is a pattern", text)
		} else if len(s.Unsupported) > 0 || len(s.Variables) > 0 {
			t.Errorf("Parse(%q): unsupported %+v, variables %v", text, s.Unsupported, s.Variables)
		}
	}
}

func TestParseUnsupported(t *testing.T) {
	for _, text := range []string{
		"a & b", "a |& b &", "echo ${x:=$(a)}", "echo ${a@P}", "echo ${!a}", "echo ${a[0]}", "echo $((1))", "((a))", "let a=1", "[[ -v a ]]",
		"cat <<E\nx\nE", "cat <<< x", "a > f", "a >> f", "a >| f", "a <> f", "a 3>&1", "a >&f", "a &>f", "a > $(b)", "a < $(b)", "a < $x",
		"<(a)", "cat <(a)", "a >(b)", "echo {1..9}", "echo {a,b}", `echo {"a",b}`, "echo a{b{c},d}", "echo ~", "echo ~/x", "echo $'a'", `echo $"a"`,
		"f() { a; }", "function f { a; }", "while a; do b; done", "until a; do b; done", "case a in b) c;; esac", "select x in a; do b; done",
		"X=1 a", "IFS=,", "PATH=x", "LD_PRELOAD=x", "BASH_ENV=x", "x+=1", "x[0]=1", "x=(a)", "export x=1", "declare x", "local x", "readonly x=1",
		"time a", "coproc a", "for ((i=0;i<9;i++)); do a; done", "for f; do a; done", "for PATH in a; do b; done", "echo @(a|b)", "$(<f)", "> f", "< f", "echo $()",
		"{ a; } < f", "x=~/y",
	} {
		s, err := Parse(text, nil)
		if err == nil && len(s.Unsupported) == 0 && len(s.Variables) == 0 {
			t.Errorf("Parse(%q) reports nothing unsupported", text)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{"a 'b", "a |", "&& a", "if a", "a)", "$(a", "a\x00b("} {
		var syntaxErr *SyntaxError
		if _, err := Parse(text, nil); !errors.As(err, &syntaxErr) {
			t.Errorf("Parse(%.20q): %v", text, err)
		} else if strings.Contains(err.Error(), "vZq") {
			t.Errorf("the message contains a placeholder: %v", err)
		}
	}
	for _, text := range []string{strings.Repeat("(", 600), strings.Repeat("x", MaxScript+1)} {
		var syntaxErr *SyntaxError
		if _, err := Parse(text, nil); err == nil || errors.As(err, &syntaxErr) {
			t.Errorf("Parse(%.20q): %v", text, err)
		}
	}
}

// TestBounds checks that the output size of a short script is bounded before the script runs.
func TestBounds(t *testing.T) {
	for text, bounded := range map[string]bool{
		"X=" + strings.Repeat("a", 99) + ";" + strings.Repeat("X=$X$X;", 30) + "echo $X":    false,
		"X=aaaa;" + strings.Repeat("Y=$X$X;X=$Y;", 30) + "echo $X":                          false,
		"X=a; for i in 1 2 3; do X=$X$X; done":                                              false,
		"X=a; for i in 1 2 3; do X=$X$i; done":                                              false,
		"X=a; for i in 1 2 3; do X=$X.; done; Z=$X$X":                                       false,
		"X=$(cat a); " + strings.Repeat("Y=$X$X$X;X=$Y;", 5) + "echo $X":                    false,
		"X=$(cat a); echo " + strings.Repeat("$X", 100):                                     false,
		"cat a" + strings.Repeat(" | tac", 20):                                              false,
		strings.Repeat("pwd;", 200):                                                         false,
		"X=$(cat a); Y=\"$X-$X\"; echo $Y $Y":                                               true,
		"for f in *.md; do n=$(wc -l < a); echo \"$f $n\"; done":                            true,
		"for f in a b; do s=\"$s.\"; done; echo $s":                                         true,
		"cat a | sort | uniq -c | sort -nr | head -5; cat b | sort | uniq | head | tail -1": true,
	} {
		s, err := Parse(text, nil)
		if err != nil {
			t.Fatalf("%.60q: %v", text, err)
		}
		if (len(s.Unsupported) == 0) != bounded {
			t.Errorf("%.60q: %v", text, s.Unsupported)
		}
	}
	// The output of substitutions is limited at run time.
	s, err := Parse("x=$(big); echo $x", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Run(t.Context(), Handlers{Dir: t.TempDir(), Exec: func(_ context.Context, c Call) (int, error) {
		for range 64 {
			if _, err := c.Stdout.Write(make([]byte, 64<<10)); err != nil {
				return 1, nil
			}
		}
		return 0, nil
	}}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "substitutions") {
		t.Errorf("a substitution of 4 MiB: %v", err)
	}
}

// run runs text with commands that print their words, and returns the output, the calls and the
// exit code.
func run(t *testing.T, text string, bindings []Binding, files fstest.MapFS) (string, []Call, int) {
	t.Helper()
	s, err := Parse(text, bindings)
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	// Commands in a pipeline run concurrently.
	var mu sync.Mutex
	var calls []Call
	var out bytes.Buffer
	h := Handlers{
		Dir: t.TempDir(),
		Exec: func(_ context.Context, c Call) (int, error) {
			mu.Lock()
			calls = append(calls, c)
			mu.Unlock()
			switch c.Argv[0] {
			case "cat":
				if c.Stdin != nil {
					_, _ = io.Copy(c.Stdout, c.Stdin)
				}
			case "false":
				return 1, nil
			case "echo":
				fmt.Fprintln(c.Stdout, strings.Join(c.Argv[1:], "|"))
			}
			return 0, nil
		},
		Builtin: func(_ context.Context, c Call) (string, error) { return "/elsewhere", nil },
		Open:    func(_ context.Context, _, name string) (io.ReadCloser, error) { return files.Open(name) },
		ReadDir: func(_ context.Context, dir, name string) ([]fs.DirEntry, error) {
			rel := strings.Trim(strings.TrimPrefix(name, dir), "/")
			if rel == "" {
				rel = "."
			}
			if info, err := files.Stat(rel); err == nil && !info.IsDir() {
				return nil, syscall.ENOTDIR
			}
			return files.ReadDir(rel)
		},
	}
	status, err := s.Run(t.Context(), h, &out, &out)
	if err != nil {
		t.Fatalf("Run(%q): %v", text, err)
	}
	return out.String(), calls, status
}

func TestRun(t *testing.T) {
	files := fstest.MapFS{"a.md": {Data: []byte("A\n")}, "b.md": {Data: []byte("B\n")}, "c.txt": {Data: []byte("C\n")}, "d/x.md": {}, "e/f/y.md": {}}
	for _, tt := range []struct{ text, want string }{
		{"echo a 'b c' \"d  e\"", "a|b c|d  e\n"},
		{"echo one | cat", "one\n"},
		{"false && echo no || echo yes", "yes\n"},
		{"x=$(echo a b); echo \"$x\" $x", "a|b|a|b\n"},
		{"echo *.md *.zip", "a.md|b.md|*.zip\n"},
		{"echo */ */x.md */no.md */*/y.md", "d/|e/|d/x.md|*/no.md|e/f/y.md\n"},
		{"echo '*.md' \\*.md", "*.md|*.md\n"},
		{"for f in *.md; do echo $f; done", "a.md\nb.md\n"},
		{"if false; then echo a; else echo b; fi", "b\n"},
		{"cat < c.txt", "C\n"},
		{"echo a 2>/dev/null >/dev/null; echo b", "b\n"},
		{"false; echo $?", "1\n"},
		{"echo eval source . exec", "eval|source|.|exec\n"},
		{"set -e; false; echo no", ""},
	} {
		if got, _, _ := run(t, tt.text, nil, files); got != tt.want {
			t.Errorf("%q prints %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestRunRoutesEveryCommand checks that the interpreter runs no builtin itself.
func TestRunRoutesEveryCommand(t *testing.T) {
	for _, name := range []string{"eval", "source", ".", "exec", "trap", "read", "mapfile", "printf", "pushd", "command", "builtin", "type", "alias", "shopt", "wait", "getopts", "unset", "test", "[", "true", ":", "pwd", "dirs", "umask", "return", "hash", "readarray", "enable", "help"} {
		_, calls, _ := run(t, name+" x ']'", nil, nil)
		if len(calls) != 1 || calls[0].Argv[0] != name {
			t.Errorf("%s does not reach the handler: %v", name, calls)
		}
	}
}

func TestRunStatusAndDir(t *testing.T) {
	if _, _, status := run(t, "exit 3", nil, nil); status != 3 {
		t.Errorf("status %d", status)
	}
	_, calls, _ := run(t, "cd sub && pwd", nil, nil)
	if len(calls) != 1 || calls[0].Dir != "/elsewhere" {
		t.Errorf("calls %+v", calls)
	}
}

// TestPatternsEnd checks that glob expansion is limited and ends with the
// context, regardless of the number of matching files.
func TestPatternsEnd(t *testing.T) {
	var loop []fs.DirEntry
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		info, err := fstest.MapFS{name: {Mode: fs.ModeSymlink}}.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		loop = append(loop, fs.FileInfoToDirEntry(info))
	}
	for _, tt := range []struct {
		text          string
		timeout, slow time.Duration
		want          error
	}{
		{text: "echo */*/*/*/*/*/*/*/*/*/*/*", timeout: time.Minute, want: ErrPatterns},
		{text: "for f in */*/*/*/*/*/*/*/*/*; do echo $f; done", timeout: time.Minute, want: ErrPatterns},
		{text: "echo */*/*/*/*/*/*/*/*/*/*/*", timeout: 50 * time.Millisecond, slow: time.Millisecond, want: context.DeadlineExceeded},
		// These pattern elements do not read a directory.
		{text: "x=$(dots); echo */$x", timeout: 50 * time.Millisecond, want: context.DeadlineExceeded},
	} {
		s, err := Parse(tt.text, nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), tt.timeout)
		start, after := time.Now(), false
		_, err = s.Run(ctx, Handlers{
			Dir: t.TempDir(),
			Exec: func(_ context.Context, c Call) (int, error) {
				if c.Argv[0] == "dots" {
					_, _ = io.WriteString(c.Stdout, strings.Repeat("./", 100_000))
					return 0, nil
				}
				after = true
				return 0, nil
			},
			ReadDir: func(context.Context, string, string) ([]fs.DirEntry, error) {
				time.Sleep(tt.slow)
				return loop, nil
			},
		}, io.Discard, io.Discard)
		cancel()
		if !errors.Is(err, tt.want) || after {
			t.Errorf("%q: %v, command run: %v; want %v", tt.text, err, after, tt.want)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%q took %v", tt.text, d)
		}
	}
}

// TestRunStopsAtFailure checks that an error from a handler ends the whole
// script, including other commands in a pipeline.
func TestRunStopsAtFailure(t *testing.T) {
	refused := errors.New("refused")
	s, err := Parse("wait_long | bad; after", nil)
	if err != nil {
		t.Fatal(err)
	}
	var after bool
	_, err = s.Run(t.Context(), Handlers{Dir: t.TempDir(), Exec: func(ctx context.Context, c Call) (int, error) {
		switch c.Argv[0] {
		case "wait_long":
			<-ctx.Done()
		case "bad":
			return 0, refused
		case "after":
			after = true
		}
		return 0, nil
	}}, io.Discard, io.Discard)
	if !errors.Is(err, refused) || after {
		t.Errorf("error %v, after %v", err, after)
	}
}

func TestBindings(t *testing.T) {
	evil := "a'b\"c $(touch x) `y` *.md ; | & > ~ {1,2} \\ \n--output=z"
	for _, tt := range []struct{ text, want string }{
		{"echo $1", evil}, {`echo "$1"`, evil}, {`echo '$1'`, evil}, {`echo x$1y`, "x" + evil + "y"},
		{`echo "x $1 y"`, "x " + evil + " y"}, {`echo x'$1'"$1"`, "x" + evil + evil}, {`echo "\"$1\""`, `"` + evil + `"`}, {"echo \\\\$1", `\` + evil},
	} {
		for _, value := range []string{evil, "", "plain", "-n", "$1", "vZq0Q0000qZv"} {
			got, calls, _ := run(t, tt.text, bind(tt.text, map[string]string{"$1": value}), fstest.MapFS{"a.md": {}})
			want := strings.ReplaceAll(tt.want, evil, value)
			if len(calls) != 1 || !slices.Equal(calls[0].Argv, []string{"echo", want}) {
				t.Errorf("%q with %q runs %v (%q)", tt.text, value, calls, got)
			}
		}
	}
}

func TestBindingMissing(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"echo $1 b", []string{"echo", "b"}}, {`echo "$1" b`, []string{"echo", "", "b"}}, {`echo a$1 b`, []string{"echo", "a", "b"}},
		{"echo $1~nobody ~$1", nil}, {"echo $1~nobody", []string{"echo", "~nobody"}}, {"echo {1$1..3} x$1*", []string{"echo", "{1..3}", "x*"}},
		{`echo '{print $1}'`, []string{"echo", "{print $1}"}},
	} {
		i := strings.Index(tt.text, "$1")
		binding := []Binding{{Span: diag.Span{Start: i, End: i + 2}, Missing: true}}
		for at := i + 2; strings.Contains(tt.text[at:], "$1"); at = i + 2 {
			i = at + strings.Index(tt.text[at:], "$1")
			binding = append(binding, Binding{Span: diag.Span{Start: i, End: i + 2}, Missing: true})
		}
		if s, err := Parse(tt.text, binding); tt.want == nil {
			if err == nil && len(s.Unsupported) == 0 {
				t.Errorf("%q reports nothing unsupported", tt.text)
			}
			continue
		}
		_, calls, _ := run(t, tt.text, binding, fstest.MapFS{})
		if len(calls) != 1 || !slices.Equal(calls[0].Argv, tt.want) {
			t.Errorf("%q runs %v, want %q", tt.text, calls, tt.want)
		}
	}
	if s, err := Parse("$1 x", []Binding{{Span: diag.Span{End: 2}, Missing: true}}); err != nil || len(s.Unsupported) == 0 {
		t.Errorf("a missing name: %v, %v", s, err)
	}
}

// TestBindingNotAllowed checks that an argument cannot become a name, an operator or a pattern.
func TestBindingNotAllowed(t *testing.T) {
	for _, text := range []string{"$1=x", "echo ${$1}", "for $1 in a; do b; done", "cat <<$1\nx\n$1", "echo {$1,b}", "f$1() { a; }", "a > $1", "echo $(($1))"} {
		s, err := Parse(text, bind(text, map[string]string{"$1": "v"}))
		if err == nil && len(s.Unsupported) == 0 {
			t.Errorf("%q reports nothing unsupported", text)
		}
	}
}

// shape formats a script, omitting the values of its bound words.
func shape(s *Script) string {
	var b strings.Builder
	for _, c := range s.Commands {
		fmt.Fprintf(&b, "[%v", c.Span)
		for _, w := range c.Words {
			text := w.Text
			if w.Bound {
				text = "?"
			}
			fmt.Fprintf(&b, " %v%v%v:%s", w.Known, w.Bound, w.Span, text)
		}
		b.WriteString("]")
	}
	fmt.Fprintf(&b, "%v%v%v", s.Unsupported, s.Variables, s.last)
	return b.String()
}

// TestArgumentsNeverChangeTheShape checks that arguments are data and cannot
// change a script's structure.
func TestArgumentsNeverChangeTheShape(t *testing.T) {
	texts := []string{
		"git log $1 | head -n $2", `grep -rn "$1" src && echo '$2' || echo no`, "test -f $1 && cat $1; echo x$2y", `x=$(echo $1); echo "$x" $2`,
		"for f in $1 a; do echo $f $2; done", "if [ -d $1 ]; then ls $2; fi",
	}
	value := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("ab$1`(){}[];&|<>'\"\\ \n*?~!#-=vZqQ0"))),
		rapid.SampledFrom([]string{"$(touch x)", "`x`", "'; x; '", `"; x; "`, "--output=x", "$1", "$2", "vZq0Q0000qZv", "\x00", "\xff"}))
	testenv.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(t, "text")
		parse := func(one, two string) *Script {
			s, err := Parse(text, bind(text, map[string]string{"$1": one, "$2": two}))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		want := parse("one", "two")
		got := parse(value.Draw(t, "one"), value.Draw(t, "two"))
		if shape(got) != shape(want) {
			t.Fatalf("the shape is\n%s, not\n%s", shape(got), shape(want))
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"git log $1 | head", "x=$(a $1); echo \"$x\"", "for f in *.md; do echo $f; done", "cat <<E\n$1\nE", "echo {a,$1}", "a 'b $1' \"c $1\"", "if a; then b; fi", "$1", "`$1`"} {
		f.Add(seed, "x y")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		one, err := Parse(text, bind(text, map[string]string{"$1": value}))
		two, other := Parse(text, bind(text, map[string]string{"$1": "plain"}))
		if (err == nil) != (other == nil) {
			t.Fatalf("%q: %v with %q, %v without", text, err, value, other)
		}
		if err != nil {
			return
		}
		if shape(one) != shape(two) {
			t.Fatalf("%q: the shape depends on %q", text, value)
		}
		for _, c := range one.Commands {
			if c.Span.Start > c.Span.End || c.Span.End > len(text) {
				t.Fatalf("%q: span %v", text, c.Span)
			}
		}
		if len(one.Unsupported) > 0 {
			return
		}
		h := Handlers{Dir: "/", Exec: func(_ context.Context, c Call) (int, error) { return 1, nil },
			Builtin: func(context.Context, Call) (string, error) { return "/", nil },
			Open:    func(context.Context, string, string) (io.ReadCloser, error) { return nil, fs.ErrNotExist },
			ReadDir: func(context.Context, string, string) ([]fs.DirEntry, error) { return nil, nil }}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _ = one.Run(ctx, h, io.Discard, io.Discard)
	})
}
