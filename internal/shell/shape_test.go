package shell

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/diag"

	"github.com/vadehq/vade/internal/testenv"
)

// paste replaces "@" in text with a value and binds each of the value's words, as rendering in a
// host's view does.
func paste(text, value string) (string, []Binding) {
	before, after, _ := strings.Cut(text, "@")
	var list []Binding
	for i := 0; i < len(value); {
		if value[i] == ' ' || value[i] == '\t' {
			i++
			continue
		}
		n := strings.IndexAny(value[i:], " \t")
		if n < 0 {
			n = len(value) - i
		}
		start := len(before) + i
		list = append(list, Binding{Span: diag.Span{Start: start, End: start + n}, Value: value[i : i+n], Argument: true})
		i += n
	}
	return before + value + after, list
}

func TestSameShape(t *testing.T) {
	for _, tc := range []struct {
		text, value string
		same        bool
	}{
		{"echo @", "x", true},
		{"echo @", "a b  c", true},
		{`echo "@"`, "a b", true},
		{`echo "@"`, "a; b | c & d > e", true},
		{"echo '@'", `a "b" $HOME $(id)`, true},
		{"git log -- @", "src/main.go", true},
		{"grep -r @ src", "naïve", true},
		{"echo @", "a; echo b", false},
		{"echo @", "a && b", false},
		{"echo @", "a | b", false},
		{"echo @", "a > b", false},
		{"echo @", "a & b", false},
		{"echo @", "a\nb", false},
		{"echo @", "$HOME", false},
		{"echo @", "${IFS}", false},
		{"echo @", "$(id)", false},
		{"echo @", "`id`", false},
		{"echo @", "*.go", false},
		{"echo @", "a?", false},
		{"echo @", "[ab]", false},
		{"echo @", "~", false},
		{"echo @", "{a,b}", false},
		{"echo @", "a{1..3}", false},
		{"echo @", "'one two'", false},
		{"echo @", `one\ two`, false},
		{"echo @", "a # b", false},
		{"echo @", "#a", false},
		{"echo @", "it's", false},
		{`echo "@"`, `a" ; id ; "b`, false},
		{`echo "@"`, "$HOME", false},
		{`echo "@"`, "`id`", false},
		{"echo '@'", "a' ; id ; 'b", false},
		{"@", "X=1", false},
		{"@ x", "if", false},
		{"ls @", "<in", false},
	} {
		text, bindings := paste(tc.text, tc.value)
		if got := SameShape(text, bindings); got != tc.same {
			t.Errorf("SameShape(%q with %q) = %v, want %v", tc.text, tc.value, got, tc.same)
		}
	}
}

// TestSameShapeMeansTheWords checks that if SameShape returns true, a shell sees the value's words
// unchanged.
func TestSameShapeMeansTheWords(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		value := rapid.StringOfN(rapid.SampledFrom([]rune("ab $`\"'\\;|&<>(){}[]*?~#=!\n\t-./é")), 1, 12, -1).Draw(t, "value")
		text, bindings := paste("echo @ end", value)
		if !SameShape(text, bindings) {
			return
		}
		script, err := Parse(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := append(append([]string{"echo"}, strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == '\t' })...), "end")
		if len(script.Commands) != 1 || len(script.Commands[0].Words) != len(want) {
			t.Fatalf("%q: %+v", text, script.Commands)
		}
		for i, w := range script.Commands[0].Words {
			if w.Text != want[i] || !w.Known {
				t.Fatalf("%q: word %d is %q (known %v), want %q", text, i, w.Text, w.Known, want[i])
			}
		}
	})
}
