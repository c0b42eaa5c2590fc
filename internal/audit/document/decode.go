package document

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/signal"
)

// The limits of decoding: how many texts of a package, how much of one, and how short a run
// may be, with a word nearby that says that it is encoded and without.
const (
	maxEncoded  = 400
	maxDecoded  = 256 << 10
	shortHinted = 12
	shortPlain  = 24
)

// decoder is what is known about the encoded texts of a package.
type decoder struct {
	found []decoded
	// deflates is how often data without a mark was tried as compressed.
	deflates int
	// rotated says whether a file names a way to rotate or reverse letters, by its index.
	rotated map[int]bool
	// rotations is how many lines were tried as such.
	rotations int
}

// maxRotations bounds how many lines of a package are tried as rotated.
const maxRotations = 200

// decoded is a signal about encoded text, with the region that was made of it; -1 is none.
type decoded struct{ signal, region int }

// The words, in lowercase, that say that text is encoded, or lists the numbers of characters.
const (
	encodedWords   = "base64 b64 atob ecode -enc xxd hex"
	rotatedWords   = "rot13 rot-13 rot_13 n-za-m caesar cipher reversed backwards"
	characterWords = "charcode codepoint bytes byte[ chr( buffer uint8 [char ascii ord("
)

// mentions reports whether a text has one of some words, in any case.
func mentions(text, words string) bool {
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(words) {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// scan looks for encoded text in one region.
type scan struct {
	d      *reader
	region int
	file   int
	text   string
	// joinedTo is where the last text ends that was joined from pieces.
	joinedTo int
}

// Region looks for encoded text in a region and embeds what it decodes to. What is part of
// another region is read there.
func (d *reader) Region(s *signal.Set, index int) {
	r := &s.Regions[index]
	if len(r.Text) < shortHinted || r.Parent >= 0 && r.Depth == 0 {
		return
	}
	x := scan{d: d, region: index, file: r.File, text: r.Text}
	for i := 0; i < len(x.text); {
		switch c := x.text[i]; {
		case isBase64(c):
			i = x.run(i)
		case c == '\\' || c == '%' || c == '=' || c == '&':
			i = x.escapes(i)
		default:
			i++
		}
	}
	rotated, known := d.rotated[r.File]
	if !known {
		if d.rotated == nil {
			d.rotated = map[int]bool{}
		}
		rotated = mentions(s.Package.Files[r.File].Text, rotatedWords)
		d.rotated[r.File] = rotated
	}
	if rotated {
		x.rotate()
	}
}

func isBase64(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || isDigit(c) || c == '+' || c == '/' || c == '-' || c == '_'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func runEnd(t string, at int) int {
	for at < len(t) && isBase64(t[at]) {
		at++
	}
	return at
}

// run reads a run of the letters of base64 and returns where it ends.
func (s *scan) run(at int) int {
	t := s.text
	end := runEnd(t, at)
	if strings.HasPrefix(t[at:end], "-----BEGIN") {
		_, next := until(t, end, "-----END")
		return next
	}
	if stop := s.numbers(at, end); stop > at {
		return stop
	}
	n := end - at
	quoted := at > 0 && end < len(t) && t[end] == t[at-1] && strings.IndexByte("\"'`", t[end]) >= 0
	if n < shortHinted && !quoted {
		return end
	}
	// Text that is broken over lines or into strings, and then what is in one piece.
	whole, next := t[at:end], end
	if at >= s.joinedTo && (quoted || n >= 40) {
		whole, next = s.joined(at, end)
		s.joinedTo = next
		if len(whole) > max(n, shortPlain) && s.encoded(at, next, whole) {
			return next
		}
	}
	stop := end
	for stop < len(t) && t[stop] == '=' && stop-end < 3 {
		stop++
	}
	if s.likely(at, end, stop) && s.encoded(at, stop, t[at:end]) {
		return stop
	}
	if n >= 40 && len(whole) >= 1400 {
		s.opaque(at, next, whole)
	}
	return stop
}

// likely reports whether a run is long enough to be tried: a short one needs a word nearby
// that says that it is encoded.
func (s *scan) likely(at, end, stop int) bool {
	if n := end - at; n < shortHinted || n >= shortPlain || stop > end {
		return n >= shortHinted
	}
	return mentions(s.text[max(0, at-100):min(len(s.text), end+60)], encodedWords)
}

// joined joins a run with those after it, if it is broken over lines or into strings.
func (s *scan) joined(at, end int) (whole string, stop int) {
	t := s.text
	whole, stop = t[at:end], end
	var b strings.Builder
	for b.Len() < maxDecoded {
		next := stop
		for next < len(t) && next-stop < 40 && strings.IndexByte(" \t\r\n\"'`+.,\\&|()#>", t[next]) >= 0 {
			next++
		}
		to := runEnd(t, next)
		if to == next || !strings.ContainsAny(t[stop:next], "\n\"'`") {
			break
		}
		if b.Len() == 0 {
			b.WriteString(whole)
		}
		b.WriteString(t[next:to])
		stop = to
	}
	if b.Len() > 0 {
		whole = b.String()
	}
	for stop < len(t) && t[stop] == '=' {
		stop++
	}
	return whole, stop
}

// encoded tries what a run may be, and reports whether it was something.
func (s *scan) encoded(at, stop int, run string) bool {
	run = run[:min(len(run), 2*maxDecoded)]
	switch {
	case strings.Trim(run, "0123456789abcdefABCDEF") == "":
		data, _ := hex.DecodeString(run[:len(run)/2*2])
		return len(run) >= 16 && strings.ContainsAny(run, "0123456789") && s.take(at, stop, "hex", data)
	case len(run) >= 32 && strings.Trim(run, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == "":
		data, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(run[:len(run)/8*8])
		return err == nil && s.take(at, stop, "base32", data)
	case strings.ToLower(run) == run || strings.ToUpper(run) == run,
		len(run) < 200 && strings.Count(run, "/")+strings.Count(run, "-")+strings.Count(run, "_") > len(run)/8:
		// A word, or a path, or words with hyphens.
		return false
	}
	if s.take(at, stop, "base64", base64Bytes(run)) {
		return true
	}
	if at == 0 || s.text[at-1] != '=' {
		return false
	}
	back := []byte(run)
	slices.Reverse(back)
	return s.take(at, stop, "reversed base64", base64Bytes(string(back)))
}

func base64Bytes(run string) []byte {
	if len(run)%4 == 1 {
		run = run[:len(run)-1]
	}
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(run, "-_") {
		encoding = base64.RawURLEncoding
	}
	out, err := encoding.DecodeString(run)
	if err != nil && len(out) < len(run)/4 {
		return nil
	}
	return out
}

// opaque notes a long text that was not decoded, unless what comes before it says that it is
// an image, a font or a checksum.
func (s *scan) opaque(at, stop int, run string) {
	if pattern("harmless").MatchString(s.text[max(0, at-64):at]) {
		return
	}
	var digits, upper int
	for i := range len(run) {
		if c := run[i]; isDigit(c) {
			digits++
		} else if c >= 'A' && c <= 'Z' {
			upper++
		}
	}
	if n := len(run); digits > n/40 && upper > n/10 && upper < n*9/10 {
		s.d.set.Miss(s.file, signal.MissedPacked, "a long text that is encoded or encrypted was not decoded")
		s.signal(at, stop, "base64", "", -1)
	}
}

// numbers reads a list of the numbers of characters that begins with a run: 0x63, 0x75 or
// chr(99)+chr(117), or 99, 117 and 01100011 01110101 if words say what they are. It returns
// where it ends.
func (s *scan) numbers(at, end int) int {
	t := s.text
	digit := isDigit(t[at])
	short := end-at <= 4 || end-at == 8 && strings.Trim(t[at:end], "01") == ""
	if !digit && t[at]|0x20 != 'c' || !short || end+2 >= len(t) || strings.IndexByte(",; (]", t[end]) < 0 {
		return at
	}
	marked := t[at] == '0' || !digit
	if !marked && !mentions(t[max(0, at-40):at], characterWords) {
		return at
	}
	var out []byte
	i := at
	for i < len(t) && len(out) < maxDecoded {
		v, n := characterAt(t[i:min(len(t), i+32)], marked)
		if n == 0 {
			break
		}
		out = append(out, v)
		i += n
	}
	if len(out) < 8 {
		return at
	}
	s.take(at, i, "numbers of characters", out)
	return i
}

// characterAt reads the number of a character that a text begins with, and returns its
// length there. A decimal number that is marked has a word before it.
func characterAt(t string, marked bool) (v byte, length int) {
	m := pattern("number").FindStringSubmatch(t)
	if m == nil {
		return 0, 0
	}
	number, base := m[2], 10
	switch {
	case len(number) == 8:
		base = 2
	case len(number) > 2 && number[1]|0x20 == 'x':
		number, base = number[2:], 16
	case m[1] == "" && marked:
		return 0, 0
	}
	n, err := strconv.ParseUint(number, base, 8)
	if err != nil {
		return 0, 0
	}
	return byte(n), len(m[0])
}

// escape decodes the escape at the beginning of a text, and returns its length there.
func escape(t string) (c rune, length int) {
	if len(t) < 3 || strings.IndexByte("#xuU0123456789abcdefABCDEF", t[1]) < 0 {
		return 0, 0
	}
	m := pattern("escape").FindStringSubmatch(t[:min(len(t), 12)])
	if m == nil {
		return 0, 0
	}
	length = len(m[0])
	var digits string
	base := 16
	for i := 2; i < len(m); i += 2 {
		if m[i] == "" {
			continue
		}
		switch digits = m[i]; m[i-1] {
		case "\\u":
			digits = digits[:min(4, len(digits))]
			length = 2 + len(digits)
		case "\\":
			base = 8
		case "&#":
			base = 10
		}
	}
	v, err := strconv.ParseUint(digits, base, 32)
	if err != nil || v > utf8.MaxRune {
		v = utf8.RuneError
	}
	return rune(v), length
}

// escapes reads a text with escapes that may begin at an offset. It is of interest if
// letters and digits are escaped that need not be.
func (s *scan) escapes(at int) int {
	t := s.text
	var out []byte
	needless, all, gap, last := 0, 0, 0, at
	for i := at; i < len(t) && len(out) < maxDecoded; {
		c, n := rune(0), 0
		if t[i] == t[at] {
			c, n = escape(t[i:])
		}
		if n == 0 {
			// A few characters may be between as they are.
			if all == 0 || gap >= 24 || strings.IndexByte("\n\"'`", t[i]) >= 0 {
				break
			}
			out = append(out, t[i])
			gap++
			i++
			continue
		}
		out = utf8.AppendRune(out, c)
		if c < utf8.RuneSelf && isWord(c) {
			needless++
		}
		all++
		i += n
		gap, last = 0, i
	}
	how := "escapes"
	switch t[at] {
	case '%':
		how = "percent-encoding"
	case '&':
		how = "character references"
	case '=':
		how = "quoted-printable"
	}
	if needless >= 4 && needless*3 >= all && (needless >= 6 || t[at] == '\\') {
		s.take(at, last, how, out[:len(out)-gap])
	}
	return max(last, at+1)
}

const common = " the and you your all to of from this it is with for that not user send read run ignore instructions " +
	"key file curl bash http https sh rm wget python import os system exec eval com previous any do tell in on "

// commonWords counts different words of English and of commands.
func commonWords(text string) int {
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return !isLetter(c) }) {
		if strings.Contains(common, " "+word+" ") {
			seen[word] = true
		}
	}
	return len(seen)
}

// rotate undoes rot13, other shifts of the alphabet and reversed lines, in a file that
// names one.
func (s *scan) rotate() {
	at := 0
	for line := range strings.Lines(s.text) {
		text := strings.TrimSpace(line)
		best, most, how := "", commonWords(text)+1, ""
		// A line in the clear has common words.
		tries := rune(0)
		if s.d.rotations < maxRotations && len(text) >= 16 && most < 3 && strings.Count(text, " ") > 1 {
			s.d.rotations++
			tries = 26
		}
		for shift := range tries {
			out := strings.Map(func(c rune) rune {
				if c|0x20 < 'a' || c|0x20 > 'z' {
					return c
				}
				base := 'a' - 0x20&^c
				return base + (c-base+shift)%26
			}, text)
			if shift == 0 {
				b := []rune(text)
				slices.Reverse(b)
				out = string(b)
			}
			if n := commonWords(out); n > most && 3*n >= len(strings.Fields(out)) {
				best, most, how = out, n, "rot"+strconv.Itoa(26-int(shift))
			}
		}
		if best != "" {
			how = strings.Replace(how, "rot26", "reversed text", 1)
			s.take(at, at+len(strings.TrimRight(line, "\r\n")), how, []byte(best))
		}
		at += len(line)
	}
}
