package coreutils

import (
	"strings"
	"testing"
)

// comparison lists command lines for a tool. The tool's output, errors and exit code must match
// those of this package.
type comparison struct {
	tool, mark string
	// unordered reports whether the tool prints entries in directory order.
	unordered bool
	// quiet excludes error lines from the comparison.
	quiet bool
	stdin string
	lines []string
}

func TestAgreesWithSystem(t *testing.T) {
	fsys := sampleTree(t)
	for _, c := range comparisons() {
		t.Run(c.tool, func(t *testing.T) {
			mark := c.mark
			if mark == "" {
				mark = "GNU"
			}
			if c.tool != "[" {
				needs(t, c.tool, mark)
			}
			for _, line := range c.lines {
				argv := append([]string{c.tool}, wordsOf(line)...)
				want := theirs(t, fsys, c.stdin, argv...)
				got := ours(t, fsys, c.stdin, argv...)
				if c.unordered {
					want.out, got.out = sortedOutput(want.out), sortedOutput(got.out)
					want.err, got.err = sortedOutput(want.err), sortedOutput(got.err)
				}
				if c.quiet {
					want.err, got.err = "", ""
				}
				if got != want {
					t.Errorf("%q\ngot  %d\n%s%s\nwant %d\n%s%s", argv, got.status, clip(got.out), got.err, want.status, clip(want.out), want.err)
				}
			}
		})
	}
}

func clip(s string) string {
	if len(s) > 2000 {
		return s[:2000] + "…"
	}
	return s
}

func comparisons() []comparison {
	long := strings.Repeat("line of input\n", 30) + "no end"
	return []comparison{
		{tool: "ls", lines: lines(`
			|-1|-a|-A|-l|-la|-al dir|-lah|-lh|-lA dir only|-R|-laR|-aR dir
			-t|-lt|-ltr|-S|-lS|-Sr|-r|-ar|-d|-d .|-ld dir|-d dir a.txt|-ld dlink link
			-F|-p|-Fa|-lF|-lp|-Fd dlink dir|-F dlink|-p dlink|dlink|-l dlink|-l dlink/|dlink/
			-la empty|empty|-l empty.txt|-l a.txt big long
			nope|nope a.txt|dir nope|-l nope|nope nope2|a.txt dir|dir a.txt empty|a.txt/x
			--color=never|--color=auto
			-- -l|broken|-l broken|loop|-l loop|-1 -l dir|'sp ace' 'it's'|'new\nline'|'new
line'|./dir|./a.txt|dir/../dir|-lR dir/sub`)},
		{tool: "cat", stdin: long, lines: lines(`
			a.txt|b.md|a.txt b.md|-n a.txt|-n b.md a.txt|-b b.md|-nb b.md|-s b.md|-sn b.md
			nope|dir|a.txt nope b.md||-|a.txt - b.md|-n -|--number a.txt
			ünï.txt|empty.txt|-n empty.txt|long|-n long|link|broken|loop|big|'sp ace'`)},
		{tool: "head", stdin: long, lines: lines(`
			a.txt|-n 1 a.txt|-n1 a.txt|-1 a.txt|-2 a.txt b.md|-n 0 a.txt|-n -1 a.txt|-n -2 b.md|-n -10 a.txt|-c 5 a.txt|-c -5 a.txt
			-c 0 a.txt|--lines=2 a.txt|--bytes=3 a.txt|-q a.txt b.md|-v a.txt|-v -|a.txt - b.md||-5|-n 5 nope a.txt|nope|dir|a.txt dir b.md
			-n 3 -|-n -3|-c -3|-n 1 empty.txt a.txt|-v empty.txt|-20 long|-n -4990 long|-c -79990 long|-n +2 a.txt|-c 2 ünï.txt|-n -0 b.md|-c -0 b.md`)},
		{tool: "tail", stdin: long, lines: lines(`
			a.txt|-n 1 a.txt|-1 a.txt|-2 b.md|-n 0 a.txt|-n +1 a.txt|-n +2 a.txt|-n +0 a.txt|-n +9 a.txt|-c 5 a.txt|-c +5 a.txt|-c +0 a.txt
			--lines=2 a.txt|-q a.txt b.md|-v a.txt|a.txt - b.md||-5|nope|dir|a.txt dir b.md|nope a.txt|-n 3 -|-n +29|-c 3|-c +400
			-n 2 empty.txt a.txt|-20 long|-n +4990 long|-c 33000 long|-c 70000 long|-n 4000 long|-n 2 ünï.txt|-c 0 a.txt|-n -1 a.txt`)},
		{tool: "wc", stdin: long, lines: lines(`
			a.txt|-l a.txt|-w a.txt|-c a.txt|-m ünï.txt|-lw a.txt|-l a.txt b.md|a.txt b.md long|bytes
			|-l|-c|-w|-|-l -|a.txt -|-lc|nope|nope a.txt|a.txt nope|dir|-l dir|dir a.txt|a.txt dir|empty.txt|-l empty.txt|big|-l big long|-m bytes ünï.txt
			--lines a.txt|--words --bytes a.txt|--chars a.txt|-w ünï.txt|'sp ace'|link|broken`)},
		{tool: "find", unordered: true, lines: findLines()},
		{tool: "[", quiet: true, lines: bracketed(testLines())},
		{tool: "test", mark: "", quiet: true, lines: testLines()},
	}
}

