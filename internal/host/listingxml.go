package host

import (
	"strings"

	"github.com/vadehq/vade/definition"
)

// EscapeXML escapes the five characters with special meaning in XML.
func EscapeXML(s string) string {
	if !strings.ContainsAny(s, `&<>"'`) {
		return s
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace(s)
}

// XMLTag returns an XML element on one line.
func XMLTag(name, text string) string { return "<" + name + ">" + text + "</" + name + ">" }

// XMLTall returns an XML element with its start and end tags on separate lines.
func XMLTall(name, text string) string { return "<" + name + ">\n" + text + "\n</" + name + ">" }

// ByLayer returns a rank function that orders definitions by layer, in the given order, and then by
// row in the profile.
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

// SameRank returns the same rank for all definitions, so they are ordered only by name.
func SameRank(*definition.Definition) int { return 0 }
