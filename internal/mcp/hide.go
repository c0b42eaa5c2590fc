package mcp

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/lazyregexp"
	"github.com/vadehq/vade/internal/secret"
)

// refMark stands for a reference in the text that a [masker] processes.
const refMark = "\x00"

// masker processes a value. It hides what may be secret and keeps the rest.
type masker struct {
	*entry
	where string
	v     definition.Value
	// pending holds the references in the text that has not been hidden or kept yet.
	pending []Part
	out     Text
}

// mask returns a masker for a value, and the value's text, in which each reference is replaced by
// refMark.
func (r *entry) mask(field host.ServerField, where string, v definition.Value) (*masker, string) {
	r.field = field
	r.noteUnreplaced(v)
	m := &masker{entry: r, where: where, v: v}
	var text strings.Builder
	for _, p := range parseText(strings.ReplaceAll(v.Text, refMark, "\ufffd"), r.format, field) {
		if p.Kind != Literal {
			m.pending = append(m.pending, p)
			p.Text = refMark
		}
		text.WriteString(p.Text)
	}
	return m, text.String()
}

// keep adds part of a value without hiding it, except for variable names that look like tokens and
// defaults that may be secrets. key is the value's key.
func (m *masker) keep(s, key string) {
	for i, piece := range strings.Split(s, refMark) {
		if i > 0 {
			p := m.pending[0]
			m.pending = m.pending[1:]
			if secret.HasToken(p.Text) {
				p = m.entry.hide(m.v, m.where, m.variable(key), true)
			} else if p.HasDefault && !isPlainDefault(key, p.Text, p.Default) {
				m.entry.hide(m.v, m.where, p.Text, secret.May(key) || secret.HasToken(p.Default) || secret.HasPassword(p.Default))
				p.HasDefault, p.Default = false, ""
			}
			m.out = append(m.out, p)
		}
		m.out = m.out.literal(piece)
	}
}

// hide replaces part of a value with a hidden part. part describes the replaced text for display.
func (m *masker) hide(s, key, part string, likely bool) {
	m.pending = m.pending[strings.Count(s, refMark):]
	m.out = append(m.out, m.entry.hide(m.v, m.where, m.variable(key), likely))
	if !secret.HasToken(part) && len(part) <= 40 {
		m.s.Hidden[len(m.s.Hidden)-1].Part = part
	}
}

// keepUnlessToken adds part of a value, hiding it only if it looks like a token.
func (m *masker) keepUnlessToken(s, key, part string) {
	if secret.HasToken(s) {
		m.hide(s, key, part, true)
	} else {
		m.keep(s, key)
	}
}

// isRefs reports whether s consists only of references, or is a path below a reference.
func isRefs(s string) bool {
	rest := strings.Trim(s, refMark)
	return s != rest && (rest == "" || rest[0] == '/' && s[0] == refMark[0] && secret.PlainText(rest, 40))
}

// readStrict reads the value of a variable or header. It hides everything that is not plainly
// harmless.
func (r *entry) readStrict(field host.ServerField, where, key string, v definition.Value) Text {
	m, text := r.mask(field, where, v)
	likely := func(s string) bool { return secret.May(key) || secret.HasToken(s) || secret.HasPassword(s) }
	_, isAddress := secret.CutScheme(text)
	switch scheme, rest, _ := strings.Cut(text, " "); {
	case len(m.pending) > 0 && isAddress && !secret.May(key):
		m.url(text)
	case len(m.pending) > 0:
		for i, piece := range strings.Split(text, refMark) {
			if i > 0 {
				m.keep(refMark, key)
			}
			if isPlainPiece(key, piece) {
				m.keep(piece, key)
			} else {
				m.hide(piece, key, "", likely(piece))
			}
		}
	case secret.Harmless(key, text):
		m.keep(text, key)
	case isForeignReference(text) && !secret.HasToken(text):
		r.note(v, fixForeign(r.format, field, text), "%s: hosts that read %s treat this as plain text; they use a different reference syntax", where, r.format.Name)
		m.keep(text, key)
	case secret.IsScheme(scheme) && strings.TrimSpace(rest) != "":
		m.keep(scheme+" ", key)
		m.hide(rest, key, "", true)
	default:
		m.hide(text, key, "", likely(text))
	}
	return m.out
}

// isPlainPiece reports whether text next to a reference is plainly not a secret.
func isPlainPiece(key, s string) bool {
	if secret.HasToken(s) || secret.HasUserPassword(s) {
		return false
	}
	if secret.May(key) && !secret.IsScheme(strings.TrimSpace(s)) && !strings.ContainsAny(s, "/:@") {
		return len(strings.Trim(s, " -_.,;")) <= 3
	}
	if word := strings.Trim(s, " -_.,;:=\"'"); word != "" && word == strings.Trim(s, "\"'") && !secret.IsScheme(word) && !secret.IsPath(word) && word[0] != '@' {
		// Nothing separates the text from the reference, so both are part of the same value.
		return len(word) <= 3
	}
	return secret.PlainText(strings.Map(func(r rune) rune {
		if strings.ContainsRune("=?&%+#\"'", r) {
			return ' '
		}
		return r
	}, s), 20)
}

