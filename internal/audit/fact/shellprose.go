package fact

import (
	"html"
	"strings"

	"github.com/vadehq/vade/internal/audit/commands"
)

// shellProse takes complete command lines from a text that is no code.
func (f *Facts) shellProse(r *Region) {
	if !tellsCommand(r.Text) {
		return
	}
	text := r.Text
	if r.Medium == Prose {
		text = outsideSpans(text)
	} else {
		// Elsewhere the spans are not regions of their own.
		text = strings.ReplaceAll(text, "`", "\n")
	}
	text = withoutTags(text)
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:], '\n')
		if end < at {
			end = len(text)
		}
		f.proseLine(r, text, at, end)
		at = end + 1
	}
}

// tellsCommand reports whether a text has a word without which no command is taken
// from prose.
func tellsCommand(text string) bool {
	for _, word := range []string{"curl", "wget", "base64", "/dev/tcp", "owershell", "iex", "IEX", "iwr", "irm", "nvoke-", "rm -", "bash", "mshta", "certutil", "|sh", "| sh", "|zsh", "| zsh", "python", "osascript", "bitsadmin", "eval "} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// outsideSpans blanks the spans of code in a text: they are regions of their own.
func outsideSpans(text string) string {
	if !strings.Contains(text, "`") {
		return text
	}
	b := []byte(text)
	for i := 0; i < len(text); {
		if text[i] != '`' {
			i++
			continue
		}
		n := run(text[i:])
		end, ok := closer(text, i+n, n)
		if !ok {
			i += n
			continue
		}
		for k := i; k < end+n; k++ {
			if b[k] != '\n' {
				b[k] = ' '
			}
		}
		i = end + n
	}
	return string(b)
}

// withoutTags is a text with a line where a tag of HTML stands, and blanks behind it, so
// that all places stay; what stands for a character is it.
func withoutTags(text string) string {
	if strings.IndexByte(text, '<') < 0 && strings.IndexByte(text, '&') < 0 {
		return text
	}
	b := []byte(text)
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '<':
			if n := tagLength(text[i:]); n > 0 {
				b[i] = '\n'
				for k := i + 1; k < i+n; k++ {
					b[k] = ' '
				}
				i += n - 1
			}
		case '&':
			end := strings.IndexByte(text[i:min(len(text), i+10)], ';')
			if end < 0 {
				continue
			}
			if c := html.UnescapeString(text[i : i+end+1]); len(c) == 1 {
				b[i] = c[0]
				for k := i + 1; k <= i+end; k++ {
					b[k] = ' '
				}
				i += end
			}
		}
	}
	return string(b)
}

// tagLength is how long the tag is that a text begins with, of those that show text; 0
// where it begins with none.
func tagLength(text string) int {
	name := text[1:min(len(text), 16)]
	name = strings.TrimPrefix(name, "/")
	end := 0
	for end < len(name) && (letter(name[end]) || name[end] >= '0' && name[end] <= '9') {
		end++
	}
	switch strings.ToLower(name[:end]) {
	case "pre", "code", "kbd", "samp", "tt", "p", "div", "span", "li", "ul", "ol", "td", "th", "tr", "table", "br", "b", "strong", "i", "em", "a", "summary", "details", "blockquote", "center", "font", "h1", "h2", "h3", "h4", "h5", "h6", "sub", "sup", "mark", "small", "u", "section", "article":
	default:
		return 0
	}
	return strings.IndexByte(text[:min(len(text), 400)], '>') + 1
}

// proseLine takes the command from a line of prose: from the first program that is
// given arguments as in a shell to the end of the line.
func (f *Facts) proseLine(r *Region, text string, from, to int) {
	line := text[from:to]
	if !tellsCommand(line) {
		return
	}
	if len(line) > 8<<10 {
		f.miss(r.File, MissedTooLarge, "a line is too long to look for commands in it")
		return
	}
	at := starter(line)
	if at < 0 {
		return
	}
	command := untilProse(line[at:])
	s := r.Standing
	if s.Lang == "md" {
		s.Lang = ""
	}
	f.survey(command, s, func(a, b int) Place { return r.At(from+at+a, from+at+b) })
}

// starter returns where a command begins in a line of prose; -1 where none does.
func starter(line string) int {
	for i := 0; i < len(line); {
		for i < len(line) && strings.IndexByte(" \t\"'(*:>", line[i]) >= 0 {
			i++
		}
		end := i
		for end < len(line) && strings.IndexByte(" \t\"'(", line[end]) < 0 {
			end++
		}
		if i == end {
			return -1
		}
		name := commands.ProgramName(line[i:end])
		rest := strings.TrimLeft(line[end:], " \t")
		switch name {
		case "curl", "wget", "iwr", "irm", "invoke-webrequest", "invoke-restmethod", "mshta", "certutil", "bitsadmin", "iex", "invoke-expression", "nc", "ncat":
			if strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "http") || strings.HasPrefix(rest, "\"http") || strings.HasPrefix(rest, "'http") || strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "$") {
				return i
			}
		case "echo", "printf":
			if strings.Contains(rest, "|") || strings.Contains(rest, "&&") {
				return i
			}
		case "bash", "sh", "zsh", "powershell", "pwsh", "python", "python3", "perl", "ruby", "osascript", "node", "base64", "rm", "sudo", "eval", "cmd":
			if strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "<") || strings.HasPrefix(rest, "$(") || strings.HasPrefix(rest, "/c") || name == "eval" && strings.HasPrefix(rest, "\"$(") || name == "sudo" && starts(rest) {
				return i
			}
		}
		i = end
	}
	return -1
}

// untilProse cuts a command in a line of prose where the sentence goes on: behind an
// interpreter at the end of a pipe whose next word is no option, and at a full stop.
func untilProse(text string) string {
	if i := strings.Index(text, ". "); i > 0 {
		text = text[:i]
	}
	for more := true; more && text != ""; {
		switch c := text[len(text)-1]; c {
		case ')':
			more = strings.Count(text, ")") > strings.Count(text, "(")
		case '"', '\'':
			more = strings.Count(text, string(c))%2 == 1
		default:
			more = strings.IndexByte(" .,;:!*_", c) >= 0
		}
		if more {
			text = text[:len(text)-1]
		}
	}
	i := strings.LastIndexByte(text, '|')
	if i < 0 {
		return text
	}
	words := strings.Fields(text[i+1:])
	end := i + 1
	for k, w := range words {
		at := strings.Index(text[end:], w)
		name := commands.ProgramName(w)
		end += at + len(w)
		if commands.Interpreter(strings.Trim(name, ",.;")) != "" && (k+1 == len(words) || !strings.HasPrefix(words[k+1], "-")) {
			return strings.TrimRight(text[:end], ",.;")
		}
	}
	return text
}
