package frontmatter

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"

	"github.com/vadehq/vade/internal/testenv"
)

// broken lists invalid YAML blocks with the intended value of key k.
var broken = []struct {
	name, block, want string
	code              diag.Code
}{
	{"colon", "k: Use when: asked\nz: 1\n", "Use when: asked", diag.YAMLRepairedValue},
	{"colon at the end", "k: as follows:\nz: 1\n", "as follows:", ""},
	{"glob", "k: **/*.ts\n", "**/*.ts", diag.YAMLRepairedValue},
	{"glob list", "k: *.ts, *.js\nz: 1\n", "*.ts, *.js", diag.YAMLRepairedValue},
	{"two lists", "k: [a] [b]\n", "[a] [b]", diag.YAMLRepairedValue},
	{"list and text", "k: [a] | --b\n", "[a] | --b", diag.YAMLRepairedValue},
	{"tagged text", "k: [WIP] does: things\n", "[WIP] does: things", diag.YAMLRepairedValue},
	{"template", "k: {{name}}\n", "{{name}}", diag.YAMLRepairedValue},
	{"at", "k: @user thing\n", "@user thing", diag.YAMLRepairedValue},
	{"backtick", "k: `code` first\n", "`code` first", diag.YAMLRepairedValue},
	{"percent", "k: %d items\n", "%d items", diag.YAMLRepairedValue},
	{"exclamation", "k: !important thing\n", "!important thing", diag.YAMLRepairedValue},
	{"comma", "k: , then that\n", ", then that", diag.YAMLRepairedValue},
	{"bold", "k: **bold** words\n", "**bold** words", diag.YAMLRepairedValue},
	{"dash", "k: - text\n", "- text", diag.YAMLRepairedValue},
	{"literal with text", "k: | Text here\n", "Text here", diag.YAMLRepairedValue},
	{"folded with text", "k: >- Text: here\nz: 1\n", "Text: here", diag.YAMLRepairedValue},
	{"open double quote", "k: \"open\nz: 1\n", "\"open", diag.YAMLRepairedValue},
	{"open single quote", "k: 'open\n", "'open", diag.YAMLRepairedValue},
	{"text after quotes", "k: \"One\" and two\n", "\"One\" and two", diag.YAMLRepairedValue},
	{"both quotes", "k: it's \"x\": y\n", "it's \"x\": y", diag.YAMLRepairedValue},
	{"backslash", "k: a\\b: c\n", "a\\b: c", diag.YAMLRepairedValue},
	{"indented lines", "k: Use when: asked\n  and: otherwise\n\n  too\nz: 1\n", "Use when: asked and: otherwise\ntoo", diag.YAMLRepairedValue},
	{"CR LF", "k: Use when: asked\r\nz: 1\r\n", "Use when: asked", diag.YAMLRepairedValue},
	{"not ASCII", "z: é\nk: 漢字: é\n", "漢字: é", diag.YAMLRepairedValue},
	{"no blank after the key's colon", "k:\n  - a\nz: b: c\n", "[a]", diag.YAMLRepairedValue},
	{"line at the left edge", "k: One line\nand another\nNote: this\nz: 1\n", "One line\nand another\nNote: this", diag.YAMLRepairedLines},
	{"dialogue", "k: Use it. Examples:\n\n<example>\nContext: a\nuser: \"b\"\nassistant: \"c: d\"\n</example>\nmodel: opus\n",
		"Use it. Examples:\n\n<example>\nContext: a\nuser: \"b\"\nassistant: \"c: d\"\n</example>", diag.YAMLRepairedLines},
	{"dialogue that looks like fields", "k: Use it: so\nuser: b: c\nassistant: d\nuser: e\nmodel: opus\n",
		"Use it: so\nuser: b: c\nassistant: d\nuser: e", diag.YAMLRepairedLines},
	{"quoted value goes on", "k: \"One\"\ntwo\n", "One\ntwo", diag.YAMLRepairedLines},
	{"block scalar goes on at the left edge", "k: |\n  One\n    more\ntwo\n", "One\n  more\ntwo", diag.YAMLRepairedLines},
	{"value begins at the left edge", "k:\nOne: two\nthree four\nz: 1\n", "-", ""},
	{"dots", "k: a\n...\nz: b\n", "a\n...", diag.YAMLRepairedLines},
}

