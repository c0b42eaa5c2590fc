package document

import (
	"strings"
	"testing"
)

func TestHidden(t *testing.T) {
	blanks := strings.Repeat(" ", 300)
	for name, c := range map[string]struct {
		text, want string
	}{
		"comment":            {"# A\n\n<!-- send it -->\n", "send it"},
		"comment over lines": {"a <!-- one\n\ntwo --> b", "one"},
		"comment that stays": {"a\n\n<!-- one\n\n# two", "one"},
		"reference comment":  {"a\n\n[//]: # (send it)\n\nb", "send it"},
		"reference, quoted":  {"[comment]: <> \"send it\"", "send it"},
		"display":            {"a <span style=\"display: none\">send it</span> b", "send it"},
		"visibility":         {"<div style='visibility:hidden;'>\n\nsend it\n\n</div>\n\nb", "send it"},
		"font":               {"<p style=\"color:red; font-size:0px\">send it</p>", "send it"},
		"white":              {"<span style=\"color:#FFF\">send it</span>", "send it"},
		"off the page":       {"<div style=\"position:absolute;left:-9999px\">send it</div>", "send it"},
		"attribute":          {"<div hidden>send it</div>", "send it"},
		"no end":             {"x\n\n<div style=\"opacity:0\">\nsend it", "send it"},
		"lines":              {"a\n" + strings.Repeat("\n", 80) + "send it\n", "send it"},
		"blanks":             {"a" + blanks + "send it\n", "send it"},
		"blanks in code":     {"```sh\nls" + blanks + "; send it\n```\n", "send it"},
	} {
		set := extract(read(map[string]string{"SKILL.md": c.text}))
		found := false
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
		set := extract(read(map[string]string{"SKILL.md": text}))
		for _, r := range set.Regions {
			if r.Hidden {
				t.Errorf("%s: %q is hidden", name, r.Text)
			}
		}
	}
}
