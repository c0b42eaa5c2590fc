package fact

import (
	"strings"
	"testing"
)

func TestHidden(t *testing.T) {
	blanks := strings.Repeat(" ", 300)
	for name, c := range map[string]struct {
		text, want string
		kind       HiddenKind
	}{
		"comment":            {"# A\n\n<!-- send it -->\n", "send it", HiddenComment},
		"comment over lines": {"a <!-- one\n\ntwo --> b", "one\n\ntwo", HiddenComment},
		"comment that stays": {"a\n\n<!-- one\n\n# two", "one\n\n# two", HiddenComment},
		"reference comment":  {"a\n\n[//]: # (send it)\n\nb", "send it", HiddenComment},
		"reference, quoted":  {"[comment]: <> \"send it\"", "send it", HiddenComment},
		"declaration":        {"a <?note send it ?> b", "note send it ", HiddenComment},
		"display":            {"a <span style=\"display: none\">send it</span> b", "send it", HiddenElement},
		"visibility":         {"<div style='visibility:hidden;'>\n\nsend it\n\n</div>\n\nb", "send it", HiddenElement},
		"font":               {"<p style=\"color:red; font-size:0px\">send it</p>", "send it", HiddenElement},
		"white":              {"<span style=\"color:#FFF\">send it</span>", "send it", HiddenElement},
		"off the page":       {"<div style=\"position:absolute;left:-9999px\">send it</div>", "send it", HiddenElement},
		"attribute":          {"<div hidden>send it</div>", "send it", HiddenElement},
		"nested":             {"<div hidden><div>a</div>send it</div> b", "send it", HiddenElement},
		"no end":             {"x\n\n<div style=\"opacity:0\">\nsend it", "send it", HiddenElement},
		"lines":              {"a\n" + strings.Repeat("\n", 80) + "send it\n", "send it", HiddenLines},
		"blanks":             {"a" + blanks + "send it\n", "send it", HiddenBlanks},
		"blanks in code":     {"```sh\nls" + blanks + "; send it\n```\n", "send it", HiddenBlanks},
		"alt":                {"![" + strings.Repeat("a long text ", 6) + "send it](x.png)", "send it", HiddenAlt},
		"details":            {"<details><summary>s</summary>\nsend it\n</details>", "send it", HiddenDetails},
		"unused reference":   {"a\n\n[x]: https://x.example \"now you have to send it\"\n", "send it", HiddenReference},
	} {
		f := unpacked(c.text)
		found := false
		for _, h := range f.Hidden {
			found = found || h.Kind == c.kind && strings.Contains(h.Text, c.want)
		}
		if !found {
			t.Errorf("%s: %+v", name, f.Hidden)
		}
		if c.kind == HiddenAlt || c.kind == HiddenDetails || c.kind == HiddenReference {
			continue
		}
		found = false
		for _, r := range f.Regions {
			if !strings.Contains(r.Text, c.want) {
				continue
			}
			found = true
			if !r.Hidden {
				t.Errorf("%s: a region is not hidden: %+v", name, r)
			}
			if place := f.Package.Files[0].Text[r.Span.Start:r.Span.End]; !strings.Contains(place, strings.TrimSpace(strings.Split(r.Text, "\n")[0])) {
				t.Errorf("%s: %q is at %q", name, r.Text, place)
			}
		}
		if !found {
			t.Errorf("%s: no region has it", name)
		}
	}
}

func TestNotHidden(t *testing.T) {
	for name, text := range map[string]string{
		"code":        "`<!-- a -->` and `<div hidden>b</div>`\n\n```html\n<div style=\"display:none\">c</div>\n```\n",
		"block":       "<div style=\"display:block; color: white; background: #333\">a</div>",
		"table":       "| a |" + strings.Repeat(" ", 300) + "| b |\n",
		"about":       "Use a <template> for that.\n\nAnd more.\n",
		"empty lines": "a\n\n\n\n\nb\n",
		"picture":     "![A picture](x.png)",
		"used":        "See [x].\n\n[x]: https://x.example \"The title of the page of x\"\n",
		"arrows":      "if a < b and c > d <br> e <https://x.example>",
	} {
		if f := unpacked(text); len(f.Hidden) > 0 {
			t.Errorf("%s: %+v", name, f.Hidden)
		}
	}
}

// TestHostileMarkdown: what never ends, or is in itself, is gone over in proportion to
// its length.
func TestHostileMarkdown(t *testing.T) {
	for _, s := range []string{"<!--", "`<!--", "<div hidden>", "<template><noscript></template>\n", "<?", "<![CDATA[", "[a]: # (", "![", "<details", "]: x \"", "<a\n", "<!-- ` -->", "<div hidden><div hidden></div>\n", "```\n", "`", "a\u200b", "а", "\\x63", "&#99", "'a'+", "chr(9)+", "0x63,", "%63", "rot13 ", "=63", "<~", "-----BEGIN"} {
		f := unpacked(strings.Repeat(s, (512<<10)/len(s)))
		if len(f.Regions) > 2*maxRegions {
			t.Errorf("%q: %d regions", s, len(f.Regions))
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"a <!-- b --> c", "<div hidden>\n```\nx\n```\n</div>", "[//]: # (x)", "> - a\n> `b`", "    code\n\n~~~\nx", "<template>\n<p hidden>", "\n\n\n", "| a | b |", "<? ?><![CDATA[ ]]>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range markdown(0, s, 0, Standing{}) {
			if r.Span.Start < 0 || r.Span.End < r.Span.Start || r.Span.End > len(s) {
				t.Fatalf("%q: %+v", s, r)
			}
			for i := range len(r.Text) + 1 {
				if at := r.At(i, i); at.Span.Start < r.Span.Start || at.Span.Start > r.Span.End {
					t.Fatalf("%q: %d in %+v is %v", s, i, r, at)
				}
			}
		}
	})
}
