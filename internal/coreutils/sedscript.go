package coreutils

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxSteps bounds the commands of a script, and how deep they nest.
const maxSteps = 1000

// scriptReader reads sed scripts. Whatever it does not know, above all what
// reads, writes or runs something, is an error.
type scriptReader struct {
	dialect dialect
	text    string
	pos     int
	steps   int
	depth   int
	longest int // the longest line that every expression can be sought in
}

func (r *scriptReader) read(text string) ([]*sedStep, error) {
	r.text, r.pos, r.depth = text, 0, 0
	steps, err := r.block()
	if err == nil && r.pos < len(r.text) {
		err = regexError("unexpected `}'")
	}
	return steps, err
}

func (r *scriptReader) skip(chars string) {
	for r.pos < len(r.text) && strings.IndexByte(chars, r.text[r.pos]) >= 0 {
		r.pos++
	}
}

// peek is the character at hand, 0 at the end.
func (r *scriptReader) peek() byte {
	if r.pos < len(r.text) {
		return r.text[r.pos]
	}
	return 0
}

// block reads up to the end or to a closing brace.
func (r *scriptReader) block() ([]*sedStep, error) {
	var out []*sedStep
	for {
		r.skip(" \t\n;")
		if c := r.peek(); c == '}' || r.pos == len(r.text) {
			return out, nil
		}
		s, err := r.step()
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
}

func (r *scriptReader) step() (*sedStep, error) {
	s := &sedStep{index: r.steps}
	if r.steps++; r.steps > maxSteps {
		return nil, regexError("the script is too long")
	}
	if err := r.addresses(s); err != nil {
		return nil, err
	}
	r.skip(" \t")
	for r.peek() == '!' {
		s.negated = true
		r.pos++
		r.skip(" \t")
	}
	if r.pos == len(r.text) {
		return nil, regexError("missing command")
	}
	s.verb = r.text[r.pos]
	r.pos++
	if err := r.command(s); err != nil {
		return nil, err
	}
	r.skip(" \t")
	if c := r.peek(); c != ';' && c != '\n' && c != '}' && r.pos < len(r.text) {
		return nil, regexError("extra characters after command")
	}
	return s, nil
}

func (r *scriptReader) command(s *sedStep) (err error) {
	switch s.verb {
	case 'p', 'd', '=':
	case 'q', 'Q':
		if s.to != nil {
			return regexError("command only uses one address")
		}
		r.skip(" \t")
		if n, ok := r.number(); ok {
			s.status = n & 255
		}
	case 's':
		s.subst, err = r.substitution()
	case 'y':
		s.table, err = r.transliteration()
	case '{':
		if r.depth++; r.depth > maxRegexDepth {
			return regexError("the script nests too deeply")
		}
		if s.block, err = r.block(); err == nil && r.peek() != '}' {
			err = regexError("unmatched `{'")
		}
		r.depth--
		r.pos++
	default:
		return regexError("the command " + strconv.QuoteRune(rune(s.verb)) + " is not supported")
	}
	return err
}

func (r *scriptReader) number() (n int, ok bool) {
	for isDigit(r.peek()) {
		n = min(n*10+int(r.peek()-'0'), 1<<40)
		r.pos++
		ok = true
	}
	return n, ok
}

func (r *scriptReader) addresses(s *sedStep) (err error) {
	if s.from, err = r.address(false); err != nil || s.from == nil {
		return err
	}
	r.skip(" \t")
	if r.peek() == ',' {
		r.pos++
		r.skip(" \t")
		if s.to, err = r.address(true); err == nil && s.to == nil {
			err = regexError("unexpected `,'")
		}
	}
	if err == nil && s.from.kind == 'n' && s.from.n == 0 && (s.to == nil || s.to.kind != '/') {
		err = regexError("invalid usage of line address 0")
	}
	return err
}

// address reads one address, nil where none stands; second says that it ends a
// range.
func (r *scriptReader) address(second bool) (*sedAddress, error) {
	c := r.peek()
	switch {
	case isDigit(c):
		n, _ := r.number()
		if r.peek() != '~' || second {
			return &sedAddress{kind: 'n', n: n}, nil
		}
		r.pos++
		step, _ := r.number()
		return &sedAddress{kind: '~', n: n, step: step}, nil
	case c == '$':
		r.pos++
		return &sedAddress{kind: '$'}, nil
	case second && (c == '+' || c == '~'):
		r.pos++
		n, ok := r.number()
		if !ok {
			return nil, regexError("expected a number")
		}
		if c == '~' {
			c = 'm'
		}
		return &sedAddress{kind: c, n: n}, nil
	case c == '/', c == '\\':
		return r.regexAddress()
	}
	return nil, nil
}

func (r *scriptReader) regexAddress() (*sedAddress, error) {
	if r.peek() == '\\' {
		r.pos++
	}
	text, err := r.delimited(true, true)
	if err != nil {
		return nil, err
	}
	fold := false
	for r.peek() == 'I' {
		fold = true
		r.pos++
	}
	re, err := r.compile(text, fold)
	return &sedAddress{kind: '/', regex: re}, err
}

func (r *scriptReader) compile(text string, fold bool) (*regexp.Regexp, error) {
	if text == "" {
		return nil, regexError("an empty regular expression is not supported")
	}
	re, err := compileRegex(text, r.dialect, fold)
	if err == nil {
		r.longest = min(r.longest, longestText(re))
	}
	return re, err
}

// delimited reads the text up to the delimiter, which is the character at hand
// where open is set and the one before it otherwise. Escapes for control
// characters are resolved; in an expression a bracket may hold the delimiter
// only behind a backslash, as in sed itself.
func (r *scriptReader) delimited(open, expression bool) (string, error) {
	if open {
		r.pos++
	}
	if r.pos > len(r.text) || r.pos == 0 {
		return "", regexError("unterminated expression")
	}
	delim := r.text[r.pos-1]
	if delim == '\n' || delim == '\\' || delim >= utf8.RuneSelf || delim == ' ' || isDigit(delim) || isLetter(delim) {
		return "", regexError("unsupported delimiter")
	}
	var b strings.Builder
	inside := 0 // brackets: the offset after which a ] closes them
	for r.pos < len(r.text) {
		c := r.text[r.pos]
		r.pos++
		switch {
		case inside > 0 && c == '[' && r.pos < len(r.text) && strings.IndexByte(":.=", r.text[r.pos]) >= 0:
			if end := strings.Index(r.text[r.pos+1:], r.text[r.pos:r.pos+1]+"]"); end >= 0 {
				b.WriteString(r.text[r.pos-1 : r.pos+1+end+2])
				r.pos += 1 + end + 2
				continue
			}
			b.WriteByte(c)
		case inside > 0 && c == ']' && r.pos > inside:
			inside = 0
			b.WriteByte(c)
		case inside == 0 && expression && c == '[' && delim != '[':
			b.WriteByte(c)
			inside = r.pos + 1
			if strings.HasPrefix(r.text[r.pos:], "^") {
				inside++
			}
		case c == delim && inside == 0:
			return b.String(), nil
		case c == '\n' && expression:
			return "", regexError("unterminated expression")
		case c != '\\' || r.pos == len(r.text):
			b.WriteByte(c)
		default:
			if err := r.escaped(&b, delim, expression); err != nil {
				return "", err
			}
		}
	}
	return "", regexError("unterminated expression")
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// escaped reads what follows a backslash.
func (r *scriptReader) escaped(b *strings.Builder, delim byte, expression bool) error {
	c := r.text[r.pos]
	r.pos++
	switch {
	case c == delim && expression && strings.IndexByte(".*[]^$+?(){}|", delim) >= 0:
		return regexError("the delimiter in its own expression is not supported")
	case c == delim && (c == '&' || c == '\\'):
		return regexError("unsupported delimiter")
	case c == delim:
		b.WriteByte(c)
	case c == 'n':
		b.WriteByte('\n')
	case strings.IndexByte("aftrv", c) >= 0 && controlEscape(c) != 0:
		b.WriteByte(controlEscape(c))
	case strings.IndexByte("cdox", c) >= 0:
		return regexError(`\` + string(rune(c)) + " is not supported")
	default:
		b.WriteByte('\\')
		b.WriteByte(c)
	}
	return nil
}
