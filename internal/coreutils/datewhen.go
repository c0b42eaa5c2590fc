package coreutils

import (
	"strconv"
	"strings"
	"time"
)

// when is a time as date -d takes it: a date and a time of day, or those of
// now, and steps from there.
type when struct {
	epoch               *time.Time
	date                []int // year, month, day
	clock               []int // hour, minute, second, nanosecond
	zone                *time.Location
	weekday             int // -1: none
	ordinal             int // which such weekday
	years, months, days int
	rest                time.Duration
	stepped             bool
}

// parseWhen reads the text of date -d, of which it knows the forms whose
// meaning does not depend on guesses.
func parseWhen(text string) (*when, bool) {
	if len(text) > 200 {
		return nil, false
	}
	w := &when{weekday: -1}
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(text, ",", " ")))
	for i := 0; i < len(words); {
		used := w.take(words[i:])
		if used == 0 {
			return nil, false
		}
		i += used
	}
	if w.epoch != nil && len(words) > 1 {
		return nil, false
	}
	return w, len(words) > 0
}

// take reads what the words begin with and answers how many they are.
func (w *when) take(words []string) int {
	word := words[0]
	if day, clock, ok := strings.Cut(word, "t"); ok && len(day) == 10 && isDigit(day[0]) {
		if w.takeDate(day) && w.takeClock(clock) {
			return 1
		}
		return 0
	}
	switch {
	case word[0] == '@':
		return w.takeEpoch(word[1:])
	case isDigit(word[0]) && strings.Contains(word, ":"):
		return boolInt(w.takeClock(word))
	case isDigit(word[0]) && strings.ContainsAny(word, "-/") && w.date == nil:
		return boolInt(w.takeDate(word))
	case w.takeWord(word):
		return 1
	case w.clock != nil && w.zone == nil && !w.stepped && (word[0] == '+' || word[0] == '-'):
		zone, ok := parseZone(word)
		w.zone = zone
		return boolInt(ok)
	}
	return w.takeStep(words)
}

func (w *when) takeEpoch(text string) int {
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || w.epoch != nil || n > 1<<36 || n < -1<<36 || fraction != "" && !isDigits(fraction) || n < 0 && fraction != "" {
		return 0
	}
	nano, _ := strconv.Atoi((fraction + "000000000")[:9])
	t := time.Unix(n, int64(nano))
	w.epoch = &t
	return 1
}

func (w *when) takeWord(word string) bool {
	switch word {
	case "now", "today":
	case "yesterday":
		w.days--
	case "tomorrow":
		w.days++
	case "z", "utc", "gmt":
		if w.zone != nil || w.clock == nil {
			return false
		}
		w.zone = time.UTC
		return true
	default:
		return w.takeWeekday(word, 0)
	}
	w.stepped = true
	return true
}

func (w *when) takeWeekday(word string, ordinal int) bool {
	for d := time.Sunday; d <= time.Saturday; d++ {
		name := strings.ToLower(d.String())
		if word == name || word == name[:3] {
			if w.weekday >= 0 {
				return false
			}
			w.weekday, w.ordinal = int(d), ordinal
			return true
		}
	}
	return false
}

// takeDate reads 2006-01-02 or 2006/1/2.
func (w *when) takeDate(text string) bool {
	parts := strings.Split(strings.ReplaceAll(text, "/", "-"), "-")
	if len(parts) != 3 || len(parts[0]) != 4 || w.date != nil {
		return false
	}
	var n [3]int
	for i, p := range parts {
		if !isDigits(p) || i > 0 && len(p) > 2 {
			return false
		}
		n[i], _ = strconv.Atoi(p)
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], 0, 0, 0, 0, time.UTC)
	if n[1] < 1 || n[1] > 12 || t.Day() != n[2] {
		return false
	}
	w.date = n[:]
	return true
}