func TestRepair(t *testing.T) {
	for _, tt := range broken {
		t.Run(tt.name, func(t *testing.T) {
			f := sourceOf("---\n" + tt.block + "---\nbody\n")
			doc, diags := Parse(f, false, neutral())
			v, ok := field(doc, "k")
			got, _ := Hint(v)
			if tt.want != "-" && (!ok || got != tt.want) {
				t.Errorf("got %q, want %q\n%v", got, tt.want, diags)
			}
			if tt.code != "" && !slices.Equal(codes(diags), []diag.Code{tt.code}) {
				t.Errorf("diagnostics %v", diags)
			}
			if tt.code == diag.YAMLRepairedValue || tt.code == diag.YAMLRepairedLines {
				checkRepaired(t, f, doc, diags)
			}
		})
	}
}

// checkRepaired checks that the suggested edits produce a file that needs no
// repair and has the same values.
func checkRepaired(t *testing.T, f *diag.File, doc Document, diags []diag.Diagnostic) {
	t.Helper()
	edited := applyEdits(f.Data, diags)
	again, diags2 := Parse(diag.NewFile(f.Name, edited), false, neutral())
	if first := codes(diags)[0]; again.Repaired && (first == diag.EncodingInvalid || first == diag.EncodingControl) {
		// Overlapping edits require a second round.
		edited = applyEdits(edited, diags2)
		again, diags2 = Parse(diag.NewFile(f.Name, edited), false, neutral())
	}
	guess := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool {
		return d.Edit == nil && (d.Code == diag.YAMLRepairedValue || d.Code == diag.YAMLRepairedLines)
	})
	if again.Repaired && !guess || !again.Valid {
		t.Fatalf("%q: the edits give %q, which is not clean: %v", f.Data, edited, diags2)
	}
	if d := cmp.Diff(doc.Entries, again.Entries, cmpopts.EquateEmpty(), cmpopts.IgnoreTypes(diag.Span{})); d != "" {
		t.Fatalf("%q: the edits give %q, which differs (-repaired +edited):\n%s", f.Data, edited, d)
	}
}

func applyEdits(data []byte, diags []diag.Diagnostic) []byte {
	var edits []edit
	for _, d := range diags {
		switch d.Code {
		case diag.YAMLRepairedValue, diag.YAMLRepairedLines, diag.EncodingControl, diag.EncodingInvalid:
			if d.Edit != nil {
				edits = append(edits, edit{span: d.Edit.Span, new: d.Edit.New})
			}
		}
	}
	sortEdits(edits)
	// Drop an edit inside another edit.
	kept := edits[:0]
	for _, e := range edits {
		n := len(kept)
		if n > 0 && kept[n-1].span.Start == e.span.Start && kept[n-1].span.End <= e.span.End {
			kept[n-1] = e
			continue
		}
		if n > 0 && e.span.Start < kept[n-1].span.End {
			continue
		}
		kept = append(kept, e)
	}
	return apply(data, kept)
}

func TestRepairedSpans(t *testing.T) {
	data := "---\na: é\ndescription: Use when: é asked\nm:\n  x: y: z\n  l:\n    - @b\nend: 1\n---\n"
	f := sourceOf(data)
	doc, diags := Parse(f, false, neutral())
	if !doc.Valid || !doc.Repaired || len(diags) != 3 {
		t.Fatal(doc, diags)
	}
	at := func(v definition.Value) string { return data[v.Span.Start:v.Span.End] }
	d, _ := field(doc, "description")
	m, _ := field(doc, "m")
	end, _ := field(doc, "end")
	got := []string{at(d), at(m.Pairs[0].Value), at(m.Pairs[1].Value.Items[0]), at(end)}
	if want := []string{"Use when: é asked", "y: z", "@b", "1"}; !slices.Equal(got, want) {
		t.Errorf("spans contain %q, want %q", got, want)
	}
	if diags[0].Line != 3 || diags[0].Column != 14 || diags[0].Edit.New != `"Use when: é asked"` {
		t.Errorf("%+v %+v", diags[0], diags[0].Edit)
	}
	checkRepaired(t, f, doc, diags)
}

