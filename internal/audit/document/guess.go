package document

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/signal"
)

//go:embed guess.txt
var guessTable string

// look is how a line of a language looks.
type look struct {
	lang    string
	weight  int
	pattern []string
}

// looks are the patterns of lines; first has the looks of first words, maybe those of first
// words that may be English.
type looks struct {
	lines        []look
	first, maybe map[string]look
}

var allLooks = sync.OnceValue(func() *looks {
	all := &looks{first: map[string]look{}, maybe: map[string]look{}}
	for row := range rowsOf(guessTable) {
		f := strings.SplitN(row, " ", 3)
		l := look{lang: f[0], weight: int(f[1][0] - '0')}
		kind, words, _ := strings.Cut(f[2], " ")
		into := map[string]map[string]look{"first": all.first, "maybe": all.maybe}[kind]
		if into == nil {
			l.pattern = strings.Split(f[2], "*")
			all.lines = append(all.lines, l)
			continue
		}
		for _, word := range strings.Fields(words) {
			into[word] = l
		}
	}
	return all
})

// like reports whether a line matches a pattern: texts with any text between them.
func like(line string, pattern []string) bool {
	last := len(pattern) - 1
	if !strings.HasPrefix(line, pattern[0]) {
		return false
	}
	line = line[len(pattern[0]):]
	for _, p := range pattern[1:max(last, 1)] {
		n := strings.Index(line, p)
		if n < 0 {
			return false
		}
		line = line[n+len(p):]
	}
	return strings.HasSuffix(line, pattern[last])
}

// guess says what a text that came without a name is.
func guess(text string) (signal.Role, string) {
	head := strings.TrimLeft(text[:min(len(text), 2048)], "\ufeff \t\r\n")
	switch lang := signal.Interpreter(head); {
	case lang == "?":
		return signal.Script, "sh"
	case lang != "":
		return signal.Script, lang
	case strings.HasPrefix(head, "{") || strings.HasPrefix(head, "[{") || strings.HasPrefix(head, "[\""):
		return signal.Config, "json"
	case strings.HasPrefix(head, "<") && !strings.HasPrefix(head, "<?php"):
		return signal.Data, "html"
	}
	votes := map[string]int{}
	best, lines := "", 0
	for line := range strings.Lines(head) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if lines++; lines > 24 {
			break
		}
		for part := range strings.SplitSeq(line, ";") {
			l := lineLook(strings.TrimSpace(part))
			if votes[l.lang] += l.weight; l.lang != "" && votes[l.lang] > votes[best] {
				best = l.lang
			}
		}
	}
	// Prose about commands has some in it.
	if best != "" && votes[best]*3 > lines*2 {
		return signal.Script, best
	}
	return signal.Document, "md"
}

// lineLook says which language a statement looks like.
func lineLook(line string) (best look) {
	if line == "" || sentence(line) {
		return best
	}
	all := allLooks()
	for _, l := range all.lines {
		if l.weight > best.weight && like(line, l.pattern) {
			best = l
		}
	}
	if best.weight > 2 {
		return best
	}
	word, rest, _ := strings.Cut(line, " ")
	name, value, assigned := strings.Cut(word, "=")
	word = word[strings.LastIndexByte(word, '/')+1:]
	if l, ok := all.first[word]; ok {
		return l
	}
	if l, ok := all.maybe[word]; ok && argument(strings.TrimLeft(rest, " ")) {
		return l
	}
	switch f := strings.Fields(line); {
	case strings.HasPrefix(word, "$") && strings.HasPrefix(rest, "= "):
		return look{lang: "ps1", weight: 3}
	case f[0] == "import" && len(f) == 2 && !strings.ContainsAny(line, "'\"{"):
		return look{lang: "py", weight: 3}
	case assigned && name != "" && value != "" && name == strings.ToUpper(name):
		return look{lang: "sh", weight: 1}
	}
	return best
}

// argument reports whether a text begins as an argument of a command does and a sentence
// does not.
func argument(rest string) bool {
	word, _, _ := strings.Cut(rest, " ")
	return word != "" && (strings.IndexByte("-/$~\"'.<>|=([", word[0]) >= 0 || strings.ContainsAny(word[:len(word)-1], "./=$"))
}

// sentence reports whether a line is prose: it ends as sentences do, after words.
func sentence(line string) bool {
	if strings.IndexByte(".!?:", line[len(line)-1]) < 0 {
		return false
	}
	words := 0
	for word := range strings.FieldsSeq(line) {
		if strings.IndexFunc(word, func(c rune) bool { return !isLetter(c) && c != ',' && c != '.' && c != '\'' }) < 0 {
			words++
		}
	}
	return words >= 5
}
