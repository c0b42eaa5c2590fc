package run

import (
	"fmt"
	"strings"

	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/shell"
)

// covered refuses a command of a text with granted ones in it that names a file
// which the consent does not cover as it is now: what one command prints may be
// what the next one runs. What a request gives as a whole argument is the
// request's own.
func (e *execution) covered(c shell.Call) *policy.Refusal {
	if e.o.Covered == nil {
		return nil
	}
	view := e.o.View.At(c.Dir)
	for i, word := range c.Argv {
		if i > 0 && e.arguments[word] && !e.literal[word] {
			continue
		}
		names := FileNames(word)
		for _, pattern := range Manifests(word) {
			names = append(names, Expand(view, pattern)...)
		}
		for _, name := range names {
			if refusal := e.coveredFile(c.Dir, name); refusal != nil {
				return refusal
			}
		}
	}
	return nil
}

// FileNames are the names of files that a word may hold: itself, the value of a
// long option, and that of a short one.
func FileNames(word string) []string {
	names := []string{word}
	if !strings.HasPrefix(word, "-") {
		return names
	}
	if _, value, ok := strings.Cut(word, "="); ok {
		names = append(names, value)
	}
	if len(word) > 2 && word[1] != '-' {
		names = append(names, word[2:])
	}
	return names
}

// coveredFile judges one name, if there is a file of it.
func (e *execution) coveredFile(dir, name string) *policy.Refusal {
	if name == "" {
		return nil
	}
	view := e.o.View.At(dir)
	info, err := view.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	real, err := view.Real(name)
	if err == nil && e.o.Covered(real) {
		return nil
	}
	return &policy.Refusal{Reason: policy.ReasonChanged, Message: fmt.Sprintf("your consent does not cover %s: it has changed since, or its name does not stand in the definition; see: vade trust %s", name, e.o.Situation.Name)}
}
