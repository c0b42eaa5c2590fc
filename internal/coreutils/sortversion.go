package coreutils

import (
	"bytes"
	"cmp"
)

// compareVersions orders names with version numbers in them as GNU's
// filevercmp does.
func compareVersions(a, b []byte) int {
	switch {
	case len(a) == 0 || len(b) == 0:
		return cmp.Compare(min(len(a), 1), min(len(b), 1))
	case a[0] == '.' && b[0] != '.':
		return -1
	case a[0] != '.' && b[0] == '.':
		return 1
	case a[0] == '.':
		if diff := cmp.Compare(dotRank(a), dotRank(b)); diff != 0 || dotRank(a) < 2 {
			return diff
		}
	}
	cutA, cutB := suffixCut(a), suffixCut(b)
	if cutA == len(a) && cutB == len(b) {
		return verrevcmp(a, b)
	}
	if diff := verrevcmp(a[:cutA], b[:cutB]); diff != 0 {
		return diff
	}
	return verrevcmp(a, b)
}

// dotRank puts "." and ".." before other names that begin with a dot.
func dotRank(name []byte) int {
	switch string(name) {
	case ".":
		return 0
	case "..":
		return 1
	}
	return 2
}

// suffixCut is where a suffix such as ".tar.gz" begins: (\.[A-Za-z~][A-Za-z0-9~]*)*$.
func suffixCut(name []byte) int {
	end := len(name)
	for {
		at := bytes.LastIndexByte(name[:end], '.')
		if at < 1 || at+1 >= end || !isSuffix(name[at+1:end]) {
			return end
		}
		end = at
	}
}

func isSuffix(text []byte) bool {
	for i, c := range text {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '~'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// verrevcmp compares text and numbers in turn, as Debian's version order does.
func verrevcmp(a, b []byte) int {
	for i, j := 0, 0; i < len(a) || j < len(b); {
		for i < len(a) && !isDigit(a[i]) || j < len(b) && !isDigit(b[j]) {
			if diff := cmp.Compare(versionOrder(a, i), versionOrder(b, j)); diff != 0 {
				return diff
			}
			i, j = i+1, j+1
		}
		for i < len(a) && a[i] == '0' {
			i++
		}
		for j < len(b) && b[j] == '0' {
			j++
		}
		var x, y []byte
		x, _ = digits(a[min(i, len(a)):])
		y, _ = digits(b[min(j, len(b)):])
		if diff := cmp.Or(cmp.Compare(len(x), len(y)), bytes.Compare(x, y)); diff != 0 {
			return diff
		}
		i, j = i+len(x), j+len(y)
	}
	return 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// versionOrder is the rank of a character: a tilde before the end of the text,
// then digits, letters and the rest.
func versionOrder(text []byte, i int) int {
	if i >= len(text) {
		return -1
	}
	switch c := text[i]; {
	case isDigit(c):
		return 0
	case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		return int(c)
	case c == '~':
		return -2
	default:
		return int(c) + 256
	}
}
