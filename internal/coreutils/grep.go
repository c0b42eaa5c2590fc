package coreutils

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
)

func grepCommand() Command  { return grepLike("grep", "print lines that match a pattern", basic) }
func egrepCommand() Command { return grepLike("egrep", "grep -E", extended) }
func fgrepCommand() Command { return grepLike("fgrep", "grep -F", fixed) }

func grepLike(name, summary string, d dialect) Command {
	return simple(name, summary, grepSyntax, func(p *parsed) (*Prepared, error) { return prepareGrep(p, d) })
}

func grepSyntax() syntax {
	number := checkInteger(0)
	colour := checkOneOf("never", "auto")
	return syntax{digits: "C", flags: []flag{
		{names: "E extended-regexp"}, {names: "F fixed-strings"}, {names: "G basic-regexp"}, {names: "P perl-regexp"},
		{names: "i y ignore-case"}, {names: "no-ignore-case"},
		{names: "v invert-match"}, {names: "w word-regexp"}, {names: "x line-regexp"},
		{names: "e regexp", value: withValue},
		{names: "c count"}, {names: "l files-with-matches"}, {names: "L files-without-match"},
		{names: "n line-number"}, {names: "o only-matching"}, {names: "b byte-offset"},
		{names: "q quiet silent"}, {names: "s no-messages"},
		{names: "h no-filename"}, {names: "H with-filename"}, {names: "label", value: withValue},
		{names: "r recursive"}, {names: "R dereference-recursive"},
		{names: "m max-count", value: withValue, check: number},
		{names: "A after-context", value: withValue, check: number},
		{names: "B before-context", value: withValue, check: number},
		{names: "C context", value: withValue, check: number},
		{names: "group-separator", value: withValue}, {names: "no-group-separator"},
		{names: "include", value: withValue}, {names: "exclude", value: withValue}, {names: "exclude-dir", value: withValue},
		{names: "color colour", value: mayValue, check: colour},
		{names: "a text"}, {names: "I"}, {names: "line-buffered"},
		{names: "binary-files", value: withValue, check: checkOneOf("binary", "text", "without-match")},
		{names: "d directories", value: withValue, check: checkOneOf("read", "skip", "recurse")},
		{names: "Z null"},
	}}
}

// grepOptions are what the flags of grep come to.
type grepOptions struct {
	tool                    string
	match                   *matcher
	invert, only            bool
	number, offset          bool
	count, quiet, silent    bool
	list                    string // "l", "L" or ""
	names, recurse, follow  bool
	skipDirs                bool
	null                    bool
	label                   string
	max                     int // -1: no bound
	before, after           int
	separator               string
	separate                bool
	grouped                 bool // context was asked for, perhaps of 0 lines
	asText, withoutBinaries bool
	globs                   []fileGlob
	dirGlobs                []string
}

// maxContext bounds the lines that are held for -B.
const maxContext = 100_000

func prepareGrep(p *parsed, d dialect) (*Prepared, error) {
	patterns, operands, err := grepPatterns(p)
	if err != nil {
		return nil, err
	}
	o := &grepOptions{tool: "grep"}
	if d, err = grepDialect(p, d); err != nil {
		return nil, err
	}
	if o.match, err = newMatcher(patterns, d, p); err != nil {
		return nil, err
	}
	readGrepOptions(o, p)
	if len(operands) == 0 && o.recurse {
		operands = []Path{{0, "."}}
	}
	paths := slices.DeleteFunc(slices.Clone(operands), func(o Path) bool { return o.Name == "-" })
	if o.before > maxContext || o.after > 1e9 {
		return nil, usage(0, "too much context")
	}
	switch {
	case p.last("h", "H") == "h":
		o.names = false
	case p.last("h", "H") == "H":
		o.names = true
	default:
		o.names = len(operands) > 1 || o.recurse
	}
	return &Prepared{Paths: paths, Run: func(ctx context.Context, x *IO) int { return runGrep(ctx, x, o, operands) }}, nil
}

// wordText is a pattern and the word that it stands in.
type wordText struct {
	word int
	text string
}

// grepPatterns takes the patterns, of which each line is one, and leaves the
// files.
func grepPatterns(p *parsed) (patterns []wordText, operands []Path, err error) {
	operands = p.operands
	var whole []wordText
	for _, o := range p.all("e") {
		whole = append(whole, wordText{o.word, o.value})
	}
	if len(whole) == 0 {
		if len(operands) == 0 {
			return nil, nil, usage(0, "a pattern is needed")
		}
		whole = []wordText{{operands[0].Word, operands[0].Name}}
		operands = operands[1:]
	}
	for _, w := range whole {
		for line := range strings.SplitSeq(w.text, "\n") {
			patterns = append(patterns, wordText{w.word, line})
		}
	}
	return patterns, operands, nil
}

