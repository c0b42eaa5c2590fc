package host

import (
	"strings"

	"github.com/vadehq/vade/definition"
)

// EscapeXML takes from a text everything that could begin or end a tag.
func EscapeXML(s string) string {
	if !strings.ContainsAny(s, `&<>"'`) {
		return s
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace(s)
}

// XMLTag is an element on one line.
func XMLTag(name, text string) string { return "<" + name + ">" + text + "</" + name + ">" }

// XMLTall is an element whose tags stand on lines of their own.
func XMLTall(name, text string) string { return "<" + name + ">\n" + text + "\n</" + name + ">" }

// ByLayer ranks definitions by the order of layers, the first first, and then by
// the rows of the profile.
func ByLayer(layers ...definition.Layer) func(*definition.Definition) int {
	const rows = 1 << 16
	return func(d *definition.Definition) int {
		for i, l := range layers {
			if d.Origin.Layer == l {
				return i*rows + int(d.Origin.Row)
			}
		}
		return len(layers) * rows
	}
}

// SameRank leaves the order to the names.
func SameRank(*definition.Definition) int { return 0 }
