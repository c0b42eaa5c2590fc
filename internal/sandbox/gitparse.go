package sandbox

import (
	"errors"
	"strings"
)

// gitSetting is a setting in a configuration file. A key without "=" has no value, which git treats
// as true.
type gitSetting struct {
	// Base is the key without its last part: "section." or "section.subsection.". It is empty
	// before the first header.
	Base    string
	Name    string // lowercase
	Value   string
	NoValue bool
	Line    int
}

func (s gitSetting) key() string { return s.Base + s.Name }

// section splits Base into a section and a subsection. hasSub distinguishes an empty subsection
// from none.
func (s gitSetting) section() (name, sub string, hasSub bool) {
	name, sub, hasSub = strings.Cut(strings.TrimSuffix(s.Base, "."), ".")
	return name, sub, hasSub
}

// configError identifies the line at which git would stop parsing.
type configError struct {
	line int
	err  error
}

func (e *configError) Error() string { return e.err.Error() }

var (
	errHeader  = errors.New("malformed section header")
	errName    = errors.New("malformed key")
	errQuote   = errors.New("unterminated quote or invalid escape")
	errControl = errors.New("NUL byte")
)

// configReader parses a configuration file byte by byte, exactly as git does.
type configReader struct {
	text string
	at   int
	line int
}

// parseGitConfig returns the settings in order. It accepts exactly what git
// accepts, and returns an error where git would stop.
func parseGitConfig(text []byte) ([]gitSetting, error) {
	r := &configReader{text: strings.TrimPrefix(string(text), "\ufeff"), line: 1}
	if strings.IndexByte(r.text, 0) >= 0 {
		return nil, &configError{1, errControl}
	}
	var list []gitSetting
	base := ""
	comment := false
	for !r.done() {
		line := r.line
		c := r.next()
		var err error
		switch {
		case c == '\n':
			comment = false
		case comment || isConfigSpace(c):
		case c == '#' || c == ';':
			comment = true
		case c == '[':
			base, err = r.header()
		case !isLetter(c):
			err = errName
		default:
			s := gitSetting{Base: base, Line: line}
			err = r.setting(c, &s)
			list = append(list, s)
		}
		if err != nil {
			return nil, &configError{line, err}
		}
	}
	return list, nil
}

func (r *configReader) done() bool { return r.at >= len(r.text) }

// next returns the next byte. It drops a carriage return before a newline. At the end of the file,
// it returns a newline.
func (r *configReader) next() byte {
	if r.done() {
		r.at++
		return '\n'
	}
	c := r.text[r.at]
	r.at++
	if c == '\r' && r.at < len(r.text) && r.text[r.at] == '\n' {
		r.at++
		c = '\n'
	}
	if c == '\n' {
		r.line++
	}
	return c
}

func (r *configReader) header() (base string, err error) {
	var name strings.Builder
	for {
		if r.done() {
			return "", errHeader
		}
		c := r.next()
		switch {
		case c == ']':
			return name.String() + ".", nil
		case isConfigSpace(c) && c != '\n':
			sub, err := r.subsection()
			return name.String() + "." + sub + ".", err
		case !isKeyChar(c) && c != '.':
			return "", errHeader
		}
		name.WriteByte(toLower(c))
	}
}

func (r *configReader) subsection() (string, error) {
	c := r.next()
	for isConfigSpace(c) && c != '\n' {
		c = r.next()
	}
	if c != '"' {
		return "", errHeader
	}
	var sub strings.Builder
	for {
		c := r.next()
		switch c {
		case '\n':
			return "", errHeader
		case '"':
			if r.next() != ']' {
				return "", errHeader
			}
			return sub.String(), nil
		case '\\':
			if c = r.next(); c == '\n' {
				return "", errHeader
			}
		}
		sub.WriteByte(c)
	}
}

func (r *configReader) setting(first byte, s *gitSetting) error {
	var name strings.Builder
	name.WriteByte(toLower(first))
	c := r.next()
	for ; isKeyChar(c); c = r.next() {
		name.WriteByte(toLower(c))
	}
	s.Name = name.String()
	for c == ' ' || c == '\t' {
		c = r.next()
	}
	if c == '\n' {
		s.NoValue = true
		return nil
	}
	if c != '=' {
		return errName
	}
	var err error
	s.Value, err = r.value()
	return err
}

// value reads the rest of the line, including continuation lines, and returns the setting's value.
func (r *configReader) value() (string, error) {
	var v []byte
	quoted, comment := false, false
	trimmed := 0 // length without trailing whitespace
	for {
		c := r.next()
		switch {
		case c == '\n':
			if quoted {
				return "", errQuote
			}
			return string(v[:trimmed]), nil
		case comment:
			continue
		case isConfigSpace(c) && !quoted:
			if len(v) > 0 {
				v = append(v, c)
			}
			continue
		case !quoted && (c == ';' || c == '#'):
			comment = true
			continue
		case c == '\\':
			c = r.next()
			if c == '\n' {
				trimmed = len(v)
				continue
			}
			esc := strings.IndexByte(`tbn\"`, c)
			if esc < 0 {
				return "", errQuote
			}
			c = "\t\b\n\\\""[esc]
		case c == '"':
			quoted = !quoted
			trimmed = len(v)
			continue
		}
		v = append(v, c)
		trimmed = len(v)
	}
}

func isConfigSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isLetter(c byte) bool      { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isKeyChar(c byte) bool     { return isLetter(c) || '0' <= c && c <= '9' || c == '-' }

func toLower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}
