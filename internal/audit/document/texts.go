package document

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/signal"
)

//go:embed comments.txt
var commentTable string

// syntax is how a language writes comments and strings.
type syntax struct {
	line, block, long []string
	quotes            string
	// starts are the bytes that one of them begins with.
	starts string
}

var syntaxes = sync.OnceValue(func() map[string]*syntax {
	all := map[string]*syntax{}
	for row := range rowsOf(commentTable) {
		f := strings.Split(strings.ReplaceAll(row+" ", " - ", "  "), " | ")
		s := &syntax{strings.Fields(f[1]), strings.Fields(f[2]), strings.Fields(f[4]), strings.TrimSpace(f[3]), ""}
		s.starts = s.quotes
		for _, mark := range append(strings.Fields(f[1]+" "+f[4]), s.block[:min(1, len(s.block))]...) {
			s.starts += mark[:1]
		}
		for _, lang := range strings.Fields(f[0]) {
			all[lang] = s
		}
	}
	return all
})

// maxTexts bounds the strings and comments of one file that are read as prose.
const maxTexts = 4000

// textFinder finds what speaks in a file of code, configuration or data: its prose values,
// its comments and strings. They are regions in the one of the file.
type textFinder struct {
	d     *reader
	from  *signal.Region
	count int
	// config: strings are values. all: comments need not speak to a model.
	config, all bool
	// comment are the lines of the comment that was read last, which ends at end.
	comment builder
	end     int
}

func (d *reader) texts(r *signal.Region) {
	t := &textFinder{d: d, from: r, comment: builder{from: r}}
	t.config = r.Lang == "json" || r.Lang == "yaml" || r.Lang == "toml"
	if r.Lang == "yaml" {
		t.yaml()
	}
	if s := syntaxes()[r.Lang]; s != nil {
		for i := 0; i < len(r.Text); {
			n := strings.IndexAny(r.Text[i:], s.starts)
			if n < 0 {
				break
			}
			i = t.token(s, i+n)
		}
		t.say("comment")
	} else {
		// Rows of a table, and the like.
		for at := 0; at < len(r.Text); at = lineEnd(r.Text, at) + 1 {
			t.prose("", at, lineEnd(r.Text, at), r.Text[at:lineEnd(r.Text, at)])
		}
	}
	if t.count >= maxTexts {
		d.set.Miss(r.File, signal.MissedTooMany, "it has more texts than are read as prose")
	}
}

// prose adds a range that stands for a text, if that is prose: a document of its own, whose
// paragraphs have the key.
func (t *textFinder) prose(key string, start, end int, text string) {
	if t.count >= maxTexts || !likeProse(text) {
		return
	}
	t.count++
	r := value(t.from, start, end, text)
	r.Lang = ""
	t.d.document(&r, key)
}

// token reads a comment or string at an offset, if one begins there, and returns where to
// go on.
func (t *textFinder) token(s *syntax, i int) int {
	text := t.from.Text
	if i == 0 && strings.HasPrefix(text, "#!") {
		return lineEnd(text, 0)
	}
	if len(s.block) > 0 && strings.HasPrefix(text[i:], s.block[0]) {
		from := i + len(s.block[0])
		end, next := until(text, from, s.block[1])
		t.say("comment")
		t.lines(from, end)
		t.say("comment")
		return next
	}
	for _, quote := range s.long {
		if strings.HasPrefix(text[i:], quote) {
			end, next := until(text, i+len(quote), quote)
			line := text[max(0, i-64):i]
			alone := strings.TrimSpace(line[strings.LastIndexByte(line, '\n')+1:]) == ""
			t.str(i, next, text[i+len(quote):end], alone)
			return next
		}
	}
	for _, mark := range s.line {
		if strings.HasPrefix(text[i:], mark) && (i == 0 || strings.IndexByte(" \t\n;", text[i-1]) >= 0) {
			if between := text[min(t.end, i):i]; strings.Count(between, "\n") > 1 || strings.TrimSpace(between) != "" {
				t.say("comment")
			}
			t.end = lineEnd(text, i)
			t.lines(i+len(mark), t.end)
			return t.end
		}
	}
	if strings.IndexByte(s.quotes, text[i]) < 0 {
		return i + 1
	}
	end := stringEnd(text, i, text[i] != '`')
	if end-i > minProse {
		t.str(i, end, text[i+1:max(i+1, end-1)], false)
	}
	return end
}

