package coreutils

import (
	"context"
	"io"
	"slices"
	"testing"
)

func TestXargsAsGNU(t *testing.T) {
	files := map[string]string{"a b": "x y\n", "c": "foo\n", "d": "bar\n"}
	var list []invocation
	for _, stdin := range []string{"c d\n", "", "  one  two\nthree\n\nfour 'five six' \"seven\" ei\\ ght\n", "c\nd\na b\n", "last"} {
		list = append(list, with(stdin, "xargs", "xargs -r", "xargs -n1", "xargs -n 2 echo x", "xargs -I{} echo '<{}>'", "xargs -I % echo % and % x%y", "xargs -rn1 echo a")...)
	}
	list = append(list, with("c d\n", "xargs cat", "xargs grep foo", "xargs grep -l foo", "xargs grep zzz", "xargs -n1 grep foo", "xargs wc -l", "xargs -I{} cat {}")...)
	list = append(list, with("c\x00d\x00a b\x00", "xargs -0 cat", "xargs -0n1 echo", "xargs -0 -I{} echo [{}]", "xargs --null echo")...)
	list = append(list, with("it's\n", "xargs echo")...)
	list = append(list, with("a\"b\n", "xargs", "xargs -I{} echo {}")...)
	list = append(list, with("''\n", "xargs -n1 echo x", "xargs -r echo y")...)
	compareGNU(t, files, list)
	refuses(t, "xargs -P4 echo", "xargs -a list echo", "xargs -p rm", "xargs -o vi", "xargs -I '' echo", "xargs -n0 echo", "xargs -d ab echo", "xargs -E x echo", "xargs --max-procs=2 echo", "xargs -I{} -n1 echo", "xargs --process-slot-var=X echo")
}

func TestXargsDeclaresItsCommand(t *testing.T) {
	c, _ := Lookup("xargs")
	p, err := c.Prepare([]string{"xargs", "-n", "1", "grep", "-l", "x"})
	if err != nil || len(p.Runs) != 1 || !slices.Equal(p.Runs[0], []string{"grep", "-l", "x"}) {
		t.Fatalf("%v %v", p, err)
	}
	if p, _ = c.Prepare([]string{"xargs"}); !slices.Equal(p.Runs[0], []string{"echo"}) {
		t.Errorf("default %v", p.Runs)
	}
}

func TestXargsStatus(t *testing.T) {
	for give, want := range map[int]int{0: 0, 1: 123, 125: 123, 126: 126, 127: 127, 255: 124} {
		calls := 0
		x := &IO{Stdin: stdinOf("a b"), Exec: func(context.Context, []string, io.Reader) int { calls++; return give }}
		if got := runHere(t, x, "xargs", "-n1", "tool"); got.status != want {
			t.Errorf("status %d became %d, want %d", give, got.status, want)
		}
		if stops := give >= 126; stops != (calls == 1) {
			t.Errorf("status %d: %d calls", give, calls)
		}
	}
	if got := runHere(t, &IO{FS: dirFS{dir: t.TempDir()}, Stdin: stdinOf("a")}, "xargs", "cat", "nosuch"); got.status != 123 {
		t.Errorf("got %+v", got)
	}
}
