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
	for _, lines := range [][]string{
		{"rev a", "rev c", "rev utf empty", "rev", "rev -- a", "rev tabs"},
		{"tac a", "tac c", "tac a c b", "tac empty", "tac", "tac - a", "tac missing a", "tac -- a"},
		{"nl a", "nl tabs", "nl -ba tabs", "nl -bn a", "nl -w3 a", "nl -w 2 -s: a", "nl -ba -s '. ' tabs", "nl -n ln a", "nl -n rz -w4 a",
			"nl sect", "nl -ha -fa sect", "nl -v5 -i2 a", "nl -p sect", "nl a b", "nl", "nl -v -3 a", "nl missing", "nl c"},
		{"fold -w10 long", "fold -s -w 10 long", "fold -b -w12 long", "fold -5 a", "fold c", "fold -w1 utf", "fold -sw20 long c", "fold -w 3 tabs",
			"fold -s -w7 long", "fold", "fold -w4 missing", "fold --width=8 --spaces long"},
		{"paste a b", "paste -d, a b", "paste -s a", "paste -s -d, a b", "paste -d ,: a b c", "paste - -", "paste -d '' a b", "paste a empty",
			"paste empty a b", "paste -d '\\n' a b", "paste - a", "paste -s", "paste -sd+", "paste missing", "paste -d '\\0' a b", "paste a - b -"},
		{"comm a b", "comm -12 a b", "comm -3 a b", "comm -1 a b", "comm -23 a b", "comm -13 a b", "comm a empty", "comm empty empty", "comm rep a",
			"comm --nocheck-order rep a", "comm --check-order rep a", "comm --output-delimiter=, a b", "comm --total a b", "comm - a", "comm a missing", "comm -123 a b", "comm b c"},
		{"uniq rep", "uniq -c rep", "uniq -d rep", "uniq -u rep", "uniq -i rep", "uniq -ci rep", "uniq -f1 rep", "uniq -s 2 rep", "uniq -w1 rep", "uniq -cd rep", "uniq -du rep",
			"uniq", "uniq -c", "uniq missing", "uniq -f 1 -s1 rep", "uniq --count rep", "uniq -c c"},
		{"cut -d, -f1 csv", "cut -d, -f2- csv", "cut -d, -f-2 csv", "cut -d, -f1,3 csv", "cut -d , -f 3,1 csv", "cut -s -d, -f2 csv", "cut -c1-3 a", "cut -c2 a", "cut -b1,3-4 a",
			"cut -c3- a", "cut --complement -d, -f2 csv", "cut --complement -c2-3 a", "cut -d, -f1- --output-delimiter=: csv", "cut -f2 tabs", "cut -f2",
			"cut -c1-2,4-5 --output-delimiter=_ a", "cut -c1-2,3-5 --output-delimiter=_ a", "cut -c1-3,2-4 --output-delimiter=_ a", "cut -d ' ' -f1 rep", "cut -f1 missing", "cut -c 1 c", "cut -f 9 tabs", "cut -d '' -f1 a"},
		{"seq 5", "seq 2 5", "seq 1 2 10", "seq 10 -3 1", "seq -w 8 11", "seq -s, 5", "seq 0.5 2", "seq 0 .25 1", "seq -w 0 .25 10", "seq -5 -1", "seq -f %03g 3", "seq -f %.2f 1 3",
			"seq 5 1", "seq -w -2 10", "seq -s ' ' 3", "seq 1 1", "seq 1.5", "seq -f 'a%gb%%' 2", "seq 1 0.5 2.75", "seq -1 -0.5 -2", "seq 3 1.25", "seq -w 1 10.5", "seq 000 002"},
		{"uname", "uname -s", "uname -m", "uname -sm", "uname -o"},
		{"sleep 0", "sleep 0.01s", "sleep 0 0"},
	} {
		list = append(list, with("in one\nin two\nin two\nin three\n", lines...)...)
	}
	compareGNU(t, lineFiles(), list)
}

