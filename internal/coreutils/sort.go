package coreutils

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
)

func sortCommand() Command {
	return simple("sort", "sort lines", sortSyntax, prepareSort)
}

func sortSyntax() syntax {
	return syntax{flags: []flag{
		{names: "b ignore-leading-blanks"}, {names: "d dictionary-order"}, {names: "f ignore-case"},
		{names: "g general-numeric-sort"}, {names: "h human-numeric-sort"}, {names: "i ignore-nonprinting"},
		{names: "M month-sort"}, {names: "n numeric-sort"}, {names: "V version-sort"}, {names: "r reverse"},
		{names: "sort", value: withValue, check: checkOneOf("general-numeric", "human-numeric", "month", "numeric", "version")},
		{names: "k key", value: withValue, check: func(v string) string {
			_, wrong := parseSortKey(v)
			return wrong
		}},
		{names: "t field-separator", value: withValue, check: func(v string) string {
			if len(v) != 1 && v != `\0` {
				return "the separator must be a single character"
			}
			return ""
		}},
		{names: "s stable"}, {names: "u unique"}, {names: "z zero-terminated"},
		{names: "c"}, {names: "C"},
		{names: "check", value: mayValue, check: checkOneOf("", "diagnose-first", "quiet", "silent")},
	}}
}

// sortOrder is how keys are compared.
type sortOrder struct {
	kind                           byte // 0, 'g', 'h', 'M', 'n' or 'V'
	fold, dictionary, skip, revers bool
	blankStart, blankEnd           bool
}

// sortKey is one -k: fields and characters count from 0; endField -1 is the
// end of the line, endChar 0 the end of the field.
type sortKey struct {
	startField, startChar int
	endField, endChar     int
	order                 sortOrder
	own                   bool // has options of its own
}

// parseSortKey reads F[.C][OPTS][,F[.C][OPTS]] and says what is wrong with it.
func parseSortKey(text string) (k sortKey, wrong string) {
	bad := "invalid sort key " + strconv.Quote(text)
	from, to, ranged := strings.Cut(text, ",")
	f, c, opts, ok := parseSortPosition(from)
	if !ok || f == 0 || c == 0 {
		return k, bad
	}
	k.startField, k.startChar, k.endField = f-1, max(c, 1)-1, -1
	if !k.order.add(opts, true) {
		return k, bad
	}
	k.own = opts != ""
	if !ranged {
		return k, ""
	}
	f, c, opts, ok = parseSortPosition(to)
	if !ok || f == 0 || !k.order.add(opts, false) {
		return k, bad
	}
	k.endField, k.endChar = f-1, max(c, 0)
	k.own = k.own || opts != ""
	return k, ""
}

// parseSortPosition reads F[.C] and the letters after it; c is -1 without one.
func parseSortPosition(text string) (f, c int, opts string, ok bool) {
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(text)
	}
	f, err := strconv.Atoi(text[:end])
	if err != nil || f > 1e6 {
		return 0, 0, "", false
	}
	c, text = -1, text[end:]
	if rest, dotted := strings.CutPrefix(text, "."); dotted {
		end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		if end < 0 {
			end = len(rest)
		}
		if c, err = strconv.Atoi(rest[:end]); err != nil || c > 1e6 {
			return 0, 0, "", false
		}
		text = rest[end:]
	}
	return f, c, text, true
}

