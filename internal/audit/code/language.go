package code

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/signal"
)

//go:embed languages.txt
var languagesText string

//go:embed calls.txt
var callsText string

// language is a row in languages.txt.
type language struct {
	// name is the first name in the row, which calls.txt uses to refer to the language.
	name   string
	quotes []quote
	// starts is indexed by character and reports whether the character can begin a string.
	starts        [256]bool
	sigil, concat string
	// bareCalls is a copy of is["bare"], which is needed for every token.
	bareCalls bool
	// comments lists the prefixes of line comments. blocks lists the delimiters of block comments
	// as START..END.
	interp, comments, blocks, phrases, arrow []string
	wordClasses                              map[string]wordClass
	// precedences maps operators to their precedence.
	precedences map[string]int
	features    map[string]bool
	calls       calls
}

// quote describes a string syntax. The flags are defined in languages.txt.
type quote struct{ open, close, flags string }

func (q *quote) has(flag byte) bool { return strings.IndexByte(q.flags, flag) >= 0 }

// wordClass is the meaning of a word at the start of a statement or expression.
type wordClass uint8

const (
	ordinary wordClass = iota
	skipped
	control
	functions
	loop
	imports
	returns
)

// languages maps the name of each language to a function that returns its row. The function parses
// the row when it is first called.
var languages = sync.OnceValue(func() map[string]func() *language {
	table := map[string]func() *language{}
	for line := range strings.Lines(languagesText) {
		names, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || names[0] == '#' {
			continue
		}
		list := strings.Split(names, ",")
		make := sync.OnceValue(func() *language { return newLanguage(list[0], rest) })
		for _, name := range list {
			table[name] = make
		}
	}
	return table
})

// operatorPrecedences lists operators by precedence, lowest first, with one line for each level.
// The operators on the first line are not binary.
const operatorPrecedences = `-> => :: ?. ?-> &. ++ -- ...
= := += -= *= /= .= |= &= ||= &&= ??= <<= >>= **=
?
or and orelse andalso || && ?? ?: |>
in of as is instanceof eq ne like == != === !== < > <= >= <=> =~ !~ <-
| ^ & << >>
+ - .. ~ <> .
* / % **`

func newLanguage(name, row string) *language {
	l := &language{name: name, wordClasses: map[string]wordClass{}, features: map[string]bool{}, precedences: map[string]int{}}
	fields := map[string][]string{}
	for i, line := range strings.Split(operatorPrecedences, "\n") {
		for op := range strings.FieldsSeq(line) {
			l.precedences[op] = i
		}
	}
	row += " return=return,yield loop=for,foreach import=import,from,using,use"
	for field := range strings.FieldsSeq(row) {
		key, value, _ := strings.Cut(field, "=")
		fields[key] = slices.DeleteFunc(strings.Split(value, ","), func(s string) bool { return s == "" })
	}
	for i, key := range [...]string{"skip", "ctl", "func", "loop", "import", "return"} {
		for _, w := range fields[key] {
			if l.wordClasses[w] == ordinary {
				l.wordClasses[w] = skipped + wordClass(i)
			}
		}
	}
	for _, flag := range fields["is"] {
		l.features[flag] = true
	}
	for _, operator := range fields["operator"] {
		op, strength, _ := strings.Cut(operator, ":")
		l.precedences[op], _ = strconv.Atoi(strength)
	}
	l.bareCalls = l.features["bare"]
	l.sigil, l.concat = strings.Join(fields["sigil"], ""), strings.Join(fields["concat"], "")
	l.interp, l.phrases, l.arrow = fields["interp"], fields["phrase"], fields["arrow"]
	l.comments, l.blocks = fields["line"], fields["block"]
	l.readQuotes(fields["quote"], fields["prefix"])
	l.calls = newCalls(name)
	return l
}

// readQuotes reads a language's string syntaxes and adds a variant of each for every possible
// prefix. It sorts them by length, longest first.
func (l *language) readQuotes(quotes, prefixes []string) {
	for _, text := range quotes {
		q := newQuote(text)
		l.quotes = append(l.quotes, q)
		for _, prefix := range prefixes {
			if p := newQuote(prefix); q.open == q.close {
				l.quotes = append(l.quotes, quote{p.open + q.open, q.close, p.flags + q.flags})
			}
		}
	}
	slices.SortStableFunc(l.quotes, func(a, b quote) int { return len(b.open) - len(a.open) })
	for _, q := range l.quotes {
		l.starts[strings.ToLower(q.open)[0]], l.starts[strings.ToUpper(q.open)[0]] = true, true
	}
}

func newQuote(text string) quote {
	text, flags, _ := strings.Cut(text, ":")
	open, stop, ok := strings.Cut(text, "..")
	if !ok {
		stop = open
	}
	return quote{open, stop, flags}
}

// row is one line in calls.txt, which describes what a call does.
type row struct {
	effect string
	// arg is the index of the argument that is relevant to the audit.
	arg  int
	tags []signal.Tag
}

// calls maps function names to rows in calls.txt for one language.
type calls map[string]*row

func newCalls(lang string) calls {
	c := calls{}
	for line := range strings.Lines(callsText) {
		langs, rest, ok := strings.Cut(strings.TrimSpace(line), " : ")
		if !ok || langs[0] == '#' || langs != "*" && !slices.Contains(strings.Split(langs, ","), lang) {
			continue
		}
		head, names, _ := strings.Cut(rest, " : ")
		fields := strings.Fields(head)
		r := &row{}
		does, arg, _ := strings.Cut(fields[0], "@")
		r.effect = does
		r.arg, _ = strconv.Atoi(arg)
		for _, tag := range fields[1:] {
			r.tags = append(r.tags, signal.Tag(tag))
		}
		for name := range strings.FieldsSeq(names) {
			if c[name] == nil || langs != "*" {
				c[name] = r
			}
		}
	}
	return c
}

// find returns the row for a dotted name, or nil if there is none.
func (c calls) find(name string) *row {
	last := lastPart(name)
	for rest, dotted := name, true; dotted; {
		if r := c[rest]; r != nil && (rest == name || rest != last) {
			return r
		}
		_, rest, dotted = strings.Cut(rest, ".")
	}
	if last == name {
		return nil
	}
	return c["*."+last]
}

// oneOf reports whether a word is in a space-separated list.
func oneOf(word, list string) bool {
	for w := range strings.SplitSeq(list, " ") {
		if w == word {
			return true
		}
	}
	return false
}
