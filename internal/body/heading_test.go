package body

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFirstHeading(t *testing.T) {
	tests := []struct{ md, title, heading string }{
		{"# Title\n\ntext", "Title", "# Title\n"},
		{"intro\n\n## Two ##\r\nx", "Two", "## Two ##\r\n"},
		{"###### Six", "Six", "###### Six"},
		{"####### seven\n", "", ""},
		{"#no blank\n# yes", "yes", "# yes"},
		{"#\n# \n# C#", "C#", "# C#"},
		{"Title\n=====\nx", "Title", "Title\n=====\n"},
		{"a\nb c\n---\nx", "a b c", "a\nb c\n---\n"},
		{"- item\n---\n# H\n", "H", "# H\n"},
		{"\n---\nx\n", "", ""},
		{"---\nname: x\n---\n# H\n", "H", "# H\n"},
		{"\ufeff---\n# comment\n---\n\n# H\n", "H", "# H\n"},
		{"---\n# H\n", "H", "# H\n"},
		{"```\n# no\n```\n# H\n", "H", "# H\n"},
		{"<!-- # no\n# no\n-->\n# H\n", "H", "# H\n"},
		{"    # code\n\n    x\n---\n", "", ""},
		{"   # three\n", "three", "   # three\n"},
		{"", "", ""},
		{"text only", "", ""},
		{"a | b\n--|--\n# H", "H", "# H"},
	}
	for _, tt := range tests {
		title, span, ok := FirstHeading(tt.md)
		if title != tt.title || tt.md[span.Start:span.End] != tt.heading || ok != (tt.title != "") {
			t.Errorf("FirstHeading(%q) = %q, %q, %v, want %q, %q", tt.md, title, tt.md[span.Start:span.End], ok, tt.title, tt.heading)
		}
	}
}

func TestFirstLine(t *testing.T) {
	tests := []struct{ body, host, neutral string }{
		{"# Body line\n", "Body line", "Body line"},
		{"# Just a body\n\ntext\n", "Just a body", "Just a body"},
		{"\n---\nname: blank\ndescription: d\n---\nbody\n", "---", "name: blank"},
		{"", "", ""},
		{" \n\t\n", "", ""},
		{"<!-- one\ntwo -->\nText here", "<!-- one", "Text here"},
		{"<!-- one --> Text", "<!-- one --> Text", "Text"},
		{"Text <!-- one --> here", "Text <!-- one --> here", "Text  here"},
		{"<!-- never closed\nText", "<!-- never closed", ""},
		{"***\n- - -\nText", "***", "Text"},
		{"```sh\nls\n```\nText", "```sh", "Text"},
		{"[![ci](a.svg)](b) ![x](y)\nText", "[![ci](a.svg)](b) ![x](y)", "Text"},
		{"![x](y) and text", "![x](y) and text", "![x](y) and text"},
		{"<p align=\"center\">\n<b>Big</b> news", "<p align=\"center\">", "Big news"},
		{"> - **Bold** and *soft* and `*code*` and 2 * 3 and snake_case_x", "> - **Bold** and *soft* and `*code*` and 2 * 3 and snake_case_x",
			"Bold and soft and `*code*` and 2 * 3 and snake_case_x"},
		{"1. [ ] First", "1. [ ] First", "First"},
		{"### Closed ###", "Closed ###", "Closed"},
		{"###\nText", "###", "Text"},
		{"| a | b |\nText", "| a | b |", "Text"},
		{"[x]: http://example.org\nText", "[x]: http://example.org", "Text"},
		{"!`git status`\n@a.md @b.md\n!important", "!`git status`", "!important"},
		{"Title\n=====\n", "Title", "Title"},
		{"a *.go and *.md file", "a *.go and *.md file", "a *.go and *.md file"},
	}
	for _, tt := range tests {
		if got := FirstLine(tt.body, false); got != tt.host {
			t.Errorf("FirstLine(%q, false) = %q, want %q", tt.body, got, tt.host)
		}
		if got := FirstLine(tt.body, true); got != tt.neutral {
			t.Errorf("FirstLine(%q, true) = %q, want %q", tt.body, got, tt.neutral)
		}
	}
}

func TestFirstLineIsCut(t *testing.T) {
	got := FirstLine(strings.Repeat("é", 251), true)
	if n := utf8.RuneCountInString(got); n != 250 || !strings.HasSuffix(got, "é…") {
		t.Errorf("cut to %d runes: %q", n, got)
	}
	whole := strings.Repeat("é", 250)
	if got := FirstLine(whole, true); got != whole {
		t.Errorf("a line of 250 runes was changed: %q", got)
	}
}
