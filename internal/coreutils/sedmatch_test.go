package coreutils

import (
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

// TestMatchesProperty: one after the other the same matches are found as at once.
func TestMatchesProperty(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		atom := rapid.SampledFrom([]string{
			"a", "b", "é", ".", "a*", "(a|ab)", "(b*)", "(^a|b)", "^", "$", "\\b", "\\B", "\\<a", "b\\>", "[^a]", "(a)?", "x{0,2}", " ", "\\w+", "|", "(a(b)|b)*", "\\`", "\\'",
		})
		pattern := strings.Join(rapid.SliceOfN(atom, 1, 5).Draw(t, "pattern"), "")
		re, err := compileRegex(pattern, extended, rapid.Bool().Draw(t, "fold"))
		if err != nil {
			t.Skip(err)
		}
		m, err := newMatchSeq(re, true)
		if err != nil {
			t.Fatal(err)
		}
		pieces := rapid.SampledFrom([]string{"a", "b", "A", "é", " ", "x", "ab", "\xc3", "\xa9", "\xff", "\n", "_"})
		line := []byte(strings.Join(rapid.SliceOfN(pieces, 0, 12).Draw(t, "line"), ""))
		var got [][]int
		m.each(line, func(found []int) bool {
			got = append(got, found)
			return true
		})
		if diff := cmp.Diff(re.FindAllSubmatchIndex(line, -1), got); diff != "" {
			t.Fatalf("%q in %q: - at once, + one by one:\n%s", pattern, line, diff)
		}
	})
}

// TestSedHoldsItsBound: a line that grows takes little more room than it may have.
func TestSedHoldsItsBound(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	line := strings.Repeat("a", 200_000)
	grow := func(n int) string { return "s/a/" + strings.Repeat("a", n) + "/g" }
	tests := []struct {
		name, script string
		length       int // of the line; 0: it is too long
	}{
		{"it fits", grow(36), 36 * 200_000},
		{"of many matches", grow(36) + ";" + grow(32) + ";" + grow(26), 0},
		{"the last substitution", grow(100), 0},
		{"one match many times", "s/.*/" + strings.Repeat("&", 4000) + "/", 0},
		{"groups", `s/\(a\)\(a*\)/` + strings.Repeat(`\2\1`, 3000) + "/", 0},
		{"many that do not grow", grow(3) + ";s/a/b/g", 3 * 200_000},
		{"of edges", grow(2) + `;s/\B/x/g;s/\B/` + strings.Repeat("y", 40) + "/g", 0},
		{"behind the bound in a block", "1{" + grow(100) + ";p}", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			peak := peakHeap()
			got := runHere(t, &IO{Stdin: strings.NewReader(line + "\n")}, "sed", tt.script)
			if mib := peak() >> 20; mib > 150 {
				t.Errorf("%d MiB are taken", mib)
			}
			switch {
			case tt.length == 0:
				if got.status != 2 || got.stdout != "" || got.stderr != "sed: a line is too long for the expression\n" {
					t.Errorf("status %d, %d bytes, %q", got.status, len(got.stdout), got.stderr)
				}
			case got.status != 0 || len(got.stdout) != tt.length+1 || got.stderr != "":
				t.Errorf("status %d, %d bytes, %q", got.status, len(got.stdout), got.stderr)
			}
		})
	}
}

// peakHeap watches how many bytes the heap holds more than it does now, until it
// is asked for the most of it.
func peakHeap() func() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	first := read()
	stop, most := make(chan bool), make(chan uint64)
	go func() {
		peak := first
		for {
			select {
			case <-stop:
				most <- max(peak, read())
				return
			case <-time.After(time.Millisecond):
				peak = max(peak, read())
			}
		}
	}()
	return func() uint64 {
		close(stop)
		return <-most - first
	}
}
