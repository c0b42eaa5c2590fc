package fact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, or a mark that counts.
type token struct {
	start, end int
	class      class
	word       string
	// quoted: it stands in quotation marks.
	quoted bool
}

// sentence is a run of tokens of a region.
type sentence struct {
	tokens []token
	start  int
	end    int
	tongue string
	all    class
	src    string
	// forbids says of each token whether it is forbidden, quote is two more than the
	// token from which on the sentence quotes; both are made when they are asked for.
	forbids []bool
	quote   int
}

// text returns a token as it is written.
func (x *sentence) text(t *token) string { return x.src[t.start:t.end] }

// maxTokens ends a sentence that has no end.
const maxTokens = 300

// lowered returns s in small letters, each as long as it was, so that offsets stay.
func lowered(s string) string {
	i := 0
	for ; i < len(s); i++ {
		if c := s[i]; c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf {
			break
		}
	}
	if i == len(s) {
		return s
	}
	b := make([]byte, len(s))
	copy(b, s[:i])
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			b[i] = c
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if l := unicode.ToLower(r); r != utf8.RuneError && utf8.RuneLen(l) == n {
			utf8.EncodeRune(b[i:], l)
		} else {
			copy(b[i:], s[i:i+n])
		}
		i += n
	}
	return string(b)
}

// scanner cuts a text into sentences.
type scanner struct {
	text string
	// hard: the end of a line ends a sentence.
	hard   bool
	tongue string
	lex    *lexicon
	out    []sentence
	// words are the tokens of all sentences, cur those of the one at hand.
	words []token
	cur   []token
	start int
	open  int
}

// sentences cuts a text into sentences and looks up their words.
func sentences(text string, hard bool) []sentence {
	r := reading{words: make([]token, 0, 24)}
	return r.sentences(text, hard)
}

// reading is room for the sentences of one text at a time.
type reading struct {
	words []token
	out   []sentence
}

// sentences cuts a text into sentences. They last until the next text is read.
func (r *reading) sentences(text string, hard bool) []sentence {
	s := scanner{text: lowered(text), hard: hard, open: -1, words: r.words[:0], out: r.out[:0]}
	s.tongue = tongueOf(s.text)
	s.lex = lexiconOf(s.tongue)
	s.cur = s.words
	s.scan()
	r.out = s.out[:0]
	return s.out
}

func (s *scanner) scan() {
	t := s.text
	for i := 0; i < len(t); {
		c := t[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '\n':
			if s.hard || blank(t[i+1:]) {
				s.finish(i)
			}
			i++
		case c == '`':
			i = s.code(i)
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '_':
			i = s.word(i)
		case c == '.' || c == '!' || c == '?':
			i = s.stop(i)
		case c == ',':
			s.mark(i, i+1, cComma)
			i++
		case c == ';' || c == ':' || c == '(' || c == ')' || c == '|':
			s.mark(i, i+1, cBreak)
			i++
		case c == '"':
			s.quote(i, 1)
			i++
		case c == '-' && i > 0 && t[i-1] == ' ' && i+1 < len(t) && (t[i+1] == ' ' || t[i+1] == '-'):
			if len(s.cur) > 0 {
				s.mark(i, i+1, cBreak)
			}
			i++
		case c < utf8.RuneSelf:
			i++
		default:
			i = s.rune(i)
		}
		if len(s.cur) >= maxTokens {
			s.finish(i)
		}
	}
	s.finish(len(t))
}

// blank reports whether a line that follows ends the paragraph: it is empty, or begins
// an item, a heading or a row.
func blank(rest string) bool {
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case ' ', '\t', '\r':
		case '\n', '|', '#', '>':
			return rest[i] != '#' || i+1 < len(rest) && rest[i+1] == '#'
		case '-', '*', '+':
			return i+1 < len(rest) && rest[i+1] == ' '
		case '1', '2', '3', '4', '5', '6', '7', '8', '9':
			return marker(rest[i:min(len(rest), i+12)]) > 0
		default:
			return false
		}
	}
	return true
}

func (s *scanner) mark(start, end int, c class) {
	if len(s.cur) == 0 {
		s.start = start
	}
	s.cur = append(s.cur, token{start: start, end: end, class: c, quoted: s.open >= 0})
}

func (s *scanner) quote(at, length int) {
	if s.open >= 0 {
		s.open = -1
		return
	}
	s.open = len(s.cur)
	if len(s.cur) == 0 {
		s.start = at + length
	}
}

// code takes a span of code as one word.
func (s *scanner) code(i int) int {
	n := run(s.text[i:])
	if end, ok := closer(s.text, i+n, n); ok {
		s.mark(i, end+n, cCode)
		s.cur[len(s.cur)-1].word = s.text[i+n : end]
		return end + n
	}
	return i + n
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '\'' || c >= utf8.RuneSelf
}

// word takes a word of letters that have capitals.
func (s *scanner) word(i int) int {
	t := s.text
	end := i
	for end < len(t) && wordByte(t[end]) {
		if t[end] >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(t[end:])
			if r == '’' {
				end += n
				continue
			}
			if !unicode.IsLetter(r) && !unicode.IsMark(r) || ideographic(r) {
				break
			}
			end += n
			continue
		}
		end++
	}
	if end == i {
		return i + 1
	}
	if strings.HasPrefix(t[end:], "://") {
		for end < len(t) && t[end] > ' ' && strings.IndexByte("<>\"`)", t[end]) < 0 {
			end++
		}
		s.mark(i, end, cURL)
		s.cur[len(s.cur)-1].word = t[i:end]
		return end
	}
	w := strings.TrimRight(t[i:end], "'")
	if w == "e" || w == "i" {
		if rest := t[end:]; strings.HasPrefix(rest, ".g.") || strings.HasPrefix(rest, ".e.") {
			end += 3
			w = "e.g"
		}
	}
	s.add(i, end, w)
	return end
}

