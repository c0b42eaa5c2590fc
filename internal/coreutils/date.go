package coreutils

import (
	"bufio"
	"slices"
	"strconv"
	"strings"
	"time"
)

func isoFormats() map[string]string {
	return map[string]string{
		"": "%Y-%m-%d", "date": "%Y-%m-%d", "hours": "%Y-%m-%dT%H%:z", "minutes": "%Y-%m-%dT%H:%M%:z", "seconds": "%Y-%m-%dT%H:%M:%S%:z",
	}
}

func date(p *parsed) (*Prepared, error) {
	format, formats := "%a %b %e %H:%M:%S %Z %Y", 0
	for _, o := range p.options {
		switch o.id {
		case "R":
			format = "%a, %d %b %Y %H:%M:%S %z"
			formats++
		case "I":
			var ok bool
			if format, ok = isoFormats()[o.value]; !ok {
				return nil, usage(o.word, "unsupported value %q", o.value)
			}
			formats++
		}
	}
	for _, o := range p.operands {
		f, ok := strings.CutPrefix(o.Name, "+")
		if !ok {
			return nil, usage(o.Word, "only +FORMAT is allowed; setting the clock is not supported")
		}
		if _, unsupported := formatTime(time.Time{}, f); unsupported != "" || len(f) > 4096 {
			return nil, usage(o.Word, "unsupported format %q", unsupported)
		}
		format = f
		formats++
	}
	if formats > 1 {
		return nil, usage(0, "multiple output formats specified")
	}
	text, given := p.value("d")
	if _, ok := parseWhen(text, time.Time{}); given && !ok {
		return nil, usage(p.options[slices.IndexFunc(p.options, func(o option) bool { return o.id == "d" })].word, "unsupported date %q", text)
	}
	return writes(func(x *IO, out *bufio.Writer) int {
		now := x.now()
		if p.has("u") {
			now = now.UTC()
		}
		if given {
			now, _ = parseWhen(text, now)
		}
		line, _ := formatTime(now, format)
		out.WriteString(line + "\n")
		return 0
	}), nil
}

// formatTime formats a time with a strftime format. wrong is a directive that is not supported.
func formatTime(t time.Time, format string) (text, unsupported string) {
	var b strings.Builder
	for {
		plain, rest, found := strings.Cut(format, "%")
		b.WriteString(plain)
		if !found {
			return b.String(), ""
		}
		flags, after := cutSet(rest, "-_0^:")
		if after == "" || len(flags) > 1 {
			return "", "%" + flags
		}
		s, ok := timeField(t, after[0], flags)
		if !ok {
			return "", "%" + flags + after[:1]
		}
		b.WriteString(s)
		format = after[1:]
	}
}

