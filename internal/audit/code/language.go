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

// language is a row of languages.txt.
type language struct {
	// name is the first of its names: the one that calls.txt uses.
	name   string
	line   []string
	block  [2]string
	quotes []quote
	// openings are what can be in front of quotes, or of delimiters.
	openings []quote
	// heredocs is what begins a here-document.
	heredocs string
	interp   []string
	sigil    string
	concat   string
	arrow    []string
	phrase   []string
	words    map[string]word
	// strengths are how strongly operators bind.
	strengths map[string]int
	is        map[string]bool
	calls     *calls
}

// quote is how a string begins and ends.
type quote struct {
	open, close                                string
	multi, raw, interpolated, command, doubled bool
	// words: it is a list of words. pattern: it is a regular expression. any: it has delimiters
	// of its own choice. twice: two of them.
	words, pattern, any, twice bool
}

// word is what a word means where a statement or an expression begins.
type word uint8

const (
	ordinary word = iota
	skipped
	control
	functions
	loop
	imports
	returns
)

// languages are the rows by each of their names, as languages.txt has them.
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

// operatorStrengths has a line for each strength of operators, the weakest first.
const operatorStrengths = `= := += -= *= /= .= |= &= ||= &&= ??= <<= >>= **=
?
or and orelse andalso || && ?? ?: |>
in of as is instanceof eq ne like == != === !== < > <= >= <=> =~ !~ <-
| ^ & << >>
+ - .. ~ <> ++ . ...
* / % **`

func newLanguage(name, fields string) *language {
	l := &language{name: name, words: map[string]word{}, is: map[string]bool{}, strengths: map[string]int{}}
	for i, line := range strings.Split(operatorStrengths, "\n") {
		for op := range strings.FieldsSeq(line) {
			l.strengths[op] = i + 1
		}
	}
	for _, w := range [...]string{"return", "yield"} {
		l.words[w] = returns
	}
	for _, w := range [...]string{"for", "foreach", "foreach_with_index"} {
		l.words[w] = loop
	}
	for _, w := range [...]string{"import", "from", "using", "use"} {
		l.words[w] = imports
	}
	for field := range strings.FieldsSeq(fields) {
		key, value, _ := strings.Cut(field, "=")
		l.set(key, value, strings.Split(value, ","))
	}
	l.calls = newCalls(name)
	return l
}

// set reads a field of a row.
func (l *language) set(key, value string, list []string) {
	switch key {
	case "line":
		l.line = list
	case "block":
		l.block[0], l.block[1], _ = strings.Cut(value, "..")
	case "quote":
		for _, text := range list {
			open := strings.TrimRight(text, "mrixd")
			l.quotes = append(l.quotes, newQuote(open, text[len(open):]))
		}
	case "prefix", "delimited":
		for _, text := range list {
			open, flags, _ := strings.Cut(text, ":")
			q := newQuote(open, flags)
			q.any = key == "delimited"
			l.openings = append(l.openings, q)
		}
	case "operator":
		for _, text := range list {
			op, strength, _ := strings.Cut(text, ":")
			l.strengths[op], _ = strconv.Atoi(strength)
		}
	case "heredoc":
		l.heredocs = value
	case "interp":
		l.interp = list
	case "sigil":
		l.sigil = value
	case "concat":
		l.concat = value
	case "arrow":
		l.arrow = list
	case "phrase":
		l.phrase = list
	case "func":
		l.mark(list, functions)
	case "skip":
		l.mark(list, skipped)
	case "ctl":
		l.mark(list, control)
	case "is":
		for _, w := range list {
			l.is[w] = true
		}
	}
}

func (l *language) mark(list []string, as word) {
	for _, w := range list {
		if w != "" {
			l.words[w] = as
		}
	}
}

func newQuote(open, flags string) quote {
	has := func(flag string) bool { return strings.Contains(flags, flag) }
	return quote{
		open: open, close: open, multi: has("m"), raw: has("r"), interpolated: has("i"), command: has("x"),
		doubled: has("d"), words: has("w"), pattern: has("p"), twice: has("2"),
	}
}

// row is what a call does.
type row struct {
	does string
	// arg is the number of the argument that matters.
	arg  int
	tags []signal.Tag
}

// calls are the rows of calls.txt for one language, by the names as written there.
type calls struct {
	byName map[string]*row
	// last has the last parts of all names.
	last map[string]bool
}

func newCalls(lang string) *calls {
	c := &calls{byName: map[string]*row{}, last: map[string]bool{}}
	for line := range strings.Lines(callsText) {
		langs, rest, ok := strings.Cut(strings.TrimSpace(line), " : ")
		if !ok || langs[0] == '#' || langs != "*" && !slices.Contains(strings.Split(langs, ","), lang) {
			continue
		}
		head, names, _ := strings.Cut(rest, " : ")
		fields := strings.Fields(head)
		r := &row{}
		does, arg, _ := strings.Cut(fields[0], "@")
		r.does = does
		r.arg, _ = strconv.Atoi(arg)
		for _, tag := range fields[1:] {
			r.tags = append(r.tags, signal.Tag(tag))
		}
		for name := range strings.FieldsSeq(names) {
			if _, has := c.byName[name]; has && langs == "*" {
				continue
			}
			c.byName[name] = r
			c.last[name[strings.LastIndexByte(name, '.')+1:]] = true
		}
	}
	return c
}

// find returns the row of a dotted name; nil if there is none.
func (c *calls) find(name string) *row {
	dot := strings.LastIndexByte(name, '.')
	if !c.last[name[dot+1:]] {
		return nil
	}
	if r := c.byName[name]; r != nil {
		return r
	}
	if dot < 0 {
		return nil
	}
	for rest := name; ; {
		_, tail, ok := strings.Cut(rest, ".")
		if !ok || strings.IndexByte(tail, '.') < 0 {
			break
		}
		if r := c.byName[tail]; r != nil {
			return r
		}
		rest = tail
	}
	return c.byName["*"+name[dot:]]
}