func (s *scanner) add(start, end int, w string) {
	if len(s.cur) == 0 {
		s.start = start
	}
	c := s.lookup(w)
	s.cur = append(s.cur, token{start: start, end: end, class: c, word: w, quoted: s.open >= 0})
}

func (s *scanner) lookup(w string) class {
	if strings.Contains(w, "’") {
		w = strings.ReplaceAll(w, "’", "'")
	}
	if w[0] < utf8.RuneSelf || s.tongue != "en" {
		if lex := s.lex; lex != nil {
			if c := lex.look(w); c != 0 || s.tongue == "en" || w[0] >= utf8.RuneSelf {
				return c
			}
		}
		// Terms of the trade stay English in every language.
		if s.lex != nil && w[0] < utf8.RuneSelf && loan(w) {
			return english().look(w)
		}
		return 0
	}
	if lex := lexiconOf(scriptTongue(w)); lex != nil {
		return lex.look(w)
	}
	return 0
}

func loan(w string) bool {
	switch w {
	case "prompt", "prompts", "token", "tokens", "user", "api", "skill", "skills", "agent", "agents", "system", "server", "webhook", "chat", "email", "telemetry", "cookie", "cookies", "url":
		return true
	}
	return false
}

// stop ends a sentence, if the mark does.
func (s *scanner) stop(i int) int {
	t := s.text
	end := i + 1
	for end < len(t) && (t[end] == '.' || t[end] == '!' || t[end] == '?') {
		end++
	}
	// What closes the sentence belongs to it.
	for end < len(t) && (t[end] == '"' || t[end] == '*' || t[end] == '_' || t[end] == ')') {
		if t[end] == '"' {
			s.quote(end, 1)
		}
		end++
	}
	if strings.HasPrefix(t[end:], "”") || strings.HasPrefix(t[end:], "»") {
		s.open = -1
		end += utf8.RuneLen('”') - 1
		for end < len(t) && !utf8.RuneStart(t[end]) {
			end++
		}
	}
	if end == len(t) || t[end] == ' ' || t[end] == '\n' || t[end] == '\r' || t[end] == '\t' {
		if n := len(s.cur); n > 0 && t[i] == '.' && (s.cur[n-1].word == "etc" || s.cur[n-1].word == "vs") {
			return end
		}
		s.finish(end)
	}
	return end
}

// rune takes a character beyond ASCII.
func (s *scanner) rune(i int) int {
	r, n := utf8.DecodeRuneInString(s.text[i:])
	switch {
	case r == '。' || r == '！' || r == '？' || r == '।' || r == '؟':
		s.finish(i + n)
	case r == '，' || r == '、':
		s.mark(i, i+n, cComma)
	case r == '；' || r == '：' || r == '—' || r == '–' || r == '（' || r == '）' || r == '→':
		s.mark(i, i+n, cBreak)
	case r == '“' || r == '«' || r == '「' || r == '『' || r == '„' || r == '”' || r == '»' || r == '」' || r == '』':
		s.quote(i, n)
	case r == '❌' || r == '✗' || r == '✘' || r == '🚫' || r == '⛔':
		s.mark(i, i+n, cBad|cBreak)
	case r == '✅' || r == '✓' || r == '✔':
		s.mark(i, i+n, cGood|cBreak)
	case ideographic(r):
		return s.ideographs(i)
	case unicode.IsLetter(r):
		return s.word(i)
	}
	return i + n
}

func ideographic(r rune) bool {
	return r >= 0x3040 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x3ffff
}

// ideographs takes the longest word of the table that begins here; a character that
// begins none is passed over.
func (s *scanner) ideographs(i int) int {
	lex := s.lex
	if s.tongue != "zh" && s.tongue != "ja" {
		lex = lexiconOf("zh")
	}
	t := s.text
	stop := i
	best := 0
	var c class
	for k := 0; k < 8 && stop < len(t); k++ {
		r, n := utf8.DecodeRuneInString(t[stop:])
		if !ideographic(r) {
			break
		}
		stop += n
		if found, ok := lex.exact[t[i:stop]]; ok {
			best, c = stop, found
		}
	}
	if best > 0 {
		if len(s.cur) == 0 {
			s.start = i
		}
		s.cur = append(s.cur, token{start: i, end: best, class: c, word: t[i:best], quoted: s.open >= 0})
		return best
	}
	if len(s.cur) == 0 {
		s.start = i
	}
	_, n := utf8.DecodeRuneInString(t[i:])
	return i + n
}

func (s *scanner) finish(end int) {
	if len(s.cur) == 0 {
		s.open = -1
		return
	}
	// A quotation that is not closed is none.
	if s.open >= 0 {
		for k := s.open; k < len(s.cur); k++ {
			s.cur[k].quoted = false
		}
	}
	x := sentence{tokens: s.cur, start: s.start, end: max(end, s.cur[len(s.cur)-1].end), tongue: s.tongue, src: s.text}
	for i := range x.tokens {
		x.all |= x.tokens[i].class
	}
	s.out = append(s.out, x)
	// What comes next stands behind, in the same room while there is some.
	if left := s.cur[len(s.cur):]; cap(left) >= 16 {
		s.cur = left
	} else if s.cur = nil; end < len(s.text) {
		s.cur = make([]token, 0, 24)
	}
	s.open = -1
}
