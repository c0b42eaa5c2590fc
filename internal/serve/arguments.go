package serve

import (
	"slices"
	"strings"
	"unicode"

	"github.com/vadehq/vade/internal/catalog"
)

// argument is one argument of a prompt.
type argument struct {
	name, description string
	required          bool
	// values are those that it can have, where the hint lists them.
	values []string
	// rest: it is all that is typed, or all behind the ones before it.
	rest bool
}

// wholeLine is the argument of what declares none: all that one would type behind
// the name.
const wholeLine = "arguments"

// argumentsOf returns the arguments that a definition declares: by its field
// "arguments", or else by a hint that consists of words in brackets, <that> has to
// be given and [that] has not. Any other hint describes the whole line.
func argumentsOf(names []string, hint string) []argument {
	if len(names) > 0 {
		list := make([]argument, len(names))
		for i, n := range names {
			list[i] = argument{name: n}
		}
		describe(list, hint)
		return list
	}
	if list, ok := parseHint(hint); ok {
		return list
	}
	return []argument{{name: wholeLine, description: hint, rest: true}}
}

// describe takes over from a hint what it says of arguments that are declared:
// which can be left out, and their values. The hint has to name as many.
func describe(list []argument, hint string) {
	parsed, ok := parseHint(hint)
	for i := range list {
		if ok && len(parsed) == len(list) {
			p := parsed[i]
			list[i].description, list[i].required, list[i].values = p.description, p.required, p.values
		} else {
			list[i].description = hint
		}
	}
}

// maxArguments bounds what a hint is taken for.
const maxArguments = 16

// parseHint reads a hint that is nothing but words in brackets: "[file] <level>",
// "[a|b|c]", "<name...>". ok is false for any other.
func parseHint(hint string) (list []argument, ok bool) {
	rest := strings.TrimSpace(hint)
	for rest != "" {
		closing, there := map[byte]string{'[': "]", '<': ">"}[rest[0]]
		if !there || len(list) == maxArguments {
			return nil, false
		}
		inner, after, found := strings.Cut(rest[1:], closing)
		if !found || strings.ContainsAny(inner, "[]<>") {
			return nil, false
		}
		a, usable := hinted(inner)
		if !usable || slices.ContainsFunc(list, func(b argument) bool { return b.name == a.name || b.rest }) {
			return nil, false
		}
		a.required = closing == ">"
		if strings.HasPrefix(after, "...") || strings.HasPrefix(after, "…") {
			a.rest, after = true, strings.TrimPrefix(strings.TrimPrefix(after, "..."), "…")
		}
		a.description = rest[:len(rest)-len(after)]
		list, rest = append(list, a), strings.TrimSpace(after)
	}
	return list, len(list) > 0
}

// hinted reads what stands in one pair of brackets.
func hinted(inner string) (argument, bool) {
	a := argument{name: strings.TrimSpace(inner)}
	for _, dots := range []string{"...", "…"} {
		if cut, ok := strings.CutSuffix(a.name, dots); ok {
			a.name, a.rest = strings.TrimSpace(cut), true
		}
	}
	if parts := strings.Split(a.name, "|"); len(parts) > 1 {
		for _, v := range parts {
			v = strings.Trim(strings.TrimSpace(v), `"'`)
			if !isWord(v) {
				return a, false
			}
			a.values = append(a.values, v)
		}
		a.name = "choice"
	}
	a.name = strings.ReplaceAll(a.name, " ", "-")
	return a, isWord(a.name)
}

func isWord(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:/", r)
	})
}

// line returns what one would type for the values of arguments. One that has no
// value ends it, but for those that stand before a given one, which are empty.
func line(declared []argument, given map[string]string) string {
	last := -1
	for i, a := range declared {
		if given[a.name] != "" {
			last = i
		}
	}
	var words []string
	tail := ""
	for _, a := range declared[:last+1] {
		if a.rest {
			tail = given[a.name]
			break
		}
		words = append(words, given[a.name])
	}
	return strings.TrimSpace(catalog.TypedArguments(words) + " " + tail)
}
