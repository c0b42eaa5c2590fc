package coreutils

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/chars"
)

// dialect is a regular expression syntax.
type dialect uint8

const (
	basic    dialect = iota // POSIX BRE with GNU's \| \+ \?
	extended                // POSIX ERE with GNU's escapes
	fixed                   // no special characters
	perl                    // the subset of Perl syntax that RE2 supports
)

const (
	// maxPattern is the maximum length of an expression in bytes.
	maxPattern = 16 << 10
	// A search cannot be interrupted, so these limits ensure that it ends within about a second.
	// maxProgram is the maximum number of states in an expression. maxWork is the maximum number of
	// states times the length of a line.
	maxProgram = 10_000
	maxWork    = 100_000_000
)

var errLongText = errors.New("a line is too long for this regular expression")

// compile compiles an expression that translate returned. As POSIX requires, it finds the longest
// of the leftmost matches, except in the Perl dialect.
func compile(src string, d dialect, fold bool) (*regexp.Regexp, error) {
	if fold {
		src = "(?i)" + src
	}
	if d != perl {
		src = "(?s)" + src
	}
	re, err := regexp.Compile(src)
	if err != nil {
		return nil, errors.New("the regular expression is not supported: " + strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if longestText(re) < maxWork/maxProgram {
		return nil, errors.New("the regular expression is too large")
	}
	if d != perl {
		re.Longest()
	}
	return re, nil
}

// longestText returns the maximum length of text that may be searched with an expression.
func longestText(re *regexp.Regexp) int {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return 0
	}
	var size func(tree *syntax.Regexp) int
	size = func(tree *syntax.Regexp) int {
		n := max(1, len(tree.Rune)/2)
		for _, sub := range tree.Sub {
			n = min(n+size(sub), maxWork)
		}
		if tree.Op == syntax.OpRepeat {
			n = min(n*max(tree.Min, tree.Max, 1), maxWork)
		}
		return n
	}
	return maxWork / size(tree)
}

// translate converts an expression to RE2 syntax. It does not add any RE2 flags, such as (?i).
func translate(text string, d dialect) (string, error) {
	switch {
	case len(text) > maxPattern:
		return "", errors.New("the regular expression is too long")
	case !utf8.ValidString(text):
		return "", errors.New("the regular expression is not valid UTF-8")
	case d == fixed:
		return regexp.QuoteMeta(text), nil
	case d == perl:
		_, err := regexp.Compile(text)
		if err != nil || strings.Contains(text, "(?<") || strings.Contains(text, `\Q`) {
			return "", errors.New("this Perl regular expression is not supported")
		}
		return "(?:" + text + ")", nil
	}
	out := ""
	atom := -1       // offset of the last atom in out, or -1
	start := true    // at the start of an alternative
	var groups []int // offsets of open groups
	for text != "" {
		op, used := d.operator(text)
		rest := text[used:]
		switch {
		case op == '(':
			groups = append(groups, len(out))
			out, atom, start = out+"(", -1, true
		case op == ')' && len(groups) == 0:
			return "", errors.New(`unmatched ) or \)`)
		case op == ')':
			atom = groups[len(groups)-1]
			groups = groups[:len(groups)-1]
			out, start = out+")", false
		case op == '|':
			out, atom, start = out+"|", -1, true
		case op == '^' && (start || d == extended):
			out, atom = out+"^", -1
		case op == '$' && (d == extended || rest == "" || strings.HasPrefix(rest, `\)`) || strings.HasPrefix(rest, `\|`)):
			out, atom, start = out+"$", -1, false
		case op == '.':
			atom, start = len(out), false
			out += "."
		case op == '[':
			class, n, err := bracket(text)
			if err != nil {
				return "", err
			}
			atom, start = len(out), false
			out, rest = out+class, text[n:]
		case op == '{':
			count, after, ok := d.interval(rest)
			if !ok && d == extended {
				atom, start, out = len(out), false, out+`\{`
				break
			} else if !ok || atom < 0 {
				return "", errors.New(`invalid content of \{\}`)
			}
			out, rest = out[:atom]+"(?:"+out[atom:]+")"+count, after
		case atom >= 0 && (op == '*' || op == '+' || op == '?'):
			out = out[:atom] + "(?:" + out[atom:] + ")" + string(op)
		case d == extended && (op == '*' || op == '+' || op == '?'):
			// An operator without an operand has no effect.
		case text[0] == '\\' && len(text) == 1:
			return "", errors.New("trailing backslash")
		case text[0] == '\\' && used == 2 && op == 0 && strings.IndexByte("wWsSbB<>`'", text[1]) >= 0:
			known := map[byte]string{'w': `[\pL\p{Nd}_]`, 'W': `[^\pL\p{Nd}_]`, 's': `[\s\v]`, 'S': `[^\s\v]`,
				'b': `\b`, 'B': `\B`, '<': `\b`, '>': `\b`, '`': `\A`, '\'': `\z`}
			atom, start = len(out), false
			out += known[text[1]]
		case text[0] == '\\' && text[1] >= '1' && text[1] <= '9':
			return "", errors.New("backreferences are not supported")
		default:
			if text[0] == '\\' {
				text = text[1:]
			}
			_, size := utf8.DecodeRuneInString(text)
			atom, start = len(out), false
			out, rest = out+regexp.QuoteMeta(text[:size]), text[size:]
		}
		text = rest
	}
	if len(groups) > 0 {
		return "", errors.New(`unmatched ( or \(`)
	}
	return "(?:" + out + ")", nil
}

// operator returns the operator at the start of text, or 0, and the length of the operator or
// character.
func (d dialect) operator(text string) (op byte, used int) {
	plain, escaped := "*^$.[", "(){|+?"
	if d == extended {
		plain, escaped = "(){|+?*^$.[", ""
	}
	if text[0] == '\\' && len(text) > 1 {
		if strings.IndexByte(escaped, text[1]) >= 0 {
			return text[1], 2
		}
		return 0, 2
	}
	if strings.IndexByte(plain, text[0]) >= 0 {
		return text[0], 1
	}
	return 0, 1
}

// interval parses the text after an opening brace, such as "2}", "2,}" or "2,3}". It returns the
// count in RE2 syntax and the remaining text.
func (d dialect) interval(text string) (count, rest string, ok bool) {
	end := "}"
	if d == basic {
		end = `\}`
	}
	text, rest, ok = strings.Cut(text, end)
	low, high, ranged := strings.Cut(text, ",")
	if low == "" && ranged {
		low = "0"
	}
	if !ok || !chars.IsDigits(low) || high != "" && !chars.IsDigits(high) || len(low) > 9 || len(high) > 9 {
		return "", "", false
	}
	if ranged {
		low += ","
	}
	n, _ := strconv.Atoi(high)
	if m, _ := strconv.Atoi(strings.TrimSuffix(low, ",")); high != "" && n < m {
		return "", "", false
	}
	return "{" + low + high + "}", rest, true
}

// bracket translates the bracket expression at the start of text and returns its length.
func bracket(text string) (class string, used int, err error) {
	unmatched := errors.New("unmatched [, [^, [:, [., or [=")
	class, i := "[", 1
	if strings.HasPrefix(text[i:], "^") {
		class, i = "[^", 2
	}
	member := func() rune {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		return r
	}
	for first := i; i < len(text); {
		rest := text[i:]
		if rest[0] == ']' && i > first {
			return class + "]", i + 1, nil
		}
		if strings.HasPrefix(rest, "[=") || strings.HasPrefix(rest, "[.") {
			return "", 0, errors.New("[= and [. are not supported")
		}
		if strings.HasPrefix(rest, "[:") {
			name, _, ok := strings.Cut(rest[2:], ":]")
			if !ok {
				return "", 0, unmatched
			}
			// Letters are Unicode letters, as in the C.UTF-8 locale.
			known := map[string]string{"alpha": `\pL`, "alnum": `\pL\p{Nd}`, "upper": `\p{Lu}`, "lower": `\p{Ll}`, "space": `\s\v`, "punct": `[:punct:]\pP\pS`}
			if c, ok := known[name]; ok {
				class += c
			} else if strings.Contains(" blank cntrl digit graph print xdigit ", " "+name+" ") {
				class += "[:" + name + ":]"
			} else {
				return "", 0, errors.New("invalid character class name")
			}
			i += len(name) + 4
			continue
		}
		low := member()
		high := low
		if rest := text[i:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			i++
			high = member()
		}
		if low > high {
			return "", 0, errors.New("invalid range end")
		}
		class += `\x{` + strconv.FormatInt(int64(low), 16) + `}-\x{` + strconv.FormatInt(int64(high), 16) + "}"
	}
	return "", 0, unmatched
}
