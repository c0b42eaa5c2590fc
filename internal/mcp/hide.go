package mcp

import (
	"cmp"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/secretnames"
)

// strict reads the value of a variable or a header: what is not plainly harmless
// is hidden.
func (r *entry) strict(field host.ServerField, where, key string, v definition.Value) Text {
	r.field = field
	r.unreplaced(v)
	t := parseText(v.Text, r.format, field)
	if p, ok := t.only(); ok && p.Kind == Literal {
		switch {
		case harmless(key, p.Text):
			return t
		case looksForeign(p.Text) && !tokenIn(p.Text):
			r.note(v, ownForm(r.format, field, p.Text), "%s is text to the hosts that read %s: references have another form there", where, r.format.Name)
			return t
		}
		scheme, rest, ok := cutAuth(p.Text)
		if ok && rest != "" {
			return Text{{Text: scheme}, r.hide(v, where, r.variable(field, key), true)}
		}
		return Text{r.hide(v, where, r.variable(field, key), secretnames.May(key) || tokenIn(p.Text) || passwordIn(p.Text))}
	}
	for i := range t {
		if t[i].Kind == Literal && !plainPiece(key, t[i].Text) {
			t[i] = r.hide(v, where, r.variable(field, key), secretnames.May(key) || tokenIn(t[i].Text) || passwordIn(t[i].Text))
		}
	}
	return r.names(t, v, where, key)
}

// names hides what is no name of a variable but a token that stands where one
// should, and defaults that may be secrets.
func (r *entry) names(t Text, v definition.Value, where, key string) Text {
	for i := range t {
		p := &t[i]
		switch p.Kind {
		case Env, Input, Word:
			if tokenIn(p.Text) {
				*p = r.hide(v, where, r.variable(0, key), true)
			} else if p.HasDefault && !plainDefault(key, p.Text, p.Default) {
				r.hide(v, where, p.Text, secretnames.May(key) || tokenIn(p.Default) || passwordIn(p.Default))
				p.HasDefault, p.Default = false, ""
			}
		}
	}
	return t
}

