package coreutils

import "testing"

func lineFiles() map[string]string {
	return map[string]string{
		"a":     "apple\nbanana\ncherry\ncherry\ndate\n",
		"b":     "banana\ncherry\nelder\n",
		"c":     "no newline\nat the end",
		"empty": "",
		"tabs":  "one\ttwo\tthree\nfour\tfive\n\nsix\tseven\teight\tnine\n",
		"long":  "the quick brown fox jumps over the lazy dog\tand then\tsome more words\n\nshort\n",
		"utf":   "grüße aus köln\nпривет\n",
		"rep":   "a 1\na 1\nA 1\nb 2\n\n\nc 3\nc  3\n",
		"csv":   "name,age,city\nann,30,rome\nbob,,oslo\nnocommas\n",
		"sect":  "\\:\\:\\:\nhead\n\\:\\:\none\ntwo\n\\:\nfoot\n\\:\\:\nthree\n",
		"d/x":   "x\n",
	}
}

func TestLineCommandsAsGNU(t *testing.T) {
	var list []invocation
	list = append(list, with("in one\nin two\nin two\nin three\n",
		"uniq rep", "uniq -c rep", "uniq -d rep", "uniq -u rep", "uniq -cd rep", "uniq -du rep",
		"uniq", "uniq -c", "uniq missing", "uniq --count rep", "uniq -c c")...)
	compareGNU(t, lineFiles(), list)
}

func TestTrAsGNU(t *testing.T) {
	compareGNU(t, nil, with("Hello  World\tfoo-bar\n\naabbcc 0123\r\nä\n",
		"tr a-z A-Z", "tr '[:lower:]' '[:upper:]'", "tr -d ' '", "tr -d '\\n'", "tr -d '\\r'", "tr -s ' '", "tr -s '\\n'", "tr '\\n' ' '", "tr '\\n' ,",
		"tr -cd '[:alnum:]'", "tr -cd '[:alnum:]\\n'", "tr -c '[:alnum:]\\n' _", "tr -cs '[:alnum:]' '\\n'", "tr -s a-z", "tr -d 0-9", "tr abc x", "tr abc xy",
		"tr '\\040' _", "tr ' ' '\\n'", "tr '[:upper:]' '[:lower:]'", "tr -ds a-c b", "tr - _", "tr -d -",
		"tr '[:space:]' ' '", "tr -s '[:space:]' ' '", "tr a-c 123", "tr '\\101' z", "tr -C a-z '\\n'", "tr -d '\\\\'", "tr -d '[:punct:]'", "tr '[:lower:]' x", "tr -sc a-z .", "tr a '\\0'", "tr '[abc]' '(xyz)'"))
	refuses(t, "tr -t a b", "tr abc '[x*]'", "tr -d '[=a=]'", "uniq -f1 a", "uniq a b", "uniq -D a", "tr", "tr a", "tr -d a b", "tr a b c", "tr z-a b", "tr '[:foo:]' a", "tr a ''", "tr -x a b", "tr '[a*]' b")
}

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