// timeField formats one directive. flag is "", "-" (no padding), "_" (spaces), "0" (zeros), "^"
// (uppercase) or ":" for %:z.
func timeField(t time.Time, verb byte, flag string) (string, bool) {
	layouts := map[byte]string{
		'a': "Mon", 'A': "Monday", 'b': "Jan", 'h': "Jan", 'B': "January", 'p': "PM", 'P': "pm", 'Z': "MST",
		'c': "Mon Jan _2 15:04:05 2006", 'D': "01/02/06", 'x': "01/02/06", 'F': "2006-01-02", 'r': "03:04:05 PM",
		'R': "15:04", 'T': "15:04:05", 'X': "15:04:05", 'z': "-0700",
	}
	if flag == ":" {
		return t.Format("-07:00"), verb == 'z'
	}
	if layout, ok := layouts[verb]; ok {
		s := t.Format(layout)
		if flag == "^" {
			s = strings.ToUpper(s)
		}
		return s, true
	}
	isoYear, isoWeek := t.ISOWeek()
	weekday, hour12 := int(t.Weekday()), (t.Hour()+11)%12+1
	n, width, pad := 0, 2, "0"
	switch verb {
	case '%':
		return "%", true
	case 'n':
		return "\n", true
	case 't':
		return "\t", true
	case 'Y':
		n, width = t.Year(), 4
	case 'C':
		n = t.Year() / 100
	case 'y':
		n = t.Year() % 100
	case 'G':
		n, width = isoYear, 4
	case 'V':
		n = isoWeek
	case 'm':
		n = int(t.Month())
	case 'd':
		n = t.Day()
	case 'e':
		n, pad = t.Day(), " "
	case 'j':
		n, width = t.YearDay(), 3
	case 'H':
		n = t.Hour()
	case 'k':
		n, pad = t.Hour(), " "
	case 'I':
		n = hour12
	case 'l':
		n, pad = hour12, " "
	case 'M':
		n = t.Minute()
	case 'S':
		n = t.Second()
	case 's':
		n, width = int(t.Unix()), 1
	case 'N':
		n, width = t.Nanosecond(), 9
	case 'u':
		n, width = (weekday+6)%7+1, 1
	case 'w':
		n, width = weekday, 1
	case 'q':
		n, width = (int(t.Month())+2)/3, 1
	default:
		return "", false
	}
	switch flag {
	case "-":
		width = 0
	case "_":
		pad = " "
	case "0":
		pad = "0"
	}
	s := strconv.Itoa(n)
	return strings.Repeat(pad, max(0, width-len(s))) + s, true
}

// parseWhen parses the value of date -d: @SECONDS, or a day (2026-03-04, today, yesterday,
// tomorrow), a time of day, and offsets such as "2 days ago", "+1 week" and "last month".
func parseWhen(text string, now time.Time) (time.Time, bool) {
	if seconds, ok := strings.CutPrefix(text, "@"); ok {
		n, err := strconv.ParseInt(seconds, 10, 40)
		return time.Unix(n, 0).In(now.Location()), err == nil
	}
	words := strings.Fields(strings.ToLower(strings.Replace(text, "T", " ", 1)))
	t, some := now, len(words) > 0
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if day, err := time.ParseInLocation("2006-01-02", word, now.Location()); err == nil {
			t = day
			continue
		}
		if strings.Contains(word, ":") {
			at, err := time.Parse("15:04:05", word)
			if err != nil {
				at, err = time.Parse("15:04", word)
			}
			if err != nil {
				return t, false
			}
			t = time.Date(t.Year(), t.Month(), t.Day(), at.Hour(), at.Minute(), at.Second(), 0, now.Location())
			continue
		}
		n, unit := 0, word
		sign, digits := cutSet(word, "+-")
		digits, rest := cutSet(digits, "0123456789")
		switch {
		case word == "now" || word == "today":
			unit = "day"
		case word == "yesterday":
			n, unit = -1, "day"
		case word == "tomorrow":
			n, unit = 1, "day"
		case word == "last" && len(words) > 0:
			n, unit, words = -1, words[0], words[1:]
		case word == "next" && len(words) > 0:
			n, unit, words = 1, words[0], words[1:]
		case digits != "" && len(digits) < 7 && len(sign) < 2:
			n, _ = strconv.Atoi(sign + digits)
			if unit = rest; unit == "" && len(words) > 0 {
				unit, words = words[0], words[1:]
			}
		default:
			return t, false
		}
		if len(words) > 0 && words[0] == "ago" {
			n, words = -n, words[1:]
		}
		switch strings.TrimSuffix(unit, "s") {
		case "year":
			t = t.AddDate(n, 0, 0)
		case "month":
			t = t.AddDate(0, n, 0)
		case "week":
			t = t.AddDate(0, 0, 7*n)
		case "day":
			t = t.AddDate(0, 0, n)
		case "hour":
			t = t.Add(time.Duration(n) * time.Hour)
		case "minute", "min":
			t = t.Add(time.Duration(n) * time.Minute)
		case "second", "sec":
			t = t.Add(time.Duration(n) * time.Second)
		default:
			return t, false
		}
	}
	return t, some
}