// cutAuth cuts the word of a scheme of authorization off a header's value.
func cutAuth(s string) (scheme, rest string, ok bool) {
	word, rest, ok := strings.Cut(s, " ")
	if !ok || !isScheme(word) {
		return "", s, false
	}
	return word + " ", strings.TrimLeft(rest, " "), true
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
	if address, ok := cutScheme(s); ok {
		user, _, at := strings.Cut(address, "@")
		return !at || !strings.Contains(user, ":") || strings.HasSuffix(user, ":")
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
	r.field = field
	r.unreplaced(v)
	var t Text
	if pairIn(v.Text) && !strings.Contains(v.Text, "://") {
		*expect = ""
		return append(t, r.hide(v, where, r.variable(0, ""), true))
	}
	address := false
	for _, p := range parseText(v.Text, r.format, field) {
		if p.Kind != Literal {
			if p.HasDefault && (*expect != "" && p.Default != "" || !plainDefault("", p.Text, p.Default)) {
				r.hide(v, where, p.Text, true)
				p.HasDefault, p.Default = false, ""
			}
			*expect = ""
			t = append(t, p)
			continue
		}
		rest := p.Text
		for rest != "" {
			blanks := rest[:len(rest)-len(strings.TrimLeft(rest, " \t\n"))]
			rest = rest[len(blanks):]
			end := strings.IndexAny(rest, " \t\n")
			if end < 0 {
				end = len(rest)
			}
			word := rest[:end]
			switch beside := blanks == "" && len(t) > 0 && t[len(t)-1].Kind != Literal; {
			case beside && address:
				t = r.tail(t, word, where, v)
			case beside && word != "" && (isLetter(word[0]) || isDigit(word[0])) && len(word) > 3 && !strings.ContainsAny(word, "=:/"):
				t = append(t, r.hide(v, where, r.variable(0, ""), true))
			default:
				t = r.word(t.literal(blanks), word, where, v, expect)
				address = strings.Contains(word, "://")
			}
			rest = rest[end:]
		}
	}
	return r.names(t, v, where, "")
}

// word adds one word of a command, an address among them.
func (r *entry) word(t Text, word, where string, v definition.Value, expect *string) Text {
	if word == "" {
		return t
	}
	bare := strings.Trim(word, `"'`)
	if *expect != "" && (bare == "--" || !strings.HasPrefix(bare, "--")) {
		if bare == "" || bare == "--" || isScheme(bare) {
			return t.literal(word)
		}
		key := *expect
		*expect = ""
		if !secretnames.May(key) && key != "user" && (plainWord(bare) || strings.HasPrefix(bare, "-") && len(bare) == 2) {
			return t.literal(word)
		}
		return append(t, r.hide(v, where, r.variable(0, key), true))
	}
	*expect = ""
	if strings.Contains(word, "://") {
		return r.address(t, word, where, v)
	}
	i := strings.IndexAny(word, "=:")
	if i > 0 && secretnames.May(strings.Trim(word[:i], `-"'{,`)) {
		key := strings.Trim(word[:i], `-"'{,`)
		value := word[i+1:]
		t = t.literal(word[:i+1])
		if value == "" || isScheme(value) {
			*expect = key
			return t.literal(value)
		}
		return append(t, r.hide(v, where, r.variable(0, key), true))
	}
	// A short option with its value, such as -pJWT123, is not a name.
	attached := len(bare) > 2 && bare[0] == '-' && bare[1] != '-' && strings.ContainsAny(bare, "0123456789")
	if i < 0 && !attached && strings.HasPrefix(bare, "-") && secretnames.May(strings.TrimLeft(bare, "-")) {
		*expect = strings.TrimLeft(bare, "-")
		return t.literal(word)
	}
	switch bare {
	case "-u", "--user":
		*expect = "user"
		return t.literal(word)
	}
	if pairUser(bare) {
		return append(t, r.hide(v, where, r.variable(0, "user"), true))
	}
	if len(bare) > 1 && bare[0] == '-' && !tokenIn(word) {
		return r.option(t, word, where, v, expect)
	}
	if tokenIn(word) {
		if i := strings.IndexByte(word, '='); i > 0 && !tokenIn(word[:i]) {
			return append(t.literal(word[:i+1]), r.hide(v, where, r.variable(0, strings.Trim(word[:i], "-")), true))
		}
		return append(t, r.hide(v, where, r.variable(0, ""), true))
	}
	return t.literal(word)
}

// option adds an option. What it is set to, or what comes behind it, is hidden unless
// its name or the value says that it is none.
func (r *entry) option(t Text, word, where string, v definition.Value, expect *string) Text {
	open := word[:len(word)-len(strings.TrimLeft(word, `"'`))]
	bare := strings.Trim(word, `"'`)
	name, value, set := strings.Cut(strings.TrimLeft(bare, "-"), "=")
	dashes := len(bare) - len(strings.TrimLeft(bare, "-"))
	switch {
	case name == "" || !isOption(name):
		return t.literal(word)
	case set && value != "" && optionKind(name) == 0 && !plainWord(value):
		return append(t.literal(open+bare[:dashes]+name+"="), r.hide(v, where, r.variable(0, name), true))
	case !set && dashes == 1 && len(name) > 1 && strings.ContainsRune("pkwaxs", rune(name[0])) && optionKind(name) == 0:
		return append(t.literal(open+"-"+name[:1]), r.hide(v, where, r.variable(0, name[:1]), true))
	case !set && optionKind(name) == 0:
		*expect = name
	}
	return t.literal(word)
}

// address adds an address: its user, the values of its parameters, what stands behind
// "#", and parts that look like tokens are hidden.
func (r *entry) address(t Text, s, where string, v definition.Value) Text {
	before, rest, _ := strings.Cut(s, "://")
	if i := strings.IndexByte(before, '='); i > 0 && tokenIn(before) {
		return append(t, r.hide(v, where, r.variable(0, ""), true))
	}
	t = t.literal(before + "://")
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	rest = rest[len(authority):]
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		if user := authority[:i]; strings.Contains(user, ":") || !plainWords(user, 20) {
			t = append(t, r.hide(v, where, r.variable(0, "user"), true))
			r.part("the user")
			authority = authority[i:]
		}
	}
	return r.tail(r.piece(t, authority, where, "", v), rest, where, v)
}

