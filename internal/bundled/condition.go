package bundled

import (
	"fmt"
	"strings"
)

// Condition says when a bundled definition is active by default. The zero value means
// always. Its text is a word, and alternatives separated by "|":
//
//	experimental
//	program chromium | google-chrome
//	exists ~/.config/tool/config.json | /opt/tool
//	variable TOOL_TOKEN
type Condition struct {
	// Word is experimental, program, exists or variable, or "" for always. Other words
	// never hold.
	Word string
	// Any are the alternatives.
	Any []string
}

// The words of conditions.
const (
	// experimental means that the user must enable the definition.
	experimental = "experimental"
	// program requires that PATH contains the program, exists that the file or directory exists,
	// and variable that the environment variable is set and not empty.
	program, exists, variable = "program", "exists", "variable"
)

// whenKey is the metadata key of the condition.
const whenKey = "when"

// Facts answers a condition's questions about the machine, without running anything.
type Facts interface {
	// Program reports whether PATH has the program.
	Program(name string) bool
	// Exists reports whether a path, absolute or starting with "~/", exists.
	Exists(path string) bool
	// Variable reports whether an environment variable is set and not empty.
	Variable(name string) bool
}

// ParseCondition parses a condition. "" means always.
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

// When returns the condition in a definition's keys.
func When(keys []Key) Condition {
	for _, k := range keys {
		if k.Name == whenKey {
			return ParseCondition(k.Value)
		}
	}
	return Condition{}
}

// Known reports whether the condition is valid.
func (c Condition) Known() bool {
	switch c.Word {
	case "", experimental:
		return len(c.Any) == 0
	case program, exists, variable:
		return len(c.Any) > 0
	}
	return false
}

// Met reports whether the condition holds, or why not.
func (c Condition) Met(f Facts) (ok bool, why string) {
	if !c.Known() {
		return false, fmt.Sprintf("its condition %q is unknown", strings.TrimSpace(c.Word+" "+strings.Join(c.Any, " | ")))
	}
	if c.Word == "" {
		return true, ""
	}
	if c.Word == experimental {
		return false, "it is experimental"
	}
	holds, why := f.Variable, "%s is not set"
	switch c.Word {
	case program:
		holds, why = f.Program, "program not found: %s"
	case exists:
		holds, why = f.Exists, "path not found: %s"
	}
	for _, fact := range c.Any {
		if holds(fact) {
			return true, ""
		}
	}
	return false, fmt.Sprintf(why, strings.Join(c.Any, " or "))
}
