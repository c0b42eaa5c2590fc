// Package lazyregexp compiles regular expressions on first use, so Vade does not compile all of
// them at startup.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the compiled expression. The function panics on first use if
// the expression is invalid. It may be called concurrently.
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
