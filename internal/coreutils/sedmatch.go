package coreutils

import (
	"regexp"
	re2 "regexp/syntax"
	"unicode/utf8"
)

// matchSeq finds the matches of an expression in a line one after the other: all at
// once would take many times the room of the line.
type matchSeq struct {
	regex *regexp.Regexp
	// later is sought behind the beginning of a line. It has a group of its own
	// around the expression, and before it takes the character there, by which the
	// expression sees the edges of words.
	later *regexp.Regexp
}

// newMatchSeq makes the one of an expression. many: more is sought than the first
// match.
func newMatchSeq(re *regexp.Regexp, many bool) (*matchSeq, error) {
	if !many {
		return &matchSeq{regex: re}, nil
	}
	tree, err := re2.Parse(re.String(), re2.Perl)
	if err != nil {
		return nil, err
	}
	m := &matchSeq{regex: re}
	if !looksBehind(tree) {
		return m, nil
	}
	if m.later, err = regexp.Compile(`(?s:.)(` + tree.String() + `)`); err == nil {
		m.later.Longest()
	}
	return m, err
}

// looksBehind reports whether it matters to an expression what stands before its
// match. It takes the beginning of the text out of it: there it is not sought for
// again.
func looksBehind(tree *re2.Regexp) bool {
	found := false
	switch tree.Op {
	case re2.OpBeginText:
		tree.Op = re2.OpNoMatch
		found = true
	case re2.OpWordBoundary, re2.OpNoWordBoundary:
		found = true
	}
	for _, sub := range tree.Sub {
		found = looksBehind(sub) || found
	}
	return found
}

// each hands out the matches that regexp.FindAllSubmatchIndex finds, until yield
// returns false.
func (m *matchSeq) each(line []byte, yield func([]int) bool) {
	last := -1
	for at := 0; at <= len(line); {
		found := m.from(line, at)
		if found == nil {
			return
		}
		start, end := found[0], found[1]
		// No empty match stands right behind another one.
		if (end > at || start != last) && !yield(found) {
			return
		}
		if last = end; end > at {
			at = end
			continue
		}
		_, n := utf8.DecodeRune(line[at:])
		at += max(n, 1)
	}
}

// from finds the next match.
func (m *matchSeq) from(line []byte, at int) []int {
	re := m.regex
	skip := 0
	if at > 0 && m.later != nil {
		_, n := utf8.DecodeLastRune(line[:at])
		re, at, skip = m.later, at-n, 2
	}
	found := re.FindSubmatchIndex(line[at:])
	if found == nil {
		return nil
	}
	found = found[skip:]
	for i := range found {
		if found[i] >= 0 {
			found[i] += at
		}
	}
	return found
}
