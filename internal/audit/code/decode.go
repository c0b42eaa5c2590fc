package code

import (
	"slices"
	"strings"
)

// codec is the encoding that a name in Python, Node or a format of pack stands for.
func codec(name string) string {
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)) {
	case "base64", "base64url", "base64codec", "m", "m0", "u":
		return "base64"
	case "hex", "hexcodec", "h*":
		return "hex"
	case "rot13":
		return "rot13"
	case "zlib", "zlibcodec", "zip":
		return "zlib"
	case "bz2", "bz2codec":
		return "bzip2"
	}
	return ""
}

func reversed(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}