// readLoose reads part of a command or a URL. It hides only text that looks like a secret. If the
// value of a flag is expected next, expect holds the name of the flag.
func (r *entry) readLoose(field host.ServerField, where string, v definition.Value, expect *string) Text {
	m, text := r.mask(field, where, v)
	if secret.HasPair(text) && !strings.Contains(text, "://") {
		*expect = ""
		m.hide(text, "", "", true)
		return m.out
	}
	for text != "" {
		spaces := len(text) - len(strings.TrimLeft(text, " \t\n"))
		m.keep(text[:spaces], "")
		text = text[spaces:]
		end := strings.IndexAny(text, " \t\n")
		if end < 0 {
			end = len(text)
		}
		m.word(text[:end], expect)
		text = text[end:]
	}
	return m.out
}

// attachedValue matches words such as -pJWT123, which must be short options with an attached value
// because no option has such a name.
var attachedValue = lazyregexp.New(`^-[^-](?:.*[0-9]|[A-Z]{3})`)

// word adds one word from a command. The word may be a URL.
func (m *masker) word(s string, expect *string) {
	if m.expectedValue(s, expect) {
		return
	}
	bare := strings.Trim(s, `"'`)
	name := strings.TrimLeft(bare, "-")
	i := strings.IndexAny(s, "=:")
	// Do not treat a short option with an attached value, such as -pJWT123 or -pJWTabc, as a name.
	attached := attachedValue().MatchString(bare)
	switch {
	case strings.Contains(s, "://"):
		m.url(s)
	case i > 0 && secret.May(strings.Trim(s[:i], `-"'{,`)):
		m.secret(s, i, expect)
	case i < 0 && !attached && name != bare && secret.May(name):
		m.secret(s, len(s), expect)
	case bare == "-u" || bare == "--user":
		*expect = "user"
		m.keep(s, "")
	case secret.HasUserPassword(strings.ReplaceAll(bare, refMark, "")):
		m.hide(s, "user", "", true)
	case secret.HasToken(s):
		if i := strings.IndexByte(s, '='); i > 0 && isKey(s[:i]) {
			m.keep(s[:i+1], "")
			m.hide(s[i+1:], strings.Trim(s[:i], "-"), "", true)
		} else {
			m.hide(s, "", "", true)
		}
	case bare[0] == '-' && isOption(optionName(name)):
		m.option(s, expect)
	default:
		m.addPlain(s)
	}
}

// expectedValue reports whether a word is the preceding flag's value, and if so, adds it. A scheme
// such as Bearer, or "--", may come between the flag and its value.
func (m *masker) expectedValue(s string, expect *string) bool {
	bare, key := strings.Trim(s, `"'`), *expect
	switch {
	case bare == "" || key != "" && (bare == "--" || secret.IsScheme(bare)):
		m.keep(s, "")
		return true
	case key == "" || strings.HasPrefix(bare, "--"):
		*expect = ""
		return false
	}
	*expect = ""
	isSecret := secret.May(key) || key == "user"
	isPlain := isPlainWord(bare) || bare[0] == '-' && len(bare) == 2
	if isRefs(bare) || !isSecret && isPlain {
		m.keep(s, key)
	} else {
		m.hide(s, key, "", true)
	}
	return true
}

// isKey reports whether it is safe to show s as a value's name.
func isKey(s string) bool { return !strings.Contains(s, refMark) && !secret.HasToken(s) }

// secret adds a word that names a secret. The name ends at end and is followed by the value. If the
// word contains no value, the next word is treated as the secret.
func (m *masker) secret(s string, end int, expect *string) {
	key, value := strings.Trim(s[:end], `-"'{,`), s[min(end+1, len(s)):]
	isLast := value == "" || secret.IsScheme(value)
	switch {
	case !isKey(key):
		key = "secret"
		m.hide(s, key, "", true)
	case isLast || isRefs(strings.Trim(value, `"'`)):
		m.keep(s, key)
	default:
		m.keep(s[:end+1], "")
		m.hide(value, key, "", true)
	}
	if isLast {
		*expect = key
	}
}

// optionName returns an option without its value. s must not have leading dashes.
func optionName(s string) string {
	if i := strings.IndexAny(s, "="+refMark); i >= 0 {
		return s[:i]
	}
	return s
}

// option adds an option. The option's value, or the next word, is hidden unless the option's name
// or the value itself shows that it is harmless.
func (m *masker) option(s string, expect *string) {
	at := len(s) - len(strings.TrimLeft(s, `"'-`))
	name, value, set := strings.Cut(strings.Trim(s[at:], `"'`), "=")
	isShort := strings.Trim(s[:at], `"'`) == "-" && len(optionName(name)) > 1
	isSecret := isShort && strings.ContainsRune("pkwaxs", rune(name[0]))
	switch hasRef := strings.Contains(name, refMark); {
	case hasRef && isSecret:
		m.keep(s[:at+1], "")
		m.hide(s[at+1:], name[:1], "", true)
	case hasRef || isPlainOption(name):
		m.addPlain(s)
	case set && value != "" && !isRefs(value) && !isPlainWord(value):
		m.keep(s[:at]+name+"=", "")
		m.hide(value, name, "", true)
	case !set && isSecret:
		m.keep(s[:at+1], "")
		m.hide(name[1:], name[:1], "", true)
	default:
		if !set {
			*expect = name
		}
		m.keep(s, name)
	}
}

