package frontmatter

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// maxScriptDepth limits the nesting depth of values in a script's meta object.
const maxScriptDepth = 200

// ParseScript decodes the fields of a workflow, a JavaScript file whose first statement is "export
// const meta = {…};". It does not run anything or read the rest of the file. The object must
// consist of literals. Regular expressions are accepted, but their text is not kept. If the file
// does not start with this statement, Valid is false and the diagnostic points to the error.
//
// The grammar was observed in Claude Code 2.1.330, using one file for each form. It accepts
// comments, a byte order mark, a "#!" line and parentheses. It rejects operators, expressions in
// templates, spread syntax, computed and shorthand keys, the keys __proto__, constructor and
// prototype, and a statement that continues after the object.
func ParseScript(f *diag.File) (doc Document, diags []diag.Diagnostic) {
	r := scriptReader{text: string(f.Data)}
	v, ok := r.meta()
	doc = Document{Block: Block{Found: ok, Body: len(f.Data)}, Valid: ok}
	if !ok {
		at := min(r.at, len(r.text))
		return doc, []diag.Diagnostic{diag.At(f, diag.Span{Start: at, End: at}, diag.FMMissing,
			"the script does not start with a literal meta object").
			WithFix("start the file with: export const meta = {name: '…', description: '…'}")}
	}
	doc.Text, doc.Entries = v.Span, v.Pairs
	return doc, nil
}

// scriptReader parses JavaScript literals. After a failure, at is the error's position.
type scriptReader struct {
	text string
	at   int
	// line is set if the last skipped whitespace contained a line break.
	line bool
}

func (r *scriptReader) meta() (v definition.Value, ok bool) {
	r.at = len(r.text) - len(strings.TrimPrefix(r.text, bom))
	if strings.HasPrefix(r.text[r.at:], "#!") {
		r.skipLine()
	}
	for _, word := range []string{"export", "const", "meta"} {
		if r.skip(); !r.word(word) {
			return v, false
		}
	}
	if !r.take("=") {
		return v, false
	}
	v, ok = r.value(0)
	return v, ok && v.Kind == definition.Map && r.ends()
}

// word consumes a keyword.
func (r *scriptReader) word(w string) bool {
	name, ok := r.identifier()
	return ok && name == w
}

// take skips whitespace and consumes the given punctuation character.
func (r *scriptReader) take(sign string) bool {
	r.skip()
	if !strings.HasPrefix(r.text[r.at:], sign) {
		return false
	}
	r.at += len(sign)
	return true
}

// ends reports whether the statement ends after the object: at the end of the file, at a semicolon,
// or at a line break after which the next line does not continue the expression.
func (r *scriptReader) ends() bool {
	r.skip()
	rest := r.text[r.at:]
	if rest == "" || rest[0] == ';' {
		return true
	}
	if strings.HasPrefix(rest, "++") || strings.HasPrefix(rest, "--") {
		return r.line
	}
	if !r.line || strings.IndexByte("}])(,.[+-*/%&|^?=<>`:!", rest[0]) >= 0 {
		return false
	}
	name, _ := r.identifier()
	return name != "in" && name != "instanceof"
}

// skip skips whitespace and comments.
func (r *scriptReader) skip() {
	r.line = false
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		c, n := utf8.DecodeRuneInString(rest)
		switch {
		case isScriptBreak(c):
			r.line = true
			r.at += n
		case unicode.IsSpace(c) || c == '\ufeff':
			r.at += n
		case strings.HasPrefix(rest, "//"):
			r.skipLine()
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return
			}
			r.line = r.line || strings.ContainsFunc(rest[:end+2], isScriptBreak)
			r.at += end + 4
		default:
			return
		}
	}
}

// isScriptBreak reports whether a rune ends a line in JavaScript.
func isScriptBreak(c rune) bool { return c == '\n' || c == '\r' || c == '\u2028' || c == '\u2029' }

func (r *scriptReader) skipLine() {
	if end := strings.IndexFunc(r.text[r.at:], isScriptBreak); end >= 0 {
		r.at += end
		return
	}
	r.at = len(r.text)
}

