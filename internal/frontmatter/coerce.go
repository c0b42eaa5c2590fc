package frontmatter

import (
	"strings"

	"github.com/vadehq/vade/definition"
)

// Most functions in this file convert a value to its field's type. They return the best result and
// either "" or a description of the problem, which follows the field's name in a message ("is a
// map, not a string").

// Text returns the text of a scalar. The text of null is "".
func Text(v definition.Value) (text, problem string) {
	switch v.Kind {
	case definition.List, definition.Map:
		return "", "is a " + v.Kind.String() + ", not a string"
	case definition.Null:
		return "", ""
	}
	return v.Text, ""
}

// ListAsText is the problem that [Hint] reports for a list whose brackets it restores.
const ListAsText = "is a list, not a string"

// Hint returns the text of an argument-hint. Authors write brackets that YAML parses as a list, as
// in "[file] [mode]" (88 of 790 files). Hint restores the brackets.
func Hint(v definition.Value) (text, problem string) {
	if v.Kind != definition.List {
		return Text(v)
	}
	var b strings.Builder
	for _, item := range v.Items {
		s, itemProblem := Text(item)
		if itemProblem != "" {
			problem = "contains an item that " + itemProblem
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("[" + s + "]")
	}
	if problem == "" {
		problem = ListAsText
	}
	return b.String(), problem
}

// Bool parses a boolean as Claude Code 2.1.218 and later do: true, false, yes, no, on, off, 1 or 0
// in any case, quoted or not.
func Bool(v definition.Value) (value bool, problem string) {
	s, problem := Text(v)
	if problem != "" {
		return false, "is a " + v.Kind.String() + " instead of a boolean"
	}
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "yes", "on", "1":
		return true, ""
	case "false", "no", "off", "0":
		return false, ""
	}
	return false, "is neither true nor false"
}

// StrictBool reports whether v is the YAML value true or the string "true". Claude Code 2.1.88 does
// not treat any other value as true (case m06).
func StrictBool(v definition.Value) bool {
	if v.Kind == definition.Bool {
		return strings.EqualFold(v.Text, "true")
	}
	return v.Kind == definition.String && v.Text == "true"
}

// Strings returns the words in a list, which may have any of the usual forms: a YAML list, "Read,
// Grep", "Read Grep", or a string that contains `["Read", "Grep"]`. Commas and spaces inside
// parentheses do not separate words: both "Bash(git add:*), Read" and "Bash(a, b) Read" have two
// words.
func Strings(v definition.Value) (words []string, problem string) {
	if v.Kind == definition.List || v.Kind == definition.Map {
		return items(v)
	}
	s, _ := Text(v)
	if inner, ok := bracketed(s); ok {
		return inner, ""
	}
	words = split(s, ',', "(", ")")
	if len(words) == 1 {
		words = split(s, ' ', "(", ")")
	}
	out := words[:0]
	for _, w := range words {
		if w != "-" {
			out = append(out, w)
		}
	}
	return out, ""
}

// Rules returns tool rules written in the forms that [Strings] accepts. Commas and spaces separate
// rules, even within list items, but not inside parentheses (format notes, section 3.10).
func Rules(v definition.Value) (rules []string, problem string) {
	var list []string
	s, _ := Text(v)
	if inner, ok := bracketed(s); ok {
		list = inner
	} else if v.Kind == definition.List || v.Kind == definition.Map {
		list, problem = items(v)
	} else {
		list = []string{s}
	}
	for _, item := range list {
		for _, r := range SplitRules(item) {
			if r != "-" {
				rules = append(rules, r)
			}
		}
	}
	return rules, problem
}

// Switches parses a map that turns tools on or off, as opencode documents it. only is true if "*"
// is off, which turns off all tools except those in on. ok is false if v is not such a map.
func Switches(v definition.Value) (on []string, only, ok bool) {
	if v.Kind != definition.Map || len(v.Pairs) == 0 {
		return nil, false, false
	}
	for i := range v.Pairs {
		p := &v.Pairs[i]
		switch {
		case p.Value.Kind != definition.Bool:
			return nil, false, false
		case p.Key == "*":
			only = p.Value.Text != "true"
		case p.Value.Text == "true":
			on = append(on, p.Key)
		}
	}
	return on, only, true
}

// SplitRules splits a list of rules at commas and spaces outside parentheses. It does not split at
// a space before a parenthesis: "Bash (git:*)" must not become a rule for every command.
func SplitRules(s string) []string {
	var parts []string
	start, depth := 0, 0
	add := func(end int) {
		if part := strings.TrimSpace(s[start:end]); part != "" {
			parts = append(parts, part)
		}
		start = end + 1
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '(':
			depth++
		case c == ')':
			depth = max(0, depth-1)
		case depth > 0:
		case c == ',':
			add(i)
		case isBlank(c) || isBreak(c):
			next := i
			for next < len(s) && (isBlank(s[next]) || isBreak(s[next])) {
				next++
			}
			if next == len(s) || s[next] != '(' {
				add(i)
			}
			i = next - 1
		}
	}
	add(len(s))
	return parts
}

// Globs returns file patterns from a YAML list, a comma-separated string, or a string
// that contains `["a", "b"]`. Commas inside braces, brackets and parentheses are part of
// the pattern.
func Globs(v definition.Value) (globs []string, problem string) {
	if v.Kind == definition.List || v.Kind == definition.Map {
		return items(v)
	}
	s, _ := Text(v)
	if inner, ok := bracketed(s); ok && strings.ContainsAny(s, `"'`) {
		return inner, ""
	}
	return unquoteAll(split(s, ',', "([{", ")]}")), ""
}

// items returns the text of each list item, omitting empty ones.
func items(v definition.Value) (list []string, problem string) {
	if v.Kind == definition.Map {
		return nil, "is a map, not a list"
	}
	for _, item := range v.Items {
		s, itemProblem := Text(item)
		if itemProblem != "" {
			problem = "contains an item that " + itemProblem
			continue
		}
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list, problem
}

// bracketed returns the items of a list written inside a string.
func bracketed(s string) ([]string, bool) {
	s = strings.TrimSpace(s)
	if len(s) < 2 || s[0] != '[' || s[len(s)-1] != ']' {
		return nil, false
	}
	return unquoteAll(split(s[1:len(s)-1], ',', "([{", ")]}")), true
}

func unquoteAll(list []string) []string {
	out := list[:0]
	for _, s := range list {
		if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
			s = s[1 : n-1]
		}
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// split splits s at separators outside the given brackets and drops empty parts. If sep is a space,
// split separates at any whitespace. If a bracket is not closed, split treats brackets as ordinary
// characters.
func split(s string, sep byte, open, closers string) []string {
	divide := func(nested bool) (list []string, depth int) {
		add := func(part string) {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
		start := 0
		for i := range len(s) {
			c := s[i]
			switch {
			case strings.IndexByte(open, c) >= 0 && nested:
				depth++
			case strings.IndexByte(closers, c) >= 0:
				depth = max(0, depth-1)
			case depth == 0 && (c == sep || sep == ' ' && (c == '\t' || isBreak(c))):
				add(s[start:i])
				start = i + 1
			}
		}
		add(s[start:])
		return list, depth
	}
	list, depth := divide(true)
	if depth > 0 {
		list, _ = divide(false)
	}
	return list
}
