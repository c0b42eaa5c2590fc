package fact

import (
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
)

// all goes over the text once.
func (s *packScan) all() {
	t := s.text
	for i := 0; i < len(t); {
		c := t[i]
		switch {
		case isBase64(c):
			i = s.run(i)
			continue
		case c == '"' || c == '\'' || c == '`':
			i = s.pieces(i)
			continue
		case c == '\\' && i+1 < len(t):
			i = s.escapes(i, "\\", `escapes`)
			continue
		case c == '%' && i+2 < len(t) && isHex(t[i+1]):
			i = s.escapes(i, "%", "percent-encoding")
			continue
		case c == '&' && i+2 < len(t) && t[i+1] == '#':
			i = s.escapes(i, "&#", "character references")
			continue
		case c == '=' && i+2 < len(t) && isHex(t[i+1]) && isHex(t[i+2]):
			i = s.escapes(i, "=", "quoted-printable")
			continue
		case c == '<' && i+1 < len(t) && t[i+1] == '~':
			i = s.ascii85(i)
			continue
		}
		i++
	}
	s.rotated()
}

func isBase64(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// The shortest runs that are tried: with a word nearby that says that it is encoded,
// and without.
const (
	shortHinted = 12
	shortPlain  = 24
)

// run takes in a run of the letters of base64 and returns where it ends.
func (s *packScan) run(at int) int {
	t := s.text
	end := at
	for end < len(t) && isBase64(t[end]) {
		end++
	}
	n := end - at
	switch {
	case n >= 10 && strings.HasPrefix(t[at:], "-----BEGIN"):
		if k := s.until("-----END", at, &s.armour); k >= 0 {
			return at + k + 8
		}
		return end
	case n <= 4 && n >= 3 && t[at] == '0' && t[at+1]|0x20 == 'x', n <= 3 && t[at] >= '0' && t[at] <= '9':
		return s.numbers(at, end)
	case n == 3 && strings.EqualFold(t[at:end], "chr"), n == 4 && strings.EqualFold(t[at:end], "char"):
		return s.characters(at, end)
	case n < shortHinted:
		return end
	}
	run, stop := t[at:end], end
	if n >= 40 {
		run, stop = s.wrapped(at, end)
	}
	for stop < len(t) && t[stop] == '=' && stop-end < 3 {
		stop++
	}
	if n < shortPlain && t[min(end, len(t)-1)] != '=' && (!mixedCase(run) || !s.hinted(at, end)) {
		return end
	}
	s.encoded(at, stop, run)
	return max(end, stop)
}

// mixedCase reports whether a run has letters of both cases, or digits.
func mixedCase(run string) bool {
	var upper, lower, digit bool
	for i := range len(run) {
		c := run[i]
		upper = upper || c >= 'A' && c <= 'Z'
		lower = lower || c >= 'a' && c <= 'z'
		digit = digit || c >= '0' && c <= '9'
	}
	return upper && lower || digit
}

// hinted reports whether the text around says that something is encoded.
func (s *packScan) hinted(at, end int) bool {
	if s.hints == 0 {
		s.hints = 1
		for _, part := range [...]string{"ase64", "ASE64", "b64", "tob(", "ecode", "ECODE", "-enc", "-Enc", "-ENC", "xxd", "hex"} {
			if strings.Contains(s.text, part) {
				s.hints = 2
			}
		}
	}
	return s.hints == 2 && (saysEncoded(s.text[max(0, at-100):at]) || saysEncoded(s.text[end:min(len(s.text), end+60)]))
}

func saysEncoded(text string) bool {
	text = strings.ToLower(text)
	for _, word := range [...]string{"base64", "b64", "atob", "decode", "-enc", "xxd", "unhex", "fromhex", "encoded"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// wrapped joins a run with those of the lines behind, where it is broken over lines.
func (s *packScan) wrapped(at, end int) (run string, stop int) {
	t := s.text
	var b strings.Builder
	width := end - at
	stop = end
	for {
		next := stop
		if next < len(t) && t[next] == '\r' {
			next++
		}
		if next >= len(t) || t[next] != '\n' {
			break
		}
		next++
		for next < len(t) && next-stop < 40 && (t[next] == ' ' || t[next] == '\t' || t[next] == '#' || t[next] == '>') {
			next++
		}
		to := next
		for to < len(t) && isBase64(t[to]) {
			to++
		}
		if to-next > width || to-next < 4 || to < len(t) && t[to] != '\n' && t[to] != '\r' && t[to] != '=' && t[to] != '"' && t[to] != '\'' {
			break
		}
		if b.Len() == 0 {
			b.WriteString(t[at:end])
		}
		b.WriteString(t[next:to])
		stop = to
		if to-next < width {
			break
		}
	}
	if b.Len() == 0 {
		return t[at:end], end
	}
	return b.String(), stop
}

// encoded tries what a run may be, and reports whether it was something.
func (s *packScan) encoded(at, stop int, run string) bool {
	var upper, lower, digit, other, low16, up32 int
	for i := range len(run) {
		switch c := run[i]; {
		case c >= 'a' && c <= 'z':
			lower++
			if c <= 'f' {
				low16++
			}
		case c >= 'A' && c <= 'Z':
			upper++
			up32++
			if c <= 'F' {
				low16++
			}
		case c >= '0' && c <= '9':
			digit++
			low16++
			if c >= '2' && c <= '7' {
				up32++
			}
		default:
			other++
		}
	}
	n := len(run)
	switch {
	case low16 == n:
		if n%2 == 0 && n >= 16 && digit > 0 && !s.uniform(run) {
			data, _ := hex.DecodeString(run[:min(n, 2*maxDecoded)])
			return s.take(at, stop, "hex", data)
		}
		return false
	case up32 == n && n >= 32:
		data, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(run[:min(n, 2*maxDecoded)/8*8])
		return err == nil && s.take(at, stop, "base32", data)
	case upper == 0 || lower == 0:
		return false
	case other*8 > n && n < 200:
		// A path, or words with hyphens.
		return false
	}
	if s.text[max(0, at-1)] == '=' && at > 0 && s.text[stop-1] != '=' && (at < 2 || s.text[at-2] == '=' || s.text[at-2] == '"' || s.text[at-2] == '\'') {
		if s.take(at, stop, "reversed base64", base64Bytes(reversed(run))) {
			return true
		}
	}
	head := base64Bytes(run[:min(n, 64)])
	if s.promising(head) && s.take(at, stop, "base64", base64Bytes(run[:min(n, 2*maxDecoded)])) {
		return true
	}
	if n >= 1400 && digit > n/40 && upper > n/10 && lower > n/10 && !s.harmless(at) {
		s.miss(4, MissedPacked, "a long text that is encoded or encrypted was not undone")
		place := s.place(at, stop)
		s.found = append(s.found, Pack{Place: place, Standing: s.f.standingAt(s.first, place.Span), How: "base64"})
	}
	return false
}

// uniform reports whether a run is of few different letters.
func (s *packScan) uniform(run string) bool {
	var seen [256]bool
	n := 0
	for i := range min(len(run), 256) {
		if !seen[run[i]] {
			seen[run[i]] = true
			n++
		}
	}
	return n < 4
}

// promising reports by the first bytes whether decoding all of them can be of use.
func (s *packScan) promising(head []byte) bool {
	if len(head) < 6 {
		return false
	}
	if order16(head) != nil {
		return true
	}
	if _, open := packing(head); open != nil {
		return true
	}
	if len(head) >= 36 && head[0]&6 != 6 && s.deflates < 20 {
		return true
	}
	padded := append(head[:len(head):len(head)], make([]byte, 64)...)
	if kind, _ := decodedKind(padded); kind != isNothing {
		return true
	}
	// The last character may be cut.
	text := head
	for i := 0; i < 4 && len(text) > 0; i++ {
		if plainText(text) {
			return true
		}
		text = text[:len(text)-1]
	}
	return false
}

// harmless reports whether what stands before a long encoded text says that it is a
// picture, a font or a checksum.
func (s *packScan) harmless(at int) bool {
	before := strings.ToLower(s.text[max(0, at-64):at])
	for _, word := range [...]string{"image/", "font/", "application/font", "application/x-font", "audio/", "video/", "sourcemappingurl", "integrity", "sha512", "sha256", "certificate", "signature"} {
		if strings.Contains(before, word) {
			return true
		}
	}
	return false
}

func base64Bytes(run string) []byte {
	run = strings.TrimRight(run, "=")
	if len(run)%4 == 1 {
		run = run[:len(run)-1]
	}
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(run, "-_") {
		encoding = base64.RawURLEncoding
	}
	out := make([]byte, encoding.DecodedLen(len(run)))
	n, err := encoding.Decode(out, []byte(run))
	if err != nil && n < len(out)/2 {
		return nil
	}
	return out[:n]
}

func reversed(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}

// pieces takes in quoted texts that are joined to one, and returns where to go on.
func (s *packScan) pieces(at int) int {
	t := s.text
	var b strings.Builder
	var parts [][2]int
	end := at
	for i := at; i < len(t); {
		q := t[i]
		if q != '"' && q != '\'' && q != '`' {
			break
		}
		to := i + 1
		for to < len(t) && (isBase64(t[to]) || t[to] == '=') {
			to++
		}
		if to == i+1 || to >= len(t) || t[to] != q {
			break
		}
		b.WriteString(t[i+1 : to])
		parts = append(parts, [2]int{i + 1, to})
		end = to + 1
		i = end
		for n := 0; i < len(t) && n < 40 && strings.IndexByte(" \t\r\n+.,\\&|()", t[i]) >= 0; n++ {
			i++
		}
	}
	if len(parts) < 2 {
		return at + 1
	}
	whole := b.String()
	if len(whole) >= shortPlain && s.encoded(parts[0][0], parts[len(parts)-1][1], strings.TrimRight(whole, "=")) {
		return end
	}
	for _, p := range parts {
		s.run(p[0])
	}
	return end
}

// numbers takes in a list of the numbers of characters, in hex or, where a word before
// says so, in decimals.
func (s *packScan) numbers(at, end int) int {
	t := s.text
	hexed := t[at+min(1, end-at-1)]|0x20 == 'x'
	if end >= len(t) || t[end] != ',' && t[end] != ' ' && t[end] != ';' {
		return end
	}
	if !hexed && !saysCharacters(t[max(0, at-40):at]) {
		return end
	}
	var out []byte
	i, stop := at, end
	for i < len(t) && len(out) < maxDecoded {
		to := i
		if hexed {
			if i+2 >= len(t) || t[i] != '0' || t[i+1]|0x20 != 'x' {
				break
			}
			to += 2
			for to < len(t) && isHex(t[to]) {
				to++
			}
		} else {
			for to < len(t) && t[to] >= '0' && t[to] <= '9' {
				to++
			}
		}
		v, ok := number(t[i:to], hexed)
		if !ok {
			break
		}
		out = append(out, v)
		stop, i = to, to
		for n := 0; i < len(t) && n < 16 && strings.IndexByte(", \t\r\n;", t[i]) >= 0; n++ {
			i++
		}
	}
	if len(out) >= 8 {
		s.take(at, stop, "numbers of characters", out)
	}
	return max(stop, end)
}

func saysCharacters(text string) bool {
	text = strings.ToLower(text)
	for _, word := range [...]string{"charcode", "codepoint", "bytes", "byte[]", "chr", "buffer", "uint8", "[char", "ascii", "ord"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

func number(s string, hexed bool) (byte, bool) {
	base := 10
	if hexed {
		base, s = 16, s[2:]
	}
	v, err := strconv.ParseUint(s, base, 8)
	return byte(v), err == nil && len(s) <= 3
}

// characters takes in a chain of chr(99)+chr(117) or [char]99+[char]117.
func (s *packScan) characters(at, end int) int {
	t := s.text
	var out []byte
	i, stop := at, end
	for i < len(t) && len(out) < maxDecoded {
		to := i
		for to < len(t) && to-i < 4 && t[to]|0x20 >= 'a' && t[to]|0x20 <= 'z' {
			to++
		}
		if !strings.EqualFold(t[i:to], "chr") && !strings.EqualFold(t[i:to], "char") || to >= len(t) || t[to] != '(' && t[to] != ']' {
			break
		}
		from := to + 1
		for to = from; to < len(t) && isHex(t[to]) || to < len(t) && to == from+1 && t[to]|0x20 == 'x'; {
			to++
		}
		if to == from {
			break
		}
		v, ok := number(t[from:to], to-from > 2 && t[from+1]|0x20 == 'x')
		if !ok {
			break
		}
		out = append(out, v)
		stop, i = to, to
		for n := 0; i < len(t) && n < 16 && strings.IndexByte(")+.&[ \t\r\n,", t[i]) >= 0; n++ {
			i++
		}
	}
	if len(out) >= 4 {
		s.take(at, stop, "numbers of characters", out)
	}
	return max(stop, end)
}

// ascii85 takes in what stands between its marks.
func (s *packScan) ascii85(at int) int {
	end := s.until("~>", at, &s.tilde)
	if end < 16 {
		return at + 2
	}
	body := s.text[at+2 : at+end]
	out := make([]byte, len(body)+8)
	n, _, err := ascii85.Decode(out, []byte(body), true)
	if err == nil {
		s.take(at, at+end+2, "ASCII85", out[:n])
	}
	return at + end + 2
}

// until finds a mark behind an offset, and notes in last where none follows.
func (s *packScan) until(mark string, at int, last *int) int {
	if *last > 0 && at >= *last {
		return -1
	}
	end := strings.Index(s.text[at:], mark)
	if end < 0 {
		*last = max(1, at)
	}
	return end
}
