package coreutils

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

const sortFlags = "b|ignore-leading-blanks f|ignore-case h|human-numeric-sort n|numeric-sort" +
	" V|version-sort r|reverse k|key= t|field-separator= s|stable u|unique"

// sortOrder is how two keys compare.
type sortOrder struct {
	kind          byte // 0 for bytes, 'h', 'n' or 'V'
	fold, reverse bool
	blanks        bool // ignore leading blanks
}

// add applies option letters.
func (o *sortOrder) add(letters string) bool {
	for _, l := range []byte(letters) {
		switch l {
		case 'b':
			o.blanks = true
		case 'f':
			o.fold = true
		case 'r':
			o.reverse = true
		case 'h', 'n', 'V':
			if o.kind != 0 && o.kind != l {
				return false
			}
			o.kind = l
		default:
			return false
		}
	}
	return true
}

// sortKey is one -k. Fields count from 0. An end of -1 is the end of the line.
type sortKey struct {
	start, end int
	order      sortOrder
}

// sortLine is a line with its keys.
type sortLine struct {
	text []byte
	keys [][]byte
}

func sortLines(p *parsed) (*Prepared, error) {
	tab := byte(0)
	var global sortOrder
	var keys []sortKey
	for _, o := range p.options {
		ok := true
		switch o.id {
		case "b", "f", "h", "n", "V", "r":
			ok = global.add(o.id)
		case "t":
			if ok = len(o.value) == 1; ok {
				tab = o.value[0]
			}
		case "k":
			var k sortKey
			k, ok = parseSortKey(o.value)
			keys = append(keys, k)
		}
		if !ok {
			return nil, usage(o.word, "unsupported %q", o.value)
		}
	}
	for i := range keys {
		if keys[i].order == (sortOrder{}) {
			keys[i].order = global
		}
	}
	if len(keys) == 0 {
		keys = []sortKey{{end: -1, order: global}}
	}
	unique, stable := p.has("u"), p.has("s")
	compareKeys := func(a, b sortLine) int {
		for i, k := range keys {
			if diff := k.order.compare(a.keys[i], b.keys[i]); diff != 0 {
				return diff
			}
		}
		return 0
	}
	compare := func(a, b sortLine) int {
		diff := compareKeys(a, b)
		if diff != 0 || stable || unique {
			return diff
		}
		if diff = bytes.Compare(a.text, b.text); global.reverse {
			return -diff
		}
		return diff
	}
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		out, held := x.output(), 0
		var lines []sortLine
		status := x.eachInput(ctx, "sort", p.inputs(), 2, func(in io.Reader) error {
			return eachLine(in, '\n', func(text []byte, _ bool) error {
				if held += len(text) + 48; held > 2*maxHeld {
					return errInputTooLarge
				}
				line := sortLine{text: bytes.Clone(text)}
				for _, k := range keys {
					line.keys = append(line.keys, k.of(line.text, tab))
				}
				lines = append(lines, line)
				return nil
			})
		})
		if status != 0 {
			return x.finish(ctx, out, status)
		}
		slices.SortStableFunc(lines, compare)
		for i, line := range lines {
			if unique && i > 0 && compareKeys(lines[i-1], line) == 0 {
				lines[i] = lines[i-1]
				continue
			}
			if writeLine(out, line.text) != nil {
				break
			}
		}
		return x.finish(ctx, out, 0)
	}}, nil
}

// parseSortKey parses F[OPTS][,F[OPTS]].
func parseSortKey(text string) (k sortKey, ok bool) {
	k.end = -1
	for i, part := range strings.SplitN(text, ",", 2) {
		field, rest := cutSet(part, "0123456789")
		f, err := strconv.Atoi(field)
		if err != nil || f < 1 || !k.order.add(rest) {
			return k, false
		}
		if i == 0 {
			k.start = f - 1
		} else {
			k.end = f - 1
		}
	}
	return k, true
}

// of returns the key of a line.
func (k sortKey) of(line []byte, tab byte) []byte {
	// field returns the bounds of a field. Without a separator, the blanks before a field belong
	// to it.
	field := func(n int) (from, to int) {
		for i := 0; ; i++ {
			to = from
			if tab == 0 {
				for to < len(line) && (line[to] == ' ' || line[to] == '\t') {
					to++
				}
				for to < len(line) && line[to] != ' ' && line[to] != '\t' {
					to++
				}
			} else if at := bytes.IndexByte(line[from:], tab); at >= 0 {
				to = from + at
			} else {
				to = len(line)
			}
			if i == n || to == len(line) {
				if i < n {
					from = to
				}
				return from, to
			}
			if from = to; tab != 0 {
				from++
			}
		}
	}
	from, _ := field(k.start)
	to := len(line)
	if k.end >= 0 {
		_, to = field(k.end)
	}
	key := line[from:max(from, to)]
	if k.order.blanks {
		return bytes.TrimLeft(key, " \t")
	}
	return key
}

