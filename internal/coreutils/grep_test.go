package coreutils

import (
	"strings"
	"testing"
)

func grepFiles() map[string]string {
	long := strings.Repeat("filler line\n", 12000)
	return map[string]string{
		"a":          "foo bar\nFoo Baz\nbar\nfoobar\n\nfoo_bar foo\nbaz qux\n-e dash\n",
		"b":          "nothing here\nfoo\n",
		"c":          "x.y\nx*y\n[z]\na+b\na\\b\n(p)\n{q}\nfoo|bar\nno newline foo",
		"bin":        "abc\x00def\nfoo\nabc foo\n",
		"enc":        "foo\n\xff foo\nfoo end\n",
		"late":       long + "foo\x00\nfoo\n",
		"utf":        "größe foo\nélan vital\n",
		"empty":      "",
		"ctx":        "1\n2\nm3\n4\n5\n6\n7\nm8\n9\nm10\n11\n12\n13\n14\nm15\n",
		"d/x.go":     "package foo\n",
		"d/y.txt":    "foo\n",
		"d/e/z.go":   "foo deep\n",
		"d/e/.h":     "foo hidden\n",
		"d/n/only":   "none\n",
		"skip/me.go": "foo\n",
	}
}

func TestGrepAsGNU(t *testing.T) {
	var list []invocation
	for _, line := range []string{
		"grep foo a", "grep -i foo a", "grep -v foo a", "grep -c foo a b", "grep -l foo a b empty", "grep -L foo a b empty", "grep -n foo a", "grep -o foo a", "grep -on foo a b", "grep -q foo a", "grep -q zzz a", "grep zzz a", "grep -h foo a b", "grep -H foo a",
		"grep -w foo a", "grep -ow foo a", "grep -x bar a", "grep -xi foo a", "grep -e foo -e baz a", "grep -e bar a", "grep -m1 foo a", "grep -m 2 -c foo a", "grep -m0 foo a", "grep foo missing", "grep -s foo missing", "grep foo a missing", "grep -q foo a missing", "grep -q foo missing a", "grep foo d", "grep -s foo d", "grep -c foo empty",
		"grep -A1 foo a", "grep -B1 baz a", "grep -C1 '^bar' a", "grep -1 '^bar' a", "grep -A1 m ctx", "grep -B1 m ctx", "grep -C1 m ctx", "grep -C 0 m ctx", "grep -nC1 m3 ctx", "grep -A1 foo a b", "grep -A2 -m1 m ctx", "grep -A9 -m1 m ctx", "grep -m2 -A1 m ctx", "grep -c -A1 m ctx", "grep -o -A1 m ctx", "grep -v -C1 m ctx", "grep -nH -B2 m8 ctx", "grep -vn -A1 1 ctx",
		"grep -E 'foo|baz' a", "grep 'foo\\|baz' a", "grep 'fo\\+' a", "grep 'fo\\?b' a", "grep -E 'fo+' a", "grep -F 'x.y' c", "grep -F '*' c", "grep 'x.y' c", "grep 'x*y' c", "grep '*y' c", "grep 'a+b' c", "grep -E 'a\\+b' c", "grep '\\[z\\]' c", "grep '[[]z[]]' c", "grep '(p)' c", "grep -E '\\(p\\)' c", "grep '\\(p\\)' c", "grep '{q}' c", "grep -E '{q}' c", "grep 'foo|bar' c", "grep -E 'foo\\|bar' c", "grep -F 'foo|bar' c",
		"grep '^foo' a", "grep 'foo$' a", "grep '^$' a", "grep -c '' a", "grep -n '' c", "grep '\\bfoo\\b' a", "grep '\\<foo\\>' a", "grep '\\<bar' a", "grep 'bar\\>' a", "grep '\\Bbar' a", "grep '\\w\\+ \\w\\+' a", "grep -o '\\w*' a", "grep -o '[a-z]*' a", "grep -oi 'ba.' a", "grep '[[:upper:]]' a", "grep '[^a-z ]' a", "grep -E 'o{2}' a", "grep 'o\\{2,\\}' a", "grep -E '(foo|bar)+$' a", "grep -E '^(foo|bar)' a", "grep '\\s' a", "grep '\\S\\s' a", "grep -E 'a{,3}b' a", "grep -E 'x{' c", "grep '\\^' a", "grep 'a^b' a", "grep 'a$b' a", "grep -E '()' a", "grep -E 'foo||zzz' a", "grep -E '(|a)x' c", "grep -- -e a", "grep -e -e a", "grep '-e' a a",
		"grep -w 'foo_bar' a", "grep -w 'o' a", "grep -w '' a", "grep -ow '[a-z]*' a", "grep -wE 'fo|foo' a", "grep -nw bar a", "grep -x '' a", "grep -xE 'bar|baz' a", "grep -wi 'foo' a", "grep -cw foo a b c", "grep -vw foo a", "grep -vx bar a", "grep -vc foo a", "grep -vo foo a", "grep -vl foo a b", "grep -lv zzz a", "grep -lc foo a", "grep -Lq foo a",
		"grep foo bin", "grep -c foo bin", "grep -a foo bin", "grep -I foo bin", "grep -v zzz bin", "grep -n abc bin", "grep -o foo bin", "grep -l foo bin", "grep foo enc", "grep -a foo enc", "grep -v zzz enc", "grep -c foo enc", "grep -o foo enc", "grep -I foo enc", "grep foo late", "grep -c foo late", "grep -q foo bin", "grep zzz bin", "grep -A1 abc bin", "grep def bin", "grep -an '' bin",
		"grep ö utf", "grep 'gr.ße' utf", "grep -i É utf", "grep -o '[[:alpha:]]*' utf", "grep '[^[:alnum:][:space:]]' utf", "grep -w gr utf", "grep -ow '\\w*' utf",
		"grep in", "grep -c in -", "grep in - a", "grep -H in", "grep -n in", "egrep 'foo|baz' a", "fgrep x.y c", "grep --color=never foo a", "grep --colour=auto foo a", "grep --count foo a", "grep --ignore-case --line-number FOO a", "grep --regexp=foo a", "grep --max-count=1 foo a", "grep --include=b foo a b", "grep --exclude=a foo a b", "grep --exclude='*.txt' foo d/y.txt b",
		"grep -P '\\d+' ctx", "grep -P '^foo\\b' a", "grep -oP 'fo*?' a", "grep -iP 'FOO' a", "grep -P '(?i)FOO' a", "grep -xP 'b.r|q' a", "grep -wP 'foo' a", "grep -cP '' a", "grep -P '\\.' c", "grep -E '\\d' ctx",
	} {
		list = append(list, invocation{argv: splitWords(line), stdin: "line in\nother\ninner\n"})
	}
	for _, line := range []string{
		"grep -r foo", "grep -r foo .", "grep -r foo d", "grep -rn foo d skip", "grep -rl foo d", "grep -rL foo d", "grep -rc foo d", "grep -rh foo d", "grep -r --include=*.go foo", "grep -r --include=*.go --include=*.txt foo .", "grep -r --exclude=*.go foo d", "grep -r --exclude-dir=e foo d", "grep -rn --exclude-dir=e --exclude-dir=skip --include=*.go foo .", "grep -r foo d a", "grep -rs foo missing d", "grep -R foo d", "grep -rw foo d", "grep -ri FOO d", "grep -rq foo d", "grep -rI foo .", "grep -r --exclude-dir=d foo d", "grep -r --include=*.go --exclude=z* foo d", "grep -r --exclude=z* --include=*.go foo d", "grep -ro foo d/", "grep -rl foo ./d", "grep -rm1 foo d", "grep -r zzz d",
	} {
		list = append(list, invocation{argv: splitWords(line), unsorted: true})
	}
	compareGNU(t, grepFiles(), list)
}

