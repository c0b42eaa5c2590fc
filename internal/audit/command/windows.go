package command

import (
	"strconv"
	"strings"
)

// translator rewrites PowerShell and Windows command prompt commands in POSIX shell syntax, so that
// one interpreter can handle them all. It accepts any text. A PowerShell expression becomes the
// command "@". A method call becomes the command "::name", which reads its object from stdin.
type translator struct {
	text  string
	lang  string
	pos   int
	depth int
}

const maxNesting = 40

// translate translates a PowerShell or Windows command prompt script, statement by statement.
func (m *machine) translate(text, lang string, in value) value {
	t := translator{text: blankMatches(text, regex("comment")), lang: lang}
	var out value
	for t.separators(0); t.more() && m.spend(1, 0); t.separators(0) {
		from := t.pos
		script := t.pipeline()
		t.pos = max(t.pos, from+1)
		m.spend(0, t.pos-from)
		n := m.nestedAt(m.span(from, t.pos))
		n.native = true
		out = concatOutput(out, n.shellCommands(script, in))
	}
	return out
}

func (t *translator) more() bool { return t.pos < len(t.text) && t.depth < maxNesting }

func (t *translator) next() byte {
	if t.pos < len(t.text) {
		return t.text[t.pos]
	}
	return 0
}

func (t *translator) skip(n int) { t.pos = min(t.pos+n, len(t.text)) }

// match skips text at the current position that matches a pattern, and returns the groups of the
// match.
func (t *translator) match(pattern string) []string {
	found := regex(pattern).FindStringSubmatch(t.text[t.pos:min(len(t.text), t.pos+256)])
	if found != nil {
		t.pos += len(found[0])
	}
	return found
}

// separators skips what separates statements, including any closing bracket except until. At the
// top level, it also skips opening brackets.
func (t *translator) separators(until byte) {
	for t.more() {
		c := t.next()
		switch {
		case until != 0 && c == until:
			return
		case strings.IndexByte(" \t\r\n;,)}|", c) >= 0:
			t.pos++
		case (c == '{' || c == '(' && t.lang == "bat") && until == 0, c == '&' && t.lang == "bat":
			t.pos++
		default:
			return
		}
	}
}

// list translates statements up to a closing bracket.
func (t *translator) list(until byte) string {
	var list []string
	for t.separators(until); t.more() && t.next() != until; t.separators(until) {
		from := t.pos
		list = append(list, t.pipeline())
		t.pos = max(t.pos, from+1)
	}
	if t.skip(1); t.depth >= maxNesting {
		t.pos = len(t.text)
	}
	if list == nil {
		return "@"
	}
	return strings.Join(list, "; ")
}

// pipeline translates one statement.
func (t *translator) pipeline() string {
	t.depth++
	defer func() { t.depth-- }()
	var b strings.Builder
	b.WriteString(t.stage())
	for t.more() {
		t.match("spaces")
		found := t.match("connector")
		if found == nil {
			break
		}
		t.match("spaces")
		b.WriteString(" " + found[0] + " " + t.stage())
	}
	return b.String()
}

// stage translates one command in a pipeline.
func (t *translator) stage() string {
	if !t.more() {
		return ""
	}
	if t.lang == "bat" {
		return t.prompt()
	}
	if found := t.match("forEach"); found != nil {
		return "for " + shellName(found[1]) + " in" + t.values(')') + "; do :; done"
	}
	for t.match("keyword") != nil {
	}
	if found := t.match("assignment"); found != nil && t.next() != '=' {
		return shellName(found[1]+found[2]) + found[3] + "=$(" + t.pipeline() + ")"
	}
	switch c := t.next(); {
	case c == '{':
		t.pos++
		return "{ " + t.list('}') + "; }"
	case strings.IndexByte("$'\"([@+-0123456789", c) >= 0:
		return "@" + t.words(true)
	case c == '&':
		t.pos++
	}
	return t.words(false)
}

// prompt translates a Windows command prompt command.
func (t *translator) prompt() string {
	if found := t.match("forLoop"); found != nil {
		items := found[2]
		inner := translator{text: strings.Trim(items, "'`"), lang: t.lang, depth: t.depth + 1}
		if inner.text != items {
			items = "$(" + inner.list(0) + ")"
		} else {
			items = inner.words(false)
		}
		return "for bat__" + found[1] + " in " + items + "; do " + t.pipeline() + "; done"
	}
	for t.match("keyword") != nil {
		t.match("condition")
	}
	if found := t.match("setting"); found != nil {
		return "bat__" + found[2] + "=" + t.quoted(map[bool]string{true: `"`, false: "\n"}[found[1] != ""])
	}
	if t.next() == '(' {
		t.pos++
		return "{ " + t.list(')') + "; }"
	}
	return t.words(false)
}

