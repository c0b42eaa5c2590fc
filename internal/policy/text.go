package policy

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// invisibleChar returns a refusal and an offset for the first invalid byte, control character,
// invisible character or unusual space in a command. If there is none, the refusal is nil.
func invisibleChar(text string) (*Refusal, int) {
	for at, r := range text {
		switch {
		case r == utf8.RuneError && !utf8.FullRuneInString(text[at:]) || r == utf8.RuneError && text[at] != 0xEF:
			return &Refusal{ReasonText, -1, "the command is not valid UTF-8"}, at
		case r == '\n' || r == '\t' || r == 0xFE0F:
		case r < ' ' || r >= 0x7F && r < 0xA0:
			return &Refusal{ReasonText, -1, fmt.Sprintf("the command contains the control character %U", r)}, at
		case r != ' ' && (unicode.IsSpace(r) || unicode.Is(unicode.Zs, r)):
			return &Refusal{ReasonText, -1, fmt.Sprintf("the command contains %U, which looks like a space", r)}, at
		case !unicode.IsPrint(r) && r != ' ' || unicode.Is(unicode.Variation_Selector, r) ||
			unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
			return &Refusal{ReasonText, -1, fmt.Sprintf("the command contains %U, which is invisible", r)}, at
		}
	}
	return nil, 0
}
