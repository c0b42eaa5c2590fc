package run

import (
	"fmt"
	"strings"

	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/shell"
)

// covered refuses a command that names a file whose current contents the approval does not cover.
// It is called for every command in a script that may need a grant, because the output of one
// command may be the input of another. Words that consist of exactly one of the request's arguments
// are exempt.
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

// FileNames returns the file names that a word may contain: the word itself
// and, for an option, its value.
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

// coveredFile refuses a name if a regular file with that name exists and the approval does not
// cover the file.
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
	return &policy.Refusal{Reason: policy.ReasonChanged, Message: fmt.Sprintf(
		"your approval does not cover %s: the file has changed, or the definition does not name it; if it has changed, run: vade trust %s", name, shell.ForShell(e.o.Context.Name))}
}
