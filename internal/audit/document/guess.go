package document

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/signal"
)

//go:embed guess.txt
var guessTable string

// looks say which language a line is in: by texts with any text between them, and by first
// words; those in maybe may be English.
type looks struct {
	langs        []string
	patterns     [][]string
	first, maybe map[string]string
}

var allLooks = sync.OnceValue(func() *looks {
	all := &looks{first: map[string]string{}, maybe: map[string]string{}}
	for row := range rowsOf(guessTable) {
		lang, pattern, _ := strings.Cut(row, " ")
		kind, words, _ := strings.Cut(pattern, " ")
		into := map[string]map[string]string{"first": all.first, "maybe": all.maybe}[kind]
		if into == nil {
			all.langs, all.patterns = append(all.langs, lang), append(all.patterns, strings.Split(pattern, "*"))
			continue
		}
		for _, word := range strings.Fields(words) {
			into[word] = lang
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
	var best string
	lines := 0
	for line := range strings.Lines(head) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		lines++
		for part := range strings.SplitSeq(line, ";") {
			lang := lineLanguage(strings.TrimSpace(part))
			if votes[lang]++; lang != "" && (best == "" || votes[lang] > votes[best]) {
				best = lang
			}
		}
	}
	// Prose about commands has some in it.
	if best != "" && votes[best]*4 > lines {
		return signal.Script, best
	}
	return signal.Document, "md"
}

// lineLanguage says which language a statement is in.
func lineLanguage(line string) string {
	if line == "" || sentence(line) {
		return ""
	}
	all := allLooks()
	for i, p := range all.patterns {
		if like(line, p) {
			return all.langs[i]
		}
	}
	word, rest, _ := strings.Cut(line, " ")
	word = word[strings.LastIndexByte(word, '/')+1:]
	if argument(strings.TrimLeft(rest, " ")) && all.maybe[word] != "" {
		return all.maybe[word]
	}
	return all.first[word]
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
