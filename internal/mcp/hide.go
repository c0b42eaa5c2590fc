package mcp

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/secretnames"
)

// ref stands in the text of a [masker] for a reference.
const ref = "\x00"

// masker reads one value: what may be a secret is hidden, and the rest is kept.
type masker struct {
	*entry
	where string
	v     definition.Value
	// refs are the references of the text that was neither hidden nor kept yet.
	refs []Part
	out  Text
}

// mask returns a masker and the text that it has to read.
func (r *entry) mask(field host.ServerField, where string, v definition.Value) (*masker, string) {
	r.field = field
	r.unreplaced(v)
	m := &masker{entry: r, where: where, v: v}
	var text strings.Builder
	for _, p := range parseText(strings.ReplaceAll(v.Text, ref, "\ufffd"), r.format, field) {
		if p.Kind != Literal {
			m.refs = append(m.refs, p)
			p.Text = ref
		}
		text.WriteString(p.Text)
	}
	return m, text.String()
}

// keep adds text of the value of key. Names of variables that look like tokens and
// defaults that may be secrets are hidden.
func (m *masker) keep(s, key string) {
	for i, piece := range strings.Split(s, ref) {
		if i > 0 {
			p := m.refs[0]
			m.refs = m.refs[1:]
			if tokenIn(p.Text) {
				p = m.entry.hide(m.v, m.where, m.variable(key), true)
			} else if p.HasDefault && !plainDefault(key, p.Text, p.Default) {
				m.entry.hide(m.v, m.where, p.Text, secretnames.May(key) || tokenIn(p.Default) || passwordIn(p.Default))
				p.HasDefault, p.Default = false, ""
			}
			m.out = append(m.out, p)
		}
		m.out = m.out.literal(piece)
	}
}

// hide adds what stands for a text that is not kept. part names it within its place.
func (m *masker) hide(s, key, part string, likely bool) {
	m.refs = m.refs[strings.Count(s, ref):]
	m.out = append(m.out, m.entry.hide(m.v, m.where, m.variable(key), likely))
	if !tokenIn(part) && len(part) <= 40 {
		m.s.Hidden[len(m.s.Hidden)-1].Part = part
	}
}

// piece adds a text that is hidden only if it looks like a token.
func (m *masker) piece(s, key, part string) {
	if tokenIn(s) {
		m.hide(s, key, part, true)
	} else {
		m.keep(s, key)
	}
}

// isRefs reports whether a text is nothing but references, or the path of a file below one.
func isRefs(s string) bool {
	rest := strings.Trim(s, ref)
	return s != rest && (rest == "" || rest[0] == '/' && s[0] == ref[0] && plainWords(rest, 40))
}

// strict reads the value of a variable or a header: what is not plainly harmless
// is hidden.
func (r *entry) strict(field host.ServerField, where, key string, v definition.Value) Text {
	m, text := r.mask(field, where, v)
	likely := func(s string) bool { return secretnames.May(key) || tokenIn(s) || passwordIn(s) }
	_, isAddress := cutScheme(text)
	switch scheme, rest, _ := strings.Cut(text, " "); {
	case len(m.refs) > 0 && isAddress && !secretnames.May(key):
		m.address(text)
	case len(m.refs) > 0:
		for i, piece := range strings.Split(text, ref) {
			if i > 0 {
				m.keep(ref, key)
			}
			if plainPiece(key, piece) {
				m.keep(piece, key)
			} else {
				m.hide(piece, key, "", likely(piece))
			}
		}
	case harmless(key, text):
		m.keep(text, key)
	case looksForeign(text) && !tokenIn(text):
		r.note(v, ownForm(r.format, field, text), "%s is text to the hosts that read %s: references have another form there", where, r.format.Name)
		m.keep(text, key)
	case isScheme(scheme) && strings.TrimSpace(rest) != "":
		m.keep(scheme+" ", key)
		m.hide(rest, key, "", true)
	default:
		m.hide(text, key, "", likely(text))
	}
	return m.out
}

func isScheme(word string) bool {
	switch strings.ToLower(strings.Trim(word, `"'`)) {
	case "bearer", "basic", "token", "apikey", "digest", "negotiate":
		return true
	}
	return false
}