// value parses a literal.
func (r *scriptReader) value(depth int) (v definition.Value, ok bool) {
	r.skip()
	if r.at >= len(r.text) || depth > maxScriptDepth {
		return v, false
	}
	start := r.at
	switch c := r.text[r.at]; {
	case c == '{':
		v.Kind, ok = definition.Map, r.list("}", func() bool { return r.pair(&v, depth) })
	case c == '[':
		v.Kind, ok = definition.List, r.list("]", func() bool {
			item, ok := r.value(depth + 1)
			v.Items = append(v.Items, item)
			return ok
		})
	case c == '(':
		r.at++
		if v, ok = r.value(depth + 1); ok {
			ok = r.take(")")
		}
	case c == '\'' || c == '"' || c == '`':
		v.Kind = definition.String
		v.Text, ok = r.quoted(c)
	case c == '/':
		v.Kind, ok = definition.Map, r.regexp()
	case c == '.' || isDigit(c):
		v.Kind, v.Plain = definition.Number, true
		v.Text, ok = r.number()
	default:
		v.Plain = true
		v.Text, ok = r.identifier()
		switch v.Text {
		case "true", "false":
			v.Kind = definition.Bool
		case "null":
		default:
			r.at, ok = start, false
		}
	}
	v.Span = diag.Span{Start: start, End: r.at}
	return v, ok
}

// list parses items up to a closing character. A trailing comma is allowed.
func (r *scriptReader) list(closing string, item func() bool) bool {
	for r.at++; ; {
		if r.take(closing) {
			return true
		}
		if !item() {
			return false
		}
		if r.take(closing) {
			return true
		}
		if !r.take(",") {
			return false
		}
	}
}

// pair parses one of an object's members. If a key occurs more than once, the last member wins.
func (r *scriptReader) pair(v *definition.Value, depth int) bool {
	e := definition.Entry{KeySpan: diag.Span{Start: r.at}}
	var ok bool
	switch c := r.text[min(r.at, len(r.text)-1)]; {
	case c == '\'' || c == '"':
		e.Key, ok = r.quoted(c)
	case c == '.' || isDigit(c):
		e.Key, ok = r.number()
	default:
		e.Key, ok = r.identifier()
	}
	e.KeySpan.End = r.at
	if !ok || slices.Contains([]string{"__proto__", "constructor", "prototype"}, e.Key) || !r.take(":") {
		return false
	}
	if e.Value, ok = r.value(depth + 1); !ok {
		return false
	}
	v.Pairs = slices.DeleteFunc(v.Pairs, func(x definition.Entry) bool { return x.Key == e.Key })
	v.Pairs = append(v.Pairs, e)
	return true
}

// identifier parses a name, which may contain Unicode escapes.
func (r *scriptReader) identifier() (string, bool) {
	var b strings.Builder
	for r.at < len(r.text) {
		c, n := utf8.DecodeRuneInString(r.text[r.at:])
		if strings.HasPrefix(r.text[r.at:], `\u`) {
			at := r.at
			r.at += 2
			escaped, ok := r.unicodeEscape()
			if c, n = escaped, 0; !ok || !inIdentifier(c, b.Len() == 0) {
				r.at = at
				return "", false
			}
		} else if !inIdentifier(c, b.Len() == 0) {
			break
		}
		b.WriteRune(c)
		r.at += n
	}
	return b.String(), b.Len() > 0
}

