package bundled

import (
	"fmt"
	"strings"
)

// Condition determines when a bundled definition is active by default. The zero value means always.
// A condition is written as a word, followed by alternatives separated by "|":
//
//	experimental
//	program chromium | google-chrome
//	exists ~/.config/tool/config.json | /opt/tool
//	variable TOOL_TOKEN
type Condition struct {
	// Word is experimental, program, exists or variable, or "" for always. A
	// condition with any other word is never met.
	Word string
	// Any lists the alternatives.
	Any []string
}

// Words used in conditions.
const (
	// experimental requires the user to enable the definition.
	experimental = "experimental"
	// program requires a program in PATH, exists requires a file or directory,
	// and variable requires a nonempty environment variable.
	program, exists, variable = "program", "exists", "variable"
)

// whenKey is the metadata key that contains a definition's condition.
const whenKey = "when"

// Facts answers the questions about the machine that conditions ask. Implementations must not run
// any programs.
type Facts interface {
	// Program reports whether PATH contains the program.
	Program(name string) bool
	// Exists reports whether the path exists. The path is absolute or starts with "~/".
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

// When returns the condition that a definition's keys specify.
func When(keys []Key) Condition {
	for _, k := range keys {
		if k.Name == whenKey {
			return ParseCondition(k.Value)
		}
	}
	return Condition{}
}

// Known reports whether the condition's word is known.
func (c Condition) Known() bool {
	switch c.Word {
	case "", experimental:
		return len(c.Any) == 0
	case program, exists, variable:
		return len(c.Any) > 0
	}
	return false
}

// Met reports whether the condition is met. If it is not, why explains the reason.
func (c Condition) Met(f Facts) (ok bool, why string) {
	if !c.Known() {
		return false, fmt.Sprintf("unknown condition %q", strings.TrimSpace(c.Word+" "+strings.Join(c.Any, " | ")))
	}
	if c.Word == "" {
		return true, ""
	}
	if c.Word == experimental {
		return false, "the definition is experimental"
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
