package jsonc

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"

	"github.com/vadehq/vade/internal/testenv"
)

// plain returns a value as encoding/json would decode it, except that numbers stay as written.
func plain(v definition.Value) any {
	switch v.Kind {
	case definition.Map:
		m := map[string]any{}
		for _, p := range v.Pairs {
			m[p.Key] = plain(p.Value)
		}
		return m
	case definition.List:
		l := []any{}
		for _, i := range v.Items {
			l = append(l, plain(i))
		}
		return l
	case definition.Number:
		return json.Number(v.Text)
	case definition.Bool:
		return v.Text == "true"
	case definition.Null:
		return nil
	}
	return v.Text
}

func standard(t interface{ Fatalf(string, ...any) }, data []byte) any {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	var want any
	if err := d.Decode(&want); err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	return want
}

func depthOf(data []byte) int {
	depth, most := 0, 0
	for _, c := range data {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		most = max(most, depth)
	}
	return most
}

func agreesWithStandard(t interface{ Fatalf(string, ...any) }, data []byte) {
	v, ok := Parse(data)
	if valid := json.Valid(data); ok != valid && (ok || depthOf(data) <= MaxDepth) {
		t.Fatalf("Parse(%q) is %v, encoding/json says %v", data, ok, valid)
	}
	if !ok {
		return
	}
	if got, want := plain(v), standard(t, data); !reflect.DeepEqual(got, want) {
		t.Fatalf("Parse(%q) = %#v, encoding/json reads %#v", data, got, want)
	}
}

func TestJSONAgreesWithTheStandardLibrary(t *testing.T) {
	for _, text := range []string{
		``, ` `, `{}`, `[]`, `{"a":1}`, `{"a":1,}`, `[1,]`, `{"a":[true,false,null,-1.5e3,"x"]}`, `"\u00e9\ud83d\ude00\n"`,
		`{"a":1,"a":2}`, `{"a" 1}`, `01`, `tru`, `"a` + "\n" + `b"`, "\"\xff\"", `{"a":{"b":[{}]}} x`, `[1 2]`, "\ufeff{}", `"\x"`, `nul`, `-`,
	} {
		agreesWithStandard(t, []byte(text))
	}
	testenv.Check(t, func(t *rapid.T) {
		agreesWithStandard(t, []byte(rapid.StringMatching(`[\[\]{}:," \\anu0-9e.\-truefalsn]{0,40}`).Draw(t, "text")))
	})
}

func TestDeepValuesAreNoEntries(t *testing.T) {
	if _, ok := Parse([]byte(strings.Repeat("[", 5000) + strings.Repeat("]", 5000))); ok {
		t.Fatal("a value of 5000 levels was read")
	}
}

func TestFindPassesOverOthers(t *testing.T) {
	text := `{"x": {"servers": 1}, "a\"b": [",}", {"y": "}"}], "mcp": {"p": {"servers": {"n": 2}}, "q": 3}, "mcp2": 1e3}`
	for _, c := range []struct {
		path []string
		want string
	}{
		{[]string{"mcp", "p", "servers", "n"}, "2"},
		{[]string{"mcp", "q"}, "3"},
		{[]string{"mcp2"}, "1e3"},
		{[]string{"a\"b"}, ""},
		{[]string{"mcp", "none"}, "no"},
		{[]string{"mcp2", "x"}, "no"},
		{[]string{"n"}, "no"},
	} {
		v, _, ok := Find([]byte(text), c.path...)
		got := v.Text
		if !ok {
			got = "no"
		}
		if got != c.want {
			t.Errorf("Find(%q) = %q, want %q", c.path, got, c.want)
		}
	}
	if v, _, ok := Find([]byte(`{"a":1,"a":{"b":"last"}}`), "a", "b"); !ok || v.Text != "last" {
		t.Errorf("of a key that stands twice %q is taken", v.Text)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"\u0041"}],"c":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		agreesWithStandard(t, data)
		Find(data, "a", "b")
	})
}
