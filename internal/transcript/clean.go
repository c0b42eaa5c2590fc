package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// hiddenMark stands in the place of what may be a secret.
const hiddenMark = "‹hidden›"

// cleaner makes texts of a transcript fit to be shown and to stand in a skill.
type cleaner struct {
	// dir is the directory that the session worked in.
	dir string
	// hidden is how often something was taken out that may be a secret.
	hidden int
	// depth is how deep in quotes the text stands.
	depth int
	// learning: what is hidden is noted, and known is what was: it is hidden where
	// nothing around it tells what it is, too. The longest come first.
	learning bool
	known    []string
}

// prose is a message, in one line of at most n characters. An empty one had nothing else
// in it.
func (c *cleaner) prose(s string, n int) string {
	return short(inert(c.paths(c.hideKnown(c.hideProse(seen(s))))), n)
}

// command is a command as it is shown: secrets, places of the machine, and what hosts
// would heed are taken out, and bodies of here-documents. It is one line.
func (c *cleaner) command(s string, n int) string {
	return short(inert(c.hideKnown(c.hideCommand(seen(s)))), n)
}

// path is the path of a file, relative to the session's directory where it is in it.
func (c *cleaner) path(s string) string {
	return short(inert(c.paths(c.hideKnown(c.hideWord(seen(s))))), 120)
}

// short is one line with single blanks of at most n characters.
func short(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)[:n-1]
	text := string(runes)
	// A mark of ours is not cut.
	if open := strings.LastIndex(text, "‹"); open > strings.LastIndex(text, "›") {
		text = text[:open]
	}
	if i := strings.LastIndexByte(text, ' '); i > len(text)*2/3 {
		text = text[:i]
	}
	return strings.TrimRight(text, " ,;:") + "…"
}

// inert is a text without anything that a host would heed: places for arguments and
// variables, commands and files that are put in, references of editors, tags. It holds
// for the rules of all hosts, in code as outside of it, because several hosts look into
// code too (observed: Claude Code and opencode).
func inert(s string) string {
	s = visible(s)
	var b strings.Builder
	b.Grow(len(s))
	last := rune(' ')
	put := func(text string) {
		b.WriteString(text)
		last, _ = utf8.DecodeLastRuneInString(text)
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		rest := s[i+size:]
		switch {
		case r == '`':
			put("'")
		case r == '$':
			name, n := variable(rest)
			put("‹" + name + "›")
			i += n
		case r == '@' && (last >= utf8.RuneSelf || !isWord(last) || strings.HasPrefix(rest, "{")):
			put("(at)")
		case (r == '{' || r == '}') && last == r:
			put(" " + string(r))
		case r == '{' && (last == '!' || last == '@'):
			put("(")
		case r == '#' && (last >= utf8.RuneSelf || !isWord(last)) && startsWord(rest):
			put("# ")
		case r == '<' && rest != "" && (startsWord(rest) || strings.IndexByte("/!?", rest[0]) >= 0):
			put("‹")
		case r == '(' && last == ']':
			put(" (")
		case r == '-' && strings.HasPrefix(rest, "--"):
			put("–")
			for i+size < len(s) && s[i+size] == '-' {
				i++
			}
		default:
			put(string(r))
		}
		i += size
	}
	return b.String()
}

// seen is a text as it is read, line by line: what does not show could stand within the
// word that tells of a secret.
func seen(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && r != '\u2028' && r != '\u2029' && (r == utf8.RuneError || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Variation_Selector) || !unicode.IsGraphic(r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// visible is a text of characters that can be seen and of blanks.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), r == '\u2028', r == '\u2029':
			return ' '
		case r == utf8.RuneError, unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Variation_Selector), !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// variable is the name of a variable behind "$" and how long it is with its braces. A
// name is one of letters, digits and "_"; of all else only that it is there is said.
func variable(rest string) (string, int) {
	braces := strings.HasPrefix(rest, "{")
	from := 0
	if braces {
		from = 1
	}
	end := from
	for end < len(rest) && end < 60 && rest[end] < utf8.RuneSelf && isWord(rune(rest[end])) {
		end++
	}
	name := rest[from:end]
	switch {
	case name == "":
		return "…", 0
	case !braces:
		return name, end
	}
	if i := strings.IndexByte(rest, '}'); i > 0 && i < 200 && !strings.Contains(rest[:i], "\n") {
		return name, i + 1
	}
	return name, end
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func startsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

// oneValue is a text that can stand in a field of the frontmatter: no tag, no line of
// dashes, no mark of a comment.
func oneValue(s string) string {
	s = strings.Map(func(r rune) rune {
		switch r {
		case '<', '>', '"', '\\':
			return -1
		}
		return r
	}, s)
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-")
	}
	return strings.TrimSpace(strings.ReplaceAll(s, " #", " "))
}
