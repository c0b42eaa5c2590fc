package fact

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"io"
	"unicode/utf8"
)

// content is what a decoded text is.
type content struct {
	kind contentKind
	text []byte
	how  string
	why  Reason
	cut  bool
}

type contentKind uint8

const (
	// isNothing is what has no form: the text was no code of anything.
	isNothing contentKind = iota
	isText
	// isMedia is what does no harm by its form: pictures, sound, fonts, keys.
	isMedia
	// isProgram is code for a machine, or a container.
	isProgram
)

// classify says what bytes are, and undoes the packing of those that are packed.
func (s *packScan) classify(data []byte) content {
	if len(data) < 4 {
		return content{}
	}
	if readableText(data) {
		if bytes.HasPrefix(data, []byte(`{"alg"`)) || bytes.HasPrefix(data, []byte(`{"typ"`)) {
			// The head of a token.
			return content{kind: isMedia}
		}
		return cut(content{kind: isText, text: data})
	}
	if order := order16(data); order != nil {
		if text := decode16(data, order); readableText(text) {
			return cut(content{kind: isText, text: text, how: "UTF-16"})
		}
	}
	if how, open := packing(data); open != nil {
		if text, over := inflate(open, data); readableText(text) {
			return cut(content{kind: isText, text: text, how: how, cut: over})
		}
	}
	if kind, why := decodedKind(data); kind != isNothing {
		return content{kind: kind, why: why}
	}
	if len(data) >= 48 && s.deflates < 20 && data[0]&6 != 6 {
		s.deflates++
		if text, over := inflate(rawDeflate, data); len(text) > len(data) && readableText(text) {
			return cut(content{kind: isText, text: text, how: "deflate", cut: over})
		}
	}
	return content{}
}

func cut(c content) content {
	if len(c.text) > maxDecoded {
		c.text, c.cut = c.text[:maxDecoded], true
	}
	return c
}

// readableText reports whether bytes are text: UTF-8 without controls, of which a
// good part is letters and blanks.
func readableText(b []byte) bool {
	if len(b) > maxDecoded {
		b = b[:maxDecoded]
		for len(b) > 0 && !utf8.RuneStart(b[len(b)-1]) {
			b = b[:len(b)-1]
		}
		b = b[:max(0, len(b)-1)]
	}
	if len(b) < 6 || !plainText(b) {
		return false
	}
	words := 0
	for _, c := range b {
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c == ' ' || c >= 0x80 {
			words++
		}
	}
	return words*10 >= len(b)*5
}

// order16 reports whether bytes look like Latin text in UTF-16.
func order16(b []byte) binary.ByteOrder {
	if len(b) < 8 {
		return nil
	}
	n := min(len(b)/2, 64)
	var low, high int
	for i := range n {
		if b[2*i] == 0 && b[2*i+1] != 0 {
			high++
		}
		if b[2*i+1] == 0 && b[2*i] != 0 {
			low++
		}
	}
	switch {
	case low*10 >= n*8:
		return binary.LittleEndian
	case high*10 >= n*8:
		return binary.BigEndian
	}
	return nil
}

// packing returns how to open bytes that are packed.
func packing(b []byte) (string, func(io.Reader) (io.Reader, error)) {
	switch {
	case bytes.HasPrefix(b, []byte("\x1f\x8b")):
		return "gzip", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	case b[0] == 0x78 && (b[1] == 1 || b[1] == 0x5e || b[1] == 0x9c || b[1] == 0xda):
		return "zlib", func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) }
	case bytes.HasPrefix(b, []byte("BZh")):
		return "bzip2", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }
	}
	return "", nil
}

func rawDeflate(r io.Reader) (io.Reader, error) { return flate.NewReader(r), nil }

// inflate unpacks at most what is read of one text. What comes before an error counts.
func inflate(open func(io.Reader) (io.Reader, error), data []byte) (text []byte, over bool) {
	r, err := open(bytes.NewReader(data))
	if err != nil {
		return nil, false
	}
	text, _ = io.ReadAll(io.LimitReader(r, maxDecoded+1))
	return text, len(text) > maxDecoded
}

// decodedKind says what bytes are by how they begin.
func decodedKind(b []byte) (contentKind, Reason) {
	for _, m := range [...]string{
		"\x89PNG", "\xff\xd8\xff", "GIF8", "RIFF", "BM", "\x00\x00\x01\x00", "II*\x00", "MM\x00*", "%PDF", "wOFF", "wOF2", "OTTO", "\x00\x01\x00\x00", "true", "ID3", "OggS", "fLaC",
		"\xff\xfb", "\xff\xf3", "\x30\x82", "\x30\x81", "\x00\x00\x00\x07ssh-rsa", "\x00\x00\x00\x0bssh-", "\x00\x00\x00\x13ecdsa", "\x1aE\xdf\xa3",
	} {
		if bytes.HasPrefix(b, []byte(m)) {
			return isMedia, ""
		}
	}
	if len(b) > 12 && string(b[4:8]) == "ftyp" {
		return isMedia, ""
	}
	if len(b) < 64 {
		return isNothing, ""
	}
	for _, m := range [...]string{"\x7fELF", "MZ\x90\x00", "MZ", "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe"} {
		if bytes.HasPrefix(b, []byte(m)) {
			return isProgram, MissedNative
		}
	}
	for _, m := range [...]string{"\x00asm", "\xca\xfe\xba\xbe", "\xe3\x00\x00\x00\x00", "\x63\x00\x00\x00\x00", "\x80\x04\x95", "\x80\x05\x95", "dex\n"} {
		if bytes.HasPrefix(b, []byte(m)) {
			return isProgram, MissedBytecode
		}
	}
	for _, m := range [...]string{"PK\x03\x04", "7z\xbc\xaf\x27\x1c", "Rar!", "\xfd7zXZ", "\x28\xb5\x2f\xfd", "xar!", "!<arch>"} {
		if bytes.HasPrefix(b, []byte(m)) {
			return isProgram, MissedArchive
		}
	}
	return isNothing, ""
}
