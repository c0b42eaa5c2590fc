package coreutils

import (
	"fmt"
	"slices"
	"strings"
)

// syntax is what a command takes before and between its operands.
type syntax struct {
	flags []flag
	// digits is the id of the flag that a bare -NUM sets.
	digits string
	// inOrder ends the flags at the first operand (xargs, command).
	inOrder bool
	// words are whole words with one dash, for find and test, which do not
	// read flags as others do.
	words []string
}

// flag is one flag. Names are separated by spaces, without dashes; one byte is
// a short flag, more is a long one; the first is the id.
type flag struct {
	names string
	value valueKind
	// check, if set, says what is wrong with a value, "" if nothing is.
	check func(value string) string
}

type valueKind uint8

const (
	noValue valueKind = iota
	withValue
	// mayValue takes a value only in the form --name=value.
	mayValue
)

// parsed is a command line taken apart.
type parsed struct {
	options  []option
	operands []Path
}

// option is one use of a flag, operand or word at a place in argv.
type option struct {
	id, value string
	word      int
}

func (f flag) id() string {
	id, _, _ := strings.Cut(f.names, " ")
	return id
}

func (s syntax) find(name string) (flag, bool) {
	for _, f := range s.flags {
		if f.called(name) {
			return f, true
		}
	}
	return flag{}, false
}

func (f flag) called(name string) bool {
	for rest := f.names; rest != ""; {
		var one string
		if one, rest, _ = strings.Cut(rest, " "); one == name {
			return true
		}
	}
	return false
}

func (s syntax) has(word string) bool {
	if len(word) < 2 || word[0] != '-' {
		return false
	}
	if slices.Contains(s.words, word) {
		return true
	}
	if long, ok := strings.CutPrefix(word, "--"); ok {
		name, _, valued := strings.Cut(long, "=")
		f, ok := s.find(name)
		return ok && len(name) > 1 && (!valued || f.value != noValue)
	}
	if s.digits != "" && isDigits(word[1:]) {
		return true
	}
	for i := 1; i < len(word); i++ {
		f, ok := s.find(word[i : i+1])
		if !ok {
			return false
		}
		if f.value == withValue {
			return true
		}
	}
	return true
}

// parse reads words as GNU getopt_long does, but for abbreviated long names.
func (s syntax) parse(args []string) (*parsed, error) {
	p := &parsed{}
	for i := 0; i < len(args); i++ {
		word := args[i]
		switch {
		case word == "--":
			p.rest(args, i+1)
			return p, nil
		case len(word) < 2 || word[0] != '-':
			if s.inOrder {
				p.rest(args, i)
				return p, nil
			}
			p.operands = append(p.operands, Path{i + 1, word})
		case s.digits != "" && isDigits(word[1:]):
			f, _ := s.find(s.digits)
			if err := p.add(f, word[1:], i+1); err != nil {
				return nil, err
			}
		default:
			read := s.short
			if word[1] == '-' {
				read = s.long
			}
			used, err := read(p, args, i)
			if err != nil {
				return nil, err
			}
			i += used
		}
	}
	return p, nil
}

func (p *parsed) rest(args []string, from int) {
	for i := from; i < len(args); i++ {
		p.operands = append(p.operands, Path{i + 1, args[i]})
	}
}

// long reads --name, --name=value or --name value and answers how many further
// words it took.
func (s syntax) long(p *parsed, args []string, i int) (used int, err error) {
	name, value, valued := strings.Cut(args[i][2:], "=")
	f, ok := s.find(name)
	switch {
	case !ok || len(name) < 2:
		return 0, usage(i+1, "unknown flag --%s", name)
	case f.value == noValue && valued:
		return 0, usage(i+1, "--%s takes no value", name)
	case f.value == withValue && !valued:
		if i+1 >= len(args) {
			return 0, usage(i+1, "--%s needs a value", name)
		}
		value, used = args[i+1], 1
	}
	return used, p.add(f, value, i+1+used)
}

// short reads a word of bundled letters.
func (s syntax) short(p *parsed, args []string, i int) (used int, err error) {
	word := args[i]
	for j := 1; j < len(word); j++ {
		f, ok := s.find(word[j : j+1])
		if !ok {
			return 0, usage(i+1, "unknown flag -%s", firstRune(word[j:]))
		}
		if f.value != withValue {
			if err := p.add(f, "", i+1); err != nil {
				return 0, err
			}
			continue
		}
		if j+1 < len(word) {
			return 0, p.add(f, word[j+1:], i+1)
		}
		if i+1 >= len(args) {
			return 0, usage(i+1, "-%s needs a value", word[j:])
		}
		return 1, p.add(f, args[i+1], i+2)
	}
	return 0, nil
}

func (p *parsed) add(f flag, value string, word int) error {
	if f.check != nil && f.value != noValue {
		if wrong := f.check(value); wrong != "" {
			return usage(word, "%s", wrong)
		}
	}
	p.options = append(p.options, option{f.id(), value, word})
	return nil
}

// has reports whether the flag of an id was given.
func (p *parsed) has(id string) bool { return p.last(id) == id }

// value returns the last value given for a flag.
func (p *parsed) value(id string) (string, bool) {
	for _, o := range slices.Backward(p.options) {
		if o.id == id {
			return o.value, true
		}
	}
	return "", false
}

// all returns every use of a flag, in order.
func (p *parsed) all(id string) []option {
	var out []option
	for _, o := range p.options {
		if o.id == id {
			out = append(out, o)
		}
	}
	return out
}

// last returns which of some flags was given last, "" if none was.
func (p *parsed) last(ids ...string) string {
	for _, o := range slices.Backward(p.options) {
		if slices.Contains(ids, o.id) {
			return o.id
		}
	}
	return ""
}

// files returns the operands that are names of files: all but "-".
func (p *parsed) files() []Path {
	var out []Path
	for _, o := range p.operands {
		if o.Name != "-" {
			out = append(out, o)
		}
	}
	return out
}

// inputs returns the operands, or standard input where there are none.
func (p *parsed) inputs() []string {
	if len(p.operands) == 0 {
		return []string{"-"}
	}
	return names(p.operands)
}

func names(paths []Path) []string {
	out := make([]string, len(paths))
	for i, o := range paths {
		out[i] = o.Name
	}
	return out
}

func usage(word int, format string, args ...any) error {
	return &UsageError{word, fmt.Sprintf(format, args...)}
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func firstRune(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}
