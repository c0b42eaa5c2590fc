package prose

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, or a punctuation mark that affects the meaning of a sentence.
type token struct {
	start, end int
	// word is the word in lowercase. classes holds the classes that the word can have.
	word    string
	classes set
	// quoted reports whether the word is in quotation marks, denied reports whether its clause
	// negates it, and forbidden reports whether its clause prohibits it.
	quoted, denied, forbidden bool
	// name reports whether the word is probably a name: it is capitalized, not in the lexicon, and
	// not the first word of the sentence.
	name bool
}

// sentence is a sequence of tokens in a region.
type sentence struct {
	tokens     []token
	start, end int
	lang       string
	// all holds the classes of all tokens. notDenied holds only the classes of tokens that are not
	// negated.
	all, notDenied set
}

// has reports whether any token in the sentence has the class c.
func (x *sentence) has(c class) bool { return x.all.has(c) }

// at returns the classes of token i, or none if i is out of range.
func (x *sentence) at(i int) set {
	if i < 0 || i >= len(x.tokens) {
		return set{}
	}
	return x.tokens[i].classes
}

// maxTokens is the maximum number of tokens in a sentence. Longer sentences are split.
const maxTokens = 200

// reader splits text into sentences.
type reader struct {
	lex *lexicon
	// known caches the result of looking up a word in a lexicon.
	known    map[*lexicon]map[string]*entry
	patterns map[set][]*pattern // keyed by a verb's classes
	features featureList

	lang  string
	text  string
	lines bool
	out   []sentence
	words []token
	// open is the index in words of the first token after the last unclosed quotation mark, or -1
	// if there is none.
	open int
}

// entry caches what the lexicon says about a word: its classes, and the phrases that start with it.
type entry struct {
	classes set
	phrases []phrase
}

func newReader() *reader {
	return &reader{known: map[*lexicon]map[string]*entry{}, patterns: map[set][]*pattern{}}
}

// sentences splits text into sentences. lang is the language of the text. If lines is set, a line
// break ends a sentence unless the next line continues it.
func (r *reader) sentences(text, lang string, lines bool) []sentence {
	lex := languages()[lang]
	if lex == nil {
		lex = english
	}
	r.lex, r.lang, r.text, r.lines, r.open = lex(), lang, text, lines, -1
	r.words = r.words[:0:cap(r.words)]
	// To reduce allocations, the sentences of many short strings share an array, and so do the
	// words of many sentences.
	if r.out = r.out[len(r.out):]; cap(r.out) < 8 {
		r.out = make([]sentence, 0, 64)
	}
	if r.known[r.lex] == nil {
		r.known[r.lex] = map[string]*entry{}
	}
	for i := 0; i < len(text); {
		i = r.step(i)
		if len(r.words) >= maxTokens {
			r.finish(i)
		}
	}
	r.finish(len(text))
	return slices.Clip(r.out)
}

// step reads the token at offset i and returns the offset of the next token.
func (r *reader) step(i int) int {
	t := r.text
	switch c := t[i]; {
	case c == ' ' || c == '\t' || c == '\r':
		return i + 1
	case c == '\n':
		if r.lines && !continues(t[i+1:]) || strings.HasPrefix(t[i+1:], "\n") {
			r.finish(i)
		}
		return i + 1
	case c == '`':
		return r.codeSpan(i)
	case wordStart(t, i):
		return r.word(i)
	case c == '.' || c == '!' || c == '?':
		return r.endSentenceAt(i)
	}
	return r.punctuation(i)
}

// punctuation processes the character at i, which is a punctuation mark, a symbol, or a non-ASCII
// letter at the start of a word.
func (r *reader) punctuation(i int) int {
	t := r.text
	c, n := utf8.DecodeRuneInString(t[i:])
	end := i + n
	switch {
	case c == '|':
		r.finish(i)
	case strings.ContainsRune("。！？।؟", c):
		r.finish(end)
	case strings.ContainsRune(",，、", c):
		r.mark(i, end, setOf(comma))
	case strings.ContainsRune(";；：—–（）→", c),
		c == '-' && i > 0 && t[i-1] == ' ' && end < len(t) && (t[end] == ' ' || t[end] == '-'):
		r.mark(i, end, setOf(breaks))
	case strings.ContainsRune(":()", c):
		r.mark(i, end, setOf(breaks, pause))
	case strings.ContainsRune("\"“«「『„”»」』", c):
		r.quote()
	case strings.ContainsRune("❌✗✘🚫⛔", c):
		r.push(i, end, "", setOf(breaks, bad))
	case strings.ContainsRune("✅✓✔", c):
		r.push(i, end, "", setOf(breaks, good))
	case ideographic(c):
		return r.ideographs(i, n)
	case unicode.IsLetter(c):
		return r.word(i)
	}
	return end
}

// continues reports whether the line at the start of rest continues the sentence of the previous
// line. It is assumed to do so if it starts with a lowercase letter.
func continues(rest string) bool {
	rest = strings.TrimLeft(rest, " \t#*/>")
	return rest != "" && rest[0] >= 'a' && rest[0] <= 'z'
}

