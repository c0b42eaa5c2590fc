package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// rule applies to the measurements whose names have the given prefix and suffix. It defines whether
// more or less is better, and which changes are small enough to ignore.
type rule struct {
	prefix, suffix string
	// better is +1 if more is better, -1 if less is better, and 0 if neither is.
	better int
	// tolerance is a fraction of the old value, and slack is an absolute amount. Changes within
	// their sum are not printed.
	tolerance, slack float64
	// machine reports whether values can be compared only on the same machine.
	machine bool
}

// rules are tried in order. The first rule that matches a name applies.
var rules = []rule{
	{suffix: "/cases"}, {suffix: "/cells"}, {suffix: "/commands"}, {suffix: "/all"},
	{suffix: "/different", better: -1},
	{prefix: "conformance/", better: +1},
	{prefix: "vectors/", better: +1},
	{prefix: "matrix/", better: +1},
	{prefix: "attacks/", better: +1},
	{prefix: "uses/", better: +1},
	{prefix: "packages/", better: -1},
	{prefix: "modules/", better: -1},
	{prefix: "source/", better: -1},
	{prefix: "exported/", better: -1},
	{prefix: "binary/bytes", better: -1, tolerance: 0.002},
	{prefix: "binary/", better: -1},
	{prefix: "tests/slow/seconds/", better: -1, tolerance: 0.25, slack: 2, machine: true},
	{prefix: "tests/", better: -1},
	{prefix: "run/", suffix: " ms", better: -1, tolerance: 0.2, slack: 0.3, machine: true},
	{prefix: "run/", better: -1, tolerance: 0.1},
	{prefix: "serve/", suffix: " MiB", better: -1, tolerance: 0.1},
	{prefix: "serve/", suffix: " ms", better: -1, tolerance: 0.25, machine: true},
	{prefix: "serve/", suffix: "requests/s ratio", better: +1, tolerance: 0.1},
	{prefix: "serve/", better: -1, tolerance: 0.2},
}

// ruleOf returns the rule for a measurement. If no rule matches, it returns one that considers
// neither direction better.
func ruleOf(name string) rule {
	for _, r := range rules {
		if strings.HasPrefix(name, r.prefix) && strings.HasSuffix(name, r.suffix) {
			return r
		}
	}
	return rule{}
}

// printDiff prints the measurements that have changed, and marks those that got
// worse. At the end, it lists the groups that were not measured this time.
func printDiff(out io.Writer, old, now baseline) {
	group := func(name string) string { g, _, _ := strings.Cut(name, "/"); return g }
	measured := map[string]bool{}
	for name := range now.Figures {
		measured[group(name)] = true
	}
	left, counts := map[string]bool{}, map[string]int{}
	both := maps.Clone(old.Figures)
	maps.Copy(both, now.Figures)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		r := ruleOf(name)
		switch {
		case !measured[group(name)]:
			left[group(name)] = true
		case r.machine && old.Machine != now.Machine:
			left["times, measured on "+old.Machine] = true
		default:
			a, before := old.Figures[name]
			b, after := now.Figures[name]
			if mark := r.mark(a, b, before, after); mark != "" {
				counts[mark]++
				fmt.Fprintf(w, "%s\t%s\t%s → %s\n", mark, name, show(a, before), show(b, after))
			}
		}
	}
	w.Flush()
	fmt.Fprintf(out, "%d worse, %d better, %d changed, %d new, %d gone\n", counts["WORSE"], counts["better"], counts["changed"], counts["new"], counts["gone"])
	if len(left) > 0 {
		fmt.Fprintf(out, "not compared: %s\n", strings.Join(slices.Sorted(maps.Keys(left)), "; "))
	}
}

// mark returns the label for a change from a to b, or "" if the change needs none. If more is
// better, a value that is now missing is marked as worse.
func (r rule) mark(a, b float64, before, after bool) string {
	switch change := (b - a) * float64(r.better); {
	case !before:
		return "new"
	case !after && r.better <= 0:
		return "gone"
	case after && math.Abs(b-a) <= r.tolerance*math.Abs(a)+r.slack:
		return ""
	case !after || change < 0:
		return "WORSE"
	case change > 0:
		return "better"
	}
	return "changed"
}

// show formats a value, or a dash if it is missing.
func show(value float64, there bool) string {
	if !there {
		return "–"
	}
	return strconv.FormatFloat(value, 'f', -1, 64)
}
