// Package decode reverses encodings and compression formats, including those
// that hide a program in text.
package decode

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
)

// maxText is the maximum length in bytes of the input and output of [Text].
const maxText = 64 << 10

// Text decodes s. encoding is base64, base32, base85, hex, url, rot13, rev (reverse each line),
// gzip, zlib, deflate or bzip2. Text returns false if the encoding is unknown, if s is not valid in
// that encoding, if the result is empty, or if s or the result is longer than 64 KiB.
func Text(encoding, s string) (string, bool) {
	if len(s) > maxText {
		return "", false
	}
	var out []byte
	var err error
	ok := true
	switch encoding {
	case "base64":
		out, ok = Base64(compact(s))
	case "base32":
		s = strings.TrimRight(strings.ToUpper(compact(s)), "=")
		out, err = base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(s)
	case "base85":
		s = strings.TrimSuffix(strings.TrimPrefix(s, "<~"), "~>")
		out, err = io.ReadAll(io.LimitReader(ascii85.NewDecoder(strings.NewReader(s)), maxText))
	case "hex":
		s = strings.ReplaceAll(strings.ToLower(compact(s)), "0x", "")
		out, err = hex.DecodeString(strings.NewReplacer("x", "", ",", "", ":", "").Replace(s))
	case "url":
		s, err = url.PathUnescape(s)
		out = []byte(s)
	case "rot13":
		out = []byte(strings.Map(rot13, s))
	case "rev":
		out = []byte(reversed(s))
	case "gzip", "zlib", "deflate", "bzip2":
		out, _ = Inflate([]byte(s), maxText)
	}
	return string(out), ok && err == nil && len(out) > 0 && len(out) <= maxText
}

// compact removes whitespace, as well as backslashes and \n escapes that wrap encoded text.
func compact(s string) string {
	if !strings.ContainsAny(s, " \n\r\t\\") {
		return s
	}
	return strings.NewReplacer(" ", "", "\n", "", "\r", "", "\t", "", `\n`, "", `\`, "").Replace(s)
}

// Base64 decodes base64 text in the standard or the URL-safe alphabet, with or without padding. If
// s is invalid, it returns the bytes decoded so far, and true if there are at least four and at
// least len(s)/4 of them.
func Base64(s string) ([]byte, bool) {
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(s, "-_") {
		encoding = base64.RawURLEncoding
	}
	out, err := encoding.DecodeString(strings.TrimRight(s, "="))
	return out, err == nil || len(out) >= 4 && len(out) >= len(s)/4
}

func rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

func reversed(s string) string {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, line := range lines {
		b := []byte(line)
		slices.Reverse(b)
		lines[i] = string(b)
	}
	return strings.Join(lines, "\n")
}

// Inflate detects the compression format of b from its first bytes and decompresses b. It returns
// at most limit bytes and the name of the format. If decompression fails, Inflate returns the bytes
// that were decompressed before the failure. If there are none, format is "".
func Inflate(b []byte, limit int) (text []byte, format string) {
	var r io.Reader
	var err error
	switch in := bytes.NewReader(b); {
	case bytes.HasPrefix(b, []byte("\x1f\x8b")):
		format = "gzip"
		r, err = gzip.NewReader(in)
	case bytes.HasPrefix(b, []byte("BZh")):
		format, r = "bzip2", bzip2.NewReader(in)
	case len(b) > 2 && b[0] == 0x78 && binary.BigEndian.Uint16(b)%31 == 0:
		format = "zlib"
		r, err = zlib.NewReader(in)
	default:
		format, r = "deflate", flate.NewReader(in)
	}
	if err != nil {
		return nil, ""
	}
	text, err = io.ReadAll(io.LimitReader(r, int64(limit)))
	if err != nil && len(text) == 0 {
		return nil, ""
	}
	return text, format
}

// UTF16 converts UTF-16 to UTF-8.
func UTF16(raw []byte, bigEndian bool) []byte {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		if units[i] = binary.LittleEndian.Uint16(raw[2*i:]); bigEndian {
			units[i] = binary.BigEndian.Uint16(raw[2*i:])
		}
	}
	return []byte(string(utf16.Decode(units)))
}
