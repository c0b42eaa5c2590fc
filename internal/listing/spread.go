package listing

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/host"
)

// spread distributes what the bare entries leave among descriptions, one character at a time in
// turn, so space that short ones do not need goes to longer ones. If even the bare entries do not
// fit, those that fit are listed and the others omitted. If full paths leave something out, short
// paths are tried and used if they let more in (source, codex-rs/core-skills/src/render.rs; case
// n14: all 300 are listed, shortened).
func spread(t *host.Listing, list []line, total int) (roots []string) {
	whole := slices.Clone(list)
	a := spreadLines(t, whole, total)
	if t.Alias != nil && (a.omitted > 0 || a.lost > 0) {
		short, table := shortPaths(t, list)
		bytes := t.Alias.Frame
		tableBytes := bytes + t.Alias.Table
		for _, line := range table {
			tableBytes += len(line) + 1
		}
		cost := tokens(t, tableBytes) - tokens(t, bytes)
		if len(table) > 0 && cost < total {
			b := spreadLines(t, short, total-cost)
			b.cost += cost
			if cmp.Or(cmp.Compare(b.omitted, a.omitted), cmp.Compare(b.lost, a.lost), cmp.Compare(b.cost, a.cost)) < 0 {
				copy(list, short)
				return table
			}
		}
	}
	copy(list, whole)
	return nil
}

// spreadResult counts omitted entries and lost characters of descriptions, and the cost of the
// rest in tokens.
type spreadResult struct{ omitted, lost, cost int }

func spreadLines(t *host.Listing, list []line, total int) spreadResult {
	full, least := 0, 0
	bare := make([]int, len(list))
	for i := range list {
		full += tokens(t, len(list[i].text())+t.Budget.Around)
		bare[i] = tokens(t, len(bareText(&list[i]))+t.Budget.Around)
		least += bare[i]
	}
	switch {
	case full <= total:
		return spreadResult{cost: full}
	case least <= total:
		return shareTokens(t, list, bare, total-least)
	}
	return keepBare(list, bare, total)
}

// keepBare lists the bare entries that fit, in order.
func keepBare(list []line, bare []int, total int) spreadResult {
	var out spreadResult
	for i := range list {
		out.lost += utf8.RuneCountInString(list[i].description)
		if out.cost+bare[i] <= total {
			out.cost += bare[i]
			list[i].toBare(CutDropped)
			continue
		}
		out.omitted++
		list[i].toBare(CutOmitted)
	}
	return out
}

// shareTokens distributes tokens among descriptions, one character each in turn. The cost of the
// bare entries is already deducted.
func shareTokens(t *host.Listing, list []line, bare []int, left int) spreadResult {
	type share struct {
		// at is the current end of the description, chars its number of characters, spent its
		// cost.
		at, chars, spent int
		done             bool
	}
	shares := make([]share, len(list))
	base := make([]int, len(list))
	for i := range list {
		base[i] = len(bareText(&list[i])) + t.Budget.Around
		shares[i].done = list[i].description == ""
	}
	for changed := true; changed; {
		changed = false
		for i := range list {
			s := &shares[i]
			if s.done {
				continue
			}
			_, n := utf8.DecodeRuneInString(list[i].description[s.at:])
			// A description is preceded by a space that a bare entry lacks.
			cost := tokens(t, base[i]+s.at+n+1) - bare[i]
			if cost-s.spent > left {
				// A later character costs no less in total, and left only shrinks, so this
				// description is finished.
				s.done = true
				continue
			}
			left -= cost - s.spent
			s.spent = cost
			s.at += n
			s.chars++
			s.done = s.at == len(list[i].description)
			changed = true
		}
	}
	out := spreadResult{}
	for i := range list {
		l, s := &list[i], &shares[i]
		out.cost += bare[i] + s.spent
		if s.at < len(l.description) {
			out.lost += utf8.RuneCountInString(l.description) - s.chars
			l.cut = CutShortened
			if s.at == 0 {
				l.toBare(CutDropped)
			}
			l.description = l.description[:s.at]
		}
	}
	return out
}

func bareText(l *line) string {
	b := *l
	b.description, b.suffix, b.bare = "", "", true
	return b.text()
}

// tokens returns how many tokens the host assumes for a number of bytes.
func tokens(t *host.Listing, bytes int) int {
	return (bytes + t.Budget.BytesPerToken - 1) / t.Budget.BytesPerToken
}

// shortPaths returns the lines with short paths, and the table that explains them. A root's
// number is its index among the entries' roots, sorted by profile row and then from the outermost
// directory (inferred).
func shortPaths(t *host.Listing, list []line) (short []line, table []string) {
	short = slices.Clone(list)
	type root struct {
		row, distance int
		dir           string
	}
	var roots []root
	for i := range short {
		e := short[i].entry
		if e.Root == "" {
			continue
		}
		r := root{int(e.Definition.Origin.Row), int(e.Definition.Origin.Distance), e.Root}
		if !slices.Contains(roots, r) {
			roots = append(roots, r)
		}
	}
	slices.SortFunc(roots, func(a, b root) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(b.distance, a.distance), cmp.Compare(a.dir, b.dir))
	})
	numbers := map[string]int{}
	for _, r := range roots {
		if _, ok := numbers[r.dir]; !ok {
			numbers[r.dir] = len(table)
			table = append(table, t.Alias.Root(len(table), r.dir))
		}
	}
	for i := range short {
		l := &short[i]
		if rel, ok := strings.CutPrefix(l.path, l.entry.Root+"/"); ok && l.entry.Root != "" {
			l.path = t.Alias.Path(numbers[l.entry.Root], rel)
		}
	}
	return short, table
}
