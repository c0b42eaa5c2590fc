package document

import (
	_ "embed"
	"iter"
	"regexp"
	"strings"
	"sync"
)

// rowsOf yields the rows of a table, without comments.
func rowsOf(table string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(table) {
			if line = strings.TrimRight(line, "\n"); line != "" && !strings.HasPrefix(line, "# ") && !yield(line) {
				return
			}
		}
	}
}

//go:embed patterns.txt
var patternTable string

var patterns = sync.OnceValue(func() map[string]func() *regexp.Regexp {
	texts := map[string]string{}
	for row := range rowsOf(patternTable) {
		name, text, _ := strings.Cut(row, " ")
		if texts[name] != "" {
			text = texts[name] + "|" + text
		}
		texts[name] = text
	}
	all := map[string]func() *regexp.Regexp{}
	for name, text := range texts {
		all[name] = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
	}
	return all
})

// pattern returns a pattern of the table.
func pattern(name string) *regexp.Regexp { return patterns()[name]() }
