package coreutils

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxSequence is how many numbers seq prints.
const maxSequence = 1_000_000

func seqCommand() Command {
	return Command{Name: "seq", Summary: "print a sequence of numbers", syntax: seqSyntax, prepare: prepareSeq}
}

func seqSyntax() syntax {
	return syntax{inOrder: true, flags: []flag{
		{names: "s separator", value: withValue}, {names: "w equal-width"},
		{names: "f format", value: withValue, check: func(v string) string {
			if _, ok := floatFormat(v); !ok {
				return "invalid format " + strconv.Quote(v)
			}
			return ""
		}},
	}}
}

// fixedPoint is a decimal number: units of 10^-places.
type fixedPoint struct {
	units  int64
	places int
}

func parseFixed(text string) (fixedPoint, bool) {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(text, "+"), ".")
	digits := strings.TrimPrefix(whole, "-") + fraction
	if !isDigits(digits) || len(digits) > 15 || strings.HasPrefix(text, "+-") {
		return fixedPoint{}, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if strings.HasPrefix(whole, "-") {
		n = -n
	}
	return fixedPoint{n, len(fraction)}, err == nil
}

// scale gives the units at a number of places that is not smaller.
func (f fixedPoint) scale(places int) (int64, bool) {
	for range places - f.places {
		if f.units > math.MaxInt64/100 || f.units < math.MinInt64/100 {
			return 0, false
		}
		f.units *= 10
	}
	return f.units, true
}

func (f fixedPoint) text(width int) string {
	s := strconv.FormatInt(f.units, 10)
	sign := ""
	if f.units < 0 {
		sign, s = "-", s[1:]
	}
	if f.places > 0 {
		s = strings.Repeat("0", max(0, f.places+1-len(s))) + s
		s = s[:len(s)-f.places] + "." + s[len(s)-f.places:]
	}
	return sign + strings.Repeat("0", max(0, width-len(sign)-len(s))) + s
}

// sequence is what seq prints.
type sequence struct {
	first, step, last int64
	places, width     int
	separator, format string
}

func prepareSeq(args []string) (*Prepared, error) {
	// A negative number ends the flags.
	flags := 0
	for flags < len(args) && strings.HasPrefix(args[flags], "-") && !isNegative(args[flags]) {
		switch args[flags] {
		case "-s", "-f", "--separator", "--format":
			flags++
		}
		flags = min(flags+1, len(args))
	}
	p, err := seqSyntax().parse(args[:flags])
	if err != nil {
		return nil, err
	}
	p.rest(args, flags)
	s, err := readSequence(p)
	if err != nil {
		return nil, err
	}
	return writes(s.run), nil
}

func isNegative(word string) bool {
	return len(word) > 1 && word[0] == '-' && (word[1] == '.' || isDigit(word[1]))
}

func readSequence(p *parsed) (*sequence, error) {
	if len(p.operands) == 0 || len(p.operands) > 3 {
		return nil, usage(0, "one to three numbers are needed")
	}
	one := fixedPoint{1, 0}
	numbers := [3]fixedPoint{one, one, one} // first, step, last
	for i, o := range p.operands {
		n, ok := parseFixed(o.Name)
		if !ok {
			return nil, usage(o.Word, "unsupported number %q", o.Name)
		}
		switch {
		case i == len(p.operands)-1:
			numbers[2] = n
		default:
			numbers[i] = n
		}
	}
	first, step, last := numbers[0], numbers[1], numbers[2]
	s := &sequence{separator: "\n", places: max(first.places, step.places)}
	all := max(s.places, last.places)
	var ok [3]bool
	s.first, ok[0] = first.scale(all)
	s.step, ok[1] = step.scale(all)
	s.last, ok[2] = last.scale(all)
	if ok != [3]bool{true, true, true} || s.step == 0 {
		return nil, usage(0, "unsupported step or number")
	}
	return s, s.finish(p, all, last)
}

// finish settles the bounds, the width and the format.
func (s *sequence) finish(p *parsed, all int, last fixedPoint) error {
	if count := (s.last-s.first)/s.step + 1; count > maxSequence {
		return usage(0, "more than %d numbers", maxSequence)
	}
	if v, ok := p.value("s"); ok {
		s.separator = v
	}
	s.format, _ = p.value("f")
	if p.has("w") && s.format != "" {
		return usage(0, "a format and equal width exclude each other")
	}
	if p.has("w") {
		shown := last
		for shown.places > s.places {
			shown.units /= 10
			shown.places--
		}
		scaled, _ := shown.scale(s.places)
		s.width = max(len(fixedPoint{s.rounded(s.first, all), s.places}.text(0)), len(fixedPoint{scaled, s.places}.text(0)))
	}
	for ; all > s.places; all-- {
		s.first, s.step = s.first/10, s.step/10
		if s.last%10 != 0 && s.last < 0 {
			s.last -= 10
		}
		s.last /= 10
	}
	return nil
}

// rounded brings a number at all places to the places that are printed.
func (s *sequence) rounded(n int64, all int) int64 {
	for ; all > s.places; all-- {
		n /= 10
	}
	return n
}

func (s *sequence) run(ctx context.Context, _ *IO, out *bufio.Writer) int {
	some := false
	for n, i := s.first, 0; (s.step > 0 && n <= s.last || s.step < 0 && n >= s.last) && i < maxSequence; n, i = n+s.step, i+1 {
		if some {
			out.WriteString(s.separator)
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return 1
		}
		some = true
		if _, err := out.WriteString(s.text(n)); err != nil {
			return 1
		}
	}
	if some {
		out.WriteByte('\n')
	}
	return 0
}

func (s *sequence) text(n int64) string {
	if s.format == "" {
		return fixedPoint{n, s.places}.text(s.width)
	}
	format, _ := floatFormat(s.format)
	return fmt.Sprintf(format, float64(n)/math.Pow10(s.places))
}

// floatFormat checks a format with exactly one directive for a float and turns
// it into Go's.
func floatFormat(text string) (string, bool) {
	var b strings.Builder
	count := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		if strings.HasPrefix(text[i:], "%%") {
			b.WriteString("%%")
			i++
			continue
		}
		end := i + 1
		for end < len(text) && strings.IndexByte("-+0 #.123456789", text[end]) >= 0 {
			end++
		}
		if end == len(text) || strings.IndexByte("efgEFG", text[end]) < 0 || end-i > 8 {
			return "", false
		}
		f, ok := parseConversion(text[i+1 : end])
		if count++; !ok || f.width > 100 || f.precision > 100 {
			return "", false
		}
		if f.precision < 0 {
			f.precision = 6
		}
		b.WriteString(f.goVerb(text[end]))
		i = end
	}
	return b.String(), count == 1
}
