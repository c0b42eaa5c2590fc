package coreutils

import (
	"math"
	"strconv"
	"strings"
)

// parseCount reads a count with an optional multiplier as head and tail take
// it: b is 512, K and KiB 1024, kB and KB 1000, and so on. A count beyond an
// int64 is the largest one.
func parseCount(s string) (n int64, ok bool) {
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	unit, ok := multiplier(s[end:])
	if end == 0 || !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(s[:end], 10, 64)
	if err != nil || n > math.MaxInt64/unit {
		return math.MaxInt64, true
	}
	return n * unit, true
}

func multiplier(suffix string) (int64, bool) {
	switch suffix {
	case "":
		return 1, true
	case "b":
		return 512, true
	case "k", "K":
		return 1 << 10, true
	case "kB", "KB":
		return 1000, true
	}
	power := strings.IndexByte("KMGTPE", suffix[0]) + 1
	if power == 0 {
		return 0, false
	}
	base := int64(1024)
	switch suffix[1:] {
	case "", "iB":
	case "B":
		base = 1000
	default:
		return 0, false
	}
	n := int64(1)
	for range power {
		n *= base
	}
	return n, true
}

// checkCount says what is wrong with a count that may have a sign.
func checkCount(s string) string {
	if _, ok := parseCount(strings.TrimLeft(s, "+-")); !ok || len(s) > 1 && strings.ContainsAny(s[1:], "+-") {
		return "not a count: " + s
	}
	return ""
}
