package frontmatter

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// simpleBlocks holds blocks that the fast path must accept.
var simpleBlocks = []string{
	"a: 'it''s'\nb: ''''\nc: '''x'''\n", "a: \"say \\\"x\\\"\"\nb: \"\\\\\"\nc: \"a\\nb\\tc\\/d\"\nd: [\"\\\"\", '''']\n",
	"",
	"\n# nothing here\n\n",
	"name: tidy-up\ndescription: Tidies the desk before work begins.\n",
	"name: \"tidy\"\ndescription: 'Tidies up: quickly'\n",
	"name: tidy\r\ndescription: Tidies.\r\n",
	"version: 1.0\nolder: 010\nhex: 0x1F\ndate: 2026-03-06\nwhen: yes\non: true\nnone: ~\n",
	"empty:\nnext: a\n",
	"tools: [Read, Grep, \"Bash(a, b)\"]\nnone: []\n",
	"tools:\n  - Read\n  - 'Grep'\nmodel: opus\n",
	"tools:\n- Read\n- Bash(git add:*)\nmodel: opus\n",
	"metadata:\n  author: Ada\n  tags:\n    - x\n    - y\n  deep:\n    er: 1\nlast: z\n",
	"description: >-\n  One line\n  and another.\n\n  A second paragraph.\nname: folded\n",
	"description: |\n  One line\n    indented\n\n  last\nname: literal\n",
	"description: >\n  Clipped.\n\n\nname: folded\n",
	"# a comment\nname: x\n\n# another\ndescription: y\n",
	"description: Ünïcödé and 漢字\nname: größe\n",
	"a: b - c\nd: e:f\ng: h#i\nj: http://example.org/x?y=1\n",
	"name: no-line-end",
}

// oddBlocks holds blocks that the fast path may or must leave to the library.
var oddBlocks = []string{
	"a: \"\\x41\"\n", "a: \"\\u00e9\\0\"\n", "a: \"x\\\"\n", "a: 'x''\n", "a: \"\\\n", "a: \"x\\\n y\"\n", "a: 'x'y'\n", "a: \"\\ \"\n",
	"a: b # c\n", "a:\tb\n", "a: b: c\n", "a: [b] c\n", "a: *b\n", "a: &b c\nd: *b\n", "a: !x y\n", "<<: {a: b}\n",
	"a: b\na: c\n", "a: \"b\\n\"\n", "a: 'it''s'\n", "a: b\n  c\n", "a: |2\n   x\n", "a: |+\n  x\n\n", "- a\n- b\n", "just text\n",
	"a: [b,\n  c]\n", "a: {b: c, d: }\n", "? a\n: b\n", "a:\n  - b: c\n    d: e\n", "a:\n -\n - b\n", "  a: b\n", "a: @b\n", "a: `b`\n",
	"a: >-\n\n  b\n", "a: >-\n  b\n   c\n", "a: |\n  b  \n  \n  c\n", "a: |\n    b\n  c\n", "a: b\u2028c\n", "a: b\u0085c\n", "\ufeffa: b\n",
	"a: \"b\n", "a: [\"b\"\n", "a: {{b}}\n", "a: | b\n", "a: - b\n", "...\na: b\n", "a: b\n...\nc: d\n", "%YAML 1.2\n", "a: b\r", "a: x\x00y\n",
	"a: ,b\n", "a: [b,,c]\n", "a: [b, c,]\n", "a: \"b\" c\n", "a: 'b'\n  'c'\n", "a:\n\n  b: c\n # d\n  e: f\n", "a:b\n", "a : b\n", "a: |\n b\n# c\nd: e\n",
	"a: |\n  b\n # c\nd: e\n", "a:\n- b\n  - c\n", "a:\n  b: c\n d: e\n", "a: b\n- c\n", "a: [a: b, c]\n", "a: [b]#\n", "a: |-\n\tb\n", "a: >-\r\n  b\r\n  c\r\n\r\n  d\r\n",
	"a: ? b\n", "a: -b\n", "a: ?b\n", "a: :b\n", "a: [-b, :c]\n", "a: 0o17\nb: +.inf\nc: .NaN\nd: 1e5\ne: -\nf: 1_000\n",
}

func checkFast(t *testing.T, text []byte) (taken bool) {
	t.Helper()
	got, ok := fast(nil, text, 7)
	if !ok {
		return false
	}
	want := load(text, 0)
	if len(want.problems) > 0 {
		t.Fatalf("%q: fast path accepts it, the library says %+v", text, want.problems)
	}
	shift(want.entries, 7)
	if d := cmp.Diff(want.entries, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("%q: fast path differs (-library +fast):\n%s", text, d)
	}
	return true
}

func shift(entries []definition.Entry, by int) {
	for i := range entries {
		entries[i].KeySpan = move(entries[i].KeySpan, by)
		shiftValue(&entries[i].Value, by)
	}
}

func shiftValue(v *definition.Value, by int) {
	v.Span = move(v.Span, by)
	for i := range v.Items {
		shiftValue(&v.Items[i], by)
	}
	shift(v.Pairs, by)
}

func move(s diag.Span, by int) diag.Span {
	return diag.Span{Start: s.Start + by, End: s.End + by}
}

func TestFastPathTakesSimpleBlocks(t *testing.T) {
	for _, text := range simpleBlocks {
		if !checkFast(t, []byte(text)) {
			t.Errorf("%q: left to the library", text)
		}
	}
	for _, text := range oddBlocks {
		checkFast(t, []byte(text))
	}
}

// FuzzYAML checks that the fast path agrees with the library, that no input
// breaks either, and that every unparsed part is reported.
func FuzzYAML(f *testing.F) {
	for _, text := range simpleBlocks {
		f.Add([]byte(text))
	}
	for _, text := range oddBlocks {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 4<<10 {
			return
		}
		checkFast(t, text)
		d := load(text, 0)
		checkSpans(t, text, d.entries)
		for _, p := range d.problems {
			checkSpan(t, text, p.span)
		}
		for _, dialect := range []host.Dialect{claude(), strict()} {
			f := sourceOf("---\n" + string(text) + "\n---\nbody")
			doc, diags := Parse(f, false, dialect)
			checkSpans(t, f.Data, doc.Entries)
			checkDiags(t, f, diags)
			if !doc.Valid && len(diags) == 0 {
				t.Fatalf("%q: invalid without a diagnostic", text)
			}
		}
	})
}
