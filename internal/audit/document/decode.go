package document

import (
	"bytes"
	"encoding/hex"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/audit/decode"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// Limits on decoding: the maximum length of the decoded text and the minimum length of an encoded
// run. For a run that ends with "=", half the minimum length is enough.
const (
	maxDecoded = 256 << 10
	minEncoded = 24
)

// scan looks for encoded text in one region.
type scan struct {
	d      *reader
	region int
	text   string
	// joinedEnd is the end of the most recent group of runs that were joined.
	joinedEnd int
}

// Region looks for encoded text in a region and embeds the decoded text. It skips a region that is
// part of another one, because the enclosing region contains the same text.
func (d *reader) Region(s *signal.Set, index int) {
	r := &s.Regions[index]
	if len(r.Text) < minEncoded/2 || r.Parent >= 0 && r.Depth == 0 {
		return
	}
	x := scan{d: d, region: index, text: r.Text}
	x.characterCodes()
	x.disguisedProse(r.Medium)
	x.disguisedLetters(r)
	for i := 0; i < len(x.text); i++ {
		if isBase64(x.text[i]) {
			i = x.run(i)
		}
	}
}

// characterCodes embeds text in which each character is written as a code: an HTML entity, a
// percent code, a quoted-printable code or a decimal number.
func (s *scan) characterCodes() {
	t := s.text
	if strings.Count(t, "&#") >= 12 {
		for _, at := range entities().FindAllStringIndex(t, -1) {
			s.embed(at[0], at[1], "entities", []byte(html.UnescapeString(t[at[0]:at[1]])))
		}
	}
	if strings.Count(t, "%") >= 12 || strings.Count(t, "=") >= 12 {
		for _, at := range hexCodes().FindAllStringIndex(t, -1) {
			data, _ := url.PathUnescape(strings.ReplaceAll(t[at[0]:at[1]], "=", "%"))
			s.embed(at[0], at[1], "percent codes", []byte(data))
		}
	}
	if strings.Count(t, ",")+strings.Count(t, " ") < 20 {
		return
	}
	for _, at := range decimals().FindAllStringIndex(t, -1) {
		var data []byte
		for code := range strings.FieldsFuncSeq(t[at[0]:at[1]], func(c rune) bool { return c < '0' || c > '9' }) {
			n, _ := strconv.Atoi(code)
			data = append(data, byte(n))
		}
		s.embed(at[0], at[1], "character codes", data)
	}
}

// disguisedProse embeds prose whose letters are disguised: written as HTML entities, combined with
// diacritical marks, spaced out, or with other characters in place of spaces.
func (s *scan) disguisedProse(m signal.Medium) {
	if !m.IsText() {
		return
	}
	t := s.text
	try := func(how, text string) {
		if text != "" && text != t && isProse(text) {
			s.embed(0, len(t), how, []byte(text))
		}
	}
	if strings.Count(t, "&#") >= 8 {
		try("entities", html.UnescapeString(t))
	}
	if strings.Count(t, " ") > len(t)/3 {
		try("spaced letters", spacedLetters().ReplaceAllStringFunc(t, func(word string) string {
			return " " + strings.ReplaceAll(word, " ", "") + " "
		}))
	}
	if plain := withoutMarks(t); len(t)-len(plain) > len(t)/4 {
		try("marked letters", plain)
	}
	// Require a capital letter at the start, because long identifiers, such as the names of tests,
	// start with a lowercase letter.
	for _, at := range joinedWords().FindAllStringIndex(t, -1) {
		words := strings.NewReplacer("_", " ", "-", " ").Replace(t[at[0]:at[1]])
		s.embed(at[0], at[1], "words without spaces", []byte(words))
	}
}

// disguisedLetters embeds prose and commands that are written backward or in ROT13.
func (s *scan) disguisedLetters(r *signal.Region) {
	text := r.Medium.IsText() || r.Medium == signal.Fence && !signal.IsCode(r.Lang)
	if !text || r.Depth > 0 || commonWords(s.text) > 0 {
		return
	}
	for _, how := range [...][2]string{{"rot13", "ROT13"}, {"rev", "reversed letters"}} {
		plain, _ := decode.Text(how[0], s.text)
		prose := commonWords(plain)*8 >= len(strings.Fields(plain)) && isProse(plain)
		if prose || shellCommand().MatchString(plain) && startsWithProgram(plain) {
			s.embed(0, len(s.text), how[1], []byte(plain))
		}
	}
}

// startsWithProgram reports whether the first word of text is the name of a shell program.
func startsWithProgram(text string) bool {
	text = strings.TrimSpace(text)
	return slices.ContainsFunc(linePatterns(), func(l linePattern) bool { return l.programs != nil && l.matches(text) })
}

// commonWords counts the most common English words in text.
func commonWords(text string) (n int) {
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		switch word {
		case "the", "and", "to", "of", "in", "you", "is", "for", "all", "this", "it", "not":
			n++
		}
	}
	return n
}

