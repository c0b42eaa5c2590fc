package chars

import (
	"strings"
	"testing"
)

func TestIndexFold(t *testing.T) {
	for _, c := range []struct {
		s, word string
		want    int
	}{
		{"Do Shell Script", "do shell", 0},
		{"\xff\xff\xffKEY", "key", 3},
		{"İİkey", "key", 4},
		{"\u212aey", "key", -1},
		{"kkKey", "key", 2},
		{"ke", "key", -1},
		{"xke", "key", -1},
		{"", "key", -1},
		{"a.GZ", ".gz", 1},
		{"x", "", 0},
	} {
		if got := IndexFold(c.s, c.word); got != c.want {
			t.Errorf("%q in %q: %d, not %d", c.word, c.s, got, c.want)
		}
	}
}

func FuzzIndexFold(f *testing.F) {
	f.Add("Do Shell Script \xff", "shell")
	f.Fuzz(func(t *testing.T, s, word string) {
		for i := range len(word) {
			if word[i] >= 0x80 {
				return
			}
		}
		got := IndexFold(s, word)
		ascii := func(s string) string {
			b := []byte(s)
			for i := range b {
				b[i] = lower(b[i])
			}
			return string(b)
		}
		if want := strings.Index(ascii(s), ascii(word)); got != want {
			t.Errorf("%q in %q: %d, not %d", word, s, got, want)
		}
	})
}