// str reads a string. doc: it stands alone, as documentation does.
func (t *textFinder) str(start, end int, inner string, doc bool) {
	if !t.config && !doc && !likeProse(inner) {
		return
	}
	text := inner
	if strings.Contains(inner, `\`) && json.Unmarshal([]byte(t.from.Text[start:end]), &text) != nil {
		text = strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\'`, "'", `\\`, `\`).Replace(inner)
	}
	if t.config {
		t.prose(keyBefore(t.from.Text, start), start, end, text)
		return
	}
	kind := "string"
	if doc {
		kind = "comment"
	}
	t.say("comment")
	t.lines(start, end)
	t.say(kind)
}

// keyBefore returns the key whose value begins at an offset; "" if it is in a list.
func keyBefore(text string, at int) string {
	before, ok := strings.CutSuffix(strings.TrimRight(text[max(0, at-80):at], " \t\n[-"), ":")
	if !ok {
		before, _ = strings.CutSuffix(before, "=")
	}
	before = strings.TrimRight(before, " \"'")
	return before[strings.LastIndexAny(before, " \"'{,\n")+1:]
}

// stringEnd returns the end of the quoted text at an offset. Without a closing quote, it
// ends with its line, or with the text if it may have several lines.
func stringEnd(text string, at int, oneLine bool) int {
	stops := string(text[at]) + "\\"
	if oneLine {
		stops += "\n"
	}
	for i := at + 1; i < len(text); i++ {
		n := strings.IndexAny(text[i:], stops)
		if n < 0 {
			break
		}
		switch i += n; text[i] {
		case '\\':
			i++
		case '\n':
			return i
		default:
			return i + 1
		}
	}
	return len(text)
}

// until returns where a text ends before a mark, and where it goes on after it.
func until(text string, from int, mark string) (end, next int) {
	n := strings.Index(text[from:], mark)
	if n < 0 {
		return len(text), len(text)
	}
	return from + n, from + n + len(mark)
}

// lines adds the lines of a comment without the marks before them.
func (t *textFinder) lines(from, to int) {
	for at := from; at < to; {
		end := min(to, lineEnd(t.from.Text, at))
		if words := strings.TrimLeft(t.from.Text[at:end], " \t*#/!\"'`"); words != "" {
			t.comment.add(strings.TrimRight(words, " \t\r\"'`"), end-len(words), end)
		}
		at = end + 1
	}
}

// say ends a comment, and adds it if it speaks to a model.
func (t *textFinder) say(kind string) {
	if len(t.comment.pieces) == 0 || t.count >= maxTexts {
		t.comment.pieces = t.comment.pieces[:0]
		return
	}
	if r := t.comment.region(); t.all || speaks(r.Text, kind == "string") {
		t.count++
		r.Medium, r.Lang, r.Part = signal.Comment, "", kind
		t.d.add(r)
	}
}

//go:embed address.txt
var addressTable string

// address are the words that name a model, those that one says to it, and phrases that are
// both.
type address struct {
	name, talk map[string]bool
	phrases    []string
}

var addresses = sync.OnceValue(func() *address {
	a := &address{name: map[string]bool{}, talk: map[string]bool{}}
	for row := range rowsOf(addressTable) {
		kind, text, _ := strings.Cut(row, ": ")
		if kind == "phrase" {
			a.phrases = append(a.phrases, text)
			continue
		}
		for _, word := range strings.Fields(text) {
			map[string]map[string]bool{"name": a.name, "talk": a.talk}[kind][word] = true
		}
	}
	return a
})

// speaks reports whether a text speaks to a model: it names one and says something to it, or
// at least one of these twice unless it has to do both.
func speaks(text string, both bool) bool {
	if len(text) < minProse {
		return false
	}
	a := addresses()
	low := strings.ToLower(text)
	words, names, talk := 0, 0, 0
	for word := range strings.FieldsFuncSeq(low, func(c rune) bool { return !unicode.IsLetter(c) }) {
		words++
		if a.name[word] {
			names++
		} else if a.talk[word] {
			talk++
		}
		if word[0] >= utf8.RuneSelf {
			// A script without spaces between words.
			words += len(word) / 12
		}
	}
	for _, phrase := range a.phrases {
		if strings.Contains(low, phrase) {
			names++
			talk++
		}
	}
	return words >= 5 && names+talk >= 2 && (!both || names > 0 && talk > 0)
}

// minProse is the length of the shortest text that is read as prose.
const minProse = 20

// likeProse reports whether a value or string is sentences rather than data.
func likeProse(text string) bool {
	if len(text) < minProse {
		return false
	}
	letters, words, other, word := 0, 0, 0, 0
	for _, c := range text[:min(len(text), 2048)] {
		switch {
		case c >= 0x2e80 && isLetter(c):
			// A script without spaces between words.
			letters, word = letters+3, word+1
			words += word / 3
			word %= 3
			continue
		case isLetter(c):
			letters++
			word++
			continue
		case !strings.ContainsRune(" ,.'-#*`\n", c):
			other++
		}
		if word > 1 && strings.ContainsRune(" \n,.", c) {
			words++
		}
		word = 0
	}
	return words >= 3 && letters+words > 4*other
}