func TestGrepRefuses(t *testing.T) {
	refuses(t, "grep", "grep -f patterns a", "grep --file=patterns a", "grep -P '(?=a)b' a", "grep -P 'a++' a", "grep -P '\\Kx' a", "grep -P -e a -e b x", "grep '\\(a\\)\\1' a", "grep -E '(a)\\1' a", "grep '[' a", "grep '\\(' a", "grep -E '(a' a", "grep -E 'a)' a", "grep 'a\\' a", "grep '[[:foo:]]' a", "grep 'a\\{1' a", "grep 'a\\{2,1\\}' a", "grep -E 'a{1001}' a", "grep -E '((a{100}){100}){100}' a", "grep -m x a b", "grep --unknown a b", "grep -A -1 a b", "grep '[z-a]' a", "grep --color=always a b", "grep --devices=read a b", "grep -z a b")
}

func TestGrepPassesOverProtectedFiles(t *testing.T) {
	dir := testTree(t, map[string]string{"a": "key\n", ".env": "key=secret\n", "d/.env": "key=secret\n"})
	x := &IO{FS: dirFS{dir: dir, closed: ".env"}}
	got := runHere(t, x, "grep", "-r", "key")
	if got.stdout != "a:key\n" || got.status != 0 {
		t.Errorf("got %+v", got)
	}
	if want := "grep: .env: protected by the policy, skipped\ngrep: d/.env: protected by the policy, skipped\n"; got.stderr != want {
		t.Errorf("stderr %q, want %q", got.stderr, want)
	}
	got = runHere(t, x, "grep", "key", ".env")
	if got.stdout != "" || got.status != 2 || got.stderr != "grep: .env: protected by the policy\n" {
		t.Errorf("got %+v", got)
	}
}

// TestLongLinesEnd checks that grep does not search a long line with a large expression, because it
// could not interrupt the search.
func TestLongLinesEnd(t *testing.T) {
	x := &IO{FS: dirFS{dir: testTree(t, map[string]string{"a": strings.Repeat("x", 1<<20), "b": "x\n"})}}
	for _, argv := range [][]string{{"grep", "-E", "(.{0,30}){0,30}(.{0,30}){0,30}y"}} {
		if got := runHere(t, x, append(argv, "a")...); got.status != 2 || got.stderr == "" {
			t.Errorf("%q: %+v", argv, got)
		}
		if got := runHere(t, x, append(argv, "b")...); got.status > 1 || got.stderr != "" {
			t.Errorf("%q: %+v", argv, got)
		}
	}
}
