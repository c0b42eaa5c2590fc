package coreutils

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxPadding bounds width and precision.
const maxPadding = 10_000

func printfCommand() Command {
	return Command{Name: "printf", Summary: "print its operands in a format", syntax: noSyntax, prepare: preparePrintf}
}

// directive is one conversion of a format, or text before the next.
type directive struct {
	text             string
	verb             byte // 0: text alone
	flags            string
	width, precision int // -1: none
	starWidth        bool
	starPrecision    bool
}

func preparePrintf(args []string) (*Prepared, error) {
	word := 1
	if len(args) > 0 && args[0] == "--" {
		args, word = args[1:], 2
	} else if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		return nil, usage(1, "unknown flag %s", args[0])
	}
	if len(args) == 0 {
		return nil, usage(0, "a format is needed")
	}
	format, err := parsePrintf(args[0], word)
	if err != nil {
		return nil, err
	}
	return writes(func(ctx context.Context, x *IO, out *bufio.Writer) int {
		f := &formatter{x: x, out: out, args: args[1:]}
		f.all(ctx, format)
		return f.status
	}), nil
}

// parsePrintf takes a format apart.
func parsePrintf(format string, word int) ([]directive, error) {
	var out []directive
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			s, _ := unescapeShell(text.String(), true)
			out = append(out, directive{text: s})
			text.Reset()
		}
	}
	for i := 0; i < len(format); i++ {
		c := format[i]
		switch {
		case c == '\\' && i+1 < len(format):
			text.WriteString(format[i : i+2])
			i++
		case c != '%':
			text.WriteByte(c)
		case strings.HasPrefix(format[i:], "%%"):
			text.WriteByte('%')
			i++
		default:
			flush()
			end := i + 1
			for end < len(format) && strings.IndexByte("-+0 #.*123456789", format[end]) >= 0 {
				end++
			}
			if end == len(format) || strings.IndexByte("sbqdiuoxXcfFeEgG", format[end]) < 0 {
				return nil, usage(word, "unsupported directive %q", format[i:min(end+1, len(format))])
			}
			d, ok := parseConversion(format[i+1 : end])
			if !ok {
				return nil, usage(word, "unsupported directive %q", format[i:end+1])
			}
			d.verb = format[end]
			out = append(out, d)
			i = end
		}
	}
	flush()
	return out, nil
}

// parseConversion reads flags, width and precision.
func parseConversion(text string) (directive, bool) {
	d := directive{width: -1, precision: -1}
	rest := strings.TrimLeft(text, "-+0 #")
	d.flags = text[:len(text)-len(rest)]
	width, precision, dotted := strings.Cut(rest, ".")
	ok1, ok2 := true, true
	if d.starWidth = width == "*"; !d.starWidth && width != "" {
		d.width, ok1 = padding(width)
	}
	if d.starPrecision = precision == "*"; !d.starPrecision && dotted {
		if d.precision = 0; precision != "" {
			d.precision, ok2 = padding(precision)
		}
	}
	return d, ok1 && ok2
}

func padding(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && isDigits(text) && n <= maxPadding
}

// goVerb writes the directive as Go's fmt reads it.
func (d directive) goVerb(verb byte) string {
	s := "%" + d.flags
	if d.width >= 0 {
		s += strconv.Itoa(d.width)
	}
	if d.precision >= 0 {
		s += "." + strconv.Itoa(d.precision)
	}
	return s + string(rune(verb))
}

// formatter is printf at work.
type formatter struct {
	x      *IO
	out    *bufio.Writer
	args   []string
	next   int
	status int
	stop   bool
}

// all writes the format again and again until no operand is left.
func (f *formatter) all(ctx context.Context, format []directive) {
	for {
		before := f.next
		for _, d := range format {
			if f.one(d); f.stop {
				return
			}
		}
		_, err := f.out.Write(nil)
		if f.next >= len(f.args) || f.next == before || err != nil || ctx.Err() != nil {
			return
		}
	}
}

func (f *formatter) arg() (string, bool) {
	if f.next >= len(f.args) {
		return "", false
	}
	f.next++
	return f.args[f.next-1], true
}

func (f *formatter) one(d directive) {
	if d.verb == 0 {
		f.out.WriteString(d.text)
		return
	}
	if d.starWidth {
		n := f.integer()
		if n < 0 {
			d.flags += "-"
			n = -n
		}
		d.width = int(min(n, maxPadding))
	}
	if d.starPrecision {
		d.precision = int(min(max(f.integer(), -1), maxPadding))
	}
	switch d.verb {
	case 's', 'b', 'q', 'c':
		f.text(d)
	case 'd', 'i':
		f.out.WriteString(d.integer(f.integer(), false))
	case 'u', 'o', 'x', 'X':
		f.out.WriteString(d.integer(f.integer(), true))
	default:
		f.out.WriteString(d.float(f.float()))
	}
}

func (f *formatter) text(d directive) {
	s, given := f.arg()
	switch d.verb {
	case 'b':
		s, f.stop = unescapeShell(s, false)
	case 'q':
		s = quoteWord(s)
	case 'c':
		_, size := utf8.DecodeRuneInString(s)
		s = s[:min(size, 1)]
		if !given || s == "" {
			s = "\x00"
		}
		d.precision = -1
	}
	if d.precision >= 0 && d.precision < len(s) {
		s = s[:d.precision]
	}
	pad := strings.Repeat(" ", max(0, d.width-len(s)))
	if strings.Contains(d.flags, "-") {
		s += pad
	} else {
		s = pad + s
	}
	f.out.WriteString(s)
}

