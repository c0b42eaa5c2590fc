package coreutils

import "testing"

func TestSedAsGNU(t *testing.T) {
	files := map[string]string{
		"a":     "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n",
		"b":     "alpha beta\n  indented = value\nkey: \"quoted\"\n\n# comment\nfoo/bar/baz\n",
		"c":     "last line\nhas no newline",
		"utf":   "größe äöü\n",
		"empty": "",
	}
	compareGNU(t, files, with("in 1\nin 2\n", sedLines()...))
}

func TestSedRefusesWhatActs(t *testing.T) {
	refuses(t, "sed", "sed -i s/a/b/ a", "sed -f script a", "sed --in-place p a", "sed -z p a", "sed 'w out' a", "sed 'e date' a", "sed e a", "sed 'r b' a", "sed 'R b' a", "sed 'W out' a", "sed s/a/b/e a", "sed s/a/b/w a", "sed 's/a/b/w out' a",
		"sed 's/a/b/ge' a", "sed '1{w out\n}' a", "sed -n '1e id' a", "sed -e p -e 'w x' a", "sed ':a;ba' a", "sed '$!N' a", "sed s/a/b a", "sed s/a a", "sed '1,p' a", "sed '{p' a", "sed 'p}' a", "sed 'y/a/bc/' a", "sed 's/\\(a/b/' a", "sed 's/a/\\1/' a", "sed 0p a", "sed 's//x/' a", "sed 's/\\(a\\)\\1/x/' a", "sed 'pp' a", "sed '1,2q' a", "sed s/a/b/M a", "sed 's/a/\\U&/' a", "sed --sandbox p a", "sed 's/a/b/0' a", "sed 'a text' a", "sed 'F' a", "sed 'l' a", "sed -s")
}

func sedLines() []string {
	return []string{
		"sed p a", "sed -n p a", "sed -n 3p a", "sed -n 2,4p a", "sed -n '$p' a", "sed -n '$=' a", "sed = a", "sed 3q a", "sed 3Q a", "sed q5 a", "sed -n '2,4!p' a", "sed 2d a", "sed '$d' a", "sed 2,4d a", "sed '/^$/d' b",
		"sed -n '/two/,/four/p' a", "sed -n '/two/,+2p' a", "sed -n '2,~4p' a", "sed -n '0~3p' a", "sed -n '1~3p' a", "sed -n '2~0p' a", "sed -n '0,/o/p' a", "sed -n '1,/o/p' a", "sed -n '/e$/,3p' a", "sed -n '5,2p' a", "sed -n '/o/I,/E/Ip' a",
		"sed s/o/0/ a", "sed s/o/0/g b", "sed s/a/X/2 b", "sed s/a/X/2g b", "sed -n s/o/0/p a", "sed s/O/0/I a", "sed 's/[aeiou]/<&>/g' b", "sed 's/\\(.\\)\\(.\\)/\\2\\1/' a", "sed -E 's/(.)(.)/\\2\\1/g' a", "sed -r 's/^[[:space:]]+//' b", "sed 's/^[ \\t]*//' b",
		"sed 's|/|-|g' b", "sed 's,foo/,,' b", "sed 's/a\\|b/X/g' b", "sed 's/a\\+/X/g' b", "sed -E 's/a|b/X/g' b", "sed 's/x*/-/g' a", "sed 's/b*/-/2' b", "sed 's/.*: \"\\(.*\\)\"/\\1/' b", "sed -n 's/.*: \"\\(.*\\)\"/\\1/p' b", "sed 's/\\&/and/;s/a/\\&/' b", "sed 's/ /\\n/' b", "sed 's/\\//|/g' b",
		"sed y/abc/xyz/ b", "sed 'y/äö/ao/' utf", "sed -e s/a/b/ -e s/b/c/ b", "sed -n -e 1p -e 3p a", "sed -n '1p;3p' a", "sed -n '1{p;p}' a", "sed -n '/t/{/w/p}' a", "sed -n '/t/{/w/!p;=}' a", "sed '1!{s/e/E/g;s/o/O/}' a", "sed -n '2{p;q}' a", "sed '/o/!d' a",
		"sed p c", "sed -n p c a", "sed '$d' c", "sed -n '$p' a c", "sed -s -n '$p' a c", "sed -n 1p a b", "sed -s -n 1p a b", "sed 2q c", "sed p empty", "sed -n '$=' empty", "sed 1d", "sed -n 1p - a", "sed p missing", "sed -n 1p missing a", "sed s/a/b/ a missing", "sed --quiet 1p a", "sed --expression=1d a", "sed -u 1d a",
		"sed 's/.$//' utf", "sed 's/\\bb/X/g' b", "sed 's/\\w\\+/W/g' b", "sed -E 's/\\s+/_/g' b", "sed 's/a*\\(b\\)*/[\\1]/g' b", "sed -E 's/(a|al)(pha|lpha)/\\1-\\2/' b", "sed 's/e\\{2\\}/EE/' a", "sed -E 's/e{1,2}/E/' a", "sed '/^#/d' b", "sed '\\,foo,d' b", "sed '\\|foo|s|/|+|g' b", "sed -n '\\,foo/bar,p' b",
		"sed ' 2 , 3 d ' a", "sed -n '2,4{p;}' a", "sed -e '/one/d' -e '$!d' a", "sed 's/[/]/x/' b", "sed 's/[^/]*$//' b", "sed 's/[]/]/x/g' b", "sed 's/[[:alpha:]/]*$//' b", "sed 's/[\\/]/x/g' b", "sed -n '2{p;q}' c", "sed 2Q c", "sed -n '2,3{=;p}' c", "sed '2,3!s/^/> /' a", "sed 's/$/;/' c", "sed 's/^/\\t/' c", "sed 's/\\./x/' b",
	}
}
