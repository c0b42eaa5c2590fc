package command

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
)

//go:embed effects.txt
var effectText string

// effect is a row in effects.txt. It describes what a command does if its words match the row.
type effect struct {
	kind     signal.Kind
	tags     []signal.Tag
	program  string
	patterns []pattern
}

// pattern matches a command if any of the command's words matches any of texts. If not is set,
// pattern matches if no word does.
type pattern struct {
	texts []string
	not   bool
}

// effects maps each program name to its rows in effects.txt. The key "*" holds the rows in which
// the program is a pattern.
var effects = sync.OnceValue(func() map[string][]*effect {
	table := map[string][]*effect{}
	var names []string
	for line := range strings.Lines(effectText) {
		line = strings.TrimSpace(line)
		if name, list, ok := strings.Cut(line, " = "); ok && line[0] == '@' {
			names = append(names, name, list)
		}
		head, tail, ok := strings.Cut(line, " : ")
		if !ok || line[0] == '#' {
			continue
		}
		var e effect
		for i, word := range strings.Fields(head) {
			if i == 0 {
				e.kind = signal.Kind(word)
			} else {
				e.tags = append(e.tags, signal.Tag(word))
			}
		}
		tail = strings.ReplaceAll(tail, `\ `, "\x00")
		if strings.Contains(tail, "@") {
			tail = strings.NewReplacer(names...).Replace(tail)
		}
		programs, words, _ := strings.Cut(tail, " ")
		for field := range strings.FieldsSeq(words) {
			e.patterns = append(e.patterns, readPattern(strings.ReplaceAll(field, "\x00", " ")))
		}
		for name := range strings.SplitSeq(strings.ToLower(programs), "|") {
			row := e
			row.program = name
			if strings.Contains(name, "*") {
				name = "*"
			}
			table[name] = append(table[name], &row)
		}
	}
	return table
})

func readPattern(field string) (p pattern) {
	field, p.not = strings.CutPrefix(field, "!")
	for text := range strings.SplitSeq(field, "|") {
		if len(text) > 3 {
			text = strings.ToLower(text)
		}
		p.texts = append(p.texts, text)
	}
	return p
}

// eachEffect calls do for each row that matches a command, and passes it the word that matched the
// row's last pattern. words excludes the program itself. If exactName is set, eachEffect skips rows
// in which the program is a pattern.
func eachEffect(name string, words []string, exactName bool, do func(e *effect, word string)) {
	rows := effects()[name]
	if !exactName {
		rows = append(slices.Clip(rows), effects()["*"]...)
	}
	lower := make([]string, len(words))
	for i, w := range words {
		lower[i] = strings.ToLower(strings.Trim(w, `"'`))
	}
	all := strings.Join(lower, " ") + "  "
	// Short patterns are case-sensitive.
	lower = append(lower, words...)
	for _, e := range rows {
		if !known.Glob(e.program, name) {
			continue
		}
		if word, ok := e.matches(lower, all); ok {
			do(e, word)
		}
	}
}

// matches reports whether all patterns match, and returns the word that matched
// the last pattern. all contains every word in the command.
func (e *effect) matches(words []string, all string) (word string, ok bool) {
	for _, p := range e.patterns {
		found := slices.ContainsFunc(p.texts, func(text string) bool {
			if whole, ok := strings.CutPrefix(text, "~"); ok && whole != "" && strings.IndexAny(whole, "/:") != 0 {
				return strings.Contains(all, whole)
			}
			at := slices.IndexFunc(words, func(w string) bool { return known.Glob(text, w) })
			if at >= 0 && !p.not {
				word = words[at]
			}
			return at >= 0
		})
		if found == p.not {
			return "", false
		}
	}
	return word, true
}
