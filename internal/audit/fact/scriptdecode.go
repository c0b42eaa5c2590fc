package fact

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/url"
	"strings"

	"github.com/vadehq/vade/internal/audit/commands"
)

// decoded undoes an encoding of a text that is known; false where it can not.
func decoded(how, s string) (string, bool) {
	switch how {
	case "base64":
		return unbase64(s)
	case "base32":
		b, err := base32.StdEncoding.DecodeString(strings.TrimSpace(s))
		return string(b), err == nil
	case "hex":
		b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
		return string(b), err == nil
	case "base85":
		dst := make([]byte, len(s)+8)
		n, _, err := ascii85.Decode(dst, []byte(s), true)
		return string(dst[:n]), err == nil
	case "zlib":
		z, err := zlib.NewReader(strings.NewReader(s))
		if err != nil {
			return "", false
		}
		return inflated(z)
	case "gzip":
		z, err := gzip.NewReader(strings.NewReader(s))
		if err != nil {
			return "", false
		}
		return inflated(z)
	case "bzip2":
		return inflated(bzip2.NewReader(strings.NewReader(s)))
	case "rot13":
		return commands.DecodeRot13(s)
	case "percent":
		out, err := url.PathUnescape(s)
		return out, err == nil
	}
	return "", false
}

func inflated(r io.Reader) (string, bool) {
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, maxText))
	return b.String(), n > 0 && (err == nil || n >= 64)
}

func unbase64(s string) (string, bool) {
	s = strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\n', '\r', '\t', '=':
			return -1
		case '-':
			return '+'
		case '_':
			return '/'
		}
		return r
	}, s)
	b, err := base64.RawStdEncoding.DecodeString(s)
	return string(b), err == nil
}

// opaque reports whether a text is long and without form, as what is encrypted or
// packed is.
func opaque(s string) bool {
	if len(s) < 1<<10 {
		return false
	}
	var seen [256]int
	n := min(len(s), 8<<10)
	for i := range n {
		seen[s[i]]++
	}
	kinds, top := 0, 0
	for _, k := range seen {
		if k > 0 {
			kinds++
		}
		top = max(top, k)
	}
	return kinds >= 15 && top*5 < n && seen[' ']*50 < n
}
