package chars

import "strings"

// IsDigits reports whether s is one or more ASCII digits.
func IsDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