func (r *reader) mark(start, end int, c set) {
	if c.has(breaks) && len(r.words) == 0 {
		return
	}
	r.push(start, end, "", c)
}

func (r *reader) push(start, end int, word string, is set) {
	r.words = append(r.words, token{start: start, end: end, word: word, classes: is, quoted: r.open >= 0})
}

func (r *reader) quote() {
	if r.open >= 0 {
		r.open = -1
	} else {
		r.open = len(r.words)
	}
}

// codeSpan reads code between backticks as one token.
func (r *reader) codeSpan(i int) int {
	n := len(r.text[i:]) - len(strings.TrimLeft(r.text[i:], "`"))
	end := strings.Index(r.text[i+n:], r.text[i:i+n])
	if end < 0 || end > 2000 {
		return i + n
	}
	end += i + n
	inner := strings.ToLower(r.text[i+n : end])
	c := setOf(codeMark).with(r.lookup(inner)).with(pathClasses(inner))
	if at := strings.Index(inner, "://"); at >= 0 {
		url := inner[strings.LastIndexAny(inner[:at], " \"'(=")+1:]
		if end := strings.IndexAny(url, " \"')>|"); end > 0 {
			url = url[:end]
		}
		c = c.with(placeClasses(url))
	}
	if isMailbox(inner) {
		c = c.with(setOf(mailbox))
	}
	r.push(i, end+n, inner, c)
	return end + n
}

func wordStart(t string, i int) bool {
	c := t[i]
	if c == '.' || c == '~' || c == '/' || c == '$' {
		return i+1 < len(t) && (i == 0 || t[i-1] <= ' ') && (asciiWord(t[i+1]) || t[i+1] == '/')
	}
	return asciiWord(c)
}

func asciiWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// word reads a word, path, host name, email address or URL.
func (r *reader) word(i int) int {
	t := r.text
	end, joined := r.wordEnd(i)
	if strings.HasPrefix(t[end:], "://") {
		return r.url(i, end)
	}
	if end == i {
		return i + 1
	}
	w := strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(t[i:end]), "’", "'"), "*", "")
	c := r.lookup(w)
	if joined && c.empty() {
		c = placeClasses(w)
	}
	switch {
	case isCoin(w):
		c = setOf(coin)
	case !joined || !c.empty():
	case strings.ContainsAny(w, "/~") || strings.Contains(w[1:], ".") || w[0] == '.':
		name := strings.TrimRight(w, "/")
		c = setOf(pathMark).with(r.lookup(w[strings.LastIndexByte(name, '/')+1:])).with(pathClasses(w))
	case strings.Contains(w, "-"):
		for part := range strings.SplitSeq(w, "-") {
			r.add(i, i+len(part), part, r.lookup(part))
			i += len(part) + 1
		}
		return end
	}
	r.add(i, end, w, c)
	return end
}

// wordEnd returns the end of a word. joined reports whether the word contains punctuation other
// than apostrophes, which is typical of paths and host names.
func (r *reader) wordEnd(i int) (end int, joined bool) {
	t := r.text
	for end = i; end < len(t); {
		switch c := t[end]; {
		case asciiWord(c):
			end++
		case c >= utf8.RuneSelf:
			l, n := utf8.DecodeRuneInString(t[end:])
			if l != '’' && (!unicode.IsLetter(l) && !unicode.IsMark(l) || ideographic(l)) {
				return end, joined
			}
			end += n
		case c == '*' && end > i:
			// The asterisks are emphasis markers inside the word.
			rest := strings.TrimLeft(t[end:], "*")
			if rest == "" || !asciiWord(rest[0]) {
				return end, joined
			}
			end = len(t) - len(rest)
		case joinsWords(t[end:], end == i):
			joined = joined || c != '\''
			end++
		default:
			return end, joined
		}
	}
	return end, joined
}

// joinsWords reports whether t starts with a punctuation mark that joins two parts of a word or, if
// first is set, that can start a word, as in "~/notes".
func joinsWords(t string, first bool) bool {
	return len(t) > 1 && strings.IndexByte("'-./@$~", t[0]) >= 0 &&
		(first || asciiWord(t[1]) || t[0] == '/' && t[1] == '.')
}

// url reads the URL that starts at i. Its scheme ends at end.
func (r *reader) url(i, end int) int {
	t := r.text
	for end < len(t) && t[end] > ' ' && strings.IndexByte("<>\"`)|]}'", t[end]) < 0 {
		end++
	}
	end = i + len(strings.TrimRight(t[i:end], ".,;:!?"))
	w := strings.ToLower(t[i:end])
	c := placeClasses(w)
	if strings.HasSuffix(t[:i], "](") {
		c = setOf(linkMark)
	}
	r.push(i, end, w, c)
	return end
}

// add adds a word to the current sentence, and determines whether it is a name.
func (r *reader) add(start, end int, w string, c set) {
	name := c.empty() && len(r.words) > 0 && r.text[start] >= 'A' && r.text[start] <= 'Z'
	r.push(start, end, w, c)
	r.words[len(r.words)-1].name = name
}

// lookup returns the classes of a lowercase word.
func (r *reader) lookup(w string) set { return r.entry(w).classes }

