package frontmatter

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host/registry"

	"github.com/vadehq/vade/internal/testenv"
)

// texts generates strings that are difficult to quote.
func texts() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{
			"", " ", "true", "No", "~", "null", "1.0", "0x1f", "2026-01-02", "- a", "a: b", "a #b", "[x] y", "{a}", "*x", "&x", "!x", "@x", "`x`", "%x",
			"'", `"`, `\`, "a'b\"c\\d", "---", "a --- b", "--- ", "line\nline", "\n", "tab\tx", "é", "日本語", "\u2028", "x:", ":x", "?", "|", ">", "a,b", "<b>", "=", "ends ", "a\u0085b", "a\u009bc", "\u0080", "a\u202eb", "l\n\u009bm",
		}),
		rapid.StringMatching(`[ -~]{0,40}`),
		rapid.StringMatching("[a-c:#'\"\\\\{}\\[\\]\n -]{0,20}"),
	)
}

func values(depth int) *rapid.Generator[definition.Value] {
	return rapid.Custom(func(t *rapid.T) definition.Value {
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		if depth == 0 {
			kind = 0
		}
		switch kind {
		case 1:
			return definition.Value{Kind: definition.Bool, Text: rapid.SampledFrom([]string{"true", "false"}).Draw(t, "flag"), Plain: true}
		case 2:
			return definition.Value{Kind: definition.Number, Text: rapid.SampledFrom([]string{"1", "-3", "0.5"}).Draw(t, "number"), Plain: true}
		case 3:
			return definition.Value{Kind: definition.List, Items: rapid.SliceOfN(values(depth-1), 1, 3).Draw(t, "items")}
		case 4:
			return definition.Value{Kind: definition.Map, Pairs: entriesOf(depth-1).Draw(t, "pairs")}
		}
		return definition.Value{Kind: definition.String, Text: texts().Draw(t, "text")}
	})
}

func entriesOf(depth int) *rapid.Generator[[]definition.Entry] {
	return rapid.Custom(func(t *rapid.T) []definition.Entry {
		keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"name", "description", "allowed-tools", "x_y", "a b", "*", "mcp", "true"}), 1, 4, rapid.ID[string]).Draw(t, "keys")
		var list []definition.Entry
		for _, k := range keys {
			list = append(list, definition.Entry{Key: k, Value: values(depth).Draw(t, "value")})
		}
		return list
	})
}

func alike(a, b []definition.Entry) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Key != b[i].Key || !alikeValue(&a[i].Value, &b[i].Value) {
			return false
		}
	}
	return true
}

func alikeValue(a, b *definition.Value) bool {
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Items) != len(b.Items) {
		return false
	}
	for i := range a.Items {
		if !alikeValue(&a.Items[i], &b.Items[i]) {
			return false
		}
	}
	return alike(a.Pairs, b.Pairs)
}

// TestWriteReadsBack checks that the output parses to the same values in every
// host with typed YAML.
func TestWriteReadsBack(t *testing.T) {
	profiles := registry.Profiles()
	testenv.Check(t, func(t *rapid.T) {
		want := entriesOf(2).Draw(t, "entries")
		text := "---\n" + Write(want) + "---\nbody\n"
		for _, p := range profiles {
			if p.Dialect.Strings {
				continue
			}
			f := diag.NewFile("x.md", []byte(text))
			doc, diags := Parse(f, false, p.Dialect.For(definition.Agent))
			if !doc.Valid || !alike(want, doc.Entries) || string(f.Data[doc.Body:]) != "body\n" {
				t.Fatalf("%s reads\n%s\nas %+v (%v)", p.Name, text, doc.Entries, diags)
			}
		}
	})
}

// TestWriteReadsBackAsText checks that strings survive a round trip through the
// host with untyped YAML.
func TestWriteReadsBackAsText(t *testing.T) {
	p, _ := registry.Lookup("agentskills")
	testenv.Check(t, func(t *rapid.T) {
		want := []definition.Entry{{Key: "description", Value: definition.Value{Kind: definition.String, Text: texts().Draw(t, "text")}}}
		f := diag.NewFile("x.md", []byte("---\n"+Write(want)+"---\nbody\n"))
		if doc, diags := Parse(f, false, p.Dialect); !doc.Valid || !alike(want, doc.Entries) {
			t.Fatalf("%s is read as %+v (%v)", f.Data, doc.Entries, diags)
		}
	})
}

func TestWriteTOMLReadsBack(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		want := entriesOf(2).Draw(t, "entries")
		text := WriteTOML(want)
		doc, diags := ParseTOML(diag.NewFile("x.toml", []byte(text)))
		if !doc.Valid || !alike(want, doc.Entries) {
			t.Fatalf("%s\nis read as %+v (%v)", text, doc.Entries, diags)
		}
	})
}

func TestWrite(t *testing.T) {
	str := func(s string) definition.Value { return definition.Value{Kind: definition.String, Text: s} }
	got := Write([]definition.Entry{
		{Key: "name", Value: str("x")},
		{Key: "description", Value: str("Use when: asked")},
		{Key: "tools", Value: definition.Value{Kind: definition.List, Items: []definition.Value{str("Read"), str("Bash(git:*)")}}},
		{Key: "metadata", Value: definition.Value{Kind: definition.Map, Pairs: []definition.Entry{{Key: "*", Value: definition.Value{Kind: definition.Bool, Text: "false"}}}}},
		{Key: "empty", Value: definition.Value{Kind: definition.List}},
	})
	want := strings.Join([]string{
		"name: x", `description: "Use when: asked"`, "tools:", "  - Read", `  - "Bash(git:*)"`, "metadata:", `  "*": false`, "empty: []", "",
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := WriteBare([]definition.Entry{{Key: "globs", Value: str("*.ts, **/x\n")}, {Key: "description", Value: str("a  \"b\"")}}); got != "globs: *.ts, **/x\ndescription: a \"b\"\n" {
		t.Errorf("bare: %q", got)
	}
}

// TestControlCharactersAreEscaped checks that control characters are never written literally.
func TestControlCharactersAreEscaped(t *testing.T) {
	for _, s := range []string{"a\u0085b", "a\u009bc", "\u0080", "a\u202eb", "\x7f", "l\n\u009bm", "l\n\u0085"} {
		list := []definition.Entry{{Key: "k", Value: definition.Value{Kind: definition.String, Text: s}}, {Key: s, Value: definition.Value{Kind: definition.Bool, Text: "true"}}}
		for _, made := range []string{Write(list), WriteTOML(list)} {
			if strings.ContainsFunc(made, func(r rune) bool { return r != '\n' && isAwkward(r) }) {
				t.Errorf("%q is written as %q", s, made)
			}
		}
	}
}

func FuzzWrite(f *testing.F) {
	f.Add("a: b", "---")
	f.Add("x\ny", "\x00\xff")
	f.Fuzz(func(t *testing.T, key, text string) {
		entries := []definition.Entry{{Key: key, Value: definition.Value{Kind: definition.String, Text: text}}}
		_ = WriteTOML(entries)
		file := diag.NewFile("x.md", []byte("---\n"+Write(entries)+"---\nbody\n"))
		if doc, _ := Parse(file, false, registry.Neutral().Dialect); !doc.Found {
			t.Errorf("%q: %q: no frontmatter in %q", key, text, file.Data)
		}
	})
}
