package coreutils

import (
	"io/fs"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// owned returns the owner, group, link count and block count to list for a file.
func owned(info fs.FileInfo) (user, group string, links uint64, blocks int64) {
	if o, ok := info.(OwnerInfo); ok {
		return o.Owner()
	}
	return "-", "-", 1, (info.Size() + 511) / 512
}

// kind returns the letter that find and test use for a file type.
func kind(m fs.FileMode) byte {
	switch {
	case m.IsDir():
		return 'd'
	case m&fs.ModeSymlink != 0:
		return 'l'
	case m&fs.ModeNamedPipe != 0:
		return 'p'
	case m&fs.ModeSocket != 0:
		return 's'
	case m&fs.ModeCharDevice != 0:
		return 'c'
	case m&fs.ModeDevice != 0:
		return 'b'
	}
	return 'f'
}

// modeString formats a mode as the ten characters in ls -l output.
func modeString(m fs.FileMode) string {
	out := []byte("-" + m.Perm().String()[1:])
	if k := kind(m); k != 'f' {
		out[0] = k
	}
	for i, bit := range []fs.FileMode{fs.ModeSetuid, fs.ModeSetgid, fs.ModeSticky} {
		at := 3 * (i + 1)
		switch {
		case m&bit == 0:
		case out[at] == 'x':
			out[at] = "sst"[i]
		default:
			out[at] = "SST"[i]
		}
	}
	return string(out)
}

// human formats a number of bytes like -h: in powers of 1024, rounded up.
func human(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10)
	}
	f, unit := float64(n), -1
	for ; f >= 1024 || unit < 0; unit++ {
		f /= 1024
	}
	if tenths := math.Ceil(f * 10); tenths < 100 {
		return strconv.FormatFloat(tenths/10, 'f', 1, 64) + "KMGTPE"[unit:unit+1]
	}
	if f = math.Ceil(f); f == 1024 && unit < 5 {
		return "1.0" + "KMGTPE"[unit+1:unit+2]
	}
	return strconv.FormatFloat(f, 'f', 0, 64) + "KMGTPE"[unit:unit+1]
}

func ceilDiv(n, by int64) int64 { return (max(n, 0) + by - 1) / by }

// globMatch is like fnmatch(3) without flags: a star also matches slashes and
// leading dots. Its running time is bounded by the product of both lengths.
func globMatch(pattern, name string, fold bool) bool {
	if fold {
		pattern, name = strings.ToLower(pattern), strings.ToLower(name)
	}
	p, n := []rune(pattern), []rune(name)
	star, mark := -1, 0 // the last star, and the end of the text it matched
	for i, j := 0, 0; ; {
		if i < len(p) && p[i] == '*' {
			star, mark = i, j
			i++
			continue
		}
		if j == len(n) {
			return strings.Trim(string(p[i:]), "*") == ""
		}
		if i < len(p) {
			if used, ok := globOne(p[i:], n[j]); ok {
				i += used
				j++
				continue
			}
		}
		if star < 0 {
			return false
		}
		mark++
		i, j = star+1, mark
	}
}

// globOne matches a rune against the first element in a pattern, which is used runes long.
func globOne(p []rune, r rune) (used int, ok bool) {
	switch {
	case p[0] == '?':
		return 1, true
	case p[0] == '\\' && len(p) > 1:
		return 2, p[1] == r
	case p[0] != '[':
		return 1, p[0] == r
	}
	i, negated, in := 1, false, false
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		negated = true
		i++
	}
	for first := i; i < len(p); {
		if p[i] == ']' && i > first {
			return i + 1, in != negated
		}
		if rest := string(p[i:]); strings.HasPrefix(rest, "[:") {
			if name, _, ok := strings.Cut(rest[2:], ":]"); ok {
				class, err := regexp.Compile("^[[:" + name + ":]]$")
				in = in || err == nil && class.MatchString(string(r))
				i += len([]rune(name)) + 4
				continue
			}
		}
		low, high := p[i], p[i]
		if i++; i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			high = p[i+1]
			i += 2
		}
		in = in || low <= r && r <= high
	}
	return 1, r == '[' // unclosed, so an ordinary character
}
