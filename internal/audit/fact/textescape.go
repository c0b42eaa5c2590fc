package fact

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/commands"
)

func (s *packScan) place(start, end int) Place {
	return Place{s.file, diag.Span{Start: start, End: end}}
}

// escapes takes in a text with escapes that begins with one. It is of interest where
// letters and digits are escaped that need not be.
func (s *packScan) escapes(at int, mark, how string) int {
	t := s.text
	var out []byte
	needless, all := 0, 0
	i, gap := at, 0
	last := at
	for i < len(t) && len(out) < maxDecoded {
		if c, n := escape(t[i:], mark); n > 0 {
			out = utf8.AppendRune(out, c)
			if c < 0x80 && (isLetter(c) || c >= '0' && c <= '9') {
				needless++
			}
			all++
			i += n
			gap, last = 0, i
			continue
		}
		// A few characters may stand between as they are.
		if gap >= 24 || t[i] == '\n' || t[i] == '"' || t[i] == '\'' || t[i] == '`' {
			break
		}
		out = append(out, t[i])
		gap++
		i++
	}
	if all == 0 {
		return at + 1
	}
	out = out[:len(out)-gap]
	least := 6
	if mark == "\\" {
		least = 4
	}
	if needless >= least && needless*3 >= all {
		s.take(at, last, how, out)
	}
	return last
}

// escape decodes the escape at the beginning of a text.
func escape(t, mark string) (rune, int) {
	if !strings.HasPrefix(t, mark) {
		return 0, 0
	}
	switch mark {
	case "%", "=":
		if len(t) >= 3 && isHex(t[1]) && isHex(t[2]) && (mark == "%" || t[1] < 'a' && t[2] < 'a') {
			return hexRune(t[1:3]), 3
		}
	case "&#":
		rest := t[2:]
		from := 0
		if len(rest) > 0 && rest[0]|0x20 == 'x' {
			from = 1
		}
		to := from
		for to < len(rest) && to < 9 && isHex(rest[to]) {
			to++
		}
		if to == from {
			return 0, 0
		}
		n := 2 + to
		if to < len(rest) && rest[to] == ';' {
			n++
		}
		if from == 1 {
			return hexRune(rest[from:to]), n
		}
		v, err := strconv.ParseUint(rest[:to], 10, 32)
		switch {
		case errors.Is(err, strconv.ErrSyntax):
			return 0, 0
		case err != nil || v > utf8.MaxRune:
			return utf8.RuneError, n
		}
		return rune(v), n
	case "\\":
		return backslash(t)
	}
	return 0, 0
}

func backslash(t string) (rune, int) {
	if len(t) < 4 {
		return 0, 0
	}
	digits := func(from, n int) (rune, int) {
		if len(t) < from+n {
			return 0, 0
		}
		for i := from; i < from+n; i++ {
			if !isHex(t[i]) {
				return 0, 0
			}
		}
		return hexRune(t[from : from+n]), from + n
	}
	switch t[1] {
	case 'x':
		return digits(2, 2)
	case 'u':
		if t[2] == '{' {
			end := strings.IndexByte(t[3:min(len(t), 11)], '}')
			if end < 1 {
				return 0, 0
			}
			if c, n := digits(3, end); n > 0 {
				return c, n + 1
			}
			return 0, 0
		}
		return digits(2, 4)
	case 'U':
		return digits(2, 8)
	case '0', '1', '2', '3':
		if t[2] >= '0' && t[2] <= '7' && t[3] >= '0' && t[3] <= '7' {
			return rune(t[1]-'0')<<6 | rune(t[2]-'0')<<3 | rune(t[3]-'0'), 4
		}
	}
	return 0, 0
}

func hexRune(s string) rune {
	v, err := strconv.ParseUint(s, 16, 32)
	if err != nil || v > utf8.MaxRune {
		return utf8.RuneError
	}
	return rune(v)
}

// rotated undoes rot13 near words that name it.
func (s *packScan) rotated() {
	t := s.text
	until := 0
	for at := 0; at < len(t); {
		n := rotHint(t[at:])
		if n < 0 {
			return
		}
		at += n + 2
		// The lines around the word.
		from := max(until, lineStart(t, lineStart(t, at)-1))
		to := at
		for range 6 {
			k := strings.IndexByte(t[to:min(len(t), to+2048)], '\n')
			if k < 0 {
				to = min(len(t), to+2048)
				break
			}
			to += k + 1
		}
		for from < to {
			end := to
			if k := strings.IndexByte(t[from:to], '\n'); k >= 0 {
				end = from + k
			}
			s.rotate(from, end)
			from = end + 1
		}
		at, until = max(at, to), to
	}
}

// rotHint finds a name of rot13.
func rotHint(t string) int {
	for at := 0; ; {
		n := strings.Index(t[at:], "13")
		if n < 0 {
			break
		}
		at += n
		if k := strings.TrimRight(t[max(0, at-5):at], "-_ "); len(k) >= 3 && strings.EqualFold(k[len(k)-3:], "rot") {
			return at
		}
		at += 2
	}
	return strings.Index(t, "N-ZA-M")
}

func lineStart(t string, at int) int {
	at = min(max(at, 0), len(t))
	from := max(0, at-2048)
	return from + strings.LastIndexByte(t[from:at], '\n') + 1
}

func (s *packScan) rotate(from, to int) {
	line := s.text[from:to]
	out, _ := commands.Decode("rot13", line)
	if len(line) >= 8 && commonWords(out) > commonWords(line)+1 {
		s.take(from, to, "rot13", []byte(out))
	}
}

// commonWords counts words of English and of commands.
func commonWords(text string) int {
	n := 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return !isLetter(c) }) {
		switch word {
		case "the", "and", "you", "your", "all", "to", "of", "from", "this", "it", "is", "with", "for", "that", "not", "user", "send", "read", "run", "ignore", "instructions", "key", "file", "curl", "bash", "http", "https",
			"sh", "rm", "wget", "python", "import", "os", "system", "exec", "eval", "com", "previous", "any", "do", "tell", "in", "on":
			n++
		}
	}
	return n
}
