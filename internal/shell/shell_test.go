package shell

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

func TestFields(t *testing.T) {
	tests := []struct {
		args string
		want []string
	}{
		{"", nil},
		{" \t\n", nil},
		{"alpha beta gamma", []string{"alpha", "beta", "gamma"}},
		{`'one two' "three four" five\ six se"v"en`, []string{"one two", "three four", "five six", "seven"}},
		{"it's \"broken", []string{"it's \"broken"}},
		{"foo it's fine", []string{"foo", "it's fine"}},
		{`foo ba\ r"z q`, []string{"foo", `ba r"z q`}},
		{"alpha\nbeta gamma\n\ndelta", []string{"alpha"}},
		{"'a\nb' c\nd", []string{"a\nb", "c"}},
		{"a \\\n b", []string{"a", "b"}},
		{"a\\\nb", []string{"a", "b"}},
		{"$& $` $$ \\n", []string{"$"}},
		{"a|b c > d && e; f & g", []string{"e"}},
		{"a|b c", []string{"a"}},
		{"a b|c > d; e > f g", []string{"e"}},
		{"a | b > c", []string{"a", "|", "b", ">", "c"}},
		{"a | it's", []string{"a"}},
		{"a || b > c", []string{"a", "||", "b", ">", "c"}},
		{"a|b|<<[;c", []string{"a"}},
		{"foo; bar", []string{"foo"}},
		{"foo && bar", []string{"foo"}},
		{"foo & bar", []string{"foo"}},
		{"foo > bar baz", []string{"foo"}},
		{"foo < bar", []string{"foo"}},
		{"foo (see below)", []string{"foo"}},
		{"https://example.org/?a=1&b=2", []string{"https://example.org/?a=1"}},
		{"a<(b) c", []string{"a<(b)", "c"}},
		{"x <(b) c", []string{"x"}},
		{"> a", []string{">", "a"}},
		{"*.go x=1 ~ #note tail", []string{"*.go", "x=1", "~"}},
		{"a #note\nb", []string{"a"}},
		{"a#b #", []string{"a#b"}},
		{"#note", []string{"#note"}},
		{"  a\t b   '' \"\" c  ", []string{"a", "b", "", "", "c"}},
		{`"a\"b" 'it'\''s' c\\d e\nf`, []string{`a\"b`, "it's", `c\d`, "enf"}},
		{`$HOME "${X}" '$Y' z`, []string{"$HOME", "${X}", "$Y", "z"}},
		{"{a,b} $(date -u) `x y` $((1 + 2)) ~/x [a]", []string{"{a,b}"}},
		{"X=1 foo Y=2", []string{"foo", "Y=2"}},
		{`X="a b" Z+=2 A[1]=3 foo`, []string{"foo"}},
		{"X=1", []string{"X=1"}},
		{"'X=1' 1X=2 =3", []string{"X=1", "1X=2", "=3"}},
		{"if foo", []string{"foo"}},
		{"! while X=1 foo if", []string{"foo", "if"}},
		{`"if" foo`, []string{"if", "foo"}},
		{"for the record", []string{"record"}},
		{"!x a !", []string{`\!x`, "a", `\!`}},
		{"a !`id`", []string{"a"}},
		{"foo ${a b} c", []string{"foo", "c"}},
		{"foo $(bar baz", []string{"foo"}},
		{"a \xff\x00b \rc", []string{"a", "\xff\x00b", "c"}},
		{"déjà vu", []string{"déjà", "vu"}},
		{`a\`, []string{"a"}},
	}
	for _, tt := range tests {
		if got := Fields(tt.args); !slices.Equal(got, tt.want) {
			t.Errorf("Fields(%q) = %q, want %q", tt.args, got, tt.want)
		}
	}
}

func TestQuote(t *testing.T) {
	tests := []struct{ word, want string }{
		{"", "''"},
		{"plain-word_1.go", "plain-word_1.go"},
		{"é", "é"},
		{"a b", `'a b'`},
		{"a b c", `'a b c'`},
		{"it's", `"it's"`},
		{"it's a bit", `"it's a bit"`},
		{"line\nbreak", "'line\nbreak'"},
		{"if", `'if'`},
		{"X=1", `'X=1'`},
		{"*.go", "*.go"},
		{"$HOME", "'$HOME'"},
		{"#x", `'#x'`},
		{"a#x", "a#x"},
		{`a\`, `'a\'`},
		{"a ", `'a '`},
		{"a;b", `'a;b'`},
	}
	for _, tt := range tests {
		if got := Join([]string{tt.word}); got != tt.want {
			t.Errorf("Join of %q = %s, want %s", tt.word, got, tt.want)
		}
	}
}

func TestJoin(t *testing.T) {
	if got, want := Join([]string{"if", "X=1", "if", "a b"}), `'if' X=1 if 'a b'`; got != want {
		t.Errorf("Join = %s, want %s", got, want)
	}
	// A line that has no command because of its redirection is split at whitespace.
	if got, want := Join([]string{"if", "|a<"}), `'if' '|a<'`; got != want {
		t.Errorf("Join = %s, want %s", got, want)
	}
	if got := Join(nil); got != "" {
		t.Errorf("Join(nil) = %q", got)
	}
}

// TestQuoteException documents the only kind of word that Join cannot represent.
func TestQuoteException(t *testing.T) {
	if got := Fields(Join([]string{"!x"})); !slices.Equal(got, []string{`\!x`}) {
		t.Errorf("Fields(Join of %q) = %q", "!x", got)
	}
}

func TestJoinReadsBack(t *testing.T) {
	word := rapid.OneOf(
		rapid.StringOf(rapid.RuneFrom([]rune("ab=1[]{}()$'\"\\`#!;&|<>*?~ \t\r\n-+é\u00a0\u2028"))),
		rapid.SampledFrom([]string{"if", "while", "{", "}", "a\\", "X=1", "", "\xff", "$(", "${x", "a ", " a", "in", "[[", "$'x'", "$((1"}),
		rapid.Map(rapid.SliceOf(rapid.ByteRange(1, 255)), func(b []byte) string { return string(b) }),
	).Filter(func(w string) bool { return !strings.HasPrefix(w, "!") })
	testenv.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(word).Draw(t, "words")
		if got := Fields(Join(words)); !slices.Equal(got, words) {
			t.Fatalf("Join(%q) = %q, which reads as %q", words, Join(words), got)
		}
		for _, w := range words {
			if got := Fields("_ " + Join([]string{w}) + " _"); !slices.Equal(got, []string{"_", w, "_"}) {
				t.Fatalf("Join of %q = %q, which reads as %q", w, Join([]string{w}), got)
			}
		}
	})
}