func TestTrAsGNU(t *testing.T) {
	compareGNU(t, nil, with("Hello  World\tfoo-bar\n\naabbcc 0123\r\nä\n",
		"tr a-z A-Z", "tr '[:lower:]' '[:upper:]'", "tr -d ' '", "tr -d '\\n'", "tr -d '\\r'", "tr -s ' '", "tr -s '\\n'", "tr '\\n' ' '", "tr '\\n' ,",
		"tr -cd '[:alnum:]'", "tr -cd '[:alnum:]\\n'", "tr -c '[:alnum:]\\n' _", "tr -cs '[:alnum:]' '\\n'", "tr -s a-z", "tr -d 0-9", "tr -t abc x", "tr abc x", "tr abc xy",
		"tr abc '[x*]'", "tr abcd 'y[x*]z'", "tr abc '[x*2]z'", "tr '\\040' _", "tr ' ' '\\n'", "tr '[:upper:]' '[:lower:]'", "tr -ds a-c b", "tr -d '[=a=]'", "tr - _", "tr -d -",
		"tr '[:space:]' ' '", "tr -s '[:space:]' ' '", "tr a-c 123", "tr '\\101' z", "tr -C a-z '\\n'", "tr 'a\\-z' x", "tr -d '\\\\'", "tr -d '[:punct:]'", "tr '[:lower:]' x", "tr -sc a-z .", "tr a '\\0'", "tr '[abc]' '(xyz)'"))
	refuses(t, "tr", "tr a", "tr -d a b", "tr a b c", "tr z-a b", "tr '[:foo:]' a", "tr a ''", "tr a '[:digit:]'", "tr -x a b", "tr a-z '[:upper:]'", "tr '[a*]' b")
}

func TestEchoAndPrintfAsBash(t *testing.T) {
	compareGNU(t, nil, with("",
		"echo", "echo a b", "echo -n a", "echo -e 'a\\tb\\n'", "echo -E 'a\\tb'", "echo -ne 'x\\cy'", "echo -x a", "echo -- a", "echo -n -e 'a\\x41\\0101\\u00e4'", "echo -nx", "echo - a", "echo -e '\\q\\\\'",
		"echo -e '\\101'", "echo -e '\\u20ac\\e[0m'", "echo --help", "echo -e '\\x'", "echo a -n", "echo ''", "echo -eE '\\t'",
		"printf hello", "printf '%s\\n' a b c", "printf '%d %d\\n' 1 2 3", "printf '%5s|%-5s|\\n' a b", "printf '%05d\\n' 42", "printf '%x %X %o %#x %#o\\n' 255 255 8 255 8", "printf '%c%c\\n' abc d",
		"printf '%b\\n' 'a\\tb'", "printf '%b' 'a\\cb' c", "printf '%.2f\\n' 3.14159", "printf '%e %g %G\\n' 12345.678 0.00001 1e20", "printf '%%\\n'", "printf '%s'", "printf '%d\\n'", "printf '%d\\n' abc", "printf '%d\\n' 12abc",
		"printf '%i %u\\n' -5 -1", "printf '%+d % d\\n' 5 5", "printf '%*d\\n' 5 42", "printf '%-*d|\\n' 5 42", "printf '%.*f\\n' 1 2.25", "printf '%.3s\\n' abcdef", "printf '%q\\n' 'a b' 'c$d'", "printf '\\101\\x41\\n'", "printf '%d\\n' 0x1f 010",
		"printf '%s %s\\n' a", "printf '%d\\n' \"'a\"", "printf '%5.1f|%-8.3d|\\n' 2.25 7", "printf -- '%s\\n' a", "printf 'no args\\n' extra", "printf '%s\\n' ''", "printf '%.0f %.1f\\n' 0.5 0.25", "printf '%5c|\\n' x", "printf '%08.3f\\n' -3.14159", "printf '%d\\n' 99999999999999999999"))
	refuses(t, "printf", "printf -v x a", "printf %n", "printf %k a", "printf '%(%Y)T' 1", "printf %", "printf %5")
}

func TestLineCommandsRefuse(t *testing.T) {
	refuses(t, "rev -x a", "tac -s x a", "nl -b pfoo a", "nl -d x a", "nl -w 0 a", "fold -w 0", "fold -c", "paste -d '\\' a", "comm a", "comm a b c", "comm - -", "uniq a b", "uniq -D a", "uniq --group a",
		"cut a", "cut -f1 -c1 a", "cut -f0 a", "cut -f 3-1 a", "cut -d ab -f1", "cut -d , a", "cut -c -", "cut -f x", "seq", "seq a", "seq 1 2 3 4", "seq 1 0 5", "seq 10000000", "seq -f %s 3", "seq -f %f%f 3", "seq inf", "seq 1e3",
		"sleep", "sleep x", "sleep -1", "sleep inf", "sleep 1w", "uname -a", "uname -n", "uname x")
}