// grepDialect is the dialect of the flags; two that differ are an error.
func grepDialect(p *parsed, given dialect) (dialect, error) {
	d := given
	for _, o := range p.options {
		next := d
		switch o.id {
		case "E":
			next = extended
		case "F":
			next = fixed
		case "G":
			next = basic
		case "P":
			next = perl
		default:
			continue
		}
		if d != given && next != d || given != basic && next != given {
			return d, usage(o.word, "conflicting matchers specified")
		}
		d = next
	}
	if d != basic && p.has("G") {
		return d, usage(0, "conflicting matchers specified")
	}
	return d, nil
}

func readGrepOptions(o *grepOptions, p *parsed) {
	o.invert, o.only = p.has("v"), p.has("o")
	o.number, o.offset = p.has("n"), p.has("b")
	o.count, o.quiet, o.silent = p.has("c"), p.has("q"), p.has("s")
	o.list = p.last("l", "L")
	o.null = p.has("Z")
	o.max = p.number("m", -1)
	context := p.number("C", 0)
	o.before, o.after = p.number("B", context), p.number("A", context)
	o.grouped = p.last("A", "B", "C") != ""
	o.separator, o.separate = "--", p.last("group-separator", "no-group-separator") != "no-group-separator"
	if v, ok := p.value("group-separator"); ok {
		o.separator = v
	}
	o.label = "(standard input)"
	if v, ok := p.value("label"); ok {
		o.label = v
	}
	directories, _ := p.value("d")
	o.recurse = p.has("r") || p.has("R") || directories == "recurse"
	o.follow = p.has("R")
	o.skipDirs = directories == "skip"
	switch p.last("a", "I", "binary-files") {
	case "a":
		o.asText = true
	case "I":
		o.withoutBinaries = true
	case "binary-files":
		v, _ := p.value("binary-files")
		o.asText, o.withoutBinaries = v == "text", v == "without-match"
	}
	for _, f := range p.options {
		switch f.id {
		case "include", "exclude":
			o.globs = append(o.globs, fileGlob{strings.TrimPrefix(f.value, "./"), f.id == "include"})
		case "exclude-dir":
			o.dirGlobs = append(o.dirGlobs, strings.TrimRight(f.value, "/"))
		}
	}
}

// matcher finds the matches of all patterns in a line.
type matcher struct {
	re      *regexp.Regexp
	literal []byte // the only pattern, where it is plain text
	// For whole words: atStart finds a match that begins the line, re one
	// after a character that is not of a word. The group is the match.
	atStart *regexp.Regexp
	word    bool
	longest int // the longest line that can be searched
}

func newMatcher(patterns []wordText, d dialect, p *parsed) (*matcher, error) {
	if d == perl && len(patterns) > 1 {
		return nil, usage(patterns[1].word, "-P takes one pattern")
	}
	fold := p.last("i", "no-ignore-case") == "i"
	sources := make([]string, len(patterns))
	total := 0
	for i, w := range patterns {
		src, err := translateRegex(w.text, d)
		if err == nil {
			_, err = compileTranslated(src, d, fold)
		}
		if total += len(w.text); err == nil && total > maxPattern {
			err = errors.New("the patterns are too long")
		}
		if err != nil {
			return nil, usage(w.word, "%s", err)
		}
		sources[i] = src
	}
	m := &matcher{word: p.has("w") && !p.has("x")}
	if d == fixed && len(patterns) == 1 && !fold && !m.word && !p.has("x") {
		m.literal = []byte(patterns[0].text)
	}
	src := "(?:" + strings.Join(sources, "|") + ")"
	var err error
	switch {
	case p.has("x"):
		m.re, err = compileTranslated(`\A`+src+`\z`, d, fold)
	case m.word:
		const end = `(?:\z|[^_` + wordClass + `])`
		if m.atStart, err = compileTranslated(`\A(`+src+`)`+end, d, fold); err == nil {
			m.re, err = compileTranslated(`[^_`+wordClass+`](`+src+`)`+end, d, fold)
		}
	default:
		m.re, err = compileTranslated(src, d, fold)
	}
	if err != nil {
		return nil, usage(patterns[0].word, "%s", err)
	}
	if m.longest = longestText(m.re); m.literal != nil {
		m.longest = maxLine + sniffed
	}
	return m, nil
}
