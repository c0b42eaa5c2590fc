package registry

import (
	"slices"
	"strconv"
	"strings"
)

// nearest returns the observed version that is nearest to the given one. known is sorted, newest
// first. It returns false if the version does not consist of numbers separated by dots or hyphens.
func nearest(known []string, version string) (string, bool) {
	if slices.Contains(known, version) {
		return version, true
	}
	wanted, ok := numbers(version)
	if !ok {
		return "", false
	}
	newer := known[0]
	for _, older := range known {
		n, _ := numbers(older)
		if slices.Compare(n, wanted) > 0 {
			newer = older
			continue
		}
		after, _ := numbers(newer)
		if slices.Compare(distance(after, wanted), distance(wanted, n)) < 0 {
			return newer, true
		}
		return older, true
	}
	return newer, true
}

// numbers returns the numbers in a version. It returns false if the version does not consist of
// numbers.
func numbers(version string) ([]int, bool) {
	var all []int
	for _, part := range strings.FieldsFunc(version, func(r rune) bool { return r == '.' || r == '-' }) {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, false
		}
		all = append(all, n)
	}
	return all, len(all) > 0
}

// distance returns the differences between the corresponding numbers in two versions. A missing
// number counts as 0.
func distance(a, b []int) []int {
	d := make([]int, max(len(a), len(b)))
	copy(d, a)
	for i, n := range b {
		d[i] = max(d[i]-n, n-d[i])
	}
	return d
}
