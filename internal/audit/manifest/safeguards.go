package manifest

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

const safeguardWords = `(?:confirm|permission|approv|prompt|sandbox|guard|safety|validation|verif|polic|audit)`

// Patterns for names of settings. The first matches settings that turn off a safeguard when they
// are on, such as allow_all_tools. The second matches safeguards, such as audit_log.
var (
	disablesSafeguard = lazyregexp.New(`(?i)^(?:[a-z]+[_-])*` +
		`(?:(?:allow|grant|approve|accept|trust)[_-]?(?:all|any|every)[\w-]*` +
		`|(?:skip|bypass|disable|ignore)[_-]?[a-z_-]*` + safeguardWords + `\w*` +
		`|` + safeguardWords + `\w*[_-](?:skip|bypass|disabled))$`)
	safeguard = lazyregexp.New(`(?i)^(?:[a-z]+[_-])*` +
		`(?:(?:safe|strict|trust|restricted|secure)[_-]?mode|policy[_-]file` +
		`|(?:sandbox|enforcement|confirmations?|approvals?|audit[_-]?log|guard(?:rails?)?|permissions?` +
		`|network[_-]access)(?:[_-](?:enabled|mode|required|policy))?|require[_-](?:approval|confirmation))$`)
)

// disabledSafeguards adds a signal for a code block that turns off several of an agent's
// safeguards. A program may have a legitimate option to turn off a single one.
func disabledSafeguards(s *signal.Set, index int) {
	r := &s.Regions[index]
	if r.Medium != signal.Fence || len(r.Text) > signal.MaxFields {
		return
	}
	var found []string
	first := 0
	for at := range len(r.Text) {
		if c := r.Text[at]; c != ':' && c != '=' {
			continue
		}
		value, _, _ := strings.Cut(strings.TrimLeft(r.Text[at+1:min(len(r.Text), at+20)], ` "'`), "\n")
		value = strings.ToLower(value[:len(value)-len(strings.TrimLeft(value, wordLetters))])
		on, off := names()["on"][value], names()["off"][value]
		if !on && !off {
			continue
		}
		key := lastWord(r.Text[:at])
		if on && disablesSafeguard().MatchString(key) || off && safeguard().MatchString(key) {
			if len(found) == 0 {
				first = at - len(key)
			}
			found = append(found, strings.ToLower(key))
		}
	}
	slices.Sort(found)
	if found = slices.Compact(found); len(found) < 2 {
		return
	}
	line, _, _ := strings.Cut(r.Text[first:], "\n")
	list := strings.Join(found, ", ")
	s.Add(signal.Weaken, index, first, first+len(line), line, list, "agent-guards", "several")
}

const wordLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-*"

// lastWord returns the last word of the text, without quotes.
func lastWord(text string) string {
	text = strings.TrimRight(text[max(0, len(text)-80):], ` "'`)
	return text[len(strings.TrimRight(text, wordLetters)):]
}
