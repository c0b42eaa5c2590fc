package coreutils

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

const testWords = "* -d -e -eq -f -ge -gt -h -L -le -lt -n -ne -r -s -t -w -x -z"

// testNode evaluates one part of an expression.
type testNode func(x *IO) (bool, error)

// testParser parses the words of test(1). It accepts a single test, which may be negated with "!".
// Scripts must combine tests using && and ||, because POSIX does not define test(1) for more than
// four words.
type testParser struct {
	words []string
	paths []Path
}

func bracketTest(p *parsed) (*Prepared, error) {
	if n := len(p.args); n == 0 || p.args[n-1] != "]" {
		return nil, usage(n, "missing ]")
	}
	return testNamed("[", p.args[:len(p.args)-1])
}

func test(p *parsed) (*Prepared, error) { return testNamed("test", p.args) }

func testNamed(name string, args []string) (*Prepared, error) {
	p := &testParser{words: args}
	node, err := p.parse(0)
	if err != nil {
		return nil, err
	}
	return &Prepared{Paths: p.paths, Run: func(ctx context.Context, x *IO) int {
		ok, err := node(x)
		switch {
		case err != nil:
			x.errorf("%s: %s", name, err)
			return 2
		case ok:
			return 0
		}
		return 1
	}}, nil
}

func (p *testParser) fail(at int, format string, args ...any) error {
	return usage(min(at, len(p.words)-1)+1, format, args...)
}

// parse parses the words from the given index to the end.
func (p *testParser) parse(from int) (testNode, error) {
	w := p.words[from:]
	switch n := len(w); {
	case n == 0:
		return constant(false), nil
	case n == 1:
		return constant(w[0] != ""), nil
	case n == 3 && isBinary(w[1]):
		return p.binary(from)
	case n <= 4 && w[0] == "!":
		inner, err := p.parse(from + 1)
		return not(inner), err
	case n == 2:
		return p.unary(from)
	}
	at := 1 // the first word after a complete test
	switch {
	case len(w) > 3 && isBinary(w[1]):
		at = 3
	case isUnary(w[0]):
		at = 2
	}
	return nil, p.fail(from+at, "unexpected %q; join several tests with && and ||", w[at])
}

func constant(value bool) testNode {
	return func(*IO) (bool, error) { return value, nil }
}

func not(n testNode) testNode {
	return func(x *IO) (bool, error) {
		ok, err := n(x)
		return !ok, err
	}
}

func isUnary(op string) bool {
	return len(op) == 2 && op[0] == '-' && strings.IndexByte("defhLnrstwxz", op[1]) >= 0
}

func (p *testParser) unary(at int) (testNode, error) {
	op, word := p.words[at], p.words[at+1]
	switch {
	case !isUnary(op):
		return nil, unlisted(at+1, "unknown operator %q", op)
	case op == "-n":
		return constant(word != ""), nil
	case op == "-z":
		return constant(word == ""), nil
	case op == "-t":
		return constant(false), nil
	}
	p.paths = append(p.paths, Path{at + 2, word})
	return func(x *IO) (bool, error) { return x.fileIs(op[1], word), nil }, nil
}

// fileIs evaluates test's file operators. A permission operator is true if the owner, the group or
// others have the permission.
func (x *IO) fileIs(op byte, name string) bool {
	look := x.FS.Stat
	if op == 'L' || op == 'h' {
		look = x.FS.Lstat
	}
	info, err := look(name)
	if err != nil || name == "" {
		return false
	}
	m := info.Mode()
	switch op {
	case 'e':
		return true
	case 's':
		return info.Size() > 0
	case 'r':
		return m.Perm()&0o444 != 0
	case 'w':
		return m.Perm()&0o222 != 0
	case 'x':
		return m.Perm()&0o111 != 0
	case 'L', 'h':
		return m&fs.ModeSymlink != 0
	}
	return kind(m) == op
}

func isBinary(op string) bool {
	return op != "" && strings.Contains(" = == != < > -eq -ne -lt -le -gt -ge ", " "+op+" ")
}

func (p *testParser) binary(at int) (testNode, error) {
	a, op, b := p.words[at], p.words[at+1], p.words[at+2]
	switch op {
	case "=", "==", "!=", "<", ">":
		return constant(satisfies(op, strings.Compare(a, b))), nil
	}
	return func(*IO) (bool, error) {
		var n [2]int64
		for i, s := range []string{a, b} {
			var err error
			if n[i], err = strconv.ParseInt(strings.TrimSpace(s), 10, 64); err != nil {
				return false, fmt.Errorf("%s: integer expression expected", s)
			}
		}
		return satisfies(op, cmp.Compare(n[0], n[1])), nil
	}, nil
}

func satisfies(op string, order int) bool {
	switch op {
	case "=", "==", "-eq":
		return order == 0
	case "!=", "-ne":
		return order != 0
	case "<", "-lt":
		return order < 0
	case ">", "-gt":
		return order > 0
	case "-le":
		return order <= 0
	}
	return order >= 0
}
