package document

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

//go:embed guess.txt
var guessTable string

// look matches a line that is typical of one language.
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

// sentence matches a line of prose: several words with sentence punctuation at the end.
var sentence = lazyregexp.New(`^(?:[\pL',.]+ ){4,}.*[.!?:]$`)

// guess returns the likely role and language of text that has no file name.
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
			part = strings.TrimSpace(part)
			i := slices.IndexFunc(looks(), func(l look) bool { return l.line.MatchString(part) })
			if i < 0 || sentence().MatchString(part) {
				continue
			}
			lang := looks()[i].lang
			if votes[lang]++; votes[lang] > votes[best] {
				best = lang
			}
		}
	}
	// Prose about commands contains some of them.
	if best != "" && votes[best]*4 > lines {
		return signal.Script, best
	}
	return signal.Document, "md"
}