// plainPiece reports whether a piece of text beside a reference is no secret.
func plainPiece(key, s string) bool {
	if tokenIn(s) || pairUser(s) {
		return false
	}
	if secretnames.May(key) && !isScheme(strings.TrimSpace(s)) && !strings.ContainsAny(s, "/:@") {
		return len(strings.Trim(s, " -_.,;")) <= 3
	}
	if word := strings.Trim(s, " -_.,;:=\"'"); word != "" && word == strings.Trim(s, "\"'") && !isScheme(word) && !isPath(word) && word[0] != '@' {
		// Nothing stands between it and the reference: it is a part of one value.
		return len(word) <= 3
	}
	return plainWords(strings.Map(func(r rune) rune {
		if strings.ContainsRune("=?&%+#\"'", r) {
			return ' '
		}
		return r
	}, s), 20)
}

// loose reads a piece of a command or an address: only what looks like a secret is
// hidden. expect is the name of a flag whose value comes next.
func (r *entry) loose(field host.ServerField, where string, v definition.Value, expect *string) Text {
	m, text := r.mask(field, where, v)
	if pairIn(text) && !strings.Contains(text, "://") {
		*expect = ""
		m.hide(text, "", "", true)
		return m.out
	}
	for text != "" {
		blanks := len(text) - len(strings.TrimLeft(text, " \t\n"))
		m.keep(text[:blanks], "")
		text = text[blanks:]
		end := strings.IndexAny(text, " \t\n")
		if end < 0 {
			end = len(text)
		}
		m.word(text[:end], expect)
		text = text[end:]
	}
	return m.out
}

// word adds one word of a command, an address among them.
func (m *masker) word(s string, expect *string) {
	if m.expected(s, expect) {
		return
	}
	bare := strings.Trim(s, `"'`)
	name := strings.TrimLeft(bare, "-")
	i := strings.IndexAny(s, "=:")
	// A short option with its value, such as -pJWT123, is not a name.
	attached := len(bare) > 2 && bare[0] == '-' && bare[1] != '-' && strings.ContainsAny(bare, "0123456789")
	switch {
	case strings.Contains(s, "://"):
		m.address(s)
	case i > 0 && secretnames.May(strings.Trim(s[:i], `-"'{,`)):
		m.secret(s, i, expect)
	case i < 0 && !attached && name != bare && secretnames.May(name):
		m.secret(s, len(s), expect)
	case bare == "-u" || bare == "--user":
		*expect = "user"
		m.keep(s, "")
	case pairUser(strings.ReplaceAll(bare, ref, "")):
		m.hide(s, "user", "", true)
	case tokenIn(s):
		if i := strings.IndexByte(s, '='); i > 0 && isKey(s[:i]) {
			m.keep(s[:i+1], "")
			m.hide(s[i+1:], strings.Trim(s[:i], "-"), "", true)
		} else {
			m.hide(s, "", "", true)
		}
	case bare[0] == '-' && isOption(optionName(name)):
		m.option(s, expect)
	default:
		m.plain(s)
	}
}

// expected adds a word that comes after the name of a flag, and reports whether there is one.
// A scheme such as Bearer and "--" may be before the value.
func (m *masker) expected(s string, expect *string) bool {
	bare, key := strings.Trim(s, `"'`), *expect
	switch {
	case bare == "" || key != "" && (bare == "--" || isScheme(bare)):
		m.keep(s, "")
		return true
	case key == "" || strings.HasPrefix(bare, "--"):
		*expect = ""
		return false
	}
	*expect = ""
	isSecret := secretnames.May(key) || key == "user"
	isPlain := plainWord(bare) || bare[0] == '-' && len(bare) == 2
	if isRefs(bare) || !isSecret && isPlain {
		m.keep(s, key)
	} else {
		m.hide(s, key, "", true)
	}
	return true
}

// isKey reports whether a text can be shown as the name of a value.
func isKey(s string) bool { return !strings.Contains(s, ref) && !tokenIn(s) }

