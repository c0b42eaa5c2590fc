package prose

import (
	"embed"
	"iter"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// The lexicon has one file per language. Each line has a class and its words. An English word also
// matches its regular inflections. In other languages, "stem*" matches any word with that prefix.
// "two_words" matches the words in sequence, and "(a|b)" lists alternatives.
//
//go:embed words/*.txt topics.txt evidence.txt
var dataFiles embed.FS

// rows yields the rows of a data file. Each row is split at the colon.
func rows(file string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		text, err := dataFiles.ReadFile(file)
		if err != nil {
			panic(err) // Unreachable: the files are embedded.
		}
		for line := range strings.Lines(string(text)) {
			head, rest, ok := strings.Cut(strings.TrimSpace(line), ": ")
			if ok && head[0] != '#' && !yield(head, rest) {
				return
			}
		}
	}
}

// class is a meaning that a word can have. Sentences are analyzed by class rather than by word, so
// a new word needs only an entry in a word file, and a new language needs little more than a file.
type class uint16

// The classes that the code refers to. All other classes appear only in the data files.
const (
	none class = iota
	not
	skip
	without
	but
	condition
	must
	now
	be
	can
	to
	and
	det
	you
	it
	attack
	detect
	example
	bad
	good
	say
	report
	saidOrders
	user
	theirs
	doer
	agent
	self
	send
	collect
	destroy
	run
	fetch
	confirm
	secret
	each
	codeTalk
	brain
	keyFile
	// The following classes are for tokens that are not words. A token of class breaks ends a
	// clause. A token of class pause is a colon or parenthesis that does so.
	codeMark
	urlMark
	linkMark
	pathMark
	mailbox
	strange
	coin
	comma
	breaks
	pause
)

// fixedNames holds the names of the classes above, in the same order.
var fixedNames = [...]string{
	"none", "not", "skip", "without", "but", "if", "must", "now", "be", "can", "to", "and", "det", "you", "it",
	"attack", "detect", "example", "bad", "good", "say", "report", "said-orders", "user", "theirs", "doer",
	"agent", "self", "send", "collect", "destroy", "run", "fetch", "confirm", "secret", "each",
	"code-talk", "brain", "keyfile",
	"code", "url", "link", "path", "mailbox", "strange", "coin", "comma", "break", "pause",
}

const maxClasses = 320

// set is a set of classes.
type set [maxClasses / 64]uint64

func setOf(list ...class) (s set) {
	for _, c := range list {
		s[c/64] |= 1 << (c % 64)
	}
	return s
}

func (s set) has(c class) bool { return s[c/64]&(1<<(c%64)) != 0 }
func (s set) any(o set) bool   { return s[0]&o[0]|s[1]&o[1]|s[2]&o[2]|s[3]&o[3]|s[4]&o[4] != 0 }
func (s set) empty() bool      { return s == set{} }
func (s set) with(o set) set {
	return set{s[0] | o[0], s[1] | o[1], s[2] | o[2], s[3] | o[3], s[4] | o[4]}
}

func (s set) without(o set) set {
	return set{s[0] &^ o[0], s[1] &^ o[1], s[2] &^ o[2], s[3] &^ o[3], s[4] &^ o[4]}
}

