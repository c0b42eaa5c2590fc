package transcript

import (
	"strings"

	"github.com/vadehq/vade/internal/mcp"
	"github.com/vadehq/vade/internal/secretnames"
)

// hide counts what is taken out and returns what stands for it.
func (c *cleaner) hide(text string) string {
	c.hidden++
	if c.learning {
		c.learn(text)
	}
	return hiddenMark
}

// hideCommand is a shell text without what may be a secret: values under names that
// secrets go by, what looks like one, what programs that keep secrets are given, scripts
// of interpreters, and all that is fed to a command from the text itself.
func (c *cleaner) hideCommand(s string) string {
	s = uncommented(s)
	if at := heredoc(s); at >= 0 {
		if c.hidesProse(s[at:]) {
			c.hidden++
		}
		s = s[:at] + "‹input left out›"
	}
	list := tokens(s)
	closed := keepsSecrets(list)
	var b strings.Builder
	for from := 0; from < len(list); {
		to := from
		for to < len(list) && !list[to].ends {
			to++
		}
		c.simple(&b, list[from:to], closed)
		if to < len(list) {
			sign := strings.TrimLeft(list[to].written, "\n")
			if sign == "" {
				sign = " ; "
			}
			b.WriteString(sign)
			to++
		}
		from = to
	}
	return b.String()
}

// uncommented is a text without the comments that it begins with: on one line they
// would make a comment of all that follows.
func uncommented(s string) string {
	for {
		trimmed := strings.TrimLeft(s, " \t\n")
		line, rest, ok := strings.Cut(trimmed, "\n")
		if !ok || !strings.HasPrefix(line, "#") {
			return s
		}
		s = rest
	}
}

// heredoc is where the first body of a here-document begins, or -1.
func heredoc(s string) int {
	i := strings.Index(s, "<<")
	for i >= 0 && strings.HasPrefix(s[i:], "<<<") {
		next := strings.Index(s[i+3:], "<<")
		if next < 0 {
			return -1
		}
		i += 3 + next
	}
	if i < 0 || !strings.Contains(s[i:], "\n") {
		return -1
	}
	return i
}

// simple writes one simple command.
func (c *cleaner) simple(b *strings.Builder, list []token, closed bool) {
	words := plainWords(list)
	keep := len(words)
	if n, secret := secretProgram(words); secret {
		keep = n
	} else if closed && len(words) > 0 && (words[0] == "echo" || words[0] == "printf" || words[0] == "sed" || words[0] == "perl") {
		keep = 1
	}
	script := interpreter(words)
	seen, expect, fed, before, left := 0, false, false, true, false
	for _, t := range list {
		if !t.word {
			if fed = fed || t.written == "<<<"; t.written == "<<<" {
				b.WriteString("<<< ")
				continue
			}
			b.WriteString(t.written)
			continue
		}
		if before && assignment(t.text) > 0 {
			b.WriteString(c.assigned(t.text))
			continue
		}
		if fed {
			b.WriteString(c.hide(t.text))
			fed = false
			continue
		}
		before = false
		seen++
		switch {
		case seen > keep:
			if c.hide(t.text); !left {
				b.WriteString("‹arguments left out›")
			}
			left = true
		case script && seen > 1 && seen-1 < len(words) && isScriptFlag(words[seen-2]):
			if c.hidesIn(t.text) {
				c.hidden++
			}
			b.WriteString("‹script left out›")
		case expect && isScheme(t.text):
			b.WriteString(t.written)
		case expect:
			b.WriteString(c.hide(t.text))
			expect = false
		case isSetting(t.text):
			b.WriteString(c.assigned(t.text))
		case strings.HasPrefix(t.text, "-e") && isSetting(t.text[2:]):
			b.WriteString("-e" + c.assigned(t.text[2:]))
		case attached(words, t.text):
			b.WriteString(t.text[:2] + c.hide(t.text[2:]))
		default:
			shown := c.word(t)
			expect = expects(words, t.text)
			b.WriteString(c.paths(shown))
		}
	}
}

