package coreutils

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func diffFiles() map[string]string {
	prose := "# Title\n\nOne paragraph\nof two lines.\n\n- item\n- item\n\nThe end\n"
	return map[string]string{
		"x": "a\nb\nc\n", "y": "a\nB\nc", "z": "a\nb\nc", "e": "", "nl": "\n", "bin": "a\x00b\n", "bin2": "a\x00c\n",
		"p1": prose, "p2": strings.Replace(prose, "- item\n", "- item\n- other\n", 1) + "More\n", "p3": "\n\n" + strings.ReplaceAll(prose, "\n\n", "\n\n\n"),
		"w1": "a b\n  c\nd \n\ne\tf\nlast", "w2": "a  b\nc\nd\n\ne f\n\nlast\n", "w3": "ab\nc\nd\nef\nlast\n", "up": "A\nB\nC\n", "ws": "a\n \t\nb\nc\n",
		"s p": "1\n", "q\"t": "2\n", "far1": strings.Repeat("k\n", 3) + "1\n" + numbered(20) + "2\n" + numbered(9), "far2": strings.Repeat("k\n", 3) + "3\n" + numbered(20) + "4\n" + numbered(9),
		"rep1": "1\nq\nS\nR\n", "rep2": "2\nq\nS\nx\nS\nR\n", "near1": numbered(30), "near2": strings.NewReplacer("n7\n", "", "n14\n", "n14\nnew\n", "n22\n", "\nn22\n").Replace(numbered(30)),
		"A/f": "1\n", "B/f": "2\n", "A/same": "s\n", "B/same": "s\n", "A/k": "x\n", "B/k/": "", "A/o/z": "1\n", "A/s/g": "1\n", "B/s/g": "2\n", "A/s p": "1\n", "B/s p": "2\n",
		"A/only.md": "o\n", "B/zz": "z\n", "A/bin": "\x00a", "B/bin": "\x00b", "A/sub/deep/a": "1\n", "B/sub/deep/a": "2\n", "A/e": "", "B/e": "", "A/x": "a\nb\n",
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "n%d\n", i)
	}
	return b.String()
}

