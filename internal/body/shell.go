package body

import (
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
)

// Claude Code 2.1.329's rules for inline commands and blocks, as JavaScript regular expressions
// (cases s09, s20, s30):
//
//	/(?<=^|\s)!`([^`]+)`/gm
//	/```!\s*\n?([\s\S]*?)\n?```/g
//
// A command that consists only of whitespace is ignored.

// bang processes the "!" at i, which may begin an inline command.
func (s *scanner) bang(i int) int {
	if i+1 == len(s.text) || s.text[i+1] != '`' || s.noTick || !afterSpace(s.text, i) {
		return i + 1
	}
	n := strings.IndexByte(s.text[i+2:], '`')
	s.noTick = n < 0
	if n <= 0 {
		return i + 1
	}
	command := strings.TrimFunc(s.text[i+2:i+2+n], chars.IsSpace)
	if command == "" {
		return i + 1
	}
	return s.emit(Segment{Kind: Shell, Name: command, Span: diag.Span{Start: i, End: i + 2 + n + 1}})
}

// shellBlock processes the "```!" at i. It reports whether a block begins there, and returns the
// next offset.
func (s *scanner) shellBlock(i int) (end int, ok bool) {
	if s.noBlockEnd {
		return i, false
	}
	open := i + len("```!")
	n := strings.Index(s.text[open:], "```")
	if n < 0 {
		s.noBlockEnd = true
		return i, false
	}
	end = open + n + len("```")
	if command := strings.TrimFunc(s.text[open:open+n], chars.IsSpace); command != "" {
		s.emit(Segment{Kind: Shell, Block: true, Name: command, Span: diag.Span{Start: i, End: end}})
	}
	for end < len(s.text) && s.text[end] == '`' {
		end++
	}
	return end, true
}
