// Package chars handles whitespace, case folding, invalid UTF-8 and truncation the way hosts do. It
// also has functions for names and messages.
package chars

// IsSpace reports whether r is whitespace in JavaScript, which most hosts are written in.
func IsSpace(r rune) bool {
	switch {
	case r == ' ' || '\t' <= r && r <= '\r':
		return true
	case r < 0xA0:
		return false
	case 0x2000 <= r && r <= 0x200A:
		return true
	}
	switch r {
	case 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return false
}
