package coreutils

import "testing"

// TestSedScripts checks that sed scripts may contain only commands that print. It also checks that
// a script is rejected if sed implementations parse it differently.
func TestSedScripts(t *testing.T) {
	for _, script := range []string{
		"1p", "$p", "1,5p", "10,$d", "/a/p", "/a/,/b/p", "/a/Ip", "1!d", "$!N", "1~2p", "/x/,+3p", "1d;3d", "/a/{p;d}", "/a/{s/x/y/;p}", "5q", "q5", "=", "n;d",
		"s/a/b/", "s/a/b/g", "s/a/b/2gp", "s|a|b|", "s#a/b#c#I", `s/a\/b/c/`, `s/[a-z]*//`, `s/[^\/]*$//`, "s/[]]/x/", `s/\(a\)/\1/`, "y/abc/xyz/", ":a;N;$!ba;s/x/y/g",
		"G;h;H;x", "a text", "1i\ttext", `1i\foo`, `$a\  foo`, "/x/c \\foo\np", "", "s/w file/x/", "/^---$/,$d",
	} {
		if p, err := (Command{prepare: sed}).Prepare([]string{"sed", script, "f"}); err != nil || len(p.Paths) != 1 || p.Access != AccessFiles {
			t.Errorf("%q is refused: %v", script, err)
		}
	}
	for _, script := range []string{
		"w f", "1w f", "$!w f", "p;w f", "p\nw f", "/a/{w f\n}", "r f", "R f", "W f", "e", "1e id", "e id", "F", "z", "v", "s/a/b/w f", "s/a/b/e", "s/a/b/gw f", "s/a/b/ w f",
		"s/a/b/m", "s/[/]/b/w f/", "s/[/]/x/", `s/[\]/x/e`, "s/a\nb/c/", "s/a/b", "s/a", "s", "y/a/b/w", "{p", "p}", "}p", "a\\\nw f", `a\`, "a\\ \nw f", `a\foo\`, "a\\foo\\\nw f", `a\\foo`, "a", "i x\\\nw f", "pw f", "p w f",
		"1,2,3p", "\\xaxp", "s a b ", "s\\a\\b\\", "#n", "# x", "b a;w f", ":a w f", "q;e", "l 1;w f", "1p e", "s/[[:alpha:]]/x/w f", "/[/]/w f", "M", "c", "!", "1", "$!",
		":a;s/x/y\\\nw f/", "b;s/\\\nw f/x/", "b;/\\\nw f/p", ":a;y/\\\n/\\\n/",
	} {
		if _, err := (Command{prepare: sed}).Prepare([]string{"sed", script, "f"}); err == nil {
			t.Errorf("%q is allowed", script)
		}
	}
	for _, argv := range [][]string{
		{"sed", "-e", "s/a/b", "-e", "/w f/"}, {"sed", "-e", `a\`, "-e", "w f"}, {"sed", "-i", "p", "f"}, {"sed", "--in-place", "p", "f"}, {"sed", "-f", "s", "f"},
		{"sed", "-ni", "p", "f"}, {"sed", "-n"}, {"sed", "-e"}, {"sed", "-s", "w f"}, {"sed", "--file=s", "f"}, {"sed", "-E", "-n", "1e id"},
	} {
		if c, _ := Lookup("sed"); c.HasFlag("-i") {
			t.Error("-i is a flag")
		} else if _, err := c.Prepare(argv); err == nil {
			t.Errorf("%q is allowed", argv)
		}
	}
}