// words translates the words in a command or, if expr is set, the operands in an expression.
func (t *translator) words(expr bool) string {
	var out strings.Builder
	separator := " "
	for t.more() && strings.IndexByte("\n;|)}&", t.next()) < 0 {
		from := t.pos
		if t.match("spaces"); t.pos > from {
			continue
		}
		if found := t.match("redirect"); found != nil && !expr {
			to := regex("nullFile").ReplaceAllString(found[0], "/dev/null")
			out.WriteString(" " + strings.TrimPrefix(to, "*"))
			continue
		}
		switch c := t.next(); {
		case c == ',' || c == '+' && expr:
			t.pos++
			separator = map[bool]string{true: " "}[c == ',']
		case c == '{' && t.lang == "ps1" && expr:
			return out.String()
		case c == '{' && t.lang == "ps1":
			t.pos++
			if body := t.list('}'); regex("loop").MatchString(out.String()) {
				out.Reset()
				out.WriteString("while read _; do " + body + "; done")
			} else {
				out.WriteString(` "$(` + body + `)"`)
			}
		default:
			out.WriteString(separator + t.word(expr))
			separator = " "
			t.pos = max(t.pos, from+1)
		}
	}
	return out.String()
}

// word translates a word.
func (t *translator) word(expr bool) string {
	var out strings.Builder
	for t.more() && !(expr && t.next() == '+') {
		from := t.pos
		switch c := t.next(); {
		case t.lang == "bat" && strings.IndexByte(`"%!`, c) >= 0:
			out.WriteString(t.primary())
		case t.lang == "ps1" && t.opens(expr, out.Len() == 0):
			out.WriteString(t.operand())
		default:
			out.WriteString(t.bare())
		}
		if t.pos == from {
			break
		}
	}
	return out.String()
}

// opens reports whether the text at the current position starts anything other than a bare word.
func (t *translator) opens(expr, first bool) bool {
	rest := t.text[t.pos:]
	switch rest[0] {
	case '\'', '"', '$':
		return true
	case '(':
		return first || expr
	case '[':
		return expr
	}
	return first && regex("collection").MatchString(rest[:min(len(rest), 2)])
}