var (
	hexCodes      = lazyregexp.New(`(?:%[2-7][0-9A-Fa-f]|%0[aA]|=[2-7][0-9A-Fa-f]|=0[aA]){12,}`)
	shellCommand  = lazyregexp.New(`https?://|/dev/|\| ?(?:ba|z)?sh\b`)
	entities      = lazyregexp.New(`(?:&#(?:\d+|[xX][0-9A-Fa-f]+);){12,}`)
	decimals      = lazyregexp.New(`\b(?:(?:1[01]\d|12[0-6]|[3-9]\d|10)[,; ]\s?){19,}(?:1[01]\d|12[0-6]|[3-9]\d|10)\b`)
	joinedWords   = lazyregexp.New(`\b[A-Z][A-Za-z',.]*(?:[_-][A-Za-z][A-Za-z',.]*){6,}`)
	spacedLetters = lazyregexp.New(`(?:\b[A-Za-z0-9][.,;:!?]? ){2,}`)
)

// withoutMarks removes combining marks.
func withoutMarks(text string) string {
	return strings.Map(func(c rune) rune {
		if c >= 0x300 && c < 0x370 {
			return -1
		}
		return c
	}, text)
}

func isBase64(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
}

func runEnd(t string, at int) int {
	for at < len(t) && isBase64(t[at]) {
		at++
	}
	return at
}

// run reads a run of base64 characters and returns the end of the run.
func (s *scan) run(at int) int {
	t := s.text
	end := runEnd(t, at)
	n := end - at
	quoted := at > 0 && end < len(t) && t[end] == t[at-1] && strings.IndexByte("\"'`", t[end]) >= 0
	// If the text is split across lines or strings, try to decode it as a whole before decoding a
	// single piece.
	if at >= s.joinedEnd && (quoted || n >= 40) {
		whole, next := s.joined(at, end)
		s.joinedEnd = next
		if len(whole) > max(n, minEncoded) && s.encoded(at, next, whole) {
			return next
		}
	}
	stop := end
	for stop < len(t) && t[stop] == '=' && stop-end < 3 {
		stop++
	}
	if n >= minEncoded || stop > end && n >= minEncoded/2 {
		s.encoded(at, stop, t[at:end])
	}
	return stop
}

// between lists characters that may separate the pieces of encoded text.
const between = " \t\r\n\"'`+.,\\&|()#>"

// joined joins a run with the runs after it if the text is split across lines or strings.
func (s *scan) joined(at, end int) (whole string, stop int) {
	t := s.text
	b := []byte(t[at:end])
	for len(b) < maxDecoded {
		gap := t[end:min(len(t), end+40)]
		gap = gap[:len(gap)-len(strings.TrimLeft(gap, between))]
		to := runEnd(t, end+len(gap))
		if to == end+len(gap) || !strings.ContainsAny(gap, "\n\"'`") {
			break
		}
		b = append(b, t[end+len(gap):to]...)
		end = to
	}
	for end < len(t) && t[end] == '=' {
		end++
	}
	return string(b), end
}

