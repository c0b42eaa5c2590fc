package fact

import (
	"encoding/ascii85"
	"net/url"

	"github.com/vadehq/vade/internal/audit/commands"
)

// decoded undoes an encoding of a text that is known; false if it cannot.
func decoded(how, s string) (string, bool) {
	switch how {
	case "base85":
		dst := make([]byte, len(s)+8)
		n, _, err := ascii85.Decode(dst, []byte(s), true)
		return string(dst[:n]), err == nil
	case "percent":
		out, err := url.PathUnescape(s)
		return out, err == nil
	}
	return commands.Decode(how, s)
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
