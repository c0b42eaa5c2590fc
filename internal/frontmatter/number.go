package frontmatter

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// ScriptNumber writes a number of the core schema as JavaScript does: "1.50" is
// "1.5", "0x10" is "16", "1e21" is "1e+21". Another text stays as it is.
func ScriptNumber(s string) string {
	if s == "" || !isNumber(s) {
		return s
	}
	n := numberOf(s)
	size := math.Abs(n)
	switch {
	case math.IsNaN(n):
		return "NaN"
	case math.IsInf(n, 1):
		return "Infinity"
	case math.IsInf(n, -1):
		return "-Infinity"
	case n == 0:
		return "0"
	case 1e-6 <= size && size < 1e21:
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	text := strconv.FormatFloat(n, 'e', -1, 64)
	// The exponent has no zeros at its front.
	at := strings.IndexByte(text, 'e') + 2
	return text[:at] + strings.TrimLeft(text[at:], "0")
}

// numberOf returns the number that a text of the core schema is; one that is too
// large is infinite.
func numberOf(s string) float64 {
	sign := 1
	switch {
	case strings.HasPrefix(s, "0x"), strings.HasPrefix(s, "0o"):
		whole, _ := new(big.Int).SetString(s, 0)
		n, _ := new(big.Float).SetInt(whole).Float64()
		return n
	case s[0] == '-':
		sign, s = -1, s[1:]
	case s[0] == '+':
		s = s[1:]
	}
	switch strings.ToLower(s) {
	case ".nan":
		return math.NaN()
	case ".inf":
		return math.Inf(sign)
	}
	n, _ := strconv.ParseFloat(s, 64)
	return float64(sign) * n
}
