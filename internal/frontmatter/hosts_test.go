package frontmatter

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"

	"github.com/vadehq/vade/internal/testenv"
)

func dialectOf(t testing.TB, name string, k definition.Kind) host.Dialect {
	t.Helper()
	p, ok := registry.Lookup(name)
	if !ok {
		t.Fatalf("no host %s", name)
	}
	return p.Dialect.For(k)
}

// said returns a host's result for a block as "name: description". It returns "none" if the host
// finds no block, and "invalid" if the host's YAML library rejects it.
func said(t testing.TB, d host.Dialect, data string) string {
	doc, diags := Parse(sourceOf(data), false, d)
	checkSpans(t.(*testing.T), []byte(data), doc.Entries)
	checkDiags(t.(*testing.T), sourceOf(data), diags)
	switch {
	case !doc.Found:
		return "none"
	case !doc.Valid:
		return "invalid"
	}
	return text(doc, "name") + ": " + text(doc, "description")
}

// TestHostDialects parses our own files in the forms of the recorded matrix and of case n09. If a
// column is missing, the first column applies.
func TestHostDialects(t *testing.T) {
	hosts := []string{"codex", "copilot-cli", "gemini", "opencode", "pi", "qwen", "agentskills"}
	for _, tc := range []struct {
		row, data string
		want      map[string]string
	}{
		{"plain", "---\nname: n\ndescription: d\n---\nb\n", map[string]string{"": "n: d"}},
		{"dashes in a value", "---\nname: n\ndescription: a --- b\n---\nb\n", map[string]string{"": "n: a --- b", "agentskills": "n: a"}},
		{
			"dashes in a block", "---\nname: n\ndescription: |\n  one\n  --- two\n---\nb\n",
			map[string]string{"": "n: one\n--- two\n", "copilot-cli": "n: one\n--- two", "agentskills": "n: one\n"},
		},
		{
			"indented dashes in a block", "---\nname: n\ndescription: |\n  one\n  ---\n  two\n---\nb\n",
			map[string]string{"": "n: one\n---\ntwo\n", "copilot-cli": "n: one\n---\ntwo", "codex": "n: one\n", "agentskills": "n: one\n"},
		},
		{"blank line first", "\n---\nname: n\ndescription: d\n---\nb\n", map[string]string{"": "none"}},
		{
			"byte order mark", bom + "---\nname: n\ndescription: d\n---\nb\n",
			map[string]string{"": "none", "copilot-cli": "n: d", "opencode": "n: d", "qwen": "n: d"},
		},
		{"CR LF", "---\r\nname: n\r\ndescription: d\r\n---\r\nb\r\n", map[string]string{"": "n: d"}},
		{"blank behind the opener", "--- \nname: n\ndescription: d\n---\nb\n", map[string]string{"": "n: d", "gemini": "none", "qwen": "none"}},
		{"blank behind the closer", "---\nname: n\ndescription: d\n--- \nb\n", map[string]string{"": "n: d", "qwen": "none"}},
		{
			"text behind the closer", "---\nname: n\ndescription: d\n---- x\nb\n",
			map[string]string{"": "none", "gemini": "n: d", "opencode": "n: d", "pi": "n: d", "agentskills": "n: d"},
		},
		{"indented", "  ---\nname: n\ndescription: d\n  ---\nb\n", map[string]string{"": "none", "codex": "n: d"}},
		{"no closer", "---\nname: n\ndescription: d\nbody\n", map[string]string{"": "none"}},
		{"no closer and no body", "---\nname: n\ndescription: d\n", map[string]string{"": "none", "opencode": "n: d"}},
		{"empty block", "---\n---\nb\n", map[string]string{"": "-: -", "codex": "none", "gemini": "none", "qwen": "none"}},
		{
			"equal keys", "---\nname: n\ndescription: d1\ndescription: d2\n---\nb\n",
			map[string]string{"": "invalid", "opencode": "none", "gemini": "n: d2", "qwen": "n: d2"},
		},
		{
			"equal keys that the host does not know", "---\nname: n\ndescription: d\nx: 1\nx: 2\n---\nb\n",
			map[string]string{"": "invalid", "opencode": "none", "codex": "n: d", "gemini": "n: d", "qwen": "n: d"},
		},
		{
			"colon", "---\nname: n\ndescription: Use when: asked: x # y\n---\nb\n",
			map[string]string{
				"": "invalid", "codex": "n: Use when: asked: x", "gemini": "n: Use when: asked: x # y", "opencode": "n: Use when: asked: x # y",
				"qwen": "n: Use when: asked: x # y",
			},
		},
		{
			"colon behind a key with a hyphen", "---\nname: n\ndescription: d\nargument-hint: a: b\n---\nb\n",
			map[string]string{"": "invalid", "opencode": "none", "codex": "n: d", "gemini": "n: d", "qwen": "n: d"},
		},
		{
			"open quote", "---\nname: n\ndescription: \"open\n---\nb\n",
			map[string]string{"": "invalid", "opencode": "none", "gemini": "n: \"open", "qwen": "n: \"open"},
		},
		{
			"alias", "---\nname: n\ndescription: *missing\n---\nb\n",
			map[string]string{"": "invalid", "opencode": "none", "gemini": "n: *missing", "qwen": "n: *missing"},
		},
		{
			"bracket", "---\nname: n\ndescription: [WIP] things\n---\nb\n",
			map[string]string{"": "invalid", "opencode": "none", "codex": "n: [WIP] things", "gemini": "n: [WIP] things", "qwen": "n: [WIP] things"},
		},
		{
			"bracket and colon", "---\nname: n\ndescription: [WIP] things: all\n---\nb\n",
			map[string]string{
				"": "invalid", "codex": "n: [WIP] things: all", "gemini": "n: [WIP] things: all", "qwen": "n: [WIP] things: all",
				"opencode": "n: [WIP] things: all",
			},
		},
		{
			"at", "---\nname: n\ndescription: @user thing\n---\nb\n",
			map[string]string{"": "invalid", "opencode": "none", "codex": "n: @user thing", "gemini": "n: @user thing", "qwen": "n: @user thing"},
		},
		{
			"percent", "---\nname: n\ndescription: %x\n---\nb\n",
			map[string]string{"": "invalid", "opencode": "none", "gemini": "n: %x", "qwen": "n: %x"},
		},
		{"list", "---\nname: n\ndescription: [a, b]\n---\nb\n", map[string]string{"": "n: ", "gemini": "n: [a, b]", "agentskills": "invalid"}},
		{"number", "---\nname: 30\ndescription: \"d\"\n---\nb\n", map[string]string{"": "30: d", "gemini": "30: \"d\""}},
		{
			"tab before a key", "---\nname: n\n\tdescription: d\n---\nb\n",
			map[string]string{"": "invalid", "gemini": "n: d", "opencode": "n: d", "qwen": "n: d"},
		},
		{"tab behind a key", "---\nname: n\ndescription:\td\n---\nb\n", map[string]string{"": "n: d", "agentskills": "invalid"}},
		{"Latin-1", "---\nname: n\ndescription: caf\xe9\n---\nb\n", map[string]string{"": "n: caf\ufffd"}},
		{
			"control character", "---\nname: n\ndescription: a\x01b\n---\nb\n",
			map[string]string{"": "invalid", "opencode": "none", "gemini": "n: ab", "qwen": "n: ab"},
		},
		{
			"name in a map", "---\nname: n\ndescription: a: b\n  and more\nmetadata:\n  name: other\n---\nb\n",
			map[string]string{"": "invalid", "gemini": "other: a: b and more", "opencode": "n: a: b\nand more", "qwen": "n: a: b"},
		},
	} {
		for _, h := range hosts {
			want, ok := tc.want[h]
			if !ok {
				want = tc.want[""]
			}
			if got := said(t, dialectOf(t, h, definition.Skill), tc.data); got != want {
				t.Errorf("%s, %s: %q, want %q", tc.row, h, got, want)
			}
		}
	}
}

// TestEditors tests hosts whose parsers are known only from their documentation.
func TestEditors(t *testing.T) {
	for _, name := range []string{"copilot-vscode", "cursor"} {
		for data, want := range map[string]string{
			"---\nname: n\ndescription: Use when: x\n---\nb\n": "n: Use when: x",
			"--- \nname: n\ndescription: d\n---\nb\n":          "n: d",
			"---\nname: n\nglobs: *.ts\n---\nb\n":              "n: -",
		} {
			if got := said(t, dialectOf(t, name, definition.Instruction), data); got != want {
				t.Errorf("%s: %q: %q, want %q", name, data, got, want)
			}
		}
	}
	unclosed := "---\nname: n\ndescription: d\n"
	if got := said(t, dialectOf(t, "copilot-vscode", definition.Skill), unclosed); got != "n: d" {
		t.Errorf("VS Code: %q", got)
	}
}

// TestAgentsHaveNoSecondTry checks that Gemini CLI parses an invalid block line by line in skills,
// but not in agents.
func TestAgentsHaveNoSecondTry(t *testing.T) {
	data := "---\nname: n\ndescription: a: b\n---\nb\n"
	if got := said(t, dialectOf(t, "gemini", definition.Agent), data); got != "invalid" {
		t.Errorf("%q", got)
	}
}

// TestBodies tests where the body begins if text follows the closing dashes.
func TestBodies(t *testing.T) {
	for _, tc := range []struct{ host, data, want string }{
		{"gemini", "---\nname: n\n--- \nbody\n", ""},
		{"gemini", "---\nname: n\n---\nbody\n", "body\n"},
		{"gemini", "---\r\nname: n\r\n---\r\nbody", "body"},
		{"opencode", "---\nname: n\n---- x\nbody\n", "- x\nbody\n"},
		{"opencode", "---\nname: n\n--- \nbody\n", " \nbody\n"},
		{"pi", "---\nname: n\n---text\nbody", "text\nbody"},
		{"codex", "---\nname: n\n  --- \nbody", "body"},
		{"qwen", "---\nname: n\n--- x\n---\nbody", "body"},
		{"agentskills", "---\nname: n --- body", " body"},
	} {
		b := Split([]byte(tc.data), false, dialectOf(t, tc.host, definition.Skill).Delimiters)
		if !b.Found || tc.data[b.Body:] != tc.want {
			t.Errorf("%s, %q: found %v, body %q, want %q", tc.host, tc.data, b.Found, tc.data[b.Body:], tc.want)
		}
	}
}

