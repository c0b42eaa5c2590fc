package coreutils

import "testing"

func TestEchoAndPrintfAsBash(t *testing.T) {
	compareGNU(t, nil, with("",
		"echo", "echo a b", "echo -n a", "echo -e 'a\\tb\\n'", "echo -E 'a\\tb'", "echo -ne 'x\\cy'", "echo -x a", "echo -- a", "echo -n -e 'a\\x41\\0101\\u00e4'", "echo -nx", "echo - a", "echo -e '\\q\\\\'",
		"echo -e '\\101'", "echo -e '\\u20ac\\e[0m'", "echo --help", "echo a -n", "echo ''", "echo -eE '\\t'",
		"printf hello", "printf '%s\\n' a b c", "printf '%d %d\\n' 1 2 3", "printf '%5s|%-5s|\\n' a b", "printf '%05d\\n' 42", "printf '%x %X %o %#x %#o\\n' 255 255 8 255 8", "printf '%c%c\\n' abc d",
		"printf '%b\\n' 'a\\tb'", "printf '%b' 'a\\cb' c", "printf '%.2f\\n' 3.14159", "printf '%%\\n'", "printf '%s'", "printf '%d\\n'", "printf '%d\\n' abc",
		"printf '%i %u\\n' -5 -1", "printf '%+d % d\\n' 5 5", "printf '%.3s\\n' abcdef", "printf '\\101\\x41\\n'", "printf '%d\\n' 0x1f 010",
		"printf '%s %s\\n' a", "printf '%d\\n' \"'a\"", "printf '%5.1f|%-8.3d|\\n' 2.25 7", "printf -- '%s\\n' a", "printf 'no args\\n' extra", "printf '%s\\n' ''", "printf '%.0f %.1f\\n' 0.5 0.25", "printf '%5c|\\n' x", "printf '%08.3f\\n' -3.14159"))
	refuses(t, "printf", "printf -v x a", "printf %n", "printf %k a", "printf '%(%Y)T' 1", "printf %", "printf %5")
}
