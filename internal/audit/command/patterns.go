package command

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/lazyregexp"
)

//go:embed patterns.txt
var patternText string

// patterns maps the names in patterns.txt to functions that return the regular expressions. Each
// expression is compiled when it is first used.
var patterns = sync.OnceValue(func() map[string]func() *regexp.Regexp {
	table := map[string]func() *regexp.Regexp{}
	for line := range strings.Lines(patternText) {
		if name, expression, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			table[name] = lazyregexp.New(expression)
		}
	}
	return table
})

// regex returns the regular expression with the given name in patterns.txt.
func regex(name string) *regexp.Regexp { return patterns()[name]() }
