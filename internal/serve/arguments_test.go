package serve

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/testenv"
)

func TestArgumentsOf(t *testing.T) {
	for _, c := range []struct {
		names []string
		hint  string
		want  string
	}{
		{nil, "", "arguments"},
		{nil, "what to do", "arguments"},
		{nil, "[file] [level]", "file level"},
		{nil, "<file> [level]", "file! level"},
		{nil, "[a|b|c]", "choice(a b c)"},
		{nil, "<file> [what to say...]", "file! what-to-say*"},
		{nil, "[file]... [x]", "arguments"},
		{nil, "[a] [a]", "arguments"},
		{nil, "file [level]", "arguments"},
		{nil, "[", "arguments"},
		{nil, "[]", "arguments"},
		{[]string{"a", "b"}, "", "a b"},
		{[]string{"a", "b"}, "<x> [p|q]", "a! b(p q)"},
		{[]string{"a"}, "<x> <y>", "a"},
	} {
		var got []string
		for _, a := range argumentsOf(c.names, c.hint) {
			text := a.name
			if a.required {
				text += "!"
			}
			if a.rest && a.name != wholeLine {
				text += "*"
			}
			if a.values != nil {
				text += fmt.Sprintf("(%s)", strings.Join(a.values, " "))
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%v %q: %s, not %s", c.names, c.hint, text, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	two := []argument{{name: "a"}, {name: "b"}}
	for _, c := range []struct {
		declared []argument
		given    map[string]string
		want     string
	}{
		{two, nil, ""},
		{two, map[string]string{"a": "x y"}, catalog.TypedArguments([]string{"x y"})},
		{two, map[string]string{"b": "y"}, catalog.TypedArguments([]string{"", "y"})},
		{[]argument{{name: "all", rest: true}}, map[string]string{"all": ` a "b c" `}, `a "b c"`},
		{[]argument{{name: "a"}, {name: "all", rest: true}}, map[string]string{"a": "1", "all": "2 3"}, "1 2 3"},
	} {
		if got := line(c.declared, c.given); got != c.want {
			t.Errorf("%v: %q, not %q", c.given, got, c.want)
		}
	}
}

// FuzzHint: any hint gives arguments that can be told apart.
func FuzzHint(f *testing.F) {
	for _, s := range []string{"", "[a] <b>", "[a|b]", "<x...>", "[[", "[é]", "[a]...", "[ ]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, hint string) {
		seen := map[string]bool{}
		list := argumentsOf(nil, hint)
		for i, a := range list {
			if a.name == "" || seen[a.name] || a.rest && i != len(list)-1 {
				t.Errorf("%q: %+v", hint, list)
			}
			seen[a.name] = true
		}
		if len(list) == 0 || len(list) > maxArguments {
			t.Errorf("%q: %d arguments", hint, len(list))
		}
	})
}

func TestCursorsComeBack(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		names := slices.Sorted(slices.Values(rapid.SliceOfN(rapid.StringN(1, 10, -1), 1, 20).Draw(t, "names")))
		at := rapid.IntRange(0, len(names)-1).Draw(t, "at")
		got, err := pageAfter(cursorAfter(names[at]), len(names), func(i int) string { return names[i] })
		if err != nil || got < len(names) && names[got] <= names[at] || got > 0 && names[got-1] > names[at] {
			t.Fatalf("%q after %q: %d, %v", names, names[at], got, err)
		}
	})
}

func FuzzInput(f *testing.F) {
	f.Add([]byte(`{"skillId":"x"}`))
	f.Add([]byte(`null`))
	f.Add([]byte(`{"skillId":1e999,"agent":[]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := &Server{}
		in, err := decodeInput(s.tools()[0], raw)
		if (in == nil) == (err == nil) {
			t.Errorf("%q: %v %v", raw, in, err)
		}
	})
}