// word is one word of a command as it is shown.
func (c *cleaner) word(t token) string {
	if c.secretWord(t.text) || t.written != t.text && c.secretWord(t.written) {
		if name, value, ok := strings.Cut(t.text, "="); ok && len(name) < 40 && strings.HasPrefix(name, "-") && !mcp.SecretIn(name) {
			return name + "=" + c.hide(value)
		}
		return c.hide(t.text)
	}
	if before, after, ok := strings.Cut(t.text, "://"); ok {
		// What stands behind "?" and "#" in an address is its own matter.
		if i := strings.IndexAny(after, "?#"); i >= 0 {
			return before + "://" + after[:i] + "?…"
		}
	}
	if strings.ContainsAny(t.text, " \t\n") && c.hidesIn(t.text) {
		// What it is was noted by itself.
		return c.hide("")
	}
	return t.written
}

// hidesProse reports whether something would be hidden in lines of text; what that is,
// is noted.
func (c *cleaner) hidesProse(text string) bool {
	inner := &cleaner{depth: c.depth + 1, learning: c.learning, known: c.known}
	inner.hideProse(text)
	c.known = inner.known
	return inner.hidden > 0
}

// hidesIn reports whether a word with blanks in it, which may be a sentence or a command
// of its own, has something that would be hidden there.
func (c *cleaner) hidesIn(text string) bool {
	inner := &cleaner{depth: c.depth + 1, learning: c.learning, known: c.known}
	if inner.depth > 3 {
		return true
	}
	defer func() { c.known = inner.known }()
	inner.hideProse(text)
	if inner.hidden == 0 {
		inner.hideCommand(text)
	}
	return inner.hidden > 0
}

// secretWord reports whether a word may hold a secret by itself.
func (c *cleaner) secretWord(text string) bool {
	if text == "" {
		return false
	}
	if mcp.SecretIn(text) || strings.Contains(text, "@") && strings.Contains(text, "://") && !strings.Contains(text[strings.Index(text, "://"):], "/@") {
		return true
	}
	return pairIn(text)
}

// pairIn reports whether a text has a name that secrets go by, with a value behind it:
// "name=value", "name: value" or JSON.
func pairIn(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != '=' && text[i] != ':' {
			continue
		}
		value := strings.TrimLeft(text[i+1:], "= :\"'\\")
		if value == "" || strings.HasPrefix(value, "//") || strings.HasPrefix(value, "$") && !strings.HasPrefix(value, "$(") {
			continue
		}
		name := strings.TrimRight(text[:i], " \"'\\")
		start := len(name)
		for start > 0 && (isNameByte(name[start-1])) {
			start--
		}
		if name = strings.Trim(name[start:], "-."); name != "" && secretName(name) {
			return true
		}
	}
	return false
}

// secretName is [secretnames.May], but for words of texts about programs that have the
// same letters in them, and for names of files.
func secretName(name string) bool {
	low := strings.ToLower(name)
	if !strings.ContainsAny(low, "_-.") {
		for _, other := range []string{"tokeniz", "tokenis", "secretar", "cookiecutter"} {
			if strings.HasPrefix(low, other) {
				return false
			}
		}
		switch low {
		case "sessions", "authors", "author":
			return false
		}
	}
	if i := strings.LastIndexByte(low, '.'); i > 0 && len(low)-i <= 5 && !secretnames.May(low[i+1:]) {
		return false
	}
	return secretnames.May(name)
}

// assignment is where the value of an assignment before a command begins, or 0.
func assignment(word string) int {
	i := strings.IndexByte(word, '=')
	if i <= 0 {
		return 0
	}
	name := strings.TrimSuffix(word[:i], "+")
	for k := range len(name) {
		if ch := name[k]; ch != '_' && (ch|0x20 < 'a' || ch|0x20 > 'z') && (k == 0 || ch < '0' || ch > '9') {
			return 0
		}
	}
	return i + 1
}

// isSetting reports whether a word sets a variable in capitals, as one of an environment
// is, for a program that it is an argument of.
func isSetting(word string) bool {
	at := assignment(word)
	return at > 2 && word[:at] == strings.ToUpper(word[:at])
}

