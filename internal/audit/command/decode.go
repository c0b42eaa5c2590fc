package command

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
)

// decode undoes an encoding by its name; false if it is unknown or the text is not in it.
func decode(how, s string) (string, bool) {
	if len(s) > maxText {
		return "", false
	}
	var out string
	ok := true
	switch how {
	case "base64":
		out, ok = decodeBase64(s)
	case "base32":
		data, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.TrimRight(strings.ToUpper(compact(s)), "="))
		out, ok = string(data), err == nil
	case "hex":
		s = strings.NewReplacer(`\x`, "", "0x", "", ",", "", "x", "").Replace(strings.ToLower(compact(s)))
		data, err := hex.DecodeString(s)
		out, ok = string(data), err == nil
	case "gzip":
		out, ok = readAll(gzip.NewReader(strings.NewReader(s)))
	case "zlib":
		out, ok = readAll(zlib.NewReader(strings.NewReader(s)))
	case "bzip2":
		out, ok = readAll(bzip2.NewReader(strings.NewReader(s)), nil)
	case "rev":
		out = reversed(s)
	default:
		ok = false
	}
	return out, ok && out != "" && len(out) <= maxText
}

func readAll(r io.Reader, err error) (string, bool) {
	if err != nil {
		return "", false
	}
	out, _ := io.ReadAll(io.LimitReader(r, maxText))
	return string(out), len(out) > 0
}

// compact is a text without the whitespace that encoded text is wrapped with.
func compact(s string) string {
	if !strings.ContainsAny(s, " \n\r\t\\") {
		return s
	}
	return strings.NewReplacer(" ", "", "\n", "", "\r", "", "\t", "", `\n`, "", `\`, "").Replace(s)
}

func decodeBase64(s string) (string, bool) {
	s = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(compact(s)), "=")
	out, err := base64.RawStdEncoding.DecodeString(s)
	return string(out), err == nil || len(out) >= 4
}

// decodeUTF16 undoes the base64 of UTF-16 that PowerShell takes as an encoded command.
func decodeUTF16(s string) (string, bool) {
	text, ok := decodeBase64(s)
	data := []byte(text)
	if !ok || bytes.IndexByte(data, 0) < 0 {
		return text, ok && utf8.Valid(data)
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i+1 < len(data); i += 2 {
		units = append(units, uint16(data[i])|uint16(data[i+1])<<8)
	}
	return string(utf16.Decode(units)), len(units) > 0
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

// substitute does what sed does with s/from/to/ where from is no pattern.
func substitute(script, s string) (string, bool) {
	if len(script) < 4 || script[0] != 's' {
		return "", false
	}
	parts := strings.Split(script[2:], script[1:2])
	if len(parts) != 3 || parts[0] == "" || strings.ContainsAny(parts[0], `[]*^$\.+?`) || strings.ContainsAny(parts[1], `\&`) {
		return "", false
	}
	n := 1
	if strings.Contains(parts[2], "g") {
		n = -1
	}
	if len(s)*(len(parts[1])+1) > maxText {
		return "", false
	}
	return strings.Replace(s, parts[0], parts[1], n), true
}

// unescapeC undoes the escapes of $'…'.
func unescapeC(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	text, _, _ := expand.Format(nil, s, nil)
	return text
}
