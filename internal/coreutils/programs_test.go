package coreutils

import (
	"strings"
	"testing"
)

// TestProgramsGetFlagsFirst checks that flags precede operands, so that a program that stops
// parsing flags at the first operand interprets the command line the same way as this package.
func TestProgramsGetFlagsFirst(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"sed y.txt -e p", "sed -e p -- y.txt"},
		{"sed p y.txt -n", "sed -n -- p y.txt"},
		{"fold a.txt -w /etc/passwd", "fold -w /etc/passwd -- a.txt"},
		{"cut -c1-99 a.txt -d /etc/passwd", "cut -c1-99 -d /etc/passwd -- a.txt"},
		{"cut -d -- -f 1 a", "cut -d -- -f 1 -- a"},
		{"diff a -U3 b --label x -- -c", "diff -U3 --label x -- a b -c"},
		{"tree a -P x b -L2", "tree -P x -L2 -- a b"},
		{"fold a.txt", "fold a.txt"},
		{"jq .a x.json -r", "jq -r .a x.json"},
		{"jq -- .a x.json", "jq .a x.json"},
		{"rev -- -a", "rev -- -a"},
		{"whoami", "whoami"},
	} {
		argv := strings.Fields(tt.line)
		c, _ := Lookup(argv[0])
		p, err := c.Prepare(argv)
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
		} else if got := strings.Join(p.Argv, " "); got != tt.want {
			t.Errorf("%s: runs %s, want %s", tt.line, got, tt.want)
		}
	}
}

// TestTreeAttachesNoValues checks that values are not attached to flags,
// because tree would parse them as more flags.
func TestTreeAttachesNoValues(t *testing.T) {
	c, _ := Lookup("tree")
	for line, want := range map[string]bool{
		"tree -Po x .git/hooks/pre-commit": false, "tree -Pa b": false, "tree -aIo x y": false, "tree -L2o x": false, "tree -Lo x": false,
		"tree -P o x": true, "tree -aP o x": true, "tree -L2": true, "tree -aL 2 --charset=ascii --filelimit 5 x": true,
	} {
		if _, err := c.Prepare(strings.Fields(line)); err == nil != want {
			t.Errorf("%s: %v", line, err)
		}
	}
}
