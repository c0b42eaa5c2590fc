package bundled

import (
	"fmt"
	"strings"
)

// Condition says when a bundled definition is in force by itself. The zero value is
// always. As text it is a word, and for the facts behind it what is looked for, with
// "|" between several of which one is enough:
//
//	experimental
//	program chromium | google-chrome
//	exists ~/.config/tool/config.json | /opt/tool
//	variable TOOL_TOKEN
type Condition struct {
	// Word is experimental, program, exists or variable, "" for always. Any other is a
	// condition that never holds.
	Word string
	// Any are the facts of which one is enough.
	Any []string
}

// The words of conditions.
const (
	// experimental: only where the user switches it on.
	experimental = "experimental"
	// program: a program of the name is in a directory of the PATH. exists: a file or a
	// directory is there. variable: an environment variable is set and not empty.
	program, exists, variable = "program", "exists", "variable"
)

// whenKey is the key of the condition.
const whenKey = "when"

// Facts are what conditions ask of the machine. Nothing is run for them.
type Facts interface {
	// Program reports whether a program of a name can be found.
	Program(name string) bool
	// Exists reports whether there is something at a path that is absolute or begins
	// with "~/".
	Exists(path string) bool
	// Variable reports whether an environment variable has a value.
	Variable(name string) bool
}

// ParseCondition reads a condition; "" is always.
func ParseCondition(text string) Condition {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	c := Condition{Word: word}
	for fact := range strings.SplitSeq(rest, "|") {
		if fact = strings.TrimSpace(fact); fact != "" {
			c.Any = append(c.Any, fact)
		}
	}
	return c
}

// When returns the condition among the keys of a definition.
func When(keys []Key) Condition {
	for _, k := range keys {
		if k.Name == whenKey {
			return ParseCondition(k.Value)
		}
	}
	return Condition{}
}

// Known reports whether the condition is one that can hold.
func (c Condition) Known() bool {
	switch c.Word {
	case "", experimental:
		return len(c.Any) == 0
	case program, exists, variable:
		return len(c.Any) > 0
	}
	return false
}

// Met reports whether the condition holds by itself, and says why not.
func (c Condition) Met(f Facts) (ok bool, why string) {
	if !c.Known() {
		return false, fmt.Sprintf("its condition %q is not known", strings.TrimSpace(c.Word+" "+strings.Join(c.Any, " | ")))
	}
	if c.Word == "" {
		return true, ""
	}
	if c.Word == experimental {
		return false, "it is experimental"
	}
	ask, what := f.Variable, "the environment has no %s"
	switch c.Word {
	case program:
		ask, what = f.Program, "there is no program %s"
	case exists:
		ask, what = f.Exists, "there is no %s"
	}
	for _, fact := range c.Any {
		if ask(fact) {
			return true, ""
		}
	}
	return false, fmt.Sprintf(what, strings.Join(c.Any, " or "))
}