// encoded tries to decode a run, assuming the encoding that its characters suggest, and reports
// whether it succeeded.
func (s *scan) encoded(at, stop int, run string) bool {
	run = run[:min(len(run), 2*maxDecoded)]
	switch {
	case strings.Trim(run, "0123456789abcdefABCDEF") == "":
		data, _ := hex.DecodeString(run[:len(run)/2*2])
		return len(run) >= 16 && strings.ContainsAny(run, "0123456789") && s.embed(at, stop, "hex", data)
	case strings.Trim(run, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == "":
		data, _ := decode.Text("base32", run)
		return len(run) >= minEncoded && s.embed(at, stop, "base32", []byte(data))
	case strings.ToLower(run) == run || strings.ToUpper(run) == run,
		len(run) < 200 && strings.Count(run, "/")+strings.Count(run, "-")+strings.Count(run, "_") > len(run)/8:
		// The run is a word, a path, or words joined by hyphens.
		return false
	}
	if len(run)%4 == 1 {
		run = run[:len(run)-1]
	}
	data, ok := decode.Base64(run)
	return ok && s.embed(at, stop, "base64", data)
}

// embed adds a region for text that was decoded from a range of the current region, if the text is
// readable. It reports whether data is readable text or has a known format.
func (s *scan) embed(start, end int, how string, data []byte) bool {
	text, class, inner := classify(data)
	if inner != "" {
		how += " and " + inner
	}
	set := s.d.set
	switch {
	case class == Media || class == Record:
		return true
	case class != "":
		set.Miss(set.Regions[s.region].File, reasonOf(class), how+" in the text")
		s.signal(start, end, how, "", "code")
		return true
	case text == nil:
		return false
	}
	r := &set.Regions[s.region]
	index := set.Embed(s.region, r.At(start, end), guessContext(r.ContextAt(start), string(text)), string(text), how)
	tags := []signal.Tag{"readable"}
	if index >= 0 && set.Regions[index].Medium == signal.Code {
		tags = append(tags, "code")
	}
	s.signal(start, end, how, string(text[:min(len(text), 80)]), tags...)
	return true
}

// guessContext returns the context for decoded text. It guesses the language from the text.
func guessContext(c signal.Context, text string) signal.Context {
	role, lang := guess(text)
	c.Medium, c.Lang = signal.Prose, ""
	switch role {
	case signal.Script:
		c.Medium, c.Lang = signal.Code, lang
	case signal.Config:
		c.Medium, c.Lang = signal.Value, lang
	}
	return c
}

// signal adds a signal for encoded text.
func (s *scan) signal(start, end int, how, decoded string, tags ...signal.Tag) {
	list := tagList(tags)
	list.add("long", end-start > 120)
	s.d.set.Add(signal.Encoded, s.region, start, end, strings.ToValidUTF8(decoded, ""), how, list...)
}

// classify returns decoded data as text if it is readable. Otherwise, it returns the class of the
// data. If the text is encoded twice, classify also decodes the second encoding and returns its
// name in how.
func classify(data []byte) (text []byte, class Class, how string) {
	if len(data) < 6 {
		return nil, "", ""
	}
	head := data[:min(len(data), 64)]
	begins := func(text string) bool { return bytes.HasPrefix(data, []byte(text)) }
	switch {
	case begins(`{"alg"`), begins(`{"typ"`), begins("\x30\x82"), bytes.HasPrefix(head[min(4, len(head)):], []byte("ssh-")):
		// The data is the beginning of a token, certificate or key.
		return nil, Record, ""
	case readable(data):
		return data[:min(len(data), maxDecoded)], "", ""
	case bytes.Count(head, []byte{0})*5 >= len(head)*2:
		if text = decode.UTF16(data, data[0] == 0); readable(text) {
			return text, "", "UTF-16"
		}
	}
	name, class := magicOf(data)
	if class == Archive || class == "" && (len(data) >= 48 || data[0] == 0x78) {
		text, how = decode.Inflate(data, maxDecoded)
		if readable(text) && (how != "deflate" || len(text) > len(data)) {
			return text, "", how
		}
	}
	if class != "" && (len(data) >= 64 && name != "pyc" || class == Media) {
		return nil, class, ""
	}
	return nil, "", ""
}

// readable reports whether b is human-readable text: UTF-8 without control
// characters, consisting largely of letters and spaces.
func readable(b []byte) bool {
	if len(b) > maxDecoded {
		b = bytes.ToValidUTF8(b[:maxDecoded], nil)
	}
	if len(b) < 6 || !cleanText(b) {
		return false
	}
	words := 0
	for _, c := range b {
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c == ' ' || c >= 0x80 {
			words++
		}
	}
	return words*2 >= len(b)
}

// markInstructions marks signals for encoded text in which other extractors found instructions or
// commands.
func (d *reader) markInstructions() {
	done := map[signal.Place]bool{}
	for i := range d.set.Signals {
		switch x := &d.set.Signals[i]; x.Kind {
		case signal.Instruct, signal.Run, signal.Send, signal.Fetch, signal.Delete, signal.Weaken, signal.Connect,
			signal.Install, signal.Sabotage, signal.Lure, signal.Read, signal.Write:
			done[x.Place] = done[x.Place] || x.Packed
		}
	}
	for i := range d.set.Signals {
		if x := &d.set.Signals[i]; x.Kind == signal.Encoded && done[x.Place] {
			x.Tags = append(x.Tags, "instructs")
		}
	}
}
