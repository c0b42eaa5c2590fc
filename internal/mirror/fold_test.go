package mirror

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

// TestFold: names that a file system may take for the same fold alike, others do not.
func TestFold(t *testing.T) {
	for _, same := range [][]string{
		{"a/B", "A/b"}, {"\u00e9", "e\u0301", "\u00c9", "E\u0301"}, {"\u212a", "k", "K"}, {"\u017f", "s"}, {"\u03a3", "\u03c3", "\u03c2"},
		{"\uac00", "\u1100\u1161"}, {"a\u0323\u0307", "a\u0307\u0323"}, {"\u1e9b\u0323", "\u1e61\u0323"},
	} {
		for _, other := range same {
			if fold(same[0]) != fold(other) {
				t.Errorf("%q and %q", same[0], other)
			}
		}
	}
	for _, differ := range [][2]string{{"e", "\u00e9"}, {"\u65e5\u672c", "\u4e2d\u56fd"}, {"a/b", "a-b"}} {
		if fold(differ[0]) == fold(differ[1]) {
			t.Errorf("%q and %q", differ[0], differ[1])
		}
	}
}

// TestFoldEqual: what Go takes for the same but for capitals folds alike, and what was
// folded stays.
func TestFoldEqual(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		for _, other := range []string{strings.ToUpper(s), strings.ToLower(s)} {
			if strings.EqualFold(s, other) && fold(s) != fold(other) {
				t.Fatalf("%q: %q %q", other, fold(s), fold(other))
			}
		}
		if once := fold(s); fold(once) != once {
			t.Fatalf("%q, then %q", once, fold(once))
		}
	})
}

// TestAccentsClash: two spellings of one name get one file, and the other is named.
func TestAccentsClash(t *testing.T) {
	disk := newMemory(map[string]string{"src/.h/\u00e9.md": front, "src/.h/e\u0301.md": front})
	wants := []Want{made(".h/\u00e9.md", front), made(".h/e\u0301.md", front)}
	has(t, sync(t, disk, wants, Options{}), "create .h/e\u0301.md", "SYNC_CLASH .h/\u00e9.md")
	has(t, sync(t, disk, wants, Options{}), "", "SYNC_CLASH .h/\u00e9.md")

	// In a directory, too.
	wants = []Want{made(".h/\u00e9/a.md", front), made(".h/e\u0301/b.md", front)}
	disk = newMemory(map[string]string{"src/.h/\u00e9/a.md": front, "src/.h/e\u0301/b.md": front})
	has(t, sync(t, disk, wants, Options{}), "create .h/e\u0301/b.md", "SYNC_CLASH .h/\u00e9/a.md")
}
