package document

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// take reads what was decoded from a range of the region, if that is of interest, and
// reports whether it was.
func (s *scan) take(start, end int, how string, data []byte) bool {
	text, class, inner := s.d.classify(data)
	if inner != "" {
		how += " and " + inner
	}
	set := s.d.set
	switch {
	case class == Media || class == Record || class == Sealed:
		return true
	case class != "":
		set.Miss(s.file, reasonOf(class), "it is "+how+" in the text")
		s.signal(start, end, how, "", -1, "code")
		return true
	case text == nil:
		return false
	case len(s.d.found) >= maxEncoded:
		set.Miss(s.file, signal.MissedPacked, "it has more encoded texts than are decoded")
		return true
	}
	r := &set.Regions[s.region]
	index := set.Embed(s.region, r.At(start, end), guessed(r.ContextAt(start), string(text)), string(text), how)
	tags := []signal.Tag{"readable"}
	if index >= 0 && set.Regions[index].Medium == signal.Code {
		tags = append(tags, "code")
	}
	s.signal(start, end, how, string(text[:min(len(text), 80)]), index, tags...)
	return true
}

// guessed is the context of a text that came without a name.
func guessed(c signal.Context, text string) signal.Context {
	role, lang := guess(text)
	c.Medium, c.Lang = signal.Prose, ""
	switch role {
	case signal.Script:
		c.Medium, c.Lang = signal.Code, lang
	case signal.Config, signal.Data:
		c.Medium, c.Lang = signal.Value, lang
	}
	return c
}

// signal adds the signal for encoded text.
func (s *scan) signal(start, end int, how, says string, region int, tags ...signal.Tag) {
	kind, _, _ := strings.Cut(how, " ")
	if kind != "base64" && kind != "hex" {
		kind = "other"
	}
	tags = append(tags, signal.Tag(kind))
	if end-start > 120 {
		tags = append(tags, "long")
	}
	if end-start > 4<<10 {
		tags = append(tags, "large")
	}
	s.d.set.Add(signal.Encoded, s.region, start, end, strings.ToValidUTF8(says, ""), how, tags...)
	if n := len(s.d.set.Signals) - 1; n >= 0 && s.d.set.Signals[n].Kind == signal.Encoded {
		s.d.found = append(s.d.found, decoded{n, region})
	}
}

// classify says what bytes are: text, with the encodings that were undone besides the outer
// one, or a form that is not text.
func (d *reader) classify(data []byte) (text []byte, class Class, how string) {
	if len(data) < 6 {
		return nil, "", ""
	}
	if readable(data) {
		if bytes.HasPrefix(data, []byte(`{"alg"`)) || bytes.HasPrefix(data, []byte(`{"typ"`)) {
			// The head of a token.
			return nil, Sealed, ""
		}
		return data[:min(len(data), maxDecoded)], "", ""
	}
	head := data[:min(len(data), 64)]
	if zeros := bytes.Count(head, []byte{0}); zeros*5 >= len(head)*2 {
		if text = decode16(data, data[0] == 0); readable(text) {
			return text, "", "UTF-16"
		}
	}
	if text, how = decompress(data); readable(text) {
		return text, "", how
	}
	name, class := magicOf(data)
	switch {
	case bytes.HasPrefix(data, []byte("\x30\x82")), bytes.Contains(head, []byte("ssh-")), bytes.Contains(head, []byte("ecdsa-")):
		// A certificate or a key.
		return nil, Record, ""
	case class != "" && (len(data) >= 64 && name != "pyc" || class == Media):
		return nil, class, ""
	case len(data) >= 48 && d.deflates < 20 && data[0]&6 != 6:
		d.deflates++
		text, _ = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data)), maxDecoded))
		if len(text) > len(data) && readable(text) {
			return text, "", "deflate"
		}
	}
	return nil, "", ""
}

// readable reports whether bytes are text: UTF-8 without control characters, of which a
// good part is letters and spaces.
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

// decompress returns the text of compressed bytes. What comes before an error counts.
func decompress(b []byte) (text []byte, how string) {
	var r io.Reader
	var err error
	switch in := bytes.NewReader(b); {
	case bytes.HasPrefix(b, []byte("\x1f\x8b")):
		how = "gzip"
		r, err = gzip.NewReader(in)
	case b[0] == 0x78 && bytes.IndexByte([]byte("\x01\x5e\x9c\xda"), b[1]) >= 0:
		how = "zlib"
		r, err = zlib.NewReader(in)
	case bytes.HasPrefix(b, []byte("BZh")):
		how = "bzip2"
		r = bzip2.NewReader(in)
	}
	if r == nil || err != nil {
		return nil, ""
	}
	text, _ = io.ReadAll(io.LimitReader(r, maxDecoded))
	return text, how
}
