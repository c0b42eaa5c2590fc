package document

import (
	_ "embed"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

//go:embed guess.txt
var guessTable string

// linePattern matches lines that are typical of a language.
type linePattern struct {
	lang string
	// programs holds the names of programs that can start a matching line. If it is nil, the line
	// must match the regular expression instead.
	programs map[string]bool
	expr     *regexp.Regexp
	// If needed is not empty, every matching line contains at least one of its strings.
	needed []string
}

var linePatterns = sync.OnceValue(func() (list []linePattern) {
	for row := range rowsOf(guessTable) {
		lang, expr, _ := strings.Cut(row, " ")
		if lang == "program" {
			programs := map[string]bool{}
			for name := range strings.FieldsSeq(expr) {
				programs[name] = true
			}
			list = append(list, linePattern{lang: "sh", programs: programs})
			continue
		}
		tree, _ := syntax.Parse(expr, syntax.Perl)
		list = append(list, linePattern{lang: lang, expr: regexp.MustCompile(expr), needed: needed(tree)})
	}
	return list
})

// needed returns strings such that every match of the expression contains at least one of them. It
// returns nil if it cannot find such strings. Searching for strings is much faster than matching
// the expression.
func needed(x *syntax.Regexp) (list []string) {
	switch {
	case x.Op == syntax.OpLiteral && x.Flags&syntax.FoldCase == 0:
		return []string{string(x.Rune)}
	case x.Op == syntax.OpCapture || x.Op == syntax.OpPlus:
		return needed(x.Sub[0])
	case x.Op == syntax.OpConcat:
		for _, part := range x.Sub {
			if other := needed(part); len(list) == 0 || len(other) > 0 && len(other) < len(list) {
				list = other
			}
		}
	case x.Op == syntax.OpAlternate:
		for _, choice := range x.Sub {
			other := needed(choice)
			if len(other) == 0 {
				return nil
			}
			list = append(list, other...)
		}
	}
	return list
}

// matches reports whether a line, trimmed of whitespace, looks like the language.
func (l *linePattern) matches(line string) bool {
	if l.programs == nil {
		return l.expr.MatchString(line)
	}
	first, _, _ := strings.Cut(line, " ")
	return l.programs[first[strings.LastIndexByte(first, '/')+1:]]
}

// possible reports whether text may contain a line that l matches. It is faster than matches.
func (l *linePattern) possible(text string) bool {
	return len(l.needed) == 0 || slices.ContainsFunc(l.needed, func(s string) bool { return strings.Contains(text, s) })
}

// sentence matches a line of prose: several words that end with sentence punctuation.
var sentence = lazyregexp.New(`^(?:[\pL',.]+ ){4,}.*[.!?:]$`)

// guess returns the likely role and language of text without a file name.
func guess(text string) (signal.Role, string) {
	head := strings.TrimLeft(text[:min(len(text), 1024)], "\ufeff \t\r\n")
	switch lang := signal.Interpreter(head); {
	case lang == "?":
		return signal.Script, "sh"
	case lang != "":
		return signal.Script, lang
	case strings.HasPrefix(head, `{\rtf`):
		return signal.Document, ""
	case strings.HasPrefix(head, "{") || strings.HasPrefix(head, "[{") || strings.HasPrefix(head, "[\""):
		return signal.Config, "json"
	case strings.HasPrefix(head, "<") && !strings.HasPrefix(head, "<?php"):
		return signal.Data, "html"
	}
	var possible []linePattern
	for _, l := range linePatterns() {
		if l.possible(head) {
			possible = append(possible, l)
		}
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
			i := slices.IndexFunc(possible, func(l linePattern) bool { return l.matches(part) })
			if i < 0 || sentence().MatchString(part) {
				continue
			}
			lang := possible[i].lang
			if votes[lang]++; votes[lang] > votes[best] {
				best = lang
			}
		}
	}
	// Require more than a quarter of the lines to match, because prose about commands also contains
	// some command lines.
	if best != "" && votes[best]*4 > lines {
		return signal.Script, best
	}
	return signal.Document, "md"
}
