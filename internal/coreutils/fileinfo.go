package coreutils

import (
	"errors"
	"io/fs"
	"math"
	"regexp"
	"strconv"

	"mvdan.cc/sh/v3/pattern"
)

// owned returns the owner, group, link count and block count to show for a file.
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

// glob compiles a pattern for fnmatch(3) without flags: an asterisk also matches slashes and
// leading dots. An invalid pattern matches only itself.
func glob(text string, fold bool) (*regexp.Regexp, error) {
	if len(text) > maxPattern {
		return nil, errors.New("the pattern is too long")
	}
	mode := pattern.EntireString
	if fold {
		mode |= pattern.NoGlobCase
	}
	if src, err := pattern.Regexp(text, mode); err == nil {
		if re, err := regexp.Compile(src); err == nil {
			return re, nil
		}
	}
	return regexp.Compile("^" + regexp.QuoteMeta(text) + "$")
}