// TestFlatLines tests Qwen Code's line parser (source: yaml-parser.ts).
func TestFlatLines(t *testing.T) {
	data := "---\n# note\nname: n\ndescription: a: b\nlist:\n  - one\n  - 'two'\nmap:\n  x: 1\n  y: \"q\\\"\"\nempty:\nflag: true\nnone: null\nn: 2.5\nlone\nlast:\n  - z\n---\n"
	doc, diags := Parse(sourceOf(data), false, dialectOf(t, "qwen", definition.Skill))
	checkSpans(t, []byte(data), doc.Entries)
	checkDiags(t, sourceOf(data), diags)
	var got []string
	for _, e := range doc.Entries {
		got = append(got, e.Key+"="+e.Value.Kind.String()+" "+flatText(e.Value))
	}
	want := "name=string n|description=string a: b|list=list one,'two'|map=map x:1,y:q\"|flag=boolean true|none=null null|n=number 2.5|last=list z"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

func flatText(v definition.Value) string {
	var parts []string
	for _, i := range v.Items {
		parts = append(parts, i.Text)
	}
	for _, p := range v.Pairs {
		parts = append(parts, p.Key+":"+p.Value.Text)
	}
	return v.Text + strings.Join(parts, ",")
}

// TestEditsForAllHosts applies the suggested edits for a value that was repaired or lost. It checks
// that every host reads the resulting file the same way.
func TestEditsForAllHosts(t *testing.T) {
	for _, value := range []string{"Use when: asked", "[WIP] things", "@user thing", "*.go", "\"open", "%x"} {
		data := "---\nname: n\ndescription: " + value + "\n---\nb\n"
		for _, p := range registry.Profiles() {
			_, diags := Parse(sourceOf(data), false, p.Dialect.For(definition.Skill))
			for _, d := range diags {
				if d.Edit == nil {
					continue
				}
				edited := data[:d.Edit.Span.Start] + d.Edit.New + data[d.Edit.Span.End:]
				if got := said(t, dialectOf(t, "copilot-cli", definition.Skill), edited); got != "n: "+value {
					t.Errorf("%s, %q: %q becomes %q", p.Name, value, edited, got)
				}
			}
		}
	}
}

// TestHostPrefixes parses the head of a file. It checks that the result is the same as for the
// whole file, unless the parser asks for more data.
func TestHostPrefixes(t *testing.T) {
	profiles := registry.Profiles()
	line := rapid.SampledFrom([]string{
		"---", "--- ", "  ---", "----", "--- x", "name: n", "description: a: b", "\tdescription: d", "x: [a", "  - i", "", "# c", "a\x01", "\xe9",
	})
	testenv.Check(t, func(t *rapid.T) {
		text := "---" + rapid.SampledFrom([]string{"\n", "\r\n", " \n", "\r", ""}).Draw(t, "opener")
		text += strings.Join(rapid.SliceOfN(line, 0, 8).Draw(t, "lines"), rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "break"))
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		for _, p := range profiles {
			d := p.Dialect.For(definition.Skill)
			whole, head := Split([]byte(text), false, d.Delimiters), Split([]byte(text[:cut]), true, d.Delimiters)
			if head.More {
				continue
			}
			if head.Found != whole.Found || head.Found && (head.Text != whole.Text || d.Delimiters.BodyStart != host.BodyNone && head.Body != whole.Body) {
				t.Fatalf("%s: %q: of its first %d bytes %+v, of all %+v", p.Name, text, cut, head, whole)
			}
		}
	})
}

func FuzzHostDialects(f *testing.F) {
	f.Add([]byte("---\nname: n\ndescription: [a: b\n\tx: {\n---\nb"))
	f.Add([]byte("--- \r\nname: |\n  ---\n a: *x\n----"))
	f.Add([]byte("---\n  - a\nk:\n  - b\nm:\n  c\n---"))
	profiles := registry.Profiles()
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, p := range profiles {
			for _, k := range definition.Kinds {
				doc, diags := Parse(sourceOf(string(data)), false, p.Dialect.For(k))
				checkSpans(t, data, doc.Entries)
				for _, d := range diags {
					if d.Line < 1 || d.Message == "" || d.Code == diag.Code("") {
						t.Fatalf("%s: %v", p.Name, d)
					}
					if d.Edit != nil {
						checkSpan(t, data, d.Edit.Span)
					}
				}
			}
		}
	})
}
