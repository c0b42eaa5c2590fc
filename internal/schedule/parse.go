// Package schedule parses requests to repeat something, converts their intervals to cron
// expressions, and runs the repetitions.
//
// The syntax and the cron expressions are the same as in the source code of one host's loop
// command. The interval is at the beginning of the text, or at its end after the word "every". If
// there is none, the interval is ten minutes.
package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vadehq/vade/internal/lazyregexp"
)

const day = 24 * time.Hour

// Life is how long a loop runs before it ends automatically. The value is the same as in the source
// code of the host that has the loop command.
const Life = 7 * day

// Usage describes the input that Parse accepts.
const Usage = "[INTERVAL] PROMPT, or PROMPT every INTERVAL"

// DefaultInterval is used if the text contains no interval.
const DefaultInterval = "10m"

// Rule identifies the rule by which the interval was found.
type Rule string

// The rules, in the order in which they are tried. The order is the same as in the source code of
// the host that has the loop command.
const (
	Leading  Rule = "leading"  // the first word is an interval such as 5m
	Trailing Rule = "trailing" // the text ends with "every 5m" or "every 5 minutes"
	Default  Rule = "default"  // the text contains no interval
)

// Plan describes the requested repetition.
type Plan struct {
	Rule Rule `json:"rule"`
	// Asked is the interval as written, such as 90m. It is "" if the text contains no interval.
	Asked string `json:"asked"`
	Interval
	// Rounded is a sentence that describes how the interval was rounded. It is "" if it was not
	// rounded.
	Rounded string `json:"rounded"`
	// Notes are sentences about the interval's limitations.
	Notes []string `json:"notes"`
	// Prompt is the rest of the text, unchanged.
	Prompt string `json:"prompt"`
}

// Interval is a time between runs that a cron expression can represent.
type Interval struct {
	// Text is the interval's short form, such as 5m, 2h or 1d.
	Text    string `json:"interval"`
	Seconds int64  `json:"seconds"`
	Cron    string `json:"cron"`
	// Cadence describes the interval in words.
	Cadence string `json:"cadence"`
}

const (
	space    = `[\s\v\x{85}\p{Z}]`
	interval = `([0-9]+)` + space + `*(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)`
)

var (
	leadingForm  = lazyregexp.New(`(?s)^([0-9]+)([smhd])(?:` + space + `(.*))?$`)
	trailingForm = lazyregexp.New(`(?is)^(?:(.*?)` + space + `+)?every` + space + `+` + interval + `$`)
	intervalForm = lazyregexp.New(`(?i)^` + interval + `$`)
)

// Parse parses text such as "5m /check-build" or "run the tests every 2 hours". The first word is
// the interval if it consists of digits and a lowercase s, m, h or d. Otherwise the text may end
// with the word "every" and an interval: digits and a unit, which may be abbreviated, singular or
// plural, in any case. Anything else after "every" is part of the prompt.
func Parse(text string) (Plan, error) {
	text = strings.TrimSpace(text)
	p := Plan{Rule: Default, Prompt: text}
	a := amount{10, 'm'}
	if m := leadingForm().FindStringSubmatch(text); m != nil {
		p.Rule, p.Prompt, a = Leading, strings.TrimSpace(m[3]), newAmount(m[1], m[2])
	} else if m := trailingForm().FindStringSubmatch(text); m != nil {
		p.Rule, p.Prompt, a = Trailing, strings.TrimSpace(m[1]), newAmount(m[2], m[3])
	}
	if p.Rule != Default {
		p.Asked = a.String()
	}
	switch {
	case p.Prompt == "" && p.Asked != "":
		return Plan{}, errors.New("the request has an interval, " + p.Asked + ", but no task to repeat")
	case p.Prompt == "":
		return Plan{}, errors.New("the request has no task to repeat")
	}
	p.Interval, p.Rounded = a.round()
	p.Notes = p.Interval.Notes()
	return p, nil
}

// ReadInterval parses an interval such as 5m or 5 minutes. sentence describes
// how the interval was rounded, or is "" if it was not.
func ReadInterval(text string) (i Interval, sentence string, ok bool) {
	m := intervalForm().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return Interval{}, "", false
	}
	i, sentence = newAmount(m[1], m[2]).round()
	return i, sentence, true
}

// ReadSpan parses a duration, such as 90s or 3 days, without rounding it. Durations are capped at
// one year. 0 does not need a unit.
func ReadSpan(text string) (time.Duration, bool) {
	m := intervalForm().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, strings.TrimSpace(text) == "0"
	}
	a := newAmount(m[1], m[2])
	unit := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': day}[a.unit]
	return time.Duration(min(a.count, int64(365*day/unit))) * unit, true
}

// amount is an interval as written.
type amount struct {
	count int64
	unit  byte // s, m, h or d
}

// newAmount parses digits and a unit. It caps counts at one billion.
func newAmount(digits, unit string) amount {
	const most = 1e9
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > most {
		n = most
	}
	return amount{n, strings.ToLower(unit)[0]}
}

func (a amount) String() string { return strconv.FormatInt(a.count, 10) + string(a.unit) }

// clean returns the intervals, in minutes, that a cron expression can represent: divisors of an
// hour, divisors of a day, and 1 to 30 whole days.
func clean() []int64 {
	list := []int64{1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720}
	for d := range int64(30) {
		list = append(list, (d+1)*24*60)
	}
	return list
}

// round returns the interval nearest to the amount that a cron expression can represent. If that
// differs from the amount, round also returns a sentence that says so. Seconds are rounded up to
// minutes, and zero becomes one minute. If two intervals are equally near, round returns the longer
// one, which causes fewer runs. The intervals and the rounding to minutes are the same as in the
// host's source code; the treatment of ties and zero is Vade's choice.
func (a amount) round() (Interval, string) {
	seconds := max(a.count, 1) * map[byte]int64{'s': 1, 'm': 60, 'h': 3600, 'd': 86400}[a.unit]
	minutes := (seconds + 59) / 60
	i := newInterval(slices.MinFunc(clean(), func(x, y int64) int {
		if d := abs(x-minutes) - abs(y-minutes); d != 0 {
			return int(d)
		}
		return int(y - x)
	}))
	if i.Seconds == seconds && a.count > 0 {
		return i, ""
	}
	return i, fmt.Sprintf("%s is rounded to %s, because cron expressions can represent only certain intervals", a, i.Text)
}

func abs(n int64) int64 { return max(n, -n) }

// newInterval returns the Interval for one of the numbers of minutes that clean returns.
func newInterval(minutes int64) Interval {
	n, unit, word, cron, at := minutes, "m", "minute", "*/%d * * * *", ""
	switch {
	case minutes >= 24*60:
		n, unit, word, cron, at = minutes/(24*60), "d", "day", "0 0 */%d * *", " at midnight, local time"
	case minutes >= 60:
		n, unit, word, cron = minutes/60, "h", "hour", "0 */%d * * *"
	}
	i := Interval{
		Text: strconv.FormatInt(n, 10) + unit, Seconds: minutes * 60,
		Cron: fmt.Sprintf(cron, n), Cadence: fmt.Sprintf("every %d %ss%s", n, word, at),
	}
	if n == 1 {
		i.Cadence = "every " + word + at
	}
	return i
}

// Notes returns sentences about the interval's limitations.
func (i Interval) Notes() []string {
	list := []string{}
	every := time.Duration(i.Seconds) * time.Second
	if every > day {
		list = append(list, "cron restarts counting days each month, so the gap before the 1st may be shorter")
	}
	if every >= Life {
		list = append(list, "a loop ends automatically after seven days, so it may run only once")
	}
	return list
}