func TestDiffAsGNU(t *testing.T) {
	compareGNU(t, diffFiles(), with("a\nb\nstdin\n",
		"diff x x", "diff x y", "diff x z", "diff z y", "diff x e", "diff e x", "diff e e", "diff e nl", "diff nl x", "diff -u x y", "diff -u x z", "diff -u e x", "diff -u x e", "diff -U0 x y", "diff -U 1 p1 p2", "diff -uU0 p1 p2",
		"diff p1 p2", "diff -u p1 p2", "diff p1 p3", "diff -u p1 p3", "diff p3 p2", "diff -U 2 p3 p2", "diff --unified p1 p2", "diff --unified=1 p1 p2", "diff -u -U1 p1 p2", "diff -U9 p1 p2", "diff -U99 near1 near2",
		"diff near1 near2", "diff -u near1 near2", "diff -U2 near1 near2", "diff -U4 near2 near1", "diff far1 far2", "diff -u far1 far2", "diff -U1 far1 far2", "diff rep1 rep2", "diff -u rep1 rep2", "diff -U1 rep2 rep1", "diff -U0 rep1 rep2",
		"diff -q x x", "diff -q x y", "diff --brief x z", "diff -s x x", "diff -s x y", "diff -qs x x", "diff -sq e e", "diff -qi x up", "diff -qiB x up", "diff -qw w1 w2",
		"diff -i x up", "diff -i y up", "diff -iu y up", "diff -w w1 w2", "diff -b w1 w2", "diff -B w1 w2", "diff -wB w1 w2", "diff -bB w1 w2", "diff -uw w1 w3", "diff -ub w1 w2", "diff -uB w1 w2", "diff -B x ws", "diff -bB x ws", "diff -uwB x ws", "diff -wi w2 w3",
		"diff -B p1 p3", "diff -uB p1 p3", "diff -B p3 p2", "diff -uB p3 p2", "diff -U1 -B p3 p2", "diff -sB p1 p3", "diff -B e nl", "diff -B near1 near2", "diff -uB near1 near2", "diff -U1 -B near1 near2",
		"diff x bin", "diff bin bin2", "diff -q bin bin2", "diff -s bin bin", "diff -a bin bin2", "diff -u --text x bin", "diff bin e",
		"diff - x", "diff x -", "diff - -", "diff -s - -", "diff -q - x", "diff -u --label one --label two x y", "diff -u -L one -L two x -", "diff -q -L one x y", "diff -s -L 'a b' -L c x x",
		"diff nope x", "diff x nope", "diff nope nope", "diff nope nope2", "diff -N nope x", "diff -N x nope", "diff -N nope nope2", "diff -uN --label a --label b nope x", "diff -q -N nope x", "diff -N nope e",
		"diff x A", "diff A x", "diff z A", "diff A -", "diff -u 's p' 'q\"t'", "diff --normal x y", "diff -- x y", "diff x y -q",
		"diff A B", "diff -r A B", "diff -q A B", "diff -qr A B", "diff -rN A B", "diff -urN A B", "diff -rs A B", "diff -qrs A B", "diff -ru A B", "diff A/ B/", "diff -r A/ B/", "diff A B -r -x s -x '*.md'", "diff -rq --exclude=s* A B", "diff -rN -- A B", "diff -N A B", "diff -qN A B", "diff -qrN A B",
		"diff A nope", "diff nope A", "diff -N A nope", "diff -rN A nope", "diff -rqN nope A", "diff A A", "diff -r A A", "diff -rs A A", "diff -ri A B", "diff -rU1 A B", "diff -r --unified A B", "diff -r -U 1 A B", "diff -r A/sub B/sub", "diff -rB -x f A B", "diff '' x"))
	refuses(t, "diff", "diff -u0 x y", "diff -3 x y", "diff x", "diff x y z", "diff --color x y", "diff --color=always x y", "diff --to-file=x y", "diff --from-file=x y", "diff -c x y", "diff -y x y", "diff -e x y", "diff -u --normal x y", "diff -U x y", "diff -U -1 x y", "diff --unified=x x y",
		"diff -l x y", "diff -X f A B", "diff -I re x y", "diff -D NAME x y", "diff --line-format=%l x y", "diff -L a -L b -L c x y", "diff -o x y z")
}

// TestDiffOfRandomTextsAsGNU compares texts of few different lines, which have
// many differences of the same length. No line comes more than five times: GNU
// leaves such lines out of its search in some places, and finds a longer
// difference for it, which ours does not.
func TestDiffOfRandomTextsAsGNU(t *testing.T) {
	if !isGNU("diff") {
		t.Skip("diff is not GNU's here")
	}
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		pool := []byte(strings.Repeat("abcdefghijklmn\n"[r.IntN(13):], 5))
		r.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
		var b strings.Builder
		for _, c := range pool[:r.IntN(min(len(pool), 30))] {
			b.WriteString(strings.TrimSpace(string(c)) + "\n")
		}
		return b.String()
	}
	for range 80 {
		files := map[string]string{"a": text(), "b": text()}
		compareGNU(t, files, with("", "diff a b", "diff -U1 a b", "diff -u a b", "diff -U0 -B a b"))
		if t.Failed() {
			t.Fatalf("%q\n%q", files["a"], files["b"])
		}
	}
}

func TestCmpAsGNU(t *testing.T) {
	files := diffFiles()
	files["p"] = "a\nb"
	files["n1"] = "a\n"
	compareGNU(t, files, with("a\nb\nc\n", "cmp x x", "cmp x y", "cmp x z", "cmp z x", "cmp x e", "cmp e x", "cmp x p", "cmp x n1", "cmp n1 x", "cmp x -", "cmp - x", "cmp x", "cmp y", "cmp - -", "cmp -", "cmp -s x y", "cmp -s x x", "cmp --silent x e", "cmp --quiet x y",
		"cmp x nope", "cmp -s x nope", "cmp nope x", "cmp x A", "cmp bin bin2", "cmp -- x y", "cmp near1 near2", "cmp -s nope nope2"))
	refuses(t, "cmp", "cmp -l x y", "cmp -b x y", "cmp x y 1", "cmp -n 3 x y", "cmp -i 1 x y")
}