func (o sortOrder) compare(a, b []byte) int {
	diff := 0
	switch o.kind {
	case 'n':
		diff = readDecimal(a).compare(readDecimal(b))
	case 'h':
		x, y := readDecimal(a), readDecimal(b)
		diff = cmp.Or(cmp.Compare(x.power(), y.power()), x.compare(y))
	case 'V':
		diff = compareVersions(a, b)
	default:
		if o.fold {
			a, b = bytes.ToUpper(a), bytes.ToUpper(b)
		}
		diff = bytes.Compare(a, b)
	}
	if o.reverse {
		return -diff
	}
	return diff
}

// decimal is a number of any length, and the byte after it.
type decimal struct {
	negative          bool
	byCount, fraction string
	unit              byte
}

func readDecimal(text []byte) (d decimal) {
	s := strings.TrimLeft(string(text[:min(len(text), 1000)]), " \t")
	s, d.negative = strings.CutPrefix(s, "-")
	d.byCount, s = cutSet(strings.TrimLeft(s, "0"), "0123456789")
	if strings.HasPrefix(s, ".") {
		d.fraction, s = cutSet(s[1:], "0123456789")
		d.fraction = strings.TrimRight(d.fraction, "0")
	}
	if s != "" {
		d.unit = s[0]
	}
	d.negative = d.negative && d.byCount+d.fraction != ""
	return d
}

func (d decimal) compare(e decimal) int {
	diff := cmp.Or(cmp.Compare(len(d.byCount), len(e.byCount)), cmp.Compare(d.byCount, e.byCount), cmp.Compare(d.fraction, e.fraction))
	switch {
	case d.negative && e.negative:
		return -diff
	case d.negative:
		return -1
	case e.negative:
		return 1
	}
	return diff
}

// power returns the rank of a unit of -h.
func (d decimal) power() int {
	n := strings.IndexByte("KMGTPEZY", bytes.ToUpper([]byte{d.unit})[0]) + 1
	switch {
	case d.byCount+d.fraction == "":
		return 0
	case d.negative:
		return -n
	}
	return n
}

// compareVersions compares text with numbers: the text before a number by its bytes, with a tilde
// first, and numbers by value.
func compareVersions(a, b []byte) int {
	for len(a) > 0 || len(b) > 0 {
		at := func(s []byte) (rank int, digits string) {
			switch {
			case len(s) == 0:
				return -1, ""
			case s[0] == '~':
				return -2, ""
			case s[0] >= '0' && s[0] <= '9':
				digits, _ := cutSet(string(s), "0123456789")
				return 0, digits
			case s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z':
				return int(s[0]), ""
			}
			return 256 + int(s[0]), ""
		}
		rankA, digitsA := at(a)
		rankB, digitsB := at(b)
		x, y := strings.TrimLeft(digitsA, "0"), strings.TrimLeft(digitsB, "0")
		if diff := cmp.Or(cmp.Compare(rankA, rankB), cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); diff != 0 {
			return diff
		}
		a, b = a[min(len(a), max(1, len(digitsA))):], b[min(len(b), max(1, len(digitsB))):]
	}
	return 0
}

func uniq(p *parsed) (*Prepared, error) {
	if len(p.operands) > 1 {
		return nil, usage(p.operands[1].Word, "writing to a second file is not supported")
	}
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		out := x.output()
		var line []byte
		seen := 0
		flush := func() error {
			if seen == 0 || p.has("d") && seen == 1 || p.has("u") && seen > 1 {
				return nil
			}
			if p.has("c") {
				fmt.Fprintf(out, "%7d ", seen)
			}
			return writeLine(out, line)
		}
		status := x.eachInput(ctx, "uniq", p.inputs(), 1, func(in io.Reader) error {
			err := eachLine(in, '\n', func(next []byte, _ bool) error {
				if seen > 0 && bytes.Equal(line, next) {
					seen++
					return nil
				}
				err := flush()
				line, seen = append(line[:0], next...), 1
				return err
			})
			return errors.Join(err, flush())
		})
		return x.finish(ctx, out, status)
	}}, nil
}