// classes yields the classes in order.
func (s set) classes() iter.Seq[class] {
	return func(yield func(class) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(class(i*64 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// classSet returns the set of classes with the given names.
func classSet(names []string) (s set) {
	for _, name := range names {
		i := slices.Index(english().classes, name)
		if i < 0 {
			panic("unknown class " + name) // Unreachable: tests read all files.
		}
		s = s.with(setOf(class(i)))
	}
	return s
}

// lexicon holds the words of one language.
type lexicon struct {
	lang    string
	classes []string
	// hashes holds a hash of each class's name. The statistical model uses the hashes, because they
	// do not depend on the order of the classes.
	hashes []uint32
	// unscored holds the classes that were not used to train the statistical model.
	unscored set
	exact    map[string]set
	stems    map[string]set
	// short and long are the lengths of the shortest and longest stems in bytes.
	short, long int
	// entries maps the first word of each multi-word entry to the sequences of words that may
	// follow. Groups in a sequence are expanded when its first word is first looked up, because a
	// text contains only a few of these words. expanded caches the results.
	entries  map[string][]sequence
	expanded sync.Map
	// irregular maps irregular word forms to regular ones.
	irregular map[string]string
}

// sequence is a multi-word entry without its first word. If adds is set, a match has not only the
// entry's classes but also those of its individual words.
type sequence struct {
	rest    string
	classes set
	adds    bool
}

// phrase is a sequence with its groups expanded and split into words.
type phrase struct {
	rest    []string
	classes set
	adds    bool
}

var english = sync.OnceValue(func() *lexicon { return readLexicon("en", fixedNames[:]) })

// languages maps each language that has a word file to its lexicon.
var languages = sync.OnceValue(func() map[string]func() *lexicon {
	all := map[string]func() *lexicon{"en": english}
	for _, lang := range []string{"de", "fr", "es", "pt", "ru", "zh", "ja", "ko"} {
		all[lang] = sync.OnceValue(func() *lexicon { return readLexicon(lang, english().classes) })
	}
	return all
})

func readLexicon(lang string, classes []string) *lexicon {
	l := &lexicon{lang: lang, classes: slices.Clone(classes), short: 64, irregular: map[string]string{}}
	l.exact, l.stems, l.entries = map[string]set{}, map[string]set{}, map[string][]sequence{}
	for name, words := range rows("words/" + lang + ".txt") {
		name, unscored := strings.CutPrefix(name, "=")
		name, adds := strings.CutPrefix(name, "+")
		if name == "irregular" {
			for pair := range strings.FieldsSeq(words) {
				form, base, _ := strings.Cut(pair, "/")
				l.irregular[form] = base
			}
			continue
		}
		id := slices.Index(l.classes, name)
		if id < 0 && lang == "en" {
			id = len(l.classes)
			l.classes = append(l.classes, name)
		}
		if id < 0 || id >= maxClasses {
			// Unreachable: a test loads every file.
			panic("words/" + lang + ".txt: unknown class " + name)
		}
		if unscored {
			l.unscored = l.unscored.with(setOf(class(id)))
		}
		for word := range strings.FieldsSeq(words) {
			l.add(word, setOf(class(id)), adds)
		}
	}
	for _, name := range l.classes {
		l.hashes = append(l.hashes, hash(4, name))
	}
	return l
}

// alternatives expands the groups in an entry and returns the resulting entries.
func alternatives(entry string) []string {
	open := strings.IndexByte(entry, '(')
	if open < 0 {
		return []string{entry}
	}
	end := open + strings.IndexByte(entry[open:], ')')
	var list []string
	for choice := range strings.SplitSeq(entry[open+1:end], "|") {
		list = append(list, alternatives(entry[:open]+choice+entry[end+1:])...)
	}
	return list
}

// add adds an entry from a word file to the lexicon.
func (l *lexicon) add(w string, c set, adds bool) {
	if strings.HasPrefix(w, "_(") {
		w = w[1:]
	}
	first := len(w)
	if at := strings.IndexAny(w, "_("); at >= 0 {
		first = at
	}
	if first < len(w) && w[first] == '(' {
		// Expand a group in the first word now, because the first word is the map key.
		end := first + strings.IndexByte(w[first:], ')')
		for choice := range strings.SplitSeq(w[first+1:end], "|") {
			l.add(w[:first]+choice+w[end+1:], c, adds)
		}
		return
	}
	if plain := strings.ReplaceAll(w, "-", "_"); plain != w && strings.Contains(w, "_") {
		// Unknown words are split at hyphens when text is read, so the parts must also match the
		// entry.
		l.add(plain, c, adds)
	}
	if stem, ok := strings.CutSuffix(w, "*"); ok {
		l.stems[stem] = l.stems[stem].with(c)
		l.short, l.long = min(l.short, len(stem)), max(l.long, len(stem))
		return
	}
	if first, rest, ok := strings.Cut(strings.Trim(w, "_"), "_"); ok && utf8.RuneLen(rune(w[0])) == 1 {
		l.entries[first] = append(l.entries[first], sequence{rest, c, adds})
		return
	}
	w = strings.Trim(w, "_")
	l.exact[w] = l.exact[w].with(c)
}

// phrases returns the multi-word entries that start with a word.
func (l *lexicon) phrases(first string) []phrase {
	if len(l.entries[first]) == 0 {
		return nil
	}
	if list, ok := l.expanded.Load(first); ok {
		return list.([]phrase)
	}
	var list []phrase
	at := map[string]int{}
	for _, e := range l.entries[first] {
		for _, w := range alternatives(e.rest) {
			w = strings.Trim(w, "_")
			i, ok := at[w]
			if !ok {
				i, at[w] = len(list), len(list)
				list = append(list, phrase{rest: strings.Split(w, "_"), adds: true})
			}
			list[i].classes = list[i].classes.with(e.classes)
			list[i].adds = list[i].adds && e.adds
		}
	}
	l.expanded.Store(first, list)
	return list
}

// lookup returns the classes of a lowercase word.
func (l *lexicon) lookup(w string) set {
	var c set
	if l.lang == "en" {
		l.forms(w, func(form string) bool {
			c = c.with(l.exact[form])
			return false
		})
		return c
	}
	c = l.exact[w]
	for n := min(len(w), l.long); n >= l.short; n-- {
		c = c.with(l.stems[w[:n]])
	}
	return c
}

// forms calls found for a word and then for each of its possible base forms. It stops and returns
// true when found returns true.
func (l *lexicon) forms(w string, found func(string) bool) bool {
	if found(w) {
		return true
	}
	if base, ok := l.irregular[w]; ok {
		return found(base)
	}
	try := func(suffix, instead string) bool {
		stem, ok := strings.CutSuffix(w, suffix)
		return ok && len(stem) >= 2 && found(stem+instead)
	}
	switch {
	case strings.HasSuffix(w, "ss"):
		return false
	case strings.HasSuffix(w, "s"):
		n := len(w) - 3
		if n > 0 && strings.HasSuffix(w, "es") && strings.IndexByte("sxzho", w[n]) >= 0 && try("es", "") {
			return true
		}
		return try("s", "") || try("ies", "y")
	case strings.HasSuffix(w, "ing") || strings.HasSuffix(w, "ed"):
		suffix := w[strings.LastIndexAny(w, "ie"):]
		if n := len(w) - len(suffix); n > 3 && w[n-1] == w[n-2] && try(w[n-1:], "") {
			return true
		}
		return try(suffix, "") || try(suffix, "e") || try("ied", "y")
	}
	return false
}

// unleet replaces digits and symbols that stand for letters, as in "1gn0re". It returns "" if there
// is nothing to replace or if the word has too few letters.
func unleet(w string) string {
	letters, marks := 0, 0
	for i := range len(w) {
		switch c := w[i]; {
		case c >= 'a' && c <= 'z':
			letters++
		case strings.IndexByte("0134578@$!", c) >= 0:
			marks++
		}
	}
	if marks == 0 || letters < 2 || marks > letters+1 {
		return ""
	}
	return leet().Replace(w)
}

var leet = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "8", "b",
		"@", "a", "$", "s", "!", "i")
})
