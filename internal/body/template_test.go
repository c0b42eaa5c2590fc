package body

import (
	"reflect"
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
)

func TestBraced(t *testing.T) {
	for _, tc := range []struct {
		text     string
		want     []string
		unclosed int
	}{
		{"a !{echo hi} b !{ x }", []string{"echo hi", "x"}, -1},
		{"!{a {b} c}!{}", []string{"a {b} c", ""}, -1},
		{"!{a} and !{b {c}", []string{"a"}, 9},
		{"! {a} @{b}", nil, -1},
	} {
		list, unclosed := Braced(tc.text, "!{", 100)
		var got []string
		for _, in := range list {
			got = append(got, in.Text)
		}
		if !reflect.DeepEqual(got, tc.want) || unclosed != tc.unclosed {
			t.Errorf("Braced(%q) = %q, %d, want %q, %d", tc.text, got, unclosed, tc.want, tc.unclosed)
		}
	}
}

func TestEnclosed(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []string
	}{
		{"a !`echo hi` (!`x`)", []string{"echo hi", "x"}},
		{"!`` !` y `", []string{" y "}},
		{"!``!`z`", []string{"z"}},
		{"!`open", nil},
		{"```\n!`in code`\n```", []string{"in code"}},
	} {
		var got []string
		for _, in := range Enclosed(tc.text, "!`", "`", 100) {
			got = append(got, in.Text)
		}
		if !reflect.DeepEqual(got, tc.want) {
			t.Errorf("Enclosed(%q) = %q, want %q", tc.text, got, tc.want)
		}
	}
}

func TestPositions(t *testing.T) {
	var got []int
	for _, p := range Positions("$1 $02x $ $$3 ${4} $99999999999999999999") {
		got = append(got, p.From)
	}
	if want := []int{1, 2, 3, maxNumber}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSlices(t *testing.T) {
	got := Slices("${@:2} ${@:0:3} ${@:x} ${@:4 ${@:5:} ${@:6}")
	want := []Position{
		{Span: diag.Span{Start: 0, End: 6}, From: 2, Slice: true, Count: -1}, {Span: diag.Span{Start: 7, End: 15}, Slice: true, Count: 3},
		{Span: diag.Span{Start: 37, End: 43}, From: 6, Slice: true, Count: -1},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestNames(t *testing.T) {
	got := Names("${input:x} ${input:y:the hint} ${workspaceFolder} ${} ${input:} ${a{b}}")
	var names []string
	for _, n := range got {
		if n.Input {
			n.Name = "input " + n.Name
		}
		names = append(names, n.Name)
	}
	if want := []string{"input x", "input y", "workspaceFolder"}; !reflect.DeepEqual(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

// TestAtPaths checks AtPaths against the host's regular expression.
func TestAtPaths(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []string
	}{
		{"@a.txt", []string{"a.txt"}}, {"see @a.txt.", []string{"a.txt"}}, {"x@y.z", nil}, {"(@a/b.c,d)", []string{"a/b.c"}}, {"`@a`", nil},
		{"@../x.md, @.env @..", []string{"../x.md", ".env", "."}}, {"@", nil}, {"@a..b", []string{"a"}}, {"@~/x @é.md", []string{"~/x", "é.md"}},
		{"@a.b.c. @a.b.c", []string{"a.b.c"}},
	} {
		if got := AtPaths(tc.text, 100); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("AtPaths(%q) = %q, want %q", tc.text, got, tc.want)
		}
	}
}

// FuzzTemplate checks that each scanner's results are in order, do not overlap,
// are within the text, and match the text there.
func FuzzTemplate(f *testing.F) {
	f.Add("a !{echo {{args}}} @{x} !`y` $1 ${@:2:3} ${input:a:b} @c.d")
	f.Add("!{!{@{${${@:$")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		check := func(span diag.Span, begins string) {
			if span.Start < last || span.End <= span.Start || span.End > len(text) || !strings.HasPrefix(text[span.Start:], begins) {
				t.Fatalf("%q has an invalid span %v", text, span)
			}
			last = span.End
		}
		for _, open := range []string{"!{", "@{"} {
			last = 0
			list, unclosed := Braced(text, open, 1000)
			for _, in := range list {
				check(in.Span, open)
				if text[in.Inner.Start:in.Inner.End] != in.Text {
					t.Fatalf("%q: %q is not at its span", text, in.Text)
				}
			}
			if unclosed >= 0 && !strings.HasPrefix(text[unclosed:], open) {
				t.Fatalf("%q: nothing begins at %d", text, unclosed)
			}
		}
		last = 0
		for _, in := range Enclosed(text, "!`", "`", 1000) {
			check(in.Span, "!`")
			if in.Text == "" || strings.Contains(in.Text, "`") || text[in.Inner.Start:in.Inner.End] != in.Text {
				t.Fatalf("%q has the command %q", text, in.Text)
			}
		}
		last = 0
		for _, p := range Positions(text) {
			check(p.Span, "$")
		}
		last = 0
		for _, p := range Slices(text) {
			check(p.Span, "${@:")
		}
		last = 0
		for _, n := range Names(text) {
			check(n.Span, "${")
		}
		for _, p := range AtPaths(text, 1000) {
			if !strings.Contains(text, "@"+p) || strings.ContainsAny(p, " `,\n") {
				t.Fatalf("%q does not mention %q", text, p)
			}
		}
	})
}
