package coreutils

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// timeField is one directive of a time format.
type timeField struct {
	pad    byte // 0, '-', '_' or '0'
	upper  bool
	swap   bool
	width  int // 0: as usual
	colons int
	verb   byte // 0: the format ended
}

// readField reads the directive that a text begins with.
func readField(text string) (f timeField, used int) {
	i := 1
	for ; i < len(text) && strings.IndexByte("-_0^#", text[i]) >= 0; i++ {
		switch text[i] {
		case '^':
			f.upper = true
		case '#':
			f.swap = true
		default:
			f.pad = text[i]
		}
	}
	for ; i < len(text) && isDigit(text[i]); i++ {
		f.width = min(f.width*10+int(text[i]-'0'), 1<<20)
	}
	for ; i < len(text) && text[i] == ':'; i++ {
		f.colons++
	}
	if i < len(text) {
		f.verb = text[i]
		i++
	}
	return f, i
}

// text writes the field; false if it is not supported.
func (f timeField) text(t time.Time) (string, bool) {
	if f.colons > 0 && f.verb != 'z' || f.colons > 3 {
		return "", false
	}
	if s, ok := f.name(t); ok {
		return s, true
	}
	if s, ok := f.numeric(t); ok {
		return s, true
	}
	return f.composed(t)
}

// name writes fields of letters.
func (f timeField) name(t time.Time) (string, bool) {
	s := ""
	switch f.verb {
	case 'a':
		s = t.Format("Mon")
	case 'A':
		s = t.Format("Monday")
	case 'b', 'h':
		s = t.Format("Jan")
	case 'B':
		s = t.Format("January")
	case 'p':
		if s = t.Format("PM"); f.swap {
			s = strings.ToLower(s)
		}
	case 'P':
		s = t.Format("pm")
	case 'Z':
		if s, _ = t.Zone(); f.swap {
			s = strings.ToLower(s)
		}
	case 'n':
		s = "\n"
	case 't':
		s = "\t"
	case '%':
		s = "%"
	default:
		return "", false
	}
	if f.upper || f.swap && strings.IndexByte("aAbBh", f.verb) >= 0 {
		s = strings.ToUpper(s)
	}
	return f.fill(s, ' '), true
}

// fill brings text to the width.
func (f timeField) fill(s string, pad byte) string {
	if f.pad == '0' {
		pad = '0'
	}
	if f.pad == '-' {
		return s
	}
	return strings.Repeat(string(rune(pad)), max(0, f.width-len(s))) + s
}

// numeric writes fields of one number.
func (f timeField) numeric(t time.Time) (string, bool) {
	isoYear, isoWeek := t.ISOWeek()
	weekday := int(t.Weekday())
	digit := func(n, width int) (string, bool) { return f.digits(n, width, '0'), true }
	switch f.verb {
	case 'Y':
		return digit(t.Year(), 4)
	case 'C':
		return digit(t.Year()/100, 2)
	case 'y':
		return digit(t.Year()%100, 2)
	case 'G':
		return digit(isoYear, 4)
	case 'g':
		return digit(isoYear%100, 2)
	case 'V':
		return digit(isoWeek, 2)
	case 'm':
		return digit(int(t.Month()), 2)
	case 'd':
		return digit(t.Day(), 2)
	case 'e':
		return f.digits(t.Day(), 2, ' '), true
	case 'j':
		return digit(t.YearDay(), 3)
	case 'H':
		return digit(t.Hour(), 2)
	case 'k':
		return f.digits(t.Hour(), 2, ' '), true
	case 'I':
		return digit((t.Hour()+11)%12+1, 2)
	case 'l':
		return f.digits((t.Hour()+11)%12+1, 2, ' '), true
	case 'M':
		return digit(t.Minute(), 2)
	case 'S':
		return digit(t.Second(), 2)
	case 's':
		return digit(int(t.Unix()), 1)
	case 'u':
		return digit((weekday+6)%7+1, 1)
	case 'w':
		return digit(weekday, 1)
	case 'U':
		return digit((t.YearDay()+6-weekday)/7, 2)
	case 'W':
		return digit((t.YearDay()+6-(weekday+6)%7)/7, 2)
	case 'q':
		return digit((int(t.Month())+2)/3, 1)
	case 'N':
		return f.nanoseconds(t.Nanosecond()), true
	}
	return "", false
}

// digits writes a number with the padding of the directive or its own.
func (f timeField) digits(n, width int, pad byte) string {
	switch f.pad {
	case '-':
		width = 0
	case '_':
		pad = ' '
	case '0':
		pad = '0'
	}
	if f.width > 0 && f.pad != '-' {
		width = f.width
	}
	s, sign := strconv.Itoa(n), ""
	if n < 0 && pad == '0' {
		s, sign = s[1:], "-"
	}
	return sign + strings.Repeat(string(rune(pad)), max(0, width-len(s)-len(sign))) + s
}

// nanoseconds are cut, not padded, by a width below nine.
func (f timeField) nanoseconds(n int) string {
	s := fmt.Sprintf("%09d", n)
	switch {
	case f.width > 0 && f.width < 9:
		s = s[:f.width]
	case f.width > 9:
		s += strings.Repeat("0", f.width-9)
	}
	return s
}

// composed writes fields that stand for several others.
func (f timeField) composed(t time.Time) (string, bool) {
	format := ""
	switch f.verb {
	case 'c':
		format = "%a %b %e %H:%M:%S %Y"
	case 'D', 'x':
		format = "%m/%d/%y"
	case 'F':
		format = "%Y-%m-%d"
	case 'r':
		format = "%I:%M:%S %p"
	case 'R':
		format = "%H:%M"
	case 'T', 'X':
		format = "%H:%M:%S"
	case 'z':
		if f.pad != 0 || f.width != 0 {
			return "", false
		}
		return zoneOffset(t, f.colons), true
	default:
		return "", false
	}
	s := formatTime(t, format)
	if f.upper {
		s = strings.ToUpper(s)
	}
	return f.fill(s, ' '), true
}

func zoneOffset(t time.Time, colons int) string {
	_, offset := t.Zone()
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	h, m, s := offset/3600, offset/60%60, offset%60
	switch {
	case colons == 0:
		return fmt.Sprintf("%c%02d%02d", sign, h, m)
	case colons == 1 || colons == 3 && m != 0 && s == 0:
		return fmt.Sprintf("%c%02d:%02d", sign, h, m)
	case colons == 3 && m == 0 && s == 0:
		return fmt.Sprintf("%c%02d", sign, h)
	}
	return fmt.Sprintf("%c%02d:%02d:%02d", sign, h, m, s)
}
