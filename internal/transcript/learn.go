package transcript

import (
	"cmp"
	"slices"
	"strings"
)

// maxKnown is how many secrets are looked for where nothing tells that they are some.
const maxKnown = 500

// learn notes the parts of a text that was hidden which nobody would write for another
// reason: they have letters and digits, or capitals as in no word.
func (c *cleaner) learn(text string) {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || strings.ContainsRune("=:\"'{}[](),;@/?&|<>.\\$\x60", r) }) {
		if len(part) >= 6 && len(c.known) < maxKnown && unlikeWord(part) && strings.Trim(part, "0123456789-_") != "" && !slices.Contains(c.known, part) {
			c.known = append(c.known, part)
		}
	}
}

// learnAll notes the secrets of a whole session, before anything of it is shown.
func (c *cleaner) learnAll(items []Item) {
	c.learning = true
	for _, it := range items {
		if it.Message != nil {
			c.hideProse(seen(it.Message.Text))
		} else {
			c.hideCommand(seen(it.Call.Command))
			c.hideWord(seen(it.Call.URL))
		}
	}
	c.learning, c.hidden = false, 0
	slices.SortFunc(c.known, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
}

// hideKnown hides what was found to be a secret elsewhere in the session.
func (c *cleaner) hideKnown(s string) string {
	for _, k := range c.known {
		if strings.Contains(s, k) {
			s = strings.ReplaceAll(s, k, c.hide(""))
		}
	}
	return s
}
