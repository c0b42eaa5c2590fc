package frontmatter

import (
	"fmt"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
)

// encodingFlaw is a run of bytes that YAML does not allow.
type encodingFlaw struct {
	edit
	code diag.Code
	text string
}

// encodingFlaws finds the bytes that are no UTF-8 and the characters that may
// not stand in YAML. The library reports them without a position, or not at all.
func encodingFlaws(text []byte) []encodingFlaw {
	var flaws []encodingFlaw
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		span := diag.Span{Start: i, End: i + n}
		i += n
		switch {
		case r == utf8.RuneError && n == 1:
			flaws = append(flaws, encodingFlaw{
				edit: edit{span: span, new: "\ufffd"}, code: diag.EncodingInvalid,
				text: fmt.Sprintf("byte 0x%02X is not UTF-8", text[span.Start]),
			})
		case isForbidden(r):
			flaws = append(flaws, encodingFlaw{
				edit: edit{span: span}, code: diag.EncodingControl,
				text: fmt.Sprintf("character U+%04X may not stand in frontmatter", r),
			})
		}
	}
	return flaws
}

func isForbidden(r rune) bool {
	switch r {
	case '\t', '\n', '\r', 0x85:
		return false
	case 0x7f, 0xfeff, 0xfffe, 0xffff:
		return true
	}
	return r < ' ' || 0x80 <= r && r <= 0x9f
}
