package shell

import (
	"errors"
	"sort"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vadehq/vade/diag"
)

// marked is text in which each binding is replaced with a placeholder. A placeholder consists of
// letters and digits that mean nothing to the shell and occur nowhere else in the text.
type marked struct {
	original string
	text     string
	bindings []Binding
	// before and after surround the binding's number in each placeholder.
	before, after string
	// starts holds the offsets of the placeholders in text.
	starts []int
}

// All placeholders have the same length, because their numbers have markDigits digits. A text can
// have at most maxBindings bindings.
const (
	markDigits  = 4
	maxBindings = 1000
)

func newMarked(text string, bindings []Binding) *marked {
	m := &marked{original: text, text: text, bindings: bindings}
	if len(bindings) == 0 {
		return m
	}
	for n := 0; ; n++ {
		m.before, m.after = "vZq"+strconv.Itoa(n)+"Q", "qZv"
		if !strings.Contains(text, m.before) {
			break
		}
	}
	var b strings.Builder
	at := 0
	for i, bind := range bindings {
		b.WriteString(text[at:bind.Span.Start])
		m.starts = append(m.starts, b.Len())
		b.WriteString(m.mark(i))
		at = bind.Span.End
	}
	b.WriteString(text[at:])
	m.text = b.String()
	return m
}

func (m *marked) mark(i int) string {
	n := strconv.Itoa(i)
	return m.before + strings.Repeat("0", max(0, markDigits-len(n))) + n + m.after
}

// find returns the index and length of the first placeholder in s, along with its binding. The
// index is -1 if s has no placeholder.
func (m *marked) find(s string) (at, length int, b Binding) {
	if m.before == "" {
		return -1, 0, Binding{}
	}
	for from := 0; ; {
		i := strings.Index(s[from:], m.before)
		if i < 0 {
			return -1, 0, Binding{}
		}
		at = from + i
		rest := s[at+len(m.before):]
		end := strings.Index(rest, m.after)
		if end < 0 {
			return -1, 0, Binding{}
		}
		n, err := strconv.Atoi(rest[:end])
		if err == nil && n < len(m.bindings) {
			return at, len(m.before) + end + len(m.after), m.bindings[n]
		}
		from = at + len(m.before)
	}
}

func (m *marked) has(s string) bool {
	at, _, _ := m.find(s)
	return at >= 0
}

// contains reports whether s has a placeholder without a value, and whether it has a placeholder
// for an argument.
func (m *marked) contains(s string) (missing, argument bool) {
	for {
		at, length, b := m.find(s)
		if at < 0 {
			return missing, argument
		}
		missing, argument = missing || b.Missing, argument || b.Argument
		s = s[at+length:]
	}
}

// values replaces each placeholder with its value. A placeholder without a value is removed or, in
// single quotes, replaced with its original text.
func (m *marked) values(s string, single bool) string {
	var b strings.Builder
	for {
		at, length, bind := m.find(s)
		if at < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:at])
		switch {
		case !bind.Missing:
			b.WriteString(bind.Value)
		case single:
			b.WriteString(m.original[bind.Span.Start:bind.Span.End])
		}
		s = s[at+length:]
	}
}

// offset converts an offset in the marked text to an offset in the original.
func (m *marked) offset(at int) int {
	i := sort.SearchInts(m.starts, at+1) - 1
	if i < 0 {
		return max(0, min(at, len(m.original)))
	}
	behind := at - m.starts[i] - len(m.mark(i))
	if behind < 0 {
		return m.bindings[i].Span.Start
	}
	return min(m.bindings[i].Span.End+behind, len(m.original))
}

func (m *marked) span(n syntax.Node) diag.Span {
	start, end := m.offset(offset(n.Pos())), m.offset(offset(n.End()))
	return diag.Span{Start: start, End: max(start, end)}
}

func (m *marked) syntaxError(err error) *SyntaxError {
	var parse syntax.ParseError
	if errors.As(err, &parse) {
		return &SyntaxError{Offset: m.offset(offset(parse.Pos)), Message: m.plain(parse.Text)}
	}
	var lang syntax.LangError
	if errors.As(err, &lang) {
		return &SyntaxError{Offset: m.offset(offset(lang.Pos)), Message: "not valid Bash"}
	}
	return &SyntaxError{Message: m.plain(err.Error())}
}

// plain replaces the placeholders in a parser message with "$…".
func (m *marked) plain(message string) string {
	for {
		at, length, _ := m.find(message)
		if at < 0 {
			return message
		}
		message = message[:at] + "$…" + message[at+length:]
	}
}