// tail adds what stands behind the host of an address.
func (r *entry) tail(t Text, rest, where string, v definition.Value) Text {
	if end := strings.IndexAny(rest, "/?#&;"); end != 0 && rest != "" {
		if end < 0 {
			end = len(rest)
		}
		first := rest[:end]
		rest = rest[end:]
		key, inside := parameter(t)
		if strings.Contains(first, "@") && strings.Contains(first, ":") {
			t = append(t, r.hide(v, where, r.variable(0, "user"), true))
		} else if inside && (key == "" || secretnames.May(key) || strings.Contains(key, "%") || !plainQuery(key, first)) {
			t = append(t, r.hide(v, where, r.variable(0, cmp.Or(key, "query")), key != ""))
			r.part(key + "=")
		} else {
			t = r.piece(t, first, where, "", v)
		}
	}
	query := false
	for rest != "" {
		end := strings.IndexAny(rest[1:], "/?#&;") + 1
		if end == 0 || rest[0] == '#' {
			end = len(rest)
		}
		part := rest[:end]
		rest = rest[end:]
		query = query || part[0] == '?' || part[0] == '&'
		key, value, pair := strings.Cut(part[1:], "=")
		switch {
		case part[0] == '#' && len(part) > 1 && strings.Trim(part, "#/") != "":
			t = append(t.literal("#"), r.hide(v, where, r.variable(0, "fragment"), false))
			continue
		case !pair && query && part[1:] != "":
			t = append(t.literal(part[:1]), r.hide(v, where, r.variable(0, "query"), false))
			continue
		case !pair:
			t = r.piece(t.literal(part[:1]), part[1:], where, "", v)
			continue
		case tokenIn(key):
			t = append(t.literal(part[:1]), r.hide(v, where, r.variable(0, "query"), true))
			continue
		}
		t = t.literal(part[:1] + key + "=")
		switch {
		case value != "" && (secretnames.May(key) || strings.Contains(key, "%") || !plainQuery(key, value)):
			t = append(t, r.hide(v, where, r.variable(0, key), true))
			r.part(key + "=")
		default:
			t = r.piece(t, value, where, key, v)
		}
	}
	return t
}

// parameter is the name of the parameter of an address in whose value its text ends
// so far, "" for one without a name; inside is false where it ends in none.
func parameter(t Text) (key string, inside bool) {
	if len(t) == 0 || t[len(t)-1].Kind == Literal {
		return "", false
	}
	var all strings.Builder
	for i := range t {
		if t[i].Kind == Literal {
			all.WriteString(t[i].Text)
		}
	}
	_, s, found := strings.Cut(all.String(), "://")
	i := strings.IndexAny(s, "?#")
	if i < 0 {
		if i = strings.LastIndexAny(s, "/;"); i < 0 || !found {
			return "", false
		}
		key, _, inside = strings.Cut(s[i+1:], "=")
		return key, inside
	}
	s = s[strings.LastIndexAny(s, "?#&;")+1:]
	key, _, inside = strings.Cut(s, "=")
	if !inside {
		key = ""
	}
	return key, true
}

// plainQuery reports whether the value of a parameter is plainly no secret, by itself
// or under the name that it has.
func plainQuery(key, s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "0", "1":
		return true
	}
	return len(key) > 1 && optionKind(key) == withPlain && harmless(key, s)
}

func (r *entry) piece(t Text, s, where, key string, v definition.Value) Text {
	if tokenIn(s) {
		t = append(t, r.hide(v, where, r.variable(0, key), true))
		if key != "" {
			r.part(key + "=")
		}
		return t
	}
	return t.literal(s)
}

// part names the part of its place that was hidden last, unless the name may be a
// secret too.
func (r *entry) part(name string) {
	if !tokenIn(name) && len(name) <= 40 {
		r.s.Hidden[len(r.s.Hidden)-1].Part = name
	}
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
func (r *entry) variable(field host.ServerField, key string) string {
	if field == host.AtEnv && key != "" && nameAt(key) == key {
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
