package qwen

import "testing"

func TestQwenBare(t *testing.T) {
	for _, tc := range [][2]string{
		{"a b", "a b"}, {"'a b'", "a b"}, {"a;b", `a\;b`}, {"$(id)", `\$\(id\)`}, {"a & b", "'a & b'"}, {"2>x", `2\>x`}, {"a> b", "'a> b'"}, {"a->b", "a->b"}, {"", ""},
	} {
		if got := bare(tc[0]); got != tc[1] {
			t.Errorf("qwenBare(%q) = %q, want %q", tc[0], got, tc[1])
		}
	}
}
