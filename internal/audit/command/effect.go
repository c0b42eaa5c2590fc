package command

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/signal"
)

//go:embed effects.txt
var effectText string

// effect is a row of effects.txt: what a command does if its words match.
type effect struct {
	kind     signal.Kind
	tags     []signal.Tag
	program  string
	patterns []pattern
}

// pattern is met by a command with a word that matches one of the alternatives; not: by a
// command without one.
type pattern struct {
	alternatives []alternative
	not          bool
}

// alternative is the pattern of a word, or with whole a text that all words contain. Exact: case
// matters.
type alternative struct {
	text         string
	whole, exact bool
}

// effects are the rows by the name of the program. Rows whose program is a pattern are under "*".
var effects = sync.OnceValue(func() map[string][]*effect {
	table := map[string][]*effect{}
	var names []string
	for line := range strings.Lines(effectText) {
		if name, list, ok := strings.Cut(strings.TrimSpace(line), " = "); ok && line[0] == '@' {
			names = append(names, name, list)
		}
		head, tail, ok := strings.Cut(strings.TrimSpace(line), " : ")
		if line[0] == '#' || !ok {
			continue
		}
		tail = strings.NewReplacer(names...).Replace(tail)
		words := strings.Fields(head)
		e := effect{kind: signal.Kind(words[0])}
		for _, tag := range words[1:] {
			e.tags = append(e.tags, signal.Tag(tag))
		}
		fields := strings.Fields(strings.ReplaceAll(tail, `\ `, "\x00"))
		for _, field := range fields[1:] {
			var p pattern
			if field, p.not = strings.CutPrefix(field, "!"); field == "" {
				continue
			}
			for text := range strings.SplitSeq(strings.ReplaceAll(field, "\x00", " "), "|") {
				rest, whole := strings.CutPrefix(text, "~")
				if whole = whole && rest != "" && !strings.HasPrefix(rest, "/") && rest[0] != ':'; whole {
					text = rest
				}
				exact := len(text) < 4 && text != strings.ToLower(text)
				if !exact {
					text = strings.ToLower(text)
				}
				p.alternatives = append(p.alternatives, alternative{text, whole, exact})
			}
			e.patterns = append(e.patterns, p)
		}
		for name := range strings.SplitSeq(strings.ToLower(fields[0]), "|") {
			row := e
			row.program = name
			key := name
			if strings.Contains(name, "*") {
				key = "*"
			}
			table[key] = append(table[key], &row)
		}
	}
	return table
})

// matching calls do for each row that a command matches, with the word that the last pattern matches. Words are those after the program.
func matching(name string, words []string, own bool, do func(e *effect, word string)) {
	table := effects()
	rows, others := table[name], table["*"]
	if own {
		others = nil
	}
	if len(rows) == 0 && len(words) == 0 {
		return
	}
	lower := make([]string, len(words))
	for i, w := range words {
		lower[i] = strings.ToLower(strings.Trim(w, `"'`))
	}
	all := ""
	for _, list := range [2][]*effect{rows, others} {
		for _, e := range list {
			if e.program != name && !wildcard(e.program, name) {
				continue
			}
			if all == "" {
				all = strings.Join(lower, " ")
			}
			if word, ok := e.holds(words, lower, all); ok {
				do(e, word)
			}
		}
	}
}

// holds reports whether all patterns match, and what the last one does.
func (e *effect) holds(words, lower []string, all string) (word string, ok bool) {
	for i := range e.patterns {
		p := &e.patterns[i]
		found := slices.ContainsFunc(p.alternatives, func(a alternative) bool {
			if a.whole {
				return strings.Contains(all, a.text)
			}
			list := lower
			if a.exact {
				list = words
			}
			return slices.ContainsFunc(list, func(w string) bool {
				if w != a.text && (!strings.ContainsAny(a.text, "*?[") || !wildcard(a.text, w)) {
					return false
				}
				if !p.not {
					word = w
				}
				return true
			})
		})
		if found == p.not {
			return "", false
		}
	}
	return word, true
}
