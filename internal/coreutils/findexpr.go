package coreutils

import (
	"strconv"
	"strings"
)

// findParser reads the words of find.
type findParser struct {
	args  []string
	at    int
	depth int
	opts  findOptions
	paths []Path
	// acts says that an action stands there, so none is implied.
	acts    bool
	dialect dialect
	emacs   bool
}

// findTest is one word of an expression. Takes says that a word follows, made
// what it means; at is the place of the word it takes.
type findTest struct {
	name  string
	takes bool
	made  func(p *findParser, word string) (findNode, error)
}

func (p *findParser) fail(format string, args ...any) error {
	return usage(min(p.at, len(p.args)), "find: "+format, args...)
}

// starts reads the options in front and the starting points.
func (p *findParser) starts() (paths []Path, err error) {
	for ; p.at < len(p.args); p.at++ {
		switch p.args[p.at] {
		case "-P":
			p.opts.followGiven = false
			continue
		case "-H":
			p.opts.followGiven = true
			continue
		case "--":
			p.at++
		}
		break
	}
	for ; p.at < len(p.args) && !startsExpression(p.args[p.at]); p.at++ {
		paths = append(paths, Path{p.at + 1, p.args[p.at]})
	}
	return paths, nil
}

func startsExpression(word string) bool {
	return len(word) > 1 && word[0] == '-' || word == "(" || word == ")" || word == "!" || word == ","
}

func (p *findParser) expression() error {
	p.emacs, p.dialect = true, extended
	always := func(*finder, *found) bool { return true }
	p.opts.expr = always
	if p.at < len(p.args) {
		node, err := p.list()
		if err != nil {
			return err
		}
		if p.at < len(p.args) {
			p.at++
			return p.fail("%s is not expected there", strconv.Quote(p.args[p.at-1]))
		}
		p.opts.expr = node
	}
	if !p.acts {
		inner := p.opts.expr
		p.opts.expr = func(f *finder, at *found) bool {
			return inner(f, at) && !f.quit && f.print(at, "\n")
		}
	}
	return nil
}

func (p *findParser) peek() string {
	if p.at < len(p.args) {
		return p.args[p.at]
	}
	return ""
}

// list is expressions with commas between them.
func (p *findParser) list() (findNode, error) {
	left, err := p.or()
	for err == nil && p.peek() == "," {
		p.at++
		first, right := left, findNode(nil)
		right, err = p.or()
		left = func(f *finder, at *found) bool {
			first(f, at)
			return !f.quit && right(f, at)
		}
	}
	return left, err
}

func (p *findParser) or() (findNode, error) {
	left, err := p.and()
	for err == nil && (p.peek() == "-o" || p.peek() == "-or") {
		p.at++
		first, right := left, findNode(nil)
		right, err = p.and()
		left = func(f *finder, at *found) bool {
			return first(f, at) || !f.quit && right(f, at)
		}
	}
	return left, err
}

func (p *findParser) and() (findNode, error) {
	left, err := p.not()
	for err == nil {
		switch p.peek() {
		case "-a", "-and":
			p.at++
		case "", ")", ",", "-o", "-or":
			if p.at >= len(p.args) || p.args[p.at] != "" {
				return left, nil
			}
		}
		first, right := left, findNode(nil)
		right, err = p.not()
		left = func(f *finder, at *found) bool {
			return first(f, at) && !f.quit && right(f, at)
		}
	}
	return left, err
}

func (p *findParser) not() (findNode, error) {
	if p.depth++; p.depth > 1000 {
		return nil, p.fail("too deep")
	}
	defer func() { p.depth-- }()
	switch word := p.peek(); word {
	case "!", "-not":
		p.at++
		inner, err := p.not()
		return func(f *finder, at *found) bool { return !inner(f, at) }, err
	case "(":
		p.at++
		inner, err := p.list()
		if err != nil {
			return nil, err
		}
		if p.peek() != ")" {
			return nil, p.fail("a ) is missing")
		}
		p.at++
		return inner, nil
	default:
		return p.primary(word)
	}
}

func (p *findParser) primary(word string) (findNode, error) {
	if p.at >= len(p.args) {
		return nil, p.fail("an expression is missing at the end")
	}
	p.at++
	for _, t := range findTests() {
		if t.name != word {
			continue
		}
		value := ""
		if t.takes {
			if p.at >= len(p.args) {
				return nil, p.fail("%s needs a word", word)
			}
			value = p.args[p.at]
			p.at++
		}
		return t.made(p, value)
	}
	if !strings.HasPrefix(word, "-") {
		return nil, p.fail("paths must come before the expression: %s", strconv.Quote(word))
	}
	return nil, p.fail("%s is not a test or action it knows", strconv.Quote(word))
}

// amount is a number with a sign before it: + more, - less, else exactly.
type amount struct {
	sign byte
	n    int64
}

func (p *findParser) amount(word string) (amount, error) {
	a, digits := amount{n: -1}, word
	if word != "" && (word[0] == '+' || word[0] == '-') {
		a.sign, digits = word[0], word[1:]
	}
	n, err := strconv.ParseInt(digits, 10, 62)
	if err != nil || !isDigits(digits) {
		return a, p.fail("not a number: %s", strconv.Quote(word))
	}
	a.n = n
	return a, nil
}

func (a amount) holds(n int64) bool {
	switch a.sign {
	case '+':
		return n > a.n
	case '-':
		return n < a.n
	}
	return n == a.n
}