func inIdentifier(c rune, first bool) bool {
	return c == '$' || c == '_' || unicode.IsLetter(c) || unicode.Is(unicode.Nl, c) ||
		!first && (unicode.In(c, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc) || c == '\u200c' || c == '\u200d')
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// number parses a number. Go accepts JavaScript's notation except for the suffix n.
func (r *scriptReader) number() (string, bool) {
	start := r.at
	for r.at < len(r.text) && r.inNumber(start) {
		r.at++
	}
	text := strings.TrimSuffix(r.text[start:r.at], "n")
	_, err := strconv.ParseFloat(text, 64)
	if err != nil {
		_, err = strconv.ParseInt(text, 0, 64)
	}
	if err != nil {
		_, err = strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	}
	isOctal := len(text) > 1 && text[0] == '0' && isDigit(text[1])
	return text, err == nil && !isOctal
}

// inNumber reports whether the next byte is part of the number that starts at start.
func (r *scriptReader) inNumber(start int) bool {
	switch c := r.text[r.at]; {
	case c == '+' || c == '-':
		return r.at > start && r.text[r.at-1]|0x20 == 'e' && !strings.HasPrefix(r.text[start:], "0x")
	default:
		return c == '.' || c == '_' || isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
}

func (r *scriptReader) regexp() bool {
	class := false
	for r.at++; r.at < len(r.text) && r.text[r.at] != '\n'; r.at++ {
		switch c := r.text[r.at]; {
		case c == '\\':
			r.at++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			r.at++
			_, _ = r.identifier()
			return true
		}
	}
	return false
}

// quoted parses a string, or a template literal without expressions.
func (r *scriptReader) quoted(quote byte) (string, bool) {
	var b strings.Builder
	for r.at++; r.at < len(r.text); {
		rest := r.text[r.at:]
		switch c := rest[0]; {
		case c == quote:
			r.at++
			return b.String(), true
		case c == '\\':
			if !r.escape(&b) {
				return "", false
			}
			continue
		case quote == '`' && strings.HasPrefix(rest, "${"), quote != '`' && (c == '\n' || c == '\r'):
			return "", false
		case c == '\r':
			b.WriteByte('\n')
			r.at += len(rest) - len(strings.TrimPrefix(rest[1:], "\n"))
			continue
		}
		c, n := utf8.DecodeRuneInString(rest)
		b.WriteRune(c)
		r.at += n
	}
	return "", false
}

func (r *scriptReader) escape(b *strings.Builder) bool {
	const from, to = "bfnrtv", "\b\f\n\r\t\v"
	r.at++
	if r.at >= len(r.text) {
		return false
	}
	c, n := utf8.DecodeRuneInString(r.text[r.at:])
	r.at += n
	isOctal := r.at < len(r.text) && isDigit(r.text[r.at])
	switch i := strings.IndexRune(from, c); {
	case c == 'x':
		code, ok := r.hex(2)
		b.WriteRune(code)
		return ok
	case c == 'u':
		code, ok := r.unicodeEscape()
		b.WriteRune(code)
		return ok
	case i >= 0:
		b.WriteByte(to[i])
	case c == '\r':
		r.at += len(r.text[r.at:]) - len(strings.TrimPrefix(r.text[r.at:], "\n"))
	case isScriptBreak(c):
	case c == '0' && !isOctal:
		b.WriteByte(0)
	case '0' <= c && c <= '9':
		return false // modules do not allow octal escapes
	default:
		b.WriteRune(c)
	}
	return true
}

// unicodeEscape parses what follows "\u": four hex digits, which may be half of
// a surrogate pair, or a code point in braces.
func (r *scriptReader) unicodeEscape() (rune, bool) {
	if strings.HasPrefix(r.text[r.at:], "{") {
		end := strings.IndexByte(r.text[r.at:], '}')
		if end < 0 {
			return 0, false
		}
		code, err := strconv.ParseUint(r.text[r.at+1:r.at+end], 16, 32)
		r.at += end + 1
		return rune(code), err == nil && code <= unicode.MaxRune
	}
	code, ok := r.hex(4)
	if ok && utf16.IsSurrogate(code) && strings.HasPrefix(r.text[r.at:], `\u`) {
		at := r.at
		r.at += 2
		if low, ok := r.hex(4); ok && utf16.DecodeRune(code, low) != utf8.RuneError {
			return utf16.DecodeRune(code, low), true
		}
		r.at = at
	}
	return code, ok
}

func (r *scriptReader) hex(n int) (rune, bool) {
	if len(r.text)-r.at < n {
		return 0, false
	}
	code, err := strconv.ParseUint(r.text[r.at:r.at+n], 16, 32)
	r.at += n
	return rune(code), err == nil
}
