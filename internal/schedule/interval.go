package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// Life is how long a loop lives before it ends by itself. Source.
const Life = 7 * day

// Interval is a time between two runs that a cron expression can keep.
type Interval struct {
	// Text is its short form, such as 5m, 2h and 1d.
	Text string `json:"interval"`
	// Every is its length, whole minutes up to 30 days; in JSON as seconds.
	Every Seconds `json:"seconds"`
	// Cron is the expression: minute, hour, day of the month, month, day of the week.
	Cron string `json:"cron"`
	// Cadence says it in words.
	Cadence string `json:"cadence"`
}

// Seconds is a length of time that is whole seconds.
type Seconds int64

// Duration is the same length.
func (s Seconds) Duration() time.Duration { return time.Duration(s) * time.Second }

// amount is an interval as it was written.
type amount struct {
	// count is at most maxCount; digits are what was written.
	count  int64
	digits string
	unit   byte // s, m, h or d
}

// maxCount is more of any unit than there is an expression for, and few enough that
// as many days, in minutes, are no overflow.
const maxCount = 1 << 40

// maxDigits bounds how much of a number is shown.
const maxDigits = 30

// unitOf returns the unit of a name in lower case, with words also of a whole word, and
// 0 for any other.
func unitOf(name string, words bool) byte {
	switch name {
	case "s", "m", "h", "d":
		return name[0]
	}
	if !words {
		return 0
	}
	switch name {
	case "sec", "secs", "second", "seconds":
		return 's'
	case "min", "mins", "minute", "minutes":
		return 'm'
	case "hr", "hrs", "hour", "hours":
		return 'h'
	case "day", "days":
		return 'd'
	}
	return 0
}

// isNumber reports whether a text is nothing but digits.
func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// readWord reads digits and a unit in one word. Where words are known, their case and
// that of the letters does not matter.
func readWord(text string, words bool) (amount, bool) {
	name := strings.TrimLeft(text, "0123456789")
	return readAmount(text[:len(text)-len(name)], name, words)
}

func readAmount(number, name string, words bool) (amount, bool) {
	if words {
		name = strings.ToLower(name)
	}
	unit := unitOf(name, words)
	if !isNumber(number) || unit == 0 {
		return amount{}, false
	}
	a := amount{digits: strings.TrimLeft(number, "0"), unit: unit}
	if a.digits == "" {
		a.digits = "0"
	}
	// The only error is that of a number too large.
	n, err := strconv.ParseInt(a.digits, 10, 64)
	if err != nil {
		n = maxCount
	}
	a.count = min(n, maxCount)
	return a, true
}

// String is the short form.
func (a amount) String() string {
	if len(a.digits) > maxDigits {
		return a.digits[:maxDigits] + "…" + string(a.unit)
	}
	return a.digits + string(a.unit)
}

// clean are the intervals that an expression can keep, in minutes: what divides an
// hour, what divides a day, and days up to 30, the longest step that a month has a second time of.
func clean() []int64 {
	list := []int64{1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720}
	for d := range int64(30) {
		list = append(list, (d+1)*24*60)
	}
	return list
}

// round returns the nearest interval that an expression can keep, and what there is to
// say of it. Seconds count as the minutes that hold them, and none of a unit as one of
// it. Of two that are equally near it is the longer, which runs less often. Source for
// the table and the minutes; the longer of two is ours, as is none of another unit.
func (a amount) round() (Interval, string) {
	count, per := max(a.count, 1), int64(1)
	switch a.unit {
	case 's':
		count = (count-1)/60 + 1
	case 'h':
		per = 60
	case 'd':
		per = 24 * 60
	}
	best := nearest(count, per)
	i := newInterval(best)
	exact := a.count > 0 && count*per == best && (a.unit != 's' || a.count%60 == 0)
	if exact {
		return i, ""
	}
	why := "an expression of cron can not keep that time evenly, and this is the nearest that it can"
	if tied(count*per, best) {
		why = "an expression of cron can not keep that time evenly, and of the two nearest this runs less often"
	}
	switch whole := count * per; {
	case a.count == 0:
		why = "there has to be some time between two runs"
	case a.unit == 's' && whole == best:
		why = "a minute is the least that cron tells apart, and part of one counts as a whole"
	case whole > clean()[len(clean())-1]:
		why = "a step over the days of a month ends with the month"
	}
	return i, fmt.Sprintf("%s is rounded to %s: %s", a, i.Text, why)
}

// nearest is the clean interval in minutes that count units of per minutes are nearest
// to. What is beyond the longest is the longest.
func nearest(count, per int64) int64 {
	list := clean()
	longest := list[len(list)-1]
	if count > longest/per {
		return longest
	}
	return slices.MinFunc(list, func(a, b int64) int {
		if d := abs(a-count*per) - abs(b-count*per); d != 0 {
			return int(d)
		}
		return int(b - a)
	})
}

// tied reports whether another clean interval is as near as the best one.
func tied(asked, best int64) bool {
	return best != asked && slices.Contains(clean(), 2*asked-best)
}

func abs(n int64) int64 { return max(n, -n) }

// newInterval is one of the clean intervals, given in minutes, by the table of the
// source: a step in the field of the unit, and zeros in front of it.
func newInterval(minutes int64) Interval {
	n, unit, word, cron := minutes, "m", "minute", "*/%d * * * *"
	at := ""
	switch {
	case minutes >= 24*60:
		n, unit, word, cron, at = minutes/(24*60), "d", "day", "0 0 */%d * *", " at midnight, local time"
	case minutes >= 60:
		n, unit, word, cron = minutes/60, "h", "hour", "0 */%d * * *"
	}
	i := Interval{
		Text: strconv.FormatInt(n, 10) + unit, Every: Seconds(minutes * 60),
		Cron: fmt.Sprintf(cron, n), Cadence: fmt.Sprintf("every %d %ss%s", n, word, at),
	}
	if n == 1 {
		i.Cadence = "every " + word + at
	}
	return i
}

// Notes are sentences on what an interval does not keep.
func (i Interval) Notes() []string {
	list := []string{}
	every := i.Every.Duration()
	if every > day {
		list = append(list, "cron counts the days anew with each month, so that the gap to the 1st is shorter")
	}
	if every >= Life {
		list = append(list, "a loop ends by itself after seven days, so that it may not run a second time")
	}
	return list
}

// ReadSpan reads a length of time, such as 90s or 3 days, as it is: nothing is rounded,
// but what is longer than a year is a year. A 0 needs no unit.
func ReadSpan(text string) (time.Duration, bool) {
	a, ok := readInterval(text)
	if !ok {
		return 0, strings.TrimSpace(text) == "0"
	}
	unit := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': day}[a.unit]
	const year = 365 * day
	if a.count > int64(year/unit) {
		return year, true
	}
	return time.Duration(a.count) * unit, true
}