// addPlain adds a word that does not look secret. Text directly after a
// reference may be part of a secret and is hidden.
func (m *masker) addPlain(s string) {
	for i, piece := range strings.Split(s, refMark) {
		if i > 0 {
			m.keep(refMark, "")
		}
		if i > 0 && len(piece) > 3 && (isLetter(piece[0]) || isDigit(piece[0])) && !strings.ContainsAny(piece, "=:/") {
			m.hide(piece, "", "", true)
		} else {
			m.keep(piece, "")
		}
	}
}

// url adds a URL. It hides parts that may be secrets, such as user information, parameter values,
// the fragment and tokens.
func (m *masker) url(s string) {
	scheme, rest, _ := strings.Cut(s, "://")
	if secret.HasToken(scheme) {
		m.hide(s, "", "", true)
		return
	}
	if strings.Contains(scheme, refMark) && !isRefs(scheme) {
		var expect string
		m.word(scheme, &expect)
	} else {
		m.keep(scheme, "")
	}
	m.keep("://", "")
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	rest = rest[len(authority):]
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		_, password, has := strings.Cut(authority[:i], ":")
		if has && !isRefs(password) || !has && !secret.PlainText(strings.ReplaceAll(authority[:i], refMark, ""), 20) {
			m.hide(authority[:i], "user", "the user", true)
			authority = authority[i:]
		}
	}
	m.keepUnlessToken(authority, "", "")
	for isQuery := false; rest != ""; {
		end := strings.IndexAny(rest[1:], "/?#&;") + 1
		if end == 0 || rest[0] == '#' {
			end = len(rest)
		}
		isQuery = isQuery || rest[0] == '?' || rest[0] == '&'
		m.keep(rest[:1], "")
		if part := rest[1:end]; rest[0] != '#' {
			m.urlPart(part, isQuery)
		} else if isRefs(part) || strings.Trim(part, "#/") == "" {
			m.keep(part, "")
		} else {
			m.hide(part, "fragment", "", false)
		}
		rest = rest[end:]
	}
}

// urlPart adds an element of a URL's path or a parameter of its query, and hides what may be
// secret.
func (m *masker) urlPart(s string, isQuery bool) {
	key, value, isPair := strings.Cut(s, "=")
	switch {
	case s == "" || isRefs(s):
		m.keep(s, "")
	case !isPair && isQuery:
		m.hide(s, "query", "", false)
	case !isPair:
		m.keepUnlessToken(s, "", "")
	case secret.HasToken(key):
		m.hide(s, "query", "", true)
	case value != "" && !isRefs(value) && (secret.May(key) || strings.Contains(key, "%") || !isPlainParameter(key, value)):
		m.keep(key+"=", "")
		m.hide(value, key, key+"=", true)
	default:
		m.keep(key+"=", "")
		m.keepUnlessToken(value, key, key+"=")
	}
}

// isPlainParameter reports whether a parameter's value is plainly not a secret,
// judging by its name and value.
func isPlainParameter(key, s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "0", "1":
		return true
	}
	return len(key) > 1 && isPlainOption(key) && secret.Harmless(key, s)
}

// hide records that text is hidden and returns the part that replaces it.
func (r *entry) hide(v definition.Value, where, name string, likely bool) Part {
	pos := r.file.Pos(v.Span.Start)
	r.s.Hidden = append(r.s.Hidden, HiddenAt{
		Where: where, Name: name, Reference: referenceTo(r.format, r.field, name), Likely: likely,
		Path: r.file.Name, Line: pos.Line, Column: pos.Column,
	})
	return Part{Kind: Hidden, Text: name}
}

// variable returns the name of the variable that a secret should be moved to.
func (r *entry) variable(key string) string {
	if r.field == host.AtEnv && key != "" && nameAt(key) == key {
		return key
	}
	if strings.EqualFold(key, "Authorization") {
		key = "token"
	}
	if key == "" {
		key = "secret"
	}
	var b strings.Builder
	for _, s := range []string{r.s.Name, key} {
		if len(s) > maxName/3 || secret.HasToken(s) {
			s = "x"
		}
		if b.Len() > 0 {
			b.WriteByte('_')
		}
		for i := range len(s) {
			c := s[i]
			switch {
			case 'a' <= c && c <= 'z':
				b.WriteByte(c &^ 0x20)
			case isLetter(c) || isDigit(c):
				b.WriteByte(c)
			default:
				b.WriteByte('_')
			}
		}
	}
	if name := b.String(); nameAt(name) == name {
		return name
	}
	return "MCP_" + b.String()
}
