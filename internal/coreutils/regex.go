package coreutils

import (
	"regexp"
	re2 "regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"
)

// dialect says how the text of a regular expression is read.
type dialect uint8

const (
	basic    dialect = iota // POSIX BRE with GNU's \| \+ \?
	extended                // POSIX ERE with GNU's escapes
	fixed                   // no character is special
	perl                    // Perl's, as far as RE2 has it
)

// maxPattern bounds the text of an expression in bytes, maxRegexDepth the
// groups within groups.
const (
	maxPattern    = 16 << 10
	maxRegexDepth = 100
)

// regexError says why an expression can not be used.
type regexError string

func (e regexError) Error() string { return string(e) }

// compileRegex translates an expression to RE2, which needs no more than
// linear time. As in POSIX the longest of the leftmost matches counts, save in
// Perl's dialect. \b, \< and \> know the letters of ASCII only.
func compileRegex(text string, d dialect, fold bool) (*regexp.Regexp, error) {
	src, err := translateRegex(text, d)
	if err != nil {
		return nil, err
	}
	return compileTranslated(src, d, fold)
}

// compileTranslated compiles what translateRegex gave.
func compileTranslated(src string, d dialect, fold bool) (*regexp.Regexp, error) {
	flags := "(?s)"
	switch {
	case d == perl && fold:
		flags = "(?i)"
	case d == perl:
		flags = ""
	case fold:
		flags = "(?si)"
	}
	tree, err := re2.Parse(flags+src, re2.Perl)
	if err == nil && programSize(tree, maxProgram) > maxProgram {
		return nil, regexError("the regular expression is too large")
	}
	re, err := regexp.Compile(flags + src)
	if err != nil {
		return nil, regexError("the regular expression is too large or not supported: " + strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if d != perl {
		re.Longest()
	}
	return re, nil
}

// translateRegex gives an expression in RE2's syntax without flags.
func translateRegex(text string, d dialect) (string, error) {
	switch {
	case len(text) > maxPattern:
		return "", regexError("the regular expression is too long")
	case !utf8.ValidString(text):
		return "", regexError("the regular expression is not UTF-8")
	case d == fixed:
		return regexp.QuoteMeta(text), nil
	case d == perl:
		return "(?:" + text + ")", checkPerl(text)
	}
	p := regexParser{text: text, extended: d == extended}
	n, err := p.alternation(0)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := n.write(&b); err != nil {
		return "", err
	}
	return b.String(), nil
}

// checkPerl refuses what would change its meaning in the wrapping group or
// means something else in Perl.
func checkPerl(text string) error {
	if _, err := regexp.Compile(text); err != nil {
		return regexError("the Perl expression is not supported: " + strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if strings.Contains(text, "(?<") || strings.Contains(text, `\Q`) {
		return regexError("the Perl expression is not supported")
	}
	return nil
}

// regexKind says what a node of an expression stands for.
type regexKind uint8

const (
	regexEmpty regexKind = iota
	regexText            // text in RE2's syntax that stands for one character
	regexCat
	regexAlt
	regexGroup
	regexRepeat
	regexStart     // ^
	regexEnd       // $
	regexTextStart // \`
	regexTextEnd   // \'
	regexBoundary  // \b
	regexInside    // \B
	regexWordStart // \<
	regexWordEnd   // \>
)

// regexNode is one element of an expression.
type regexNode struct {
	kind     regexKind
	text     string
	word     bool // a text that stands only for characters of words
	kids     []*regexNode
	min, max int // of a repeat; max -1: any number
}

// write gives the node in RE2's syntax.
func (n *regexNode) write(b *strings.Builder) error {
	switch n.kind {
	case regexText:
		b.WriteString(n.text)
	case regexStart, regexTextStart:
		b.WriteString(`\A`)
	case regexEnd, regexTextEnd:
		b.WriteString(`\z`)
	case regexBoundary:
		b.WriteString(`\b`)
	case regexInside:
		b.WriteString(`\B`)
	case regexCat:
		return n.writeCat(b)
	case regexAlt:
		return n.writeAlt(b)
	case regexGroup:
		b.WriteByte('(')
		if err := n.kids[0].write(b); err != nil {
			return err
		}
		b.WriteByte(')')
	case regexRepeat:
		return n.writeRepeat(b)
	case regexWordStart, regexWordEnd:
		return regexError(`\< or \> stands where it is not supported`)
	}
	return nil
}

func (n *regexNode) writeAlt(b *strings.Builder) error {
	b.WriteString("(?:")
	for i, k := range n.kids {
		if i > 0 {
			b.WriteByte('|')
		}
		if err := k.write(b); err != nil {
			return err
		}
	}
	b.WriteByte(')')
	return nil
}

// writeCat writes a sequence. RE2 has no \< and \>: \b is the same where a
// character of a word is sure to follow, or to stand before.
func (n *regexNode) writeCat(b *strings.Builder) error {
	for i, k := range n.kids {
		ok := false
		switch {
		case k.kind == regexWordStart:
			ok = i+1 < len(n.kids) && n.kids[i+1].edge(false)
		case k.kind == regexWordEnd:
			ok = i > 0 && n.kids[i-1].edge(true)
		default:
			if err := k.write(b); err != nil {
				return err
			}
			continue
		}
		if !ok {
			return regexError(`\< is supported before a letter or digit, \> after one`)
		}
		b.WriteString(`\b`)
	}
	return nil
}

// edge reports whether the first, or last, character of every match of the
// node belongs to a word.
func (n *regexNode) edge(last bool) bool {
	switch n.kind {
	case regexText:
		return n.word
	case regexGroup:
		return n.kids[0].edge(last)
	case regexRepeat:
		return n.min > 0 && n.kids[0].edge(last)
	case regexAlt:
		for _, k := range n.kids {
			if !k.edge(last) {
				return false
			}
		}
		return true
	case regexCat:
		if len(n.kids) == 0 {
			return false
		}
		if last {
			return n.kids[len(n.kids)-1].edge(last)
		}
		return n.kids[0].edge(last)
	}
	return false
}

func (n *regexNode) writeRepeat(b *strings.Builder) error {
	b.WriteString("(?:")
	if err := n.kids[0].write(b); err != nil {
		return err
	}
	b.WriteByte(')')
	switch {
	case n.min == 0 && n.max < 0:
		b.WriteByte('*')
	case n.min == 1 && n.max < 0:
		b.WriteByte('+')
	case n.min == 0 && n.max == 1:
		b.WriteByte('?')
	case n.max < 0:
		b.WriteString("{" + strconv.Itoa(n.min) + ",}")
	default:
		b.WriteString("{" + strconv.Itoa(n.min) + "," + strconv.Itoa(n.max) + "}")
	}
	return nil
}