// takeClock reads 15:04, 15:04:05 and 15:04:05.6, with a zone behind it.
func (w *when) takeClock(text string) bool {
	end := strings.IndexAny(text, "z+-")
	if end >= 0 {
		zone, ok := parseZone(text[end:])
		if !ok || w.zone != nil {
			return false
		}
		w.zone, text = zone, text[:end]
	}
	text, fraction, dotted := strings.Cut(text, ".")
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > 3 || w.clock != nil || dotted && (len(parts) < 3 || !isDigits(fraction)) {
		return false
	}
	n := [4]int{}
	for i, p := range parts {
		if !isDigits(p) || len(p) > 2 {
			return false
		}
		n[i], _ = strconv.Atoi(p)
	}
	n[3], _ = strconv.Atoi((fraction + "000000000")[:9])
	w.clock = n[:]
	return n[0] < 24 && n[1] < 60 && n[2] < 60
}

func parseZone(text string) (*time.Location, bool) {
	if text == "z" {
		return time.UTC, true
	}
	digits := strings.Replace(text[1:], ":", "", 1)
	if !isDigits(digits) || len(digits) != 4 {
		return nil, false
	}
	h, _ := strconv.Atoi(digits[:2])
	m, _ := strconv.Atoi(digits[2:])
	offset := h*3600 + m*60
	if text[0] == '-' {
		offset = -offset
	}
	return time.FixedZone("", offset), h < 24 && m < 60
}

// takeStep reads "3 days ago", "+1 week", "- 2 hours", "next month", "last
// monday" or "day".
func (w *when) takeStep(words []string) int {
	used, n := 0, 1
	word := words[0]
	if (word == "+" || word == "-") && len(words) > 1 {
		word += words[1]
		used++
	}
	digits := strings.TrimLeft(word, "+-")
	end := 0
	for end < len(digits) && isDigit(digits[end]) {
		end++
	}
	switch {
	case len(word)-len(digits) > 1:
		return 0
	case end > 0:
		n, _ = strconv.Atoi(word[:len(word)-len(digits)+end])
		if end > 6 {
			return 0
		}
		word = digits[end:]
		used++
	case word == "next" || word == "last" || word == "this":
		n = map[string]int{"next": 1, "last": -1, "this": 0}[word]
		word = ""
		used++
		if len(words) > used && w.takeWeekday(words[used], n) {
			return used + 1
		}
	case len(word) != len(digits):
		return 0
	default:
		used++
	}
	if end > 0 && word == "" || words[0] == "next" || words[0] == "last" || words[0] == "this" {
		if used >= len(words) {
			return 0
		}
		word = words[used]
		used++
	}
	if used < len(words) && words[used] == "ago" {
		n = -n
		used++
	}
	if !w.step(n, strings.TrimSuffix(word, "s")) {
		return 0
	}
	return used
}

func (w *when) step(n int, unit string) bool {
	switch unit {
	case "year":
		w.years += n
	case "month":
		w.months += n
	case "fortnight":
		w.days += 14 * n
	case "week":
		w.days += 7 * n
	case "day":
		w.days += n
	case "hour":
		w.rest += time.Duration(n) * time.Hour
	case "minute", "min":
		w.rest += time.Duration(n) * time.Minute
	case "second", "sec":
		w.rest += time.Duration(n) * time.Second
	default:
		return false
	}
	w.stepped = true
	return true
}

// from gives the time that is meant, seen from now.
func (w *when) from(now time.Time) time.Time {
	home := now.Location()
	if w.epoch != nil {
		now = w.epoch.In(home)
	}
	zone := home
	if w.zone != nil {
		zone = w.zone
	}
	year, month, day := now.Date()
	if w.date != nil {
		year, month, day = w.date[0], time.Month(w.date[1]), w.date[2]
	}
	clock := []int{now.Hour(), now.Minute(), now.Second(), now.Nanosecond()}
	switch {
	case w.clock != nil:
		clock = w.clock
	case w.epoch == nil && (w.date != nil || w.weekday >= 0 || !w.stepped):
		clock = []int{0, 0, 0, 0}
	}
	t := time.Date(year+w.years, month+time.Month(w.months), day+w.days, clock[0], clock[1], clock[2], clock[3], zone)
	if w.weekday >= 0 && w.date == nil {
		today := int(t.Weekday())
		ordinal := w.ordinal
		if ordinal > 0 && today != w.weekday {
			ordinal--
		}
		t = t.AddDate(0, 0, (w.weekday-today+7)%7+7*ordinal)
	}
	return t.Add(w.rest).In(home)
}
