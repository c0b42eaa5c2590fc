package definition

import (
	"strings"
)

// Flat formats a value of any kind as a string. It joins the items of lists and maps with commas.
func Flat(v *Value) string {
	switch v.Kind {
	case List:
		var parts []string
		for i := range v.Items {
			parts = append(parts, Flat(&v.Items[i]))
		}
		return strings.Join(parts, ", ")
	case Map:
		var parts []string
		for i := range v.Pairs {
			parts = append(parts, v.Pairs[i].Key+" "+Flat(&v.Pairs[i].Value))
		}
		return strings.Join(parts, ", ")
	}
	return v.Text
}