// bare translates an unquoted word.
func (t *translator) bare() string {
	var b strings.Builder
	for ; t.more(); t.pos++ {
		c := t.next()
		switch {
		case strings.IndexByte(" \t\r\n;|)}>&", c) >= 0,
			t.lang == "bat" && b.Len() > 0 && strings.IndexByte(`"%!`, c) >= 0,
			t.lang == "ps1" && strings.IndexByte(",'\"$({", c) >= 0:
			return b.String()
		case c == map[bool]byte{true: '`', false: '^'}[t.lang == "ps1"] && t.pos+1 < len(t.text):
			t.pos++
			b.WriteString(quoteByte(t.next()))
		case isName(c) || c >= 0x80 || strings.IndexByte("./:~*?=-+%@,", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteString(quoteByte(c))
		}
	}
	return b.String()
}

func quoteByte(c byte) string {
	if c == '\n' || c >= 0x80 {
		return string([]byte{c})
	}
	return string([]byte{'\\', c})
}

// operand translates a value and its members. A method becomes a command that
// reads the value from a pipe.
func (t *translator) operand() string {
	t.depth++
	defer func() { t.depth-- }()
	out := ""
	if found := t.match("kind"); found == nil {
		out = t.primary()
	} else if name := strings.ToLower(found[1]); found[3] != "" {
		out = `"$(` + name + "::" + strings.ToLower(found[2]) + t.values(')') + `)"`
	} else if found[2] == "" && t.next() != '.' && t.more() {
		out = t.operand()
	}
	for n := 0; t.more() && n < maxNesting; n++ {
		found := t.match("member")
		switch {
		case found == nil && t.match("index") == nil:
			return out
		case found == nil || found[2] == "":
		case out == "":
			out = `"$(::` + strings.ToLower(found[1]) + t.values(')') + `)"`
		default:
			out = `"$(@ ` + out + " | ::" + strings.ToLower(found[1]) + t.values(')') + `)"`
		}
	}
	return out
}

// values translates expressions up to a closing bracket: arguments or the entries of a hash table.
func (t *translator) values(until byte) string {
	t.depth++
	defer func() { t.depth-- }()
	var out strings.Builder
	for t.more() && t.next() != until {
		from := t.pos
		out.WriteString(t.words(true))
		t.pos += btoi(t.pos == from)
	}
	t.skip(1)
	return out.String()
}

// primary translates a string, a variable, or an expression in brackets.
func (t *translator) primary() string {
	c := t.next()
	rest := t.text[t.pos:]
	switch {
	case strings.HasPrefix(rest, "@'"), strings.HasPrefix(rest, `@"`):
		t.pos += 2
		return t.quoted(string(rest[1]) + "@")
	case c == '\'' || c == '"':
		if t.pos++; strings.IndexByte(rest[1:], c) < 0 {
			return ""
		}
		return t.quoted(rest[:1])
	case c == '(' || strings.HasPrefix(rest, "@("):
		t.pos += 1 + btoi(c == '@')
		return `"$(` + t.list(')') + `)"`
	case strings.HasPrefix(rest, "@{"):
		t.pos += 2
		return `"$(@` + t.values('}') + `)"`
	case c == '$' || c == '%' || c == '!':
		return `"` + t.variable() + `"`
	}
	return t.bare()
}

// quoted translates the rest of a string, up to the delimiter end.
func (t *translator) quoted(end string) string {
	plain := end[0] == '\''
	var b strings.Builder
	b.WriteByte('"')
	for ; t.more(); t.pos++ {
		c := t.next()
		ends := strings.HasPrefix(t.text[t.pos:], end)
		if ends && (len(end) > 1 || !strings.HasPrefix(t.text[t.pos+1:], end)) {
			break
		}
		switch {
		case ends:
			// A doubled quote is an escaped quote.
			t.pos++
			b.WriteString(quoteByte(c))
		case !plain && (c == '$' && t.lang == "ps1" || c == '%' && t.lang == "bat"):
			b.WriteString(t.variable())
			t.pos--
		case c == '`' && !plain && t.lang == "ps1" && t.pos+1 < len(t.text):
			t.pos++
			b.WriteString(strings.ReplaceAll(quoteByte(t.next()), `\n`, "\n"))
		case strings.IndexByte("$`\"\\", c) >= 0:
			b.WriteString(quoteByte(c))
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	t.skip(len(end))
	return b.String()
}

// variable translates a variable or $(…).
func (t *translator) variable() string {
	if strings.HasPrefix(t.text[t.pos:], "$(") {
		t.pos += 2
		return "$(" + t.list(')') + ")"
	}
	c := t.next()
	found := t.match("variableName")
	switch {
	case found == nil:
		t.pos++
		return quoteByte(c)
	case c != '$':
		return "${bat__" + regex("invalidName").ReplaceAllString(found[3]+found[4], "_") + "}"
	}
	return "${" + shellName(found[1]+found[2]) + "}"
}

// shellName returns the POSIX name for a PowerShell variable. Names are case-insensitive.
func shellName(name string) string {
	scope, rest, ok := strings.Cut(name, ":")
	if ok && strings.EqualFold(scope, "env") {
		return "env__" + regex("invalidName").ReplaceAllString(rest, "_")
	}
	return regex("invalidName").ReplaceAllString(strings.ToLower(name[strings.IndexByte(name, ':')+1:]), "_")
}

// expression evaluates a PowerShell expression: either words that are joined by operators, or a
// list of values.
func expression(words []value) value {
	if len(words) == 0 {
		return value{}
	}
	out := words[0]
	for i, w := range words[1:] {
		rest := words[i+2:]
		switch strings.ToLower(w.text) {
		case "-join":
			out.text = strings.Join(append([]string{out.text}, out.alternatives...), concat(rest...).text)
			out.alternatives, out.known, out.isPattern = nil, out.known || out.isPattern, false
			return out
		case "-f":
			for k, v := range rest {
				out.text = strings.ReplaceAll(out.text, "{"+strconv.Itoa(k)+"}", v.text)
				out.known = out.known && v.known
				out.addSources(v.sources...)
			}
			return out
		case "-gt", "-lt", "-ge", "-le", "-eq", "-ne", "-like", "-notlike", "-match", "-notmatch":
			// A condition selects some of the objects on its left.
			out.text, out.known, out.isPattern = out.text+"?*", false, true
			return out
		}
		out.addSources(w.sources...)
		if w.known && (out.known || out.isPattern) {
			out.alternatives, out.known, out.isPattern = append(out.alternatives, w.text), false, true
		}
	}
	return out
}
