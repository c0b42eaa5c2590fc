package document

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

//go:embed guess.txt
var guessTable string

// look is how a line of a language looks.
type look struct {
	lang string
	line *regexp.Regexp
}

var looks = sync.OnceValue(func() (list []look) {
	for row := range rowsOf(guessTable) {
		lang, expr, _ := strings.Cut(row, " ")
		list = append(list, look{lang, regexp.MustCompile(expr)})
	}
	return list
})

// sentence is a line of prose: it ends as sentences do, after words.
var sentence = lazyregexp.New(`^(?:[\pL',.]+ ){4,}.*[.!?:]$`)

// guess says what a text that came without a name is.
func guess(text string) (signal.Role, string) {
	head := strings.TrimLeft(text[:min(len(text), 1024)], "\ufeff \t\r\n")
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
		if strings.TrimSpace(line) == "" {
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
	if line == "" || sentence().MatchString(line) {
		return ""
	}
	for _, l := range looks() {
		if l.line.MatchString(line) {
			return l.lang
		}
	}
	return ""
}
