package code

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/url"
	"slices"
	"strings"
)

// decode undoes an encoding by its name; false if it is unknown or the text is not in it.
func decode(how, s string) (string, bool) {
	var out []byte
	var err error
	switch how {
	case "base64":
		s = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "", " ", "", "\t", "").Replace(s)
		out, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	case "base32":
		s = strings.TrimRight(strings.ToUpper(s), "=")
		out, err = base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(s)
	case "hex":
		out, err = hex.DecodeString(strings.NewReplacer(" ", "", "\n", "", `\x`, "", ":", "").Replace(s))
	case "base85":
		s = strings.TrimSuffix(strings.TrimPrefix(s, "<~"), "~>")
		out, err = io.ReadAll(io.LimitReader(ascii85.NewDecoder(strings.NewReader(s)), maxText))
	case "url":
		s, err = url.PathUnescape(s)
		out = []byte(s)
	case "rot13":
		out = []byte(strings.Map(rot13, s))
	case "zlib", "gzip", "deflate", "bzip2":
		out, err = inflate(s)
	default:
		return "", false
	}
	return string(out), err == nil && len(out) > 0 && len(out) <= maxText
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

// inflate undoes a compression by what it begins with.
func inflate(s string) ([]byte, error) {
	data := []byte(s)
	var r io.Reader
	var err error
	switch {
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		r, err = gzip.NewReader(bytes.NewReader(data))
	case bytes.HasPrefix(data, []byte("BZh")):
		r = bzip2.NewReader(bytes.NewReader(data))
	case len(data) > 1 && data[0]&0x0f == 8 && (int(data[0])<<8|int(data[1]))%31 == 0:
		r, err = zlib.NewReader(bytes.NewReader(data))
	default:
		r = flate.NewReader(bytes.NewReader(data))
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, maxText))
}

// codec is the encoding that a name in Python, Node or a format of pack stands for.
func codec(name string) string {
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)) {
	case "base64", "base64url", "base64codec", "m", "m0", "u":
		return "base64"
	case "hex", "hexcodec", "h*":
		return "hex"
	case "rot13":
		return "rot13"
	case "zlib", "zlibcodec", "zip":
		return "zlib"
	case "bz2", "bz2codec":
		return "bzip2"
	}
	return ""
}

func reversed(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}
