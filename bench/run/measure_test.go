package main

import (
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, tc := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1}, 5},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := median(tc.values); got != tc.want {
			t.Errorf("median(%v) = %v, want %v", tc.values, got, tc.want)
		}
	}
}

// TestRow checks that the ratio is the median of the pairs' ratios.
func TestRow(t *testing.T) {
	at := func(wall int) sample {
		return sample{time.Duration(wall) * time.Millisecond, time.Millisecond}
	}
	r := result{pair{process{name: "x"}, process{name: "y"}}, []sample{at(2), at(30), at(9)}, []sample{at(1), at(10), at(9)}}
	want := "| x / y | 9.0 ms | 2.0 | 9.0 | 1.0 | **2.00** | 1.00 | 1.0 ms |\n"
	if got := r.row(); got != want {
		t.Errorf("row = %s, want %s", got, want)
	}
	all := map[string]float64{}
	r.figures(all)
	if all["x / y/wall ratio"] != 2 || all["x / y/more ms"] != 1 {
		t.Errorf("figures = %v", all)
	}
	if strings.Count(tableHead, "|") != 2*strings.Count(want, "|") {
		t.Error("the row has not as many columns as the head")
	}
}

func TestParseFlags(t *testing.T) {
	cfg, err := parseFlags([]string{"-sizes", "10, 20", "-rounds", "3", "-only", "load"})
	if err != nil || len(cfg.sizes) != 2 || cfg.sizes[1] != 20 || cfg.rounds != 3 {
		t.Errorf("%+v, %v", cfg, err)
	}
	if got := len((&bench{}).pairs(cfg)); got != 2 {
		t.Errorf("%d pairs with load in their name, want 2", got)
	}
	for _, args := range [][]string{{"-sizes", "20,10"}, {"-sizes", "2"}, {"-sizes", "x"}, {"-rounds", "0"}, {"-only", "("}, {"more"}} {
		if _, err := parseFlags(args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