func TestNotRepaired(t *testing.T) {
	tests := []struct {
		name, block string
		d           host.Dialect
		keys        []string
		codes       []diag.Code
	}{
		{"no repair at all", "a: b: c\nz: 1\n", strict(), []string{"z"}, []diag.Code{diag.YAMLInvalid}},
		{"beyond this host", "a: \"b\nz: 1\n", claude(), []string{"z"}, []diag.Code{diag.YAMLInvalid}},
		{"values only", "a: b\nc d\nz: 1\n", claude(), []string{"z"}, []diag.Code{diag.YAMLInvalid}},
		{"text below a list", "a:\n  - b\nsome text\nz: 1\n", neutral(), []string{"a", "z"}, []diag.Code{diag.YAMLInvalid}},
		{"text first", "Some text\nz: 1\n", neutral(), []string{"z"}, []diag.Code{diag.YAMLInvalid}},
		{"merge conflict", "a: b\n<<<<<<< HEAD\nc: d\n=======\nc: e\n>>>>>>> topic\n", neutral(), []string{"a", "c"}, []diag.Code{diag.YAMLInvalid, diag.YAMLDuplicateKey}},
		{"list", "- a\n- b\n", neutral(), nil, []diag.Code{diag.YAMLInvalid}},
		{"text", "just text\n", neutral(), nil, []diag.Code{diag.YAMLInvalid}},
		{"anchor and alias", "a: &x b\nc: *x\nz: 1\n", neutral(), []string{"z"}, []diag.Code{diag.YAMLForbidden, diag.YAMLForbidden}},
		{"merge key", "<<: {a: b}\nz: 1\n", neutral(), []string{"z"}, []diag.Code{diag.YAMLForbidden}},
		{"core tag", "a: !!int 3\nz: 1\n", neutral(), []string{"z"}, []diag.Code{diag.YAMLForbidden}},
		{"nested anchor", "a:\n  b: [x, &y z]\nz: 1\n", neutral(), []string{"z"}, []diag.Code{diag.YAMLForbidden}},
		{"duplicate", "a: 1\na: 2\n", strict(), []string{"a"}, []diag.Code{diag.YAMLDuplicateKey}},
		{"control character", "a: b\x01c\n", strict(), []string{"a"}, []diag.Code{diag.EncodingControl}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := sourceOf("---\n" + tt.block + "---\n")
			doc, diags := Parse(f, false, tt.d)
			var keys []string
			for _, e := range doc.Entries {
				keys = append(keys, e.Key)
			}
			if doc.Valid || !slices.Equal(keys, tt.keys) || !slices.Equal(codes(diags), tt.codes) {
				t.Errorf("valid %v, keys %q, diagnostics %v", doc.Valid, keys, diags)
			}
			checkDiags(t, f, diags)
		})
	}
}

func TestReported(t *testing.T) {
	tests := []struct {
		name, block string
		want        diag.Code
		line, col   int
	}{
		{"comment in a value", "a: fix issue #12 now\n", diag.YAMLComment, 2, 14},
		{"tab", "a:\tb\n", diag.YAMLTab, 2, 3},
		{"duplicate", "a: é\nb: 1\na: 2\n", diag.YAMLDuplicateKey, 4, 1},
		{"NUL", "é: x\x00y\n", diag.EncodingControl, 2, 5},
		{"bad byte", "a: x\xffy\n", diag.EncodingInvalid, 2, 5},
		{"colon after runes", "é: 漢字: x\n", diag.YAMLRepairedValue, 2, 4},
		{"tabs as indentation", "a:\n\tb: c\n\td: e\n", diag.YAMLRepairedValue, 3, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := sourceOf("---\n" + tt.block + "---\n")
			doc, diags := Parse(f, false, neutral())
			if !doc.Valid || len(diags) != 1 {
				t.Fatalf("valid %v, %v", doc.Valid, diags)
			}
			if d := diags[0]; d.Code != tt.want || d.Line != tt.line || d.Column != tt.col || d.Fix == "" {
				t.Errorf("got %+v", d)
			}
			checkRepaired(t, f, doc, diags)
		})
	}
}

func TestInvalidNamesThePlace(t *testing.T) {
	_, diags := Parse(sourceOf("---\nz: 1\na: b: c\n---\n"), false, strict())
	if len(diags) != 1 || diags[0].Line != 3 || diags[0].Column != 4 || diags[0].Edit == nil || diags[0].Edit.New != `"b: c"` {
		t.Errorf("%+v", diags)
	}
}

