package document

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
	"unicode"

	"github.com/vadehq/vade/internal/audit/signal"
)

//go:embed comments.txt
var commentTable string

// syntax is how a language writes comments, and strings that cross lines.
type syntax struct {
	line, block, long []string
	// starts are the bytes that a comment or string begins with.
	starts string
}

var syntaxes = sync.OnceValue(func() map[string]*syntax {
	all := map[string]*syntax{}
	for row := range rowsOf(commentTable) {
		f := strings.Split(row, "|")
		s := &syntax{strings.Fields(f[1]), strings.Fields(f[2]), strings.Fields(f[3]), `"'`}
		for _, mark := range strings.Fields(f[1] + f[2] + f[3]) {
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

// textFinder finds what speaks in a file of code, configuration or data: its prose values
// and its comments. They are regions in the one of the file.
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
		t.scan(s)
	} else {
		// Rows of a table, and the like.
		for at := 0; at < len(r.Text); at = lineEnd(r.Text, at) + 1 {
			t.prose(at, lineEnd(r.Text, at), r.Text[at:lineEnd(r.Text, at)])
		}
	}
	if t.count >= maxTexts {
		d.set.Miss(r.File, signal.MissedTooMany, "it has more texts than are read as prose")
	}
}

// scan reads all comments and strings.
func (t *textFinder) scan(s *syntax) {
	text := t.from.Text
	for i := 0; i < len(text); {
		n := strings.IndexAny(text[i:], s.starts)
		if n < 0 {
			break
		}
		i = t.token(s, i+n)
	}
	t.say()
}

// prose adds a range that stands for a text, if that is prose: a document of its own.
func (t *textFinder) prose(start, end int, text string) {
	if t.count < maxTexts && likeProse(text) {
		t.count++
		r := value(t.from, start, end, text)
		r.Lang = ""
		t.d.document(&r)
	}
}

// token reads a comment or string at an offset, if one begins there, and returns where to
// go on.
func (t *textFinder) token(s *syntax, i int) int {
	text := t.from.Text
	if i == 0 && strings.HasPrefix(text, "#!") {
		return lineEnd(text, 0)
	}
	if len(s.block) > 0 && strings.HasPrefix(text[i:], s.block[0]) {
		end, next := until(text, i+len(s.block[0]), s.block[1])
		t.comments(i+len(s.block[0]), end)
		return next
	}
	for _, quote := range s.long {
		if strings.HasPrefix(text[i:], quote) {
			end, next := until(text, i+len(quote), quote)
			before := text[max(0, i-64):i]
			// A string that stands alone is documentation.
			if t.config {
				t.prose(i, next, text[i+len(quote):end])
			} else if strings.TrimSpace(before[strings.LastIndexByte(before, '\n')+1:]) == "" {
				t.comments(i, next)
			}
			return next
		}
	}
	for _, mark := range s.line {
		if strings.HasPrefix(text[i:], mark) && (i == 0 || strings.IndexByte(" \t\n;", text[i-1]) >= 0) {
			if between := text[min(t.end, i):i]; strings.Count(between, "\n") > 1 || strings.TrimSpace(between) != "" {
				t.say()
			}
			t.end = lineEnd(text, i)
			t.lines(i+len(mark), t.end)
			return t.end
		}
	}
	if text[i] != '"' && text[i] != '\'' {
		return i + 1
	}
	end := stringEnd(text, i)
	if t.config && end-i > minProse {
		inner := text[i+1 : end-1]
		if strings.Contains(inner, `\`) && json.Unmarshal([]byte(text[i:end]), &inner) != nil {
			inner = strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\'`, "'", `\\`, `\`).Replace(inner)
		}
		t.prose(i, end, inner)
	}
	return end
}

// stringEnd returns the end of the quoted text at an offset, which is that of its line
// without a closing quote.
func stringEnd(text string, at int) int {
	stops := string(text[at]) + "\\\n"
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

// comments adds a range as a comment of its own.
func (t *textFinder) comments(from, to int) {
	t.say()
	t.lines(from, to)
	t.say()
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
func (t *textFinder) say() {
	if len(t.comment.pieces) == 0 {
		return
	}
	if r := t.comment.region(); t.count < maxTexts && (t.all || speaks(r.Text)) {
		t.count++
		r.Medium, r.Lang = signal.Comment, ""
		t.d.add(r)
	}
}

// yaml adds the values of a YAML file that are prose and are not in quotes.
func (t *textFinder) yaml() {
	text := t.from.Text
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		content := strings.TrimLeft(text[at:end], " -")
		if key, value, ok := strings.Cut(content, ": "); ok && len(key) < 60 && !strings.ContainsAny(key, " \"'#") {
			content = strings.TrimLeft(value, " ")
		}
		start, next := end-len(content), end+1
		if content != "" && strings.IndexByte("#{[\"'", content[0]) < 0 {
			indent := end - at - len(strings.TrimLeft(text[at:end], " "))
			block := content[0] == '|' || content[0] == '>'
			var lines []string
			if !block {
				lines = append(lines, content)
			}
			// The lines of a block, or those with which a plain value goes on.
			stop := end
			for next < len(text) {
				e := lineEnd(text, next)
				rest := strings.TrimLeft(text[next:e], " ")
				if rest != "" && e-next-len(rest) <= indent || !block && (rest == "" || strings.Contains(rest, ": ")) {
					break
				}
				lines = append(lines, rest)
				stop, next = e, e+1
			}
			t.prose(start, stop, strings.Join(lines, "\n"))
		}
		at = next
	}
}

//go:embed address.txt
var addressTable string

// address are words of text that speaks to a model, and phrases that alone tell.
type address struct {
	words   map[string]bool
	phrases []string
}

var addresses = sync.OnceValue(func() *address {
	a := &address{words: map[string]bool{}}
	for row := range rowsOf(addressTable) {
		if phrase, ok := strings.CutPrefix(row, "phrase: "); ok {
			a.phrases = append(a.phrases, phrase)
			continue
		}
		for _, word := range strings.Fields(row) {
			a.words[word] = true
		}
	}
	return a
})

// minProse is the length of the shortest text that is read as prose.
const minProse = 20

// speaks reports whether a comment speaks to a model.
func speaks(text string) bool {
	if len(text) < minProse {
		return false
	}
	low, hits := strings.ToLower(text), 0
	for word := range strings.FieldsFuncSeq(low, func(c rune) bool { return !unicode.IsLetter(c) }) {
		if addresses().words[word] {
			hits++
		}
	}
	for _, phrase := range addresses().phrases {
		if strings.Contains(low, phrase) {
			hits += 2
		}
	}
	return hits >= 2
}

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