func (r *reader) entry(w string) *entry {
	cache := r.known[r.lex]
	if e := cache[w]; e != nil {
		return e
	}
	e := &entry{}
	cache[strings.Clone(w)] = e
	if w == "" {
		return e
	}
	e.classes = r.classes(w)
	r.lex.forms(w, func(first string) bool {
		e.phrases = append(e.phrases, r.lex.phrases(first)...)
		return false
	})
	slices.SortStableFunc(e.phrases, func(a, b phrase) int { return len(b.rest) - len(a.rest) })
	return e
}

// classes returns the classes of a word that is not in the cache.
func (r *reader) classes(w string) set {
	is := r.lex.lookup(w)
	if at := strings.LastIndexByte(w, '_'); is.empty() && at > 0 {
		// If the last word of an identifier means a secret, the identifier is a secret, as in
		// SERVICE_TOKEN. Any other identifier may be a file name, such as id_rsa.
		if last := w[at+1:]; last == "key" || r.lex.lookup(last).has(secret) {
			is = setOf(secret)
		} else {
			is = pathClasses(w)
		}
	}
	if is.empty() {
		if plain := unleet(w); plain != "" {
			is = r.lex.lookup(plain)
		}
	}
	return is
}

// endSentenceAt ends the sentence if the punctuation mark at offset i ends sentences.
func (r *reader) endSentenceAt(i int) int {
	t := r.text
	end := len(t) - len(strings.TrimLeft(t[i+1:], ".!?\"*_)”»'"))
	if strings.Count(t[i:end], `"`)%2 == 1 {
		r.quote()
	}
	abbreviated := len(r.words) > 0 && slices.Contains([]string{"etc", "vs", "e.g", "i.e"}, r.words[len(r.words)-1].word)
	if (end == len(t) || t[end] <= ' ') && !(abbreviated && t[i] == '.') {
		r.finish(end)
	}
	return end
}

func ideographic(r rune) bool {
	return r >= 0x3040 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff ||
		r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x3ffff
}

// ideographs reads the longest known word at offset i. If there is none, it skips a single
// character.
func (r *reader) ideographs(i, first int) int {
	lex := r.lex
	if lex.lang != "zh" && lex.lang != "ja" {
		lex = languages()["zh"]()
	}
	t, stop, best := r.text, i, 0
	var is set
	for k := 0; k < 8 && stop < len(t); k++ {
		c, n := utf8.DecodeRuneInString(t[stop:])
		if !ideographic(c) {
			break
		}
		stop += n
		if found, ok := lex.exact[t[i:stop]]; ok {
			best, is = stop, found
		}
	}
	if best == 0 {
		return i + first
	}
	r.push(i, best, t[i:best], is)
	return best
}

// finish ends the current sentence.
func (r *reader) finish(end int) {
	words, open := r.words, r.open
	r.open = -1
	if len(words) == 0 {
		return
	}
	// If a quotation mark has no counterpart, ignore it.
	for k := max(open, 0); open >= 0 && k < len(words); k++ {
		words[k].quoted = false
	}
	x := sentence{start: words[0].start, end: max(end, words[len(words)-1].end), lang: r.lang}
	x.tokens = slices.Clip(r.phrases(words))
	// The next sentence uses the rest of the array if it is large enough.
	if r.words = words[len(words):]; cap(r.words) < 32 {
		r.words = make([]token, 0, 256)
	}
	for i := range x.tokens {
		x.all = x.all.with(x.tokens[i].classes)
	}
	x.polarity()
	for i := range x.tokens {
		if t := &x.tokens[i]; !t.denied {
			x.notDenied = x.notDenied.with(t.classes)
		}
	}
	r.out = append(r.out, x)
}

// phrases merges each sequence of words that forms a phrase into one token.
func (r *reader) phrases(words []token) []token {
	if len(r.lex.entries) == 0 {
		return words
	}
	out := words[:0]
	for i := 0; i < len(words); {
		p, ok := r.phrase(words[i:])
		if !ok {
			out = append(out, words[i])
			i++
			continue
		}
		t := words[i]
		last := i + len(p.rest)
		own := t.classes
		for _, w := range words[i+1 : last+1] {
			t.word += " " + w.word
			own = own.with(w.classes)
		}
		if t.end, t.classes = words[last].end, p.classes; p.adds {
			t.classes = p.classes.with(own)
		}
		out = append(out, t)
		i = last + 1
	}
	return out
}

// phrase returns the longest phrase at the start of words.
func (r *reader) phrase(words []token) (found phrase, ok bool) {
	for _, p := range r.entry(words[0].word).phrases {
		if len(p.rest) < len(words) && r.lex.matches(p.rest, words[1:]) {
			return p, true
		}
	}
	return found, false
}

func (l *lexicon) matches(rest []string, words []token) bool {
	for k, w := range rest {
		if words[k].word == w {
			continue
		}
		is := func(form string) bool { return form == w }
		if words[k].word == "" || words[k].word[0] != w[0] || !l.forms(words[k].word, is) {
			return false
		}
	}
	return true
}
