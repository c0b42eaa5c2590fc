package hostpermission

import (
	"strings"

	"github.com/vadehq/vade/internal/pathmatch"
	"github.com/vadehq/vade/internal/shell"
)

// rule is a permission rule for the tool that runs commands. Hosts write such rules as Tool,
// Tool(*), Tool(words:*), Tool(words *), Tool(text with *) or Tool(text). Hosts compare a rule with
// the command's text, whereas package policy compares words.
type rule struct {
	text string
	// whole is set if the rule applies to all commands.
	whole bool
	// pattern is the part in parentheses, without the trailing wildcard if prefix is set.
	pattern string
	prefix  bool
}

// maxRules is the maximum number of rules in a list.
const maxRules = 4096

// readRules parses the rules in list that apply to the tool.
func readRules(tool string, list []string, values map[string]string) []rule {
	var rules []rule
	for _, s := range list[:min(len(list), maxRules)] {
		if r, ok := readRule(tool, strings.TrimSpace(s), values); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

// readRule parses a rule. It returns false if the rule is invalid or for another tool. It replaces
// ${NAME} with its value. If the name has no value, ${NAME} is kept, so the rule matches no
// command.
func readRule(tool, s string, values map[string]string) (rule, bool) {
	r := rule{text: s}
	rest, ok := strings.CutPrefix(s, tool)
	if !ok {
		return rule{}, false
	}
	if rest == "" || rest == "()" || rest == "(*)" {
		r.whole = true
		return r, true
	}
	if len(rest) < 3 || rest[0] != '(' || rest[len(rest)-1] != ')' {
		return rule{}, false
	}
	r.pattern = expand(rest[1:len(rest)-1], values)
	if p, ok := strings.CutSuffix(r.pattern, ":*"); ok && p != "" {
		r.pattern, r.prefix = p, true
	} else if p, ok := strings.CutSuffix(r.pattern, " *"); ok && p != "" && !strings.Contains(p, "*") {
		r.pattern, r.prefix = p, true
	}
	return r, true
}

// expand replaces ${NAME} with its value.
func expand(s string, values map[string]string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "${")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		end := strings.IndexAny(rest, "}$")
		value, ok := "", false
		if end > 0 && rest[end] == '}' {
			value, ok = values[rest[:end]]
		}
		if s = rest; !ok {
			b.WriteString("${")
			continue
		}
		b.WriteString(value)
		s = rest[end+1:]
	}
}

// exact reports whether the rule matches only one exact command text.
func (r rule) exact() bool { return !r.whole && !r.prefix && !strings.Contains(r.pattern, "*") }

func (r rule) match(text string) bool {
	switch {
	case r.whole:
		return true
	case r.prefix && !strings.Contains(r.pattern, "*"):
		rest, ok := strings.CutPrefix(text, r.pattern)
		return ok && (rest == "" || rest[0] == ' ')
	case r.prefix:
		return pathmatch.Star(r.pattern, text) || pathmatch.Star(r.pattern+" *", text)
	}
	return pathmatch.Star(r.pattern, text)
}

// unwrap removes wrappers, such as timeout, from the start of a command's words. clean is false if
// the command sets a variable that could change the command's effect.
func (k *check) unwrap(c shell.Simple) (clean bool, words []shell.RawWord) {
	clean = true
	for _, a := range c.Assigns {
		clean = clean && k.Assignable(a.Name)
	}
	words = c.Words
	for {
		n := k.wrapper(words)
		if n == 0 {
			return clean, words
		}
		words = words[n:]
	}
}

// wrapper returns the number of words that form a wrapper at the start of words, or 0 if there is
// none.
func (k *check) wrapper(words []shell.RawWord) int {
	if len(words) == 0 {
		return 0
	}
	var texts []string
	for _, w := range words[:min(len(words), maxWrapper)] {
		texts = append(texts, w.Text)
	}
	return min(max(k.Wrapper(texts), 0), len(words))
}

// maxWrapper is the maximum number of words in a wrapper, including its options.
const maxWrapper = 16

// maxSpellings is the maximum number of other forms of a command that are compared with a rule.
const maxSpellings = 16

// spellings returns the forms of a command that a rule may match: as written, without harmless
// variable assignments, and with each wrapper removed in turn. If all is set, it removes every
// assignment; deny and ask rules require this.
func (k *check) spellings(c shell.Simple, all bool) []string {
	list := []string{c.Text}
	for _, a := range c.Assigns {
		if !all && !k.Assignable(a.Name) {
			return list
		}
	}
	words := c.Words
	for len(list) <= maxSpellings && len(words) > 0 {
		written := make([]string, len(words))
		for i, w := range words {
			written[i] = w.Raw
		}
		list = append(list, strings.Join(written, " "))
		n := k.wrapper(words)
		if n == 0 {
			break
		}
		words = words[n:]
	}
	return list
}
