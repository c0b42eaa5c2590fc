package registry

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"2.1.330", "2.1.329", "2.1.88"}
	for _, c := range []struct{ version, want string }{
		{"2.1.329", "2.1.329"},
		{"2.1.331", "2.1.330"},
		{"3.0", "2.1.330"},
		{"2.1.300", "2.1.329"},
		{"2.1.89", "2.1.88"},
		{"2.1", "2.1.88"},
		{"0", "2.1.88"},
		{"latest", ""},
		{"", ""},
		{"2.x", ""},
	} {
		if got, ok := nearest(known, c.version); got != c.want || ok != (c.want != "") {
			t.Errorf("%q is nearest to %q, not %q", c.version, got, c.want)
		}
	}
}