// quoteWord quotes a word with backslashes, as bash's %q does.
func quoteWord(s string) string {
	if s == "" {
		return "''"
	}
	for _, c := range []byte(s) {
		if c < ' ' || c == 0x7f {
			return quoteControl(s)
		}
	}
	var b strings.Builder
	for i, c := range []byte(s) {
		if strings.IndexByte(" !\"$&'()*,;<>?[\\]^`{|}", c) >= 0 || i == 0 && (c == '#' || c == '~') {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

func quoteControl(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for _, c := range []byte(s) {
		at := strings.IndexByte("\a\b\t\n\v\f\r\x1b", c)
		switch {
		case at >= 0:
			b.WriteString(`\` + "abtnvfrE"[at:at+1])
		case c == '\'' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// invalid reports an operand that is not a number.
func (f *formatter) invalid(s string) {
	f.x.errorf("printf: %s: invalid number", s)
	f.status = 1
}

// character reads 'c, which stands for the number of a character.
func character(s string) (rune, bool) {
	if len(s) < 2 || s[0] != '\'' && s[0] != '"' {
		return 0, false
	}
	r, _ := utf8.DecodeRuneInString(s[1:])
	return r, true
}

func (f *formatter) integer() int64 {
	s, ok := f.arg()
	if !ok {
		return 0
	}
	if r, ok := character(s); ok {
		return int64(r)
	}
	text := strings.TrimLeft(s, " \t\n")
	digits := strings.TrimLeft(text, "+-")
	end := len(digits)
	n, err := strconv.ParseInt(text, 0, 64)
	if err == nil && !strings.ContainsAny(text, "_bBoO") || text == "" && s == "" {
		if s == "" {
			f.invalid(s)
		}
		return n
	}
	if ne, isNum := err.(*strconv.NumError); isNum && ne.Err == strconv.ErrRange {
		if u, uerr := strconv.ParseUint(text, 0, 64); uerr == nil {
			return int64(u)
		}
		f.x.errorf("printf: warning: %s: Numerical result out of range", s)
		return n
	}
	f.invalid(s)
	// What it begins with counts.
	for ; end > 0; end-- {
		head := text[:len(text)-len(digits)+end]
		if n, err := strconv.ParseInt(head, 0, 64); err == nil && !strings.ContainsAny(head, "_bBoO") {
			return n
		}
		if end > 64 {
			end = 64
		}
	}
	return 0
}

func (f *formatter) float() float64 {
	s, ok := f.arg()
	if !ok {
		return 0
	}
	if r, ok := character(s); ok {
		return float64(r)
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.Contains(s, "_") {
		f.invalid(s)
		n, _ = readFloat([]byte(s))
	}
	return n
}

// integer writes a number as C's printf does.
func (d directive) integer(n int64, unsigned bool) string {
	digits, sign := "", ""
	base := map[byte]int{'o': 8, 'x': 16, 'X': 16}[d.verb]
	if base == 0 {
		base = 10
	}
	switch {
	case unsigned:
		digits = strconv.FormatUint(uint64(n), base)
	case n < 0:
		sign, digits = "-", strconv.FormatUint(-uint64(n), 10)
	case strings.Contains(d.flags, "+"):
		sign, digits = "+", strconv.FormatInt(n, 10)
	case strings.Contains(d.flags, " "):
		sign, digits = " ", strconv.FormatInt(n, 10)
	default:
		digits = strconv.FormatInt(n, 10)
	}
	if d.precision == 0 && n == 0 {
		digits = ""
	}
	digits = strings.Repeat("0", max(0, d.precision-len(digits))) + digits
	if strings.Contains(d.flags, "#") {
		switch {
		case d.verb == 'o' && !strings.HasPrefix(digits, "0"):
			digits = "0" + digits
		case (d.verb == 'x' || d.verb == 'X') && n != 0:
			sign = "0x"
		}
	}
	return d.pad(sign, digits)
}

// pad brings a number to its width.
func (d directive) pad(sign, digits string) string {
	missing := max(0, d.width-len(sign)-len(digits))
	var s string
	switch {
	case strings.Contains(d.flags, "-"):
		s = sign + digits + strings.Repeat(" ", missing)
	case strings.Contains(d.flags, "0") && d.precision < 0:
		s = sign + strings.Repeat("0", missing) + digits
	default:
		s = strings.Repeat(" ", missing) + sign + digits
	}
	if d.verb == 'X' {
		s = strings.ToUpper(s)
	}
	return s
}

func (d directive) float(n float64) string {
	if d.precision < 0 {
		d.precision = 6
	}
	verb := d.verb
	if (verb == 'g' || verb == 'G') && d.precision == 0 {
		d.precision = 1
	}
	s := fmt.Sprintf(d.goVerb(verb), n)
	if strings.Contains(s, "Inf") || strings.Contains(s, "NaN") {
		s = strings.ToLower(strings.TrimLeft(fmt.Sprint(n), "+"))
		d.flags = strings.ReplaceAll(d.flags, "0", "")
		s = d.pad("", s)
	}
	return s
}
