package mirror

import (
	"crypto/sha256"
	"strings"

	"github.com/vadehq/vade/internal/mcp"
)

// HideDiff is a unified diff in which no value shows that may be a secret.
func HideDiff(diff string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(diff) {
		// The first two lines name the files.
		if n++; n <= 2 || strings.HasPrefix(line, "@@") || len(line) < 2 {
			b.WriteString(line)
		} else {
			b.WriteString(hideLine(line[:1], line[1:]))
		}
	}
	return b.String()
}

// hideLine is [mcp.HideLine], but for the digest in a mark, which is no secret.
func hideLine(mark, line string) string {
	before, rest, _ := strings.Cut(line, "sha256:")
	digest := strings.TrimSuffix(strings.TrimSpace(rest), " -->")
	if _, _, marked := ReadMark([]byte(line)); !marked || len(digest) != sha256.Size*2 || !isHex(digest) || mcp.HideLine("", before) != before {
		return mcp.HideLine(mark, line)
	}
	return mark + line
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }
