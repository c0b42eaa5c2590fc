package coreutils

import (
	"errors"
	"regexp"
	re2 "regexp/syntax"
)

// maxWork bounds the product of a text's length and the states of the
// expression that is sought in it, so that one search ends within a second or
// so: it can not be interrupted.
const maxWork = 100_000_000

// errLongText ends the search of a text that is too long for its expression.
var errLongText = errors.New("a line is too long for the expression")

// longestText is the length in bytes of a text that an expression may be sought
// in.
func longestText(re *regexp.Regexp) int {
	tree, err := re2.Parse(re.String(), re2.Perl)
	if err != nil {
		return 0
	}
	return maxWork / programSize(tree, maxProgram)
}

// maxProgram bounds how many states an expression may have: the time for one
// character of text grows with it.
const maxProgram = 10_000

// programSize estimates how many states an expression needs, or answers a
// number above limit.
func programSize(tree *re2.Regexp, limit int) int {
	size := 1
	if tree.Op == re2.OpLiteral {
		size = len(tree.Rune)
	}
	for _, sub := range tree.Sub {
		if size += programSize(sub, limit); size > limit {
			return limit + 1
		}
	}
	if tree.Op == re2.OpRepeat {
		size = min(size*max(tree.Min, tree.Max, 1), limit+1)
	}
	return size
}