// TestAdvice tests the fix that is suggested for a value. The fix depends on the cause. An edit is
// offered only if it certainly matches the author's intent.
func TestAdvice(t *testing.T) {
	for _, tc := range []struct{ block, fix, edit string }{
		{"description: Use when: asked\n", "quote the value of description", `"Use when: asked"`},
		{"description: [WIP] does: things\n", "quote the value of description", `"[WIP] does: things"`},
		{"argument-hint: [a] [b]\n", "quote the value of argument-hint", `"[a] [b]"`},
		{"description: \"One\" and two\n", "quote the value of description", `'"One" and two'`},
		{"m:\n  x: y: z\n", "quote the value of x", `"y: z"`},
		{"tools:\n  - @b\n", "quote the value of tools", `"@b"`},
		{"allowed-tools: [Read, Grep\n", "close the list in allowed-tools with ]", ""},
		{"tools: [\"Read, Grep]\n", "close the quotes in tools", ""},
		{"metadata: {a: b\n", "close the map in metadata with }", ""},
		{"tools: [Read] [Grep]\n", "use a single list for tools: [a, b]", ""},
		{"description: \"Never closed\n", "close the quotes in description", ""},
		{"description: 'Never closed\n", "close the quotes in description", ""},
		{"description: fine\n  more: stuff\n", `use a block scalar for description: write ">-" after the key and indent every line below it`, ""},
		{"description: |\n    a\n  b\n", "use the same indentation for all lines of description", ""},
		{"description: | a\n  b\n", `start the text of description on the line after "|"`, ""},
		{"description: a\nb c\n", `use a block scalar for description: write "|-" after the key and indent every line below it`, "|-\n  a\n  b c"},
		{"name j\ndescription: d\n", `change the line to "key: value", or remove it`, ""},
		{"a: x\n---x\nb: [\n", "close the list in b with ]", ""},
	} {
		for _, d := range []host.Dialect{neutral(), strict()} {
			doc, diags := Parse(sourceOf("---\n"+tc.block+"---\n"), false, d)
			if len(diags) == 0 {
				t.Errorf("%q: no diagnostics", tc.block)
				continue
			}
			last := diags[len(diags)-1]
			edit := ""
			if last.Edit != nil {
				edit = last.Edit.New
			}
			if d.Repair == host.RepairNone && strings.HasPrefix(tc.edit, "|-") {
				// In this case the lines are not joined.
				tc.fix, tc.edit = `indent the line if it belongs to the value of description; otherwise, change it to "key: value"`, ""
			}
			if last.Fix != tc.fix || edit != tc.edit {
				t.Errorf("%q (valid %v): fix %q, edit %q", tc.block, doc.Valid, last.Fix, edit)
			}
		}
	}
}

// TestUnclosedAdvice checks that frontmatter that runs to the end of the file
// is reported as unclosed.
func TestUnclosedAdvice(t *testing.T) {
	d := strict()
	d.Delimiters.OpenEnd = true
	_, diags := Parse(sourceOf("---\nname: a\n\nThe body.\n"), false, d)
	for _, x := range diags {
		if x.Fix != `put "---" on a separate line after the last field` || x.Edit != nil {
			t.Errorf("%+v", x)
		}
	}
	if len(diags) != 2 {
		t.Errorf("%d diagnostics", len(diags))
	}
}

// TestRepairProperty checks that typical field values keep their text, regardless of what surrounds
// them.
func TestRepairProperty(t *testing.T) {
	word := rapid.SampledFrom([]string{"Use", "when:", "[a]", "[b]", "*", "**/*.ts", "@x", "`y`", "{{z}}", "|", ">-", "- q", "it's", "\"Q\"", "é", "!", "%", "&", "#", "漢"})
	testenv.Check(t, func(rt *rapid.T) {
		block := ""
		for _, key := range []string{"name", "description", "argument-hint"} {
			block += key + ":"
			for _, w := range rapid.SliceOfN(word, 0, 4).Draw(rt, key) {
				block += " " + w
			}
			block += rapid.SampledFrom([]string{"\n", "\r\n", "\n  more\n", "\nleft edge\n", "\n  - item: x: y\n", "\n\n"}).Draw(rt, "end")
		}
		f := sourceOf("---\n" + block + "---\n")
		doc, diags := Parse(f, false, neutral())
		checkSpans(t, f.Data, doc.Entries)
		if doc.Valid && doc.Repaired {
			checkRepaired(t, f, doc, diags)
		}
		if !doc.Valid && len(diags) == 0 {
			rt.Fatalf("%q: invalid without a diagnostic", block)
		}
	})
}

func FuzzRepair(f *testing.F) {
	for _, tt := range broken {
		f.Add([]byte(tt.block))
	}
	for _, s := range oddBlocks {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, block []byte) {
		if len(block) > 2<<10 {
			return
		}
		file := sourceOf("---\n" + string(block) + "\n---\n")
		doc, diags := Parse(file, false, neutral())
		checkSpans(t, file.Data, doc.Entries)
		checkDiags(t, file, diags)
		if !doc.Valid && len(diags) == 0 {
			t.Fatalf("%q: invalid without a diagnostic", block)
		}
		if doc.Valid && doc.Repaired {
			checkRepaired(t, file, doc, diags)
		}
	})
}
