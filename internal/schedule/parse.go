// Package schedule reads how often something is to be repeated, says what a table of
// cron makes of it, and repeats it.
//
// The grammar and the table are those of the source of a host's own loop: an interval
// in front, or "every" and an interval at the end, or ten minutes. What that source
// leaves open is decided here and said so where it is.
package schedule

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Usage is the form of what Parse reads.
const Usage = "[INTERVAL] PROMPT, or PROMPT every INTERVAL"

// DefaultInterval is in force where the text names no interval.
const DefaultInterval = "10m"

// Rule says which rule found the interval.
type Rule string

// The rules, in the order in which they are tried.
const (
	// Leading: the first word is an interval such as 5m. Source.
	Leading Rule = "leading"
	// Trailing: the text ends with "every 5m" or "every 5 minutes". Source.
	Trailing Rule = "trailing"
	// Default: no interval is named. Source.
	Default Rule = "default"
)

// Plan is what a text asks for, and what is done about it.
type Plan struct {
	// Rule says where the interval was found.
	Rule Rule `json:"rule"`
	// Asked is the interval of the text in its short form, such as 90m; empty where
	// the text names none. Zeros in front are left out, and more than 30 digits cut.
	Asked string `json:"asked"`
	Interval
	// Rounded is a sentence on what was made of an interval that no expression can
	// keep, and empty where nothing had to be.
	Rounded string `json:"rounded"`
	// Notes are sentences on what may not be as the text means it.
	Notes []string `json:"notes"`
	// Prompt is what is to be done, as it stands in the text: a part of it, without
	// the white space around.
	Prompt string `json:"prompt"`
}

// UsageError is a text that asks for nothing to be done.
type UsageError struct {
	// Asked is the interval that the text has; empty where it has none.
	Asked string
}

// Error says what is missing.
func (e *UsageError) Error() string {
	if e.Asked != "" {
		return "there is the interval " + e.Asked + ", and nothing to do at it"
	}
	return "there is nothing to repeat"
}

// Parse reads a text such as "5m /check-build" or "run the tests every 2 hours". The
// first word is the interval if it is digits and one of s, m, h and d, in lower case.
// Otherwise the text may end with the word "every" and an interval: digits, and a unit
// behind them at once or as the next word, in short, singular or plural and in any case.
// Whatever else stands behind "every" is part of the prompt. Any error is a *UsageError.
func Parse(text string) (Plan, error) {
	text = strings.TrimSpace(text)
	p := Plan{Rule: Default, Prompt: text, Notes: []string{}}
	a, _ := readWord(DefaultInterval, false)
	if first, rest := cutWord(text); first != "" {
		if lead, ok := readWord(first, false); ok {
			p.Rule, p.Prompt, a = Leading, strings.TrimSpace(rest), lead
		} else if prompt, tail, ok := cutEvery(text); ok {
			p.Rule, p.Prompt, a = Trailing, prompt, tail
		} else if note := nearly(text); note != "" {
			p.Notes = append(p.Notes, note)
		}
	}
	if p.Rule != Default {
		p.Asked = a.String()
	}
	if p.Prompt == "" {
		return Plan{}, &UsageError{Asked: p.Asked}
	}
	p.Interval, p.Rounded = a.round()
	p.Notes = append(p.Notes, p.Interval.Notes()...)
	return p, nil
}

// ReadInterval reads an interval alone: 5m, or in words, 5 minutes. The sentence says
// what was rounded, and is empty where nothing was.
func ReadInterval(text string) (i Interval, sentence string, ok bool) {
	a, ok := readInterval(text)
	if !ok {
		return Interval{}, "", false
	}
	i, sentence = a.round()
	return i, sentence, true
}

// readInterval reads an interval that has nothing around it, in one word or in two.
func readInterval(text string) (amount, bool) {
	number, name := cutWord(strings.TrimSpace(text))
	if name == "" {
		return readWord(number, true)
	}
	return readAmount(number, strings.TrimSpace(name), true)
}

// cutWord divides a text behind its first word.
func cutWord(text string) (word, rest string) {
	if at := strings.IndexFunc(text, unicode.IsSpace); at >= 0 {
		return text[:at], text[at:]
	}
	return text, ""
}

// lastWord divides a text before its last word.
func lastWord(text string) (rest, word string) {
	at := strings.LastIndexFunc(text, unicode.IsSpace)
	if at < 0 {
		return "", text
	}
	_, size := utf8.DecodeRuneInString(text[at:])
	return strings.TrimRightFunc(text[:at], unicode.IsSpace), text[at+size:]
}

// cutEvery takes "every" and an interval from the end of a text.
func cutEvery(text string) (prompt string, a amount, ok bool) {
	rest, last := lastWord(text)
	before, word := lastWord(rest)
	if strings.EqualFold(word, "every") {
		if a, ok = readWord(last, true); ok {
			return before, a, true
		}
	}
	before, every := lastWord(before)
	if !strings.EqualFold(every, "every") {
		return "", amount{}, false
	}
	a, ok = readAmount(word, last, true)
	return before, a, ok
}

// nearlyLeading is the interval that the beginning of a text looks like without being
// one: it has "every" in front, its unit in words, in capitals or as the next word, or a
// mark behind it. Ours, as is what is said of it.
func nearlyLeading(text string) (amount, bool) {
	const marks = ".,;:!?"
	first, rest := cutWord(text)
	if strings.EqualFold(first, "every") {
		first, rest = cutWord(strings.TrimSpace(rest))
	}
	if a, ok := readWord(strings.TrimRight(first, marks), true); ok {
		return a, true
	}
	second, _ := cutWord(strings.TrimSpace(rest))
	return readAmount(first, strings.TrimRight(second, marks), true)
}

// nearly says why a text that has something like an interval in front or at its end has
// none: that in front is written otherwise, that at the end has no number, or a full stop
// behind it.
func nearly(text string) string {
	if a, ok := nearlyLeading(text); ok {
		return fmt.Sprintf("the text begins with what looks like an interval, but is part of the prompt; for that one, write %s in front", a)
	}
	bare := strings.TrimRight(text, ".,;:!?")
	rest, unit := lastWord(bare)
	_, word := lastWord(rest)
	if unitOf(strings.ToLower(unit), true) != 0 && strings.EqualFold(word, "every") {
		return "what stands behind the last \"every\" has no number, so it is part of the prompt; write it as in: every 1 hour"
	}
	if _, _, ok := cutEvery(bare); ok && bare != text {
		return "a mark stands behind the interval at the end, so it is part of the prompt; leave the mark out"
	}
	return ""
}
