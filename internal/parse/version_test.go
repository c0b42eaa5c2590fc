package parse

import "testing"

func TestIsSemantic(t *testing.T) {
	for s, want := range map[string]bool{
		"1.2.3": true, "0.0.0": true, "1.2.3-beta.1": true, "1.2.3+build.05": true, "1.2.3-a+b": true, "1.2.3--": true,
		"": false, "banana": false, "1.2": false, "1.2.3.4": false, "01.2.3": false, "1.2.3-": false, "1.2.3-01": false, "1.2.3+": false,
		"v1.2.3": false, "1.2.3 ": false, "1.-2.3": false,
	} {
		if IsSemantic(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}