// lines splits a list of command lines at unquoted vertical bars and at line breaks.
func lines(list string) []string {
	var out []string
	start, quoted := 0, false
	list = strings.TrimPrefix(list, "\n")
	for i := range len(list) {
		switch {
		case list[i] == '\'' && !(i > 1 && list[i-2:i] == "it"):
			quoted = !quoted
		case !quoted && (list[i] == '|' || list[i] == '\n'):
			out = append(out, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	return append(out, strings.TrimSpace(list[start:]))
}

func bracketed(list []string) []string {
	out := make([]string, len(list))
	for i, line := range list {
		out[i] = line + " ]"
	}
	return out
}

func testLines() []string {
	return lines(`
		|x|''|-f|!|! x|! ''|-n x|-z x|-z ''|-n ''|-f a.txt|-f dir|-d dir|-d a.txt|-e nope|-e a.txt|-s a.txt|-s empty.txt|-L link|-h dlink|-f link|-d dlink|-e broken|-L broken
		-r a.txt|-x run.sh|-t 0|! -f a.txt|! -f nope|a = a|a = b|a != b|a == a|1 -eq 1|1 -eq 01|1 -ne 2|1 -lt 2|2 -lt 1|2 -le 2|3 -gt 2|3 -ge 4|' 3 ' -eq 3|-1 -lt 0
		a -eq 1|1 -eq ''|! a = b|! -z ''
		-n = -n|! = !|-f = -f`)
}

func findLines() []string {
	return lines(`
		|.|dir|dir/|dir only|a.txt|nope|nope dir|dlink|dlink/|-name *.md|. -name *.txt|. -iname *.TXT|. -name '[ab]*'|. -name '?.md'|. -path '*sub*'|. -path ./dir/sub|. -ipath '*SUB*'|. -wholename ./a.txt|. -name .* |. -name '*'
		. -type f|. -type d|. -type l|. -type f,l|. -maxdepth 1|. -maxdepth 0|. -mindepth 1 -maxdepth 1|. -mindepth 2|. -maxdepth 2 -type d|. -size +1k|. -size -2|. -size 0|. -size 3M|. -size +100c|. -size 14c|. -size -1M|. -size 157 
		. -mtime -1|. -mtime 0|. -mtime +0|. -mtime 1|. -mtime +30|. -mtime -30|. -mtime +365|. -mmin -200|. -mmin +200|. -mmin +91 -mmin -100000|. -empty|. -empty -type d
		. -not -name *.md|. ! -type f|. -type f -a -name *.md|. -type f -and -name *.md|. -name *.md -o -name *.txt|. -name *.md -or -type d|. ( -name *.md -o -name *.txt ) -type f|. -name *.md -o -name *.txt -print|. -type d -name sub -prune -o -type f -print|. -name .git -prune -o -print|. -path ./dir -prune -o -name *.txt -print|. -name sub -prune
		. -print|. -name *.md -print0|dir -print -print|dir -type f -print -o -print
		-- dir|. -name ''|. ( -type d )|. ! ( -type d -o -type l )|dir -mindepth 1 -name sub|. -name a.txt -name b.md`)
}