func FuzzFields(f *testing.F) {
	for _, seed := range []string{"a 'b c' d", "it's", "a|b > c; d", "$(x `y` ${z", "X=1 if !a", "a\\\nb #c\nd", "a<(b)", "\"$(\"", "<<E\nx\nE"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, args string) {
		start := time.Now()
		words := Fields(args)
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("Fields(%q) took %v", args, d)
		}
		for _, w := range words {
			if strings.HasPrefix(w, "!") || len(w) > len(args)+1 {
				t.Errorf("Fields(%q) contains the word %q", args, w)
			}
			if strings.ContainsRune(w, 0) {
				return
			}
		}
		if again := Fields(Join(words)); !slices.Equal(again, words) {
			t.Errorf("Fields(%q) = %q, but again %q", args, words, again)
		}
	})
}

// TestFieldsDeep parses nesting that would overflow the stack of a recursive parser.
func TestFieldsDeep(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	for _, piece := range []string{"$(", "${x:-", "`", "\"$(", "((", "$((", "@(", "<(", "${a[", "$[", "(", "a=(", "{ ", "if ", "! ", "a|", "a&&", "'", "\"", "\\", "a ", "<<a "} {
		for end, size := range map[string]int{"": 1 << 20, "a": 1 << 16, "a > b": 1 << 16} {
			if words := Fields(strings.Repeat(piece, size/len(piece)) + end); len(words) > size {
				t.Errorf("%q: %d words", piece, len(words))
			}
		}
	}
}

func BenchmarkFields(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Fields(`src/main.go "fix the bug" --fast`)
	}
}

func BenchmarkQuote(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Join([]string{"a b's c"})
	}
}

// TestPlainLines checks that, for plain lines, the full parser returns the same words.
func TestPlainLines(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "if", "then", "do", "in", "-x", "a/b.c", "+1", "@x", "a:b", "%1", ",", "..", "time", "function", "select", "until", " ", "\t", "coproc", "let", "declare", "export",
		}), 1, 8).Draw(t, "words")
		text := strings.Trim(strings.Join(words, " "), " \t")
		if text == "" || !isPlain(text) {
			return
		}
		p := wordParser{text: text}
		got := p.statements("")
		if !slices.Equal(strings.Fields(text), got) {
			t.Fatalf("%q has the words %q, and %q for the parser", text, strings.Fields(text), got)
		}
	})
}
