package coreutils

import "testing"

func TestEchoAsBash(t *testing.T) {
	compareGNU(t, nil, with("",
		"echo", "echo a b", "echo -n a", "echo -e 'a\\tb\\n'", "echo -E 'a\\tb'", "echo -ne 'x\\cy'", "echo -x a", "echo -- a", "echo -n -e 'a\\x41\\0101\\u00e4'", "echo -nx", "echo - a", "echo -e '\\q\\\\'",
		"echo -e '\\101'", "echo -e '\\u20ac\\e[0m'", "echo --help", "echo a -n", "echo ''", "echo -eE '\\t'"))
	refuses(t, "printf -v x a")
}
