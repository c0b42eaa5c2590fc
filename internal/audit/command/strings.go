package command

import (
	"html"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// maxCommandText is the maximum size in bytes of a command in a string.
const maxCommandText = 4 << 10

// hasParser reports whether this package or package code has a parser for a language. It also
// returns true for languages that never run commands.
func hasParser(lang string) bool { return !strings.Contains(" "+unparsed+" ", " "+lang+" ") }

const unparsed = "json yaml toml hcl nix groovy hs scala kt jl ml clj erl fs tcl nim zig d cr gp ini xml"

func unescaped(s string) string {
	if !strings.ContainsAny(s, `\"$`) {
		return s
	}
	return strings.NewReplacer("$$", "$", `\\$`, "$", `'"'"'`, "'", `'\''`, "'", `\n`, "\n", `\"`, `"`, `\'`, "'", `\$`, "$", `\\`, `\`).Replace(s)
}

// Unparsed adds a region for each command that no parser has read. Such a command is a string, a
// line or a value that starts with a program's name. In a language without a parser, it can also be
// a string that is passed to a shell. Call Unparsed when all regions from index first on have been
// processed, and then process the regions that it adds. Unparsed does not repeat signals that were
// already found.
func (x *Extractor) Unparsed(s *signal.Set, first int) {
	x.repeats = map[repeatKey]bool{}
	for i := range s.Signals {
		found := &s.Signals[i]
		x.repeats[repeatKey{found.Kind, found.File, found.Reach, found.Object}] = true
	}
	for i, end := first, len(s.Regions); i < end; i++ {
		r := s.Regions[i]
		if r.Medium != signal.Code && r.Medium != signal.Value && r.Medium != signal.Fence || r.Depth > 0 && hasParser(r.Lang) {
			continue
		}
		isShell := isCommands(r.Lang) || r.Lang == "make" || r.Lang == "docker"
		skipped := "" // the characters before commands that were read with the rest of the region
		if r.Lang == "ps1" || r.Lang == "bat" {
			skipped = "`([{|!>"
		} else if isShell {
			skipped = "{|!>"
		}
		eachOpening(r.Text, func(mark, from int) {
			if x.spend(r.File, 0, 0) && strings.IndexByte(skipped, r.Text[mark]) < 0 {
				to := stringEnd(r.Text[:min(len(r.Text), from+maxCommandText)], mark, from)
				text := unescaped(r.Text[from:to])
				if r.Lang == "xml" {
					text = html.UnescapeString(text)
				}
				x.addUnparsed(i, from, to, text)
			}
		})
		if isShell && (r.Lang != "sh" || r.Medium == signal.Fence) {
			continue // These lines were already interpreted as commands.
		}
		eachLine(r.Text, func(start, end int) {
			line := r.Text[start:end]
			from := start + commandOffset(line)
			if from < start || r.Medium == signal.Code && hasParser(r.Lang) && isStatement(line) {
				return
			}
			if r.Lang != "sh" || strings.IndexByte(r.Text[start:from], ':') >= 0 {
				end = min(end, from+maxCommandText)
				x.addUnparsed(i, from, end, r.Text[from:end])
			}
		})
	}
}

// eachOpening calls do for each command that follows an opening quote or bracket. mark is the
// offset of the quote or bracket, and from is the offset of the program's name.
func eachOpening(text string, do func(mark, from int)) {
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '"', '\'', '`', '(', '[', '{', '|', '!', '>':
			from := at + 1 + leadingSpaces(text[at+1:])
			if n := commandPrefixLen(text[from:]); n > 0 {
				do(at, from)
				at = from + n - 1
			}
		}
	}
}

// commandPrefixLen returns the length of the text before the second word if text starts with a
// program's name and another word, optionally in parentheses. Otherwise, it returns 0.
func commandPrefixLen(text string) int {
	start := len(text) - len(strings.TrimLeft(text, "( "))
	name := start + nameLen(text[start:], ".-")
	if name == start || name == len(text) || text[start] < 'a' || text[start] > 'z' {
		return 0
	}
	at := name + leadingSpaces(text[name:])
	if strings.IndexByte(";|&", text[name]) >= 0 {
		at = name + 1
	}
	if at == name || at == len(text) || strings.IndexByte(" \t\n\f\r", text[at]) >= 0 {
		return 0
	}
	return at
}

// commandOffset returns the offset of the command in a line, or -1 if there is none. A list marker,
// a comment marker or a key may precede the command.
func commandOffset(line string) int {
	text := strings.TrimLeft(line, " \t#;*%-/+")
	key := text[:nameLen(text, `."'-`)]
	value := strings.TrimLeft(text[len(key):], " \t")
	if value != "" && (value[0] == ':' || value[0] == '=') {
		text = strings.TrimLeft(value[1:], "> \t\"'")
	} else if strings.HasSuffix(key, "Command") {
		text = value // ssh configuration
	}
	if commandPrefixLen(text) == 0 {
		return -1
	}
	return len(line) - len(text)
}

// isStatement reports whether a line starts with a statement keyword that is common to many
// languages. It returns false for shell statements, which it recognizes by "; do" or "; then".
func isStatement(line string) bool {
	line = line[leadingSpaces(line):]
	p := programs()[line[:nameLen(line, "")]]
	return p != nil && p.effect == "keyword" && !strings.Contains(line, "; do") && !strings.Contains(line, "; then")
}

// leadingSpaces returns the number of spaces and tabs at the start of text.
func leadingSpaces(text string) int { return len(text) - len(strings.TrimLeft(text, " \t")) }

// nameLen returns the length of the name at the start of text. A name may contain the bytes in
// more.
func nameLen(text, more string) int {
	n := 0
	for n < len(text) && (isName(text[n]) || strings.IndexByte(more, text[n]) >= 0) {
		n++
	}
	return n
}

// addUnparsed adds a region for text if it looks like a command or is passed to a shell.
func (x *Extractor) addUnparsed(region, from, to int, text string) {
	r := &x.set.Regions[region]
	if !x.spend(r.File, 0, len(text)) {
		return
	}
	lead := r.Text[max(0, from-40):from]
	passed := !hasParser(r.Lang) && strings.Contains(text, "\n") && regex("passes").MatchString(lead)
	starts := strings.ContainsAny(text, "|;&/~$-") && looksLikeCommand(text) && !regex("describes").MatchString(lead)
	if passed || starts {
		m := machine{x: x, set: x.set, region: region}
		m.embed(span{from, to}, text, "sh", "")
	}
}

// repeatKey identifies a signal regardless of where in the file it was found.
type repeatKey struct {
	kind   signal.Kind
	file   int
	reach  signal.Reach
	object string
}

// stringEnd returns the end of the command that starts at from, in a string or group that opens at
// mark. The command ends at the closing quote or bracket, or at the end of the line.
func stringEnd(text string, mark, from int) int {
	open, closing, depth := text[mark], byte('\n'), 0
	if mark > 0 && text[mark-1:mark+1] == "{|" { // OCaml
		if end := strings.Index(text[from:], "|}"); end >= 0 {
			return from + end
		}
	}
	if i := strings.IndexByte("\"'`|([{", open); i >= 0 {
		closing = "\"'`|)]}"[i]
	}
	for i := from; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n', c == closing && depth == 0 && shellQuote(text[i:]) == 0:
			return i
		case c == closing && depth == 0:
			i += shellQuote(text[i:]) - 1
		case c == '\\' && closing == open:
			i++
		case c == closing:
			depth--
		case c == open:
			depth++
		}
	}
	return len(text)
}

// shellQuote returns the length of the sequence at the start of text that inserts a single quote
// into a single-quoted shell string. It returns 0 if text does not start with such a sequence.
func shellQuote(text string) int {
	for _, quote := range [...]string{`'\''`, `'"'"'`} {
		if strings.HasPrefix(text, quote) {
			return len(quote)
		}
	}
	return 0
}