// add takes letters of options; start says that they stand at the key's start.
func (o *sortOrder) add(letters string, start bool) bool {
	for _, l := range []byte(letters) {
		switch l {
		case 'b':
			o.blankStart = o.blankStart || start
			o.blankEnd = o.blankEnd || !start
		case 'd':
			o.dictionary = true
		case 'f':
			o.fold = true
		case 'i':
			o.skip = true
		case 'r':
			o.revers = true
		case 'g', 'h', 'M', 'n', 'V':
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

// sorter is one sort at work.
type sorter struct {
	keys           []sortKey
	global         sortOrder
	tab            int // -1: fields begin where blanks do
	stable, unique bool
	sep            byte
}

func prepareSort(p *parsed) (*Prepared, error) {
	s := &sorter{tab: -1, stable: p.has("s"), unique: p.has("u"), sep: '\n'}
	if err := s.readOrder(p); err != nil {
		return nil, err
	}
	if v, ok := p.value("t"); ok {
		s.tab = int(v[0])
		if v == `\0` {
			s.tab = 0
		}
	}
	if p.has("z") {
		s.sep = 0
	}
	check := p.last("c", "C", "check")
	if check == "check" {
		if check = "c"; slices.Contains([]string{"quiet", "silent"}, p.options[slices.IndexFunc(p.options, func(o option) bool { return o.id == "check" })].value) {
			check = "C"
		}
	}
	if check != "" && len(p.operands) > 1 {
		return nil, usage(p.operands[1].Word, "only one file can be checked")
	}
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		out := x.output()
		if check != "" {
			return x.finish(ctx, out, s.check(ctx, x, p.inputs()[0], check == "C"))
		}
		return x.finish(ctx, out, s.run(ctx, x, out, p.inputs()))
	}}, nil
}

// readOrder takes the options for all keys and hands them to keys that have
// none of their own.
func (s *sorter) readOrder(p *parsed) error {
	for _, o := range p.options {
		letters := o.id
		switch o.id {
		case "sort":
			letters = string(map[string]byte{"general-numeric": 'g', "human-numeric": 'h', "month": 'M', "numeric": 'n', "version": 'V'}[o.value])
		case "k":
			k, _ := parseSortKey(o.value)
			s.keys = append(s.keys, k)
			continue
		case "b":
			s.global.blankStart, s.global.blankEnd = true, true
			continue
		case "d", "f", "g", "h", "i", "M", "n", "V", "r":
		default:
			continue
		}
		if !s.global.add(letters, true) {
			return usage(o.word, "options that contradict each other")
		}
	}
	for i := range s.keys {
		if !s.keys[i].own {
			s.keys[i].order = s.global
		}
	}
	for _, order := range append([]sortOrder{s.global}, orders(s.keys)...) {
		if order.kind != 0 && order.kind != 'V' && (order.dictionary || order.skip) {
			return usage(0, "options that contradict each other")
		}
	}
	return nil
}

func orders(keys []sortKey) []sortOrder {
	var out []sortOrder
	for _, k := range keys {
		out = append(out, k.order)
	}
	return out
}

// run reads everything, sorts and writes.
func (s *sorter) run(ctx context.Context, x *IO, out *bufio.Writer, names []string) int {
	var lines [][]byte
	held := 0
	for _, name := range names {
		err := x.withInput(ctx, name, func(_ string, in *input) error {
			var large bool
			err := eachLine(in, s.sep, func(line []byte, _ bool) error {
				if held += len(line) + 24; held > maxHeld {
					large = true
					return errTooMuch
				}
				lines = append(lines, bytes.Clone(line))
				return nil
			})
			if large {
				return errTooMuch
			}
			return err
		})
		switch {
		case errors.Is(err, errTooMuch):
			return x.tooMuch("sort")
		case err != nil:
			verb := "cannot read"
			x.errorf("sort: %s: %s: %s", verb, name, reason(err))
			return 2
		}
	}
	s.sort(ctx, lines)
	if ctx.Err() != nil {
		return exitStopped
	}
	for i, line := range lines {
		if s.unique && i > 0 && s.compareKeys(lines[i-1], line) == 0 {
			lines[i] = lines[i-1]
			continue
		}
		if writeLine(out, line, s.sep, true) != nil {
			return 2
		}
	}
	return 0
}

// compare orders two lines: by the keys, then as bytes unless the sort is
// stable or equal keys count as equal lines.
func (s *sorter) compare(a, b []byte) int {
	if diff := s.compareKeys(a, b); diff != 0 {
		return diff
	}
	return s.lastResort(a, b)
}

// lastResort orders two lines whose keys are equal.
func (s *sorter) lastResort(a, b []byte) int {
	if s.stable || s.unique {
		return 0
	}
	diff := bytes.Compare(a, b)
	if s.global.revers {
		return -diff
	}
	return diff
}

// check looks for the first line that is out of order.
func (s *sorter) check(ctx context.Context, x *IO, name string, quiet bool) int {
	var last []byte
	status, number := 0, 0
	err := x.withInput(ctx, name, func(_ string, in *input) error {
		return eachLine(in, s.sep, func(line []byte, _ bool) error {
			number++
			if number > 1 {
				diff := s.compare(last, line)
				if diff > 0 || diff == 0 && s.unique {
					if status = 1; !quiet {
						x.errorf("sort: %s:%d: disorder: %s", name, number, line)
					}
					return errTooMuch
				}
			}
			last = append(last[:0], line...)
			return nil
		})
	})
	if err != nil {
		x.errorf("sort: cannot read: %s: %s", name, reason(err))
		return 2
	}
	return status
}