// secret adds a word that names a secret. The name ends at end, before the value; without
// a value, the next word is the secret.
func (m *masker) secret(s string, end int, expect *string) {
	key, value := strings.Trim(s[:end], `-"'{,`), s[min(end+1, len(s)):]
	isLast := value == "" || isScheme(value)
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

// optionName is an option without dashes up to its value, which may follow directly.
func optionName(s string) string {
	if i := strings.IndexAny(s, "="+ref); i >= 0 {
		return s[:i]
	}
	return s
}

// option adds an option. What it is set to, or what comes after it, is hidden unless its
// name or the value says that it is none.
func (m *masker) option(s string, expect *string) {
	at := len(s) - len(strings.TrimLeft(s, `"'-`))
	name, value, set := strings.Cut(strings.Trim(s[at:], `"'`), "=")
	isShort := strings.Trim(s[:at], `"'`) == "-" && len(optionName(name)) > 1
	isSecret := isShort && strings.ContainsRune("pkwaxs", rune(name[0]))
	switch hasRef := strings.Contains(name, ref); {
	case hasRef && isSecret:
		m.keep(s[:at+1], "")
		m.hide(s[at+1:], name[:1], "", true)
	case hasRef || isPlainOption(name):
		m.plain(s)
	case set && value != "" && !isRefs(value) && !plainWord(value):
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

// plain adds a word in which nothing says that it is a secret. What directly follows a
// reference may be a part of one.
func (m *masker) plain(s string) {
	for i, piece := range strings.Split(s, ref) {
		if i > 0 {
			m.keep(ref, "")
		}
		if i > 0 && len(piece) > 3 && (isLetter(piece[0]) || isDigit(piece[0])) && !strings.ContainsAny(piece, "=:/") {
			m.hide(piece, "", "", true)
		} else {
			m.keep(piece, "")
		}
	}
}

// address adds an address: its user, the values of its parameters, what stands behind
// "#", and parts that look like tokens are hidden.
func (m *masker) address(s string) {
	scheme, rest, _ := strings.Cut(s, "://")
	if tokenIn(scheme) {
		m.hide(s, "", "", true)
		return
	}
	if strings.Contains(scheme, ref) && !isRefs(scheme) {
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
		if has && !isRefs(password) || !has && !plainWords(strings.ReplaceAll(authority[:i], ref, ""), 20) {
			m.hide(authority[:i], "user", "the user", true)
			authority = authority[i:]
		}
	}
	m.piece(authority, "", "")
	for isQuery := false; rest != ""; {
		end := strings.IndexAny(rest[1:], "/?#&;") + 1
		if end == 0 || rest[0] == '#' {
			end = len(rest)
		}
		isQuery = isQuery || rest[0] == '?' || rest[0] == '&'
		m.keep(rest[:1], "")
		if part := rest[1:end]; rest[0] != '#' {
			m.parameter(part, isQuery)
		} else if isRefs(part) || strings.Trim(part, "#/") == "" {
			m.keep(part, "")
		} else {
			m.hide(part, "fragment", "", false)
		}
		rest = rest[end:]
	}
}

// parameter adds a part of the path or of the query of an address.
func (m *masker) parameter(s string, isQuery bool) {
	key, value, isPair := strings.Cut(s, "=")
	switch {
	case s == "" || isRefs(s):
		m.keep(s, "")
	case !isPair && isQuery:
		m.hide(s, "query", "", false)
	case !isPair:
		m.piece(s, "", "")
	case tokenIn(key):
		m.hide(s, "query", "", true)
	case value != "" && !isRefs(value) && (secretnames.May(key) || strings.Contains(key, "%") || !plainQuery(key, value)):
		m.keep(key+"=", "")
		m.hide(value, key, key+"=", true)
	default:
		m.keep(key+"=", "")
		m.piece(value, key, key+"=")
	}
}

// plainQuery reports whether the value of a parameter is plainly no secret, by itself
// or under the name that it has.
func plainQuery(key, s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "0", "1":
		return true
	}
	return len(key) > 1 && isPlainOption(key) && harmless(key, s)
}

// hide notes that a text is not kept, and returns what stands in its place.
func (r *entry) hide(v definition.Value, where, name string, likely bool) Part {
	pos := r.file.Pos(v.Span.Start)
	r.s.Hidden = append(r.s.Hidden, HiddenAt{
		Where: where, Name: name, Reference: refersTo(r.format, r.field, name), Likely: likely,
		Path: r.file.Name, Line: pos.Line, Column: pos.Column,
	})
	return Part{Kind: Hidden, Text: name}
}

// variable is the name of the variable that a secret should be in.
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
		if len(s) > maxName/3 || tokenIn(s) {
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
