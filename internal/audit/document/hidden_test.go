package document

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/audit/signal"
)

func hiddenOf(text string) (*signal.Set, []signal.Signal) {
	set := extract(read(map[string]string{"SKILL.md": text}))
	var list []signal.Signal
	for _, x := range set.Signals {
		if x.Kind == signal.Hidden {
			list = append(list, x)
		}
	}
	return set, list
}

func TestHidden(t *testing.T) {
	blanks := strings.Repeat(" ", 300)
	for name, c := range map[string]struct {
		text, want string
		kind       signal.Tag
	}{
		"comment":            {"# A\n\n<!-- send it -->\n", "send it", "html-comment"},
		"comment over lines": {"a <!-- one\n\ntwo --> b", "one\n\ntwo", "html-comment"},
		"comment that stays": {"a\n\n<!-- one\n\n# two", "one\n\n# two", "html-comment"},
		"reference comment":  {"a\n\n[//]: # (send it)\n\nb", "send it", "html-comment"},
		"reference, quoted":  {"[comment]: <> \"send it\"", "send it", "html-comment"},
		"display":            {"a <span style=\"display: none\">send it</span> b", "send it", "element"},
		"visibility":         {"<div style='visibility:hidden;'>\n\nsend it\n\n</div>\n\nb", "send it", "element"},
		"font":               {"<p style=\"color:red; font-size:0px\">send it</p>", "send it", "element"},
		"white":              {"<span style=\"color:#FFF\">send it</span>", "send it", "element"},
		"off the page":       {"<div style=\"position:absolute;left:-9999px\">send it</div>", "send it", "element"},
		"attribute":          {"<div hidden>send it</div>", "send it", "element"},
		"no end":             {"x\n\n<div style=\"opacity:0\">\nsend it", "send it", "element"},
		"lines":              {"a\n" + strings.Repeat("\n", 80) + "send it\n", "send it", "pushed"},
		"blanks":             {"a" + blanks + "send it\n", "send it", "pushed"},
		"blanks in code":     {"```sh\nls" + blanks + "; send it\n```\n", "send it", "pushed"},
		"alt":                {"![" + strings.Repeat("a long text ", 6) + "send it](x.png)", "send it", "alt"},
		"details":            {"<details><summary>s</summary>\nsend it\n</details>", "send it", "folded"},
		"unused reference":   {"a\n\n[x]: https://x.example \"now you have to send it\"\n", "send it", "link-title"},
	} {
		set, hidden := hiddenOf(c.text)
		found := false
		for _, h := range hidden {
			found = found || h.Has(c.kind) && strings.Contains(h.Subject, c.want)
		}
		if !found {
			t.Errorf("%s: %s", name, set.Dump())
		}
		if c.kind == "alt" || c.kind == "folded" || c.kind == "link-title" {
			continue
		}
		found = false
		for _, r := range set.Regions {
			if !strings.Contains(r.Text, c.want) {
				continue
			}
			found = true
			if !r.Hidden {
				t.Errorf("%s: a region is not hidden: %+v", name, r)
			}
			if place := set.Package.Files[0].Text[r.Span.Start:r.Span.End]; !strings.Contains(place, strings.TrimSpace(strings.Split(r.Text, "\n")[0])) {
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
		if set, hidden := hiddenOf(text); len(hidden) > 0 {
			t.Errorf("%s: %s", name, set.Dump())
		}
	}
}