// assigned is an assignment. Only the values of variables that are known to steer tools
// are shown.
func (c *cleaner) assigned(text string) string {
	at := assignment(text)
	name, value := text[:at-1], text[at:]
	switch name {
	case "NODE_ENV", "CGO_ENABLED", "GOOS", "GOARCH", "GOFLAGS", "CI", "DEBUG", "RUST_BACKTRACE", "RUST_LOG", "LANG", "LC_ALL", "TZ", "FORCE_COLOR", "NO_COLOR", "PYTHONPATH", "COLUMNS", "TERM":
		if !c.secretWord(value) && len(value) < 40 {
			return name + "=" + c.paths(value)
		}
	}
	if len(name) > 60 || mcp.SecretIn(name) {
		return c.hide(text)
	}
	if value == "" {
		return name + "="
	}
	return name + "=" + c.hide(value)
}

// hideWord is a single word, such as the name of a file or an address.
func (c *cleaner) hideWord(s string) string {
	return c.word(token{written: s, text: s, word: true})
}

// hideProse is what a person wrote, without what may be a secret: what looks like one,
// and what stands behind a word for one.
func (c *cleaner) hideProse(s string) string {
	var b strings.Builder
	// strong: the next word is one. weak: one of so many words is, if it looks unlike a
	// word.
	strong, weak, inside := false, 0, false
	for _, line := range strings.Split(s, "\n") {
		if strong = strong && strings.TrimSpace(line) == ""; !strong {
			weak = 0
		}
		if strings.Contains(line, "-----BEGIN") || inside {
			b.WriteString(c.hide(line) + "\n")
			inside = !strings.Contains(line, "-----END")
			continue
		}
		for word := range strings.FieldsSeq(line) {
			bare := strings.Trim(word, "\"'`.,;:!?()[]{}<>*")
			weak--
			switch {
			case (strong || weak >= 0) && isConnector(word), strong && (bare == "" || isScheme(bare)):
				b.WriteString(word)
				strong = true
			case strong && !isCommonWord(bare), weak >= 0 && unlikeWord(word), c.secretWord(word), c.secretWord(bare):
				b.WriteString(c.hide(word))
				// A phrase goes on to the end of its part of the sentence.
				strong, weak = strong && !strings.ContainsAny(word[len(word)-1:], ".,;)\"'`"), 0
			default:
				b.WriteString(word)
				strong = false
				if secretName(strings.Trim(bare, "-")) && !strings.Contains(bare, "/") {
					strong, weak = strings.HasSuffix(word, ":") || strings.HasSuffix(word, "="), 4
				} else if bare == "-u" || bare == "-p" || bare == "--user" {
					weak = 1
				}
			}
			b.WriteByte(' ')
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func isConnector(word string) bool {
	switch strings.ToLower(word) {
	case "is", "was", "are", "=", ":=", ":", "==", "->", "=>", "equals", "is:", "reads":
		return true
	}
	return false
}

// isCommonWord reports whether a word behind one for a secret says something about it
// rather than being it.
func isCommonWord(word string) bool {
	switch strings.ToLower(word) {
	case "the", "a", "an", "in", "on", "from", "not", "missing", "required", "expired", "wrong", "invalid", "for", "read", "stored", "empty", "and", "or", "handled", "it", "we", "you", "i", "this", "that", "too", "only", "still", "now", "set", "always", "never", "checked", "passed", "given", "what", "where", "why", "used", "lost", "gone", "there", "unused", "added", "removed":
		return true
	}
	return false
}

// unlikeWord reports whether a word has digits or signs in it, is in quotes, or has
// capitals behind small letters.
func unlikeWord(word string) bool {
	if strings.IndexAny(word, "\"'`") == 0 {
		return true
	}
	bare := strings.Trim(word, ".,;:!?()")
	for i := range len(bare) {
		ch := bare[i]
		letter := ch|0x20 >= 'a' && ch|0x20 <= 'z'
		if !letter && ch < 0x80 && ch != '-' && ch != '\'' || i > 0 && ch >= 'A' && ch <= 'Z' && bare[i-1] >= 'a' {
			return true
		}
	}
	return false
}

func isScheme(word string) bool {
	switch strings.ToLower(strings.Trim(word, `"'`)) {
	case "bearer", "basic", "token", "apikey", "digest", "negotiate":
		return true
	}
	return false
}
