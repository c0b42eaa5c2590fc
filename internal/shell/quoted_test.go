package shell

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

func TestFieldsQuoted(t *testing.T) {
	tests := []struct {
		args string
		want []string
	}{
		{"", nil},
		{" \t\n\u00a0", nil},
		{"alpha beta gamma", []string{"alpha", "beta", "gamma"}},
		// Recorded cases a02, a03, a12, a13, and a22 to a26.
		{`'one two' "three four" five\ six se"v"en`, []string{"one two", "three four", "five six", "seven"}},
		{"it's \"broken", []string{"it", "s", "broken"}},
		{"alpha\nbeta gamma\n\ndelta", []string{"alpha", "beta", "gamma", "delta"}},
		{"$& $` $$ \\n", []string{"$", "$`", "$$", "n"}},
		{"a|b c > d && e; f & g", []string{"a", "b", "c", "d", "e", "f", "g"}},
		{"*.go x=1 ~ #note tail", []string{"x=1", "~"}},
		{"  a\t b   '' \"\" c", []string{"a", "b", "", "", "c"}},
		{`"a\"b" 'it'\''s' c\\d e\nf`, []string{`a"b`, "it's", `c\d`, "enf"}},
		{`$HOME "${X}" '$Y' z`, []string{"$HOME", "$X", "$Y", "z"}},
		// These cases follow from the library's source code.
		{`a\|b \* "*" x?`, []string{"a|b", "*"}},
		{`"a$" "$" $`, []string{"a$", "$", "$"}},
		{`"\a\$\\" '\a'`, []string{`\a$\`, `\a`}},
		{"a#b c", []string{"a"}},
		{"*#x y", []string{"*"}},
		{`""#x y`, nil},
		{`"a#b" \#c`, []string{"a#b", "#c"}},
		{`$_foo $!bar "$?" z`, []string{"$_oo", "$!ar", "$?", "z"}},
		{"$!😀x", []string{"$!\ufffdx"}},
		{"$é ${a-b}c $1x", []string{"$é", "$a-bc", "$1x"}},
		{"a ${ b 'c d'", []string{"a", "${", "b", "'c", "d'"}},
		{"a '${}' ${}", []string{"a", "'${}'", "${}"}},
		{`'a\'b' c`, []string{`a\b`, "c"}},
		{`"a\" b`, []string{`a"`, "b"}},
		{`"a\" b"`, []string{`a" b`}},
		{`'a\' b`, []string{`a\`, "b"}},
		{`a"b|c`, []string{"a", "b", "c"}},
		{`a\`, []string{"a"}},
		{"x <(y) <<<z >&2", []string{"x", "y", "z", "2"}},
		{"a\ufeffb\u2028c\u0085d", []string{"a", "b", "c\u0085d"}},
		{"a \xff\x00b", []string{"a", "\xff\x00b"}},
	}
	for _, tt := range tests {
		if got := FieldsQuoted(tt.args); !slices.Equal(got, tt.want) {
			t.Errorf("FieldsQuoted(%q) = %q, want %q", tt.args, got, tt.want)
		}
	}
}

func TestFieldsQuotedPlainWords(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-zA-Zäß0-9_./:=,@%+~^{}\[\]-]+`)).Draw(t, "words")
		blank := rapid.SampledFrom([]string{" ", "  ", "\t", "\n", "\u00a0"}).Draw(t, "blank")
		if got := FieldsQuoted(strings.Join(words, blank)); !slices.Equal(got, words) {
			t.Errorf("%q became %q", words, got)
		}
	})
}

func TestFieldsQuotedSingleQuotes(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[^'\\]*`)).Draw(t, "words")
		if got := FieldsQuoted("'" + strings.Join(words, "' '") + "'"); len(words) > 0 && !slices.Equal(got, words) {
			t.Errorf("%q became %q", words, got)
		}
	})
}

func FuzzFieldsQuoted(f *testing.F) {
	for _, s := range []string{"", `a "b c" d\ e`, "it's", "a|b #c", "${", "$_x", `"\"`, "*?", "'\\'", "\xff$!\xf0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		words := FieldsQuoted(s)
		if len(strings.Join(words, "")) > 3*len(s) {
			t.Errorf("the words of %q are longer than it: %q", s, words)
		}
		if !utf8.ValidString(s) {
			return
		}
		for _, w := range words {
			if !utf8.ValidString(w) {
				t.Errorf("%q contains %q, which is not text", s, w)
			}
		}
	})
}

func BenchmarkFieldsQuoted(b *testing.B) {
	line := strings.Repeat(`it\'s "a \"long\" line" of $words 'and more' `, 1000)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		FieldsQuoted(line)
	}
}

// BenchmarkFieldsQuotedUnclosed splits a line with unclosed quotes. Its time
// per byte should be the same as in BenchmarkFieldsQuoted.
func BenchmarkFieldsQuotedUnclosed(b *testing.B) {
	line := strings.Repeat(`\"\'x `, 5000) + `"'`
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		FieldsQuoted(line)
	}
}
