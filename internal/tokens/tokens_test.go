package tokens

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEstimate(t *testing.T) {
	for _, tc := range []struct {
		text string
		raw  float64 // before scaling
	}{
		{"", 0},
		{"   \t ", 0},
		{"a", 1},
		{"abcdefgh", 1},
		{"abcdefghi", 2},
		{"one two three four five six seven eight nine ten", 10},
		{"snake_case_name", 5},
		{"123", 1},
		{"1234", 2},
		{"v1.2.3", 6},
		{"```", 1},
		{"```!", 2},
		{"\n", 1},
		{"\n\n\n\n", 1},
		{"a\r\nb\r\nc", 5},
		{"\n \n", 2},
		{"日本語の文章", 6 * .75},
		{"한국어", 3 * .75},
		{"𠀀", .75},
		{"привет", 6 * .6},
		{"café", 1 + .6},
		{"naïve", 1 + .6 + 1},
		{"🙂", .6},
		{"\xff\xfe", 2 * .6},
		{"，。", 2 * .75},
		{"a\x00b", 3},
	} {
		want := int(math.Floor(tc.raw*.912 + .5))
		if want == 0 && tc.raw > 0 {
			want = 1
		}
		if got := Estimate(tc.text); got != want {
			t.Errorf("Estimate(%q) = %d, want %d", tc.text, got, want)
		}
	}
}

func TestFromSize(t *testing.T) {
	for size, want := range map[int64]int{
		-1: 0, 0: 0, 1: 1, 4: 1, 43: 10, 400: 93, 4000: 930, 6000: 1395, math.MaxInt64: math.MaxInt64 / 400 * 93,
	} {
		// For the largest size, the division loses less than 93.
		if got := FromSize(size); got < want || got > want+93*int(min(1, size/math.MaxInt64)) {
			t.Errorf("FromSize(%d) = %d, want %d", size, got, want)
		}
	}
}

// TestLargeText checks that the sum does not drift or overflow.
func TestLargeText(t *testing.T) {
	const words = 1 << 20
	if got, want := Estimate(strings.Repeat("word ", words)), words*912/1000; got != want && got != want+1 {
		t.Errorf("Estimate of %d words = %d, want %d", words, got, want)
	}
}

func TestBytesAllocateNothing(t *testing.T) {
	text := []byte(sample)
	if n := testing.AllocsPerRun(10, func() { EstimateBytes(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzEstimate(f *testing.F) {
	f.Add("# Title\n\nSome text, 123 and `code`.\n", "日本 é\xff")
	f.Add("a", "b")
	f.Add("\n", "\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		n, m, both := Estimate(a), Estimate(b), Estimate(a+b)
		if EstimateBytes([]byte(a)) != n {
			t.Errorf("string and bytes differ on %q", a)
		}
		if n < 0 || n > len(a) {
			t.Errorf("Estimate(%q) = %d", a, n)
		}
		if n == 0 != (strings.Trim(a, " \t") == "") {
			t.Errorf("Estimate(%q) = %d", a, n)
		}
		// Splitting a run or a rune adds at most one token, plus the cost of a few invalid bytes.
		// Each estimate is rounded and is at least 1.
		if utf8.ValidString(a) && utf8.ValidString(b) && (both > n+m+2 || both < n+m-4) {
			t.Errorf("Estimate(%q)+Estimate(%q) = %d+%d, together %d", a, b, n, m, both)
		}
	})
}

const sample = `## Releasing a version

1. Run the tests with ` + "`go test ./...`" + ` and read what they say.
2. Write the change into CHANGELOG.md under "Unreleased" (see [the guide](docs/release.md#notes)).

` + "```sh\ngit tag v1.24.3 && git push --tags\n```\n"

func BenchmarkEstimate(b *testing.B) {
	for name, unit := range map[string]string{
		"english":  sample,
		"japanese": "新しい版を公開する前に、必ず試験を実行してください。\n",
		"russian":  "Перед выпуском новой версии запустите тесты.\n",
	} {
		text := []byte(strings.Repeat(unit, 64<<10/len(unit)))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				EstimateBytes(text)
			}
		})
	}
}