func TestDigestsAsGNU(t *testing.T) {
	files := map[string]string{"a": "text\n", "e": "", `b\s`: "x", "n\nl": "y", "s p": "z", "big": strings.Repeat("0123456789", 30_000), "d/x": "1"}
	for _, tool := range []string{"md5sum", "sha1sum", "sha256sum", "sha512sum"} {
		compareGNU(t, files, with("stdin\n", tool, tool+" a", tool+" -", tool+" a - e", tool+" nope a", tool+" d", tool+" -b a", tool+" -b -", tool+" -t a", tool+" -bt a", tool+" -z a e", tool+` b\s`, tool+` -z b\s`, tool+" 'n\nl' 's p'", tool+" --tag a 's p'", tool+` --tag b\s`, tool+" big", tool+" -- a", tool+" 'no pe'", tool+" --zero --binary a"))
		refuses(t, tool+" -c a", tool+" --check a", tool+" --quiet a", tool+" --tag -b a", tool+" --strict a", tool+" -w a")
	}
}

func TestColumnAsUtilLinux(t *testing.T) {
	needs(t, "column", "util-linux 2.3")
	dir := testTree(t, map[string]string{
		"a": "a bb c\n\n  x\ty  z  \nlong\nq  ww  e rr\n", "csv": "a,bb,c\n,x,,z\n\nlong\n漢字,b,é\n", "e": "", "blank": "\n  \n\t\n", "one": "a b", "sep": "a:b;c\nd::e\n",
		"trail": "a,b,\nc,d,e,f\n,,\n", "odd": "a\rb c\r\nd\x01 e\x7f\r\nx\u0301 \\ \"q\"\n", "bytes": "\xff,b\naaa,\xc3\n", "two": "a  b\n", "wide": "é a\n日本語 b\n😀 c\n",
	})
	for _, in := range with("std in\nput x y\n", "column -t a", "column -t", "column -t -s, csv", "column -t -s , -o '|' csv", "column -ts, csv", "column -t -o '' a", "column -t e", "column -t blank", "column -t -s, blank", "column -t one", "column -t one a one",
		"column -t -s ':;' sep", "column -t -s: sep", "column -t -s, trail", "column -t -s, -o ' | ' trail", "column -t odd", "column -t -s ' ' odd", "column -t -s, bytes", "column -t -s ' ' two", "column -t two", "column -t wide", "column -t -s é wide", "column -t -s '' a",
		"column --table --separator=, --output-separator ';' csv", "column -t nope", "column -t one nope", "column -t nope one", "column -t -- a", "column -t -s '\t' a", "column -t -s xy a") {
		want := runReal(t, dir, in.stdin, in.argv...)
		got := runHere(t, &IO{FS: dirFS{dir: dir}, Stdin: strings.NewReader(in.stdin)}, in.argv...)
		if got.stdout != want.stdout || got.status != want.status || (got.stderr == "") != (want.stderr == "") {
			t.Errorf("%s\nreal %d %q %s\nhere %d %q %s", in.argv, want.status, want.stdout, want.stderr, got.status, got.stdout, got.stderr)
		}
	}
	refuses(t, "column a", "column -x a", "column -c 80 a", "column -J -t a", "column -t -N x a", "column -t -", "column -tn x", "column -t -R 1 a", "column -te a")
}

func TestMachineAsGNU(t *testing.T) {
	compareGNU(t, nil, with("", "arch", "nproc", "nproc --ignore=1", "nproc --ignore 999", "nproc --ignore=0"))
	refuses(t, "arch x", "arch -x", "nproc x", "nproc --all", "nproc --ignore=x", "nproc --ignore=-1", "whoami x", "id", "id -u", "id -n", "id -un root", "id -g", "id -Gn", "hostname x", "hostname -f", "hostname -F x", "hostname -b x", "whoami -x")
}
