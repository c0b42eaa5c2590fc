package jsonc

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/testenv"
)

func TestAdd(t *testing.T) {
	off := definition.Value{Kind: definition.String, Text: "off"}
	for _, c := range []struct {
		path, key    string
		before, want string
	}{
		{"o", "x", "<nil>", "{\n  \"o\": {\n    \"x\": \"off\"\n  }\n}\n"},
		{"o", "x", "", "\n{\n  \"o\": {\n    \"x\": \"off\"\n  }\n}\n"},
		{"o", "x", "{}\n", "{\n  \"o\": { \"x\": \"off\" }\n}\n"},
		{"o", "x", "{\"o\":{}}", "{\"o\":{\n  \"x\": \"off\"\n}}"},
		{"o", "x", "{\"a\":1}", "{\"a\":1, \"o\": { \"x\": \"off\" }}"},
		{"o", "x", "{\n\t\"o\": {\n\t\t\"a\": 1, // one\n\t},\n}", "{\n\t\"o\": {\n\t\t\"a\": 1, // one\n\t\t\"x\": \"off\",\n\t},\n}"},
		{"o", "x", "{\r\n  \"o\": {\r\n    \"a\": 1 // one\r\n  }\r\n}", "{\r\n  \"o\": {\r\n    \"a\": 1, // one\r\n    \"x\": \"off\"\r\n  }\r\n}"},
		{"p.o", "x", "{\n  \"a\": 1\n}", "{\n  \"a\": 1,\n  \"p\": { \"o\": { \"x\": \"off\" } }\n}"},
		{"s.d", "", "{\"s\": {\"d\": [\"a\"]}}", "{\"s\": {\"d\": [\"a\", \"off\"]}}"},
		{"s.d", "", "{\n  \"s\": {}\n}", "{\n  \"s\": {\n    \"d\": [\"off\"]\n  }\n}"},
	} {
		before := []byte(c.before)
		if c.before == "<nil>" {
			before = nil
		}
		f, err := Open(before, false, strings.Split(c.path, ".")...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Add(c.key, off)
		if err != nil || string(got) != c.want {
			t.Errorf("%q: %q, %v, want %q", c.before, got, err, c.want)
		}
		if undone := undo(t, got, c.key, off, strings.Split(c.path, ".")); !bytes.Equal(undone, before) || (undone == nil) != (before == nil) {
			t.Errorf("%q: undone to %q", c.before, undone)
		}
	}
}

func undo(t interface{ Fatalf(string, ...any) }, text []byte, key string, v definition.Value, path []string) []byte {
	f, err := Open(text, false, path...)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	e, found := f.Find(func(e definition.Entry) bool { return e.Key == key && e.Value.Kind == v.Kind && e.Value.Text == v.Text })
	if !found {
		t.Fatalf("%q: not found", text)
	}
	return f.Remove(e)
}

func TestOpenErrors(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"o\": 1\n}": "line 2, column 8: o is not an object", "[]": "the file is not an object",
		"{": "line 1, column", "{\"o\": {\"p\": 1}}": "",
	} {
		_, err := Open([]byte(text), false, "o", "p")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Open([]byte("{} // x"), true, "o"); err == nil {
		t.Error("a strict file has a comment")
	}
}

// TestAddIsUndone checks, for files in several layouts, that adding changes
// only the added member and that removing restores the bytes.
func TestAddIsUndone(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		unit := rapid.SampledFrom([]string{"  ", "    ", "\t"}).Draw(t, "unit")
		lines := rapid.Bool().Draw(t, "lines")
		comment := func() string {
			if !lines {
				return ""
			}
			return rapid.SampledFrom([]string{"", "", " // c", " /* c */", " /* c" + end + " */", "// a, \"b\": }"}).Draw(t, "comment")
		}
		var object func(indent string, depth int) string
		object = func(indent string, depth int) string {
			sep, inner, last := " ", "", " "
			if lines {
				sep, inner, last = end+indent+unit, indent+unit, end+indent
			}
			keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"o", "p", "a", "b"}), 0, 3, rapid.ID[string]).Draw(t, "keys")
			text := "{"
			for i, k := range keys {
				value := rapid.SampledFrom([]string{"1", `"s"`, "[]", `["q", "r"]`}).Draw(t, "value")
				if k == "o" && depth == 0 || k == "p" && depth == 1 || depth > 1 && rapid.Bool().Draw(t, "deep") {
					value = object(inner, depth+1)
				}
				if depth > 3 {
					value = "{}"
				}
				text += sep + `"` + k + `": ` + value
				if i < len(keys)-1 || lines && rapid.Bool().Draw(t, "trailing") {
					text += ","
				}
				text += comment()
			}
			if len(keys) == 0 {
				return text + "}"
			}
			return text + last + "}"
		}
		before := []byte(object("", 0) + rapid.SampledFrom([]string{"", end}).Draw(t, "final"))
		v := definition.Value{Kind: definition.String, Text: "off"}
		f, err := Open(before, false, "o", "p")
		if err != nil {
			return // o or p is not an object
		}
		after, err := f.Add("x", v)
		if err != nil {
			return
		}
		var got, want map[string]any
		if err := json.Unmarshal(Plain(after), &got); err != nil {
			t.Fatalf("%q: %v", after, err)
		}
		if err := json.Unmarshal(Plain(before), &want); err != nil {
			t.Fatalf("%q: %v", before, err)
		}
		at := want
		for _, key := range []string{"o", "p"} {
			if _, ok := at[key]; !ok {
				at[key] = map[string]any{}
			}
			at = at[key].(map[string]any)
		}
		at["x"] = "off"
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %q", before, after)
		}
		if undone := undo(t, after, "x", v, []string{"o", "p"}); !bytes.Equal(undone, before) {
			t.Fatalf("%q\n%q\n%q", before, after, undone)
		}
	})
}
