package fact

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/commands"
	"github.com/vadehq/vade/internal/host"
)

// prompts replaces the prompts at the heads of lines by blanks, so that all offsets
// stay. Where some lines have one, the lines of others that begin with no known
// program are output.
func prompts(text string) string {
	if !strings.ContainsAny(text, "$>%#❯➜") {
		return text
	}
	var b []byte
	found := false
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:], '\n')
		if end < at {
			end = len(text)
		}
		if n := promptLength(text[at:end]); n > 0 {
			if b == nil {
				b = []byte(text)
			}
			found = true
			for i := at; i < at+n; i++ {
				b[i] = ' '
			}
		}
		at = end + 1
	}
	if !found {
		return text
	}
	goesOn := true
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:], '\n')
		if end < at {
			end = len(text)
		}
		line := text[at:end]
		if !goesOn && promptLength(line) == 0 && !strings.ContainsAny(line, "|&;$`=<>(") && !looksCommand(line) {
			for i := at; i < end; i++ {
				b[i] = ' '
			}
		}
		line = strings.TrimRight(line, " \r")
		goesOn = strings.HasSuffix(line, "\\") || strings.HasSuffix(line, "|") || strings.HasSuffix(line, "&&") || strings.HasSuffix(line, "`") || strings.Contains(line, "<<") || goesOn && promptLength(line) == 0 && strings.TrimSpace(string(b[at:end])) != ""
		at = end + 1
	}
	return string(b)
}

// promptLength is the length of the prompt at the head of a line; 0 where there is
// none.
func promptLength(line string) int {
	trimmed := strings.TrimLeft(line, " \t")
	indent := len(line) - len(trimmed)
	for _, p := range []string{"$ ", "> ", "% ", "❯ ", "➜ ", "PS> ", ">>> "} {
		if strings.HasPrefix(trimmed, p) && p != ">>> " {
			return indent + len(p)
		}
	}
	head := trimmed[:min(len(trimmed), 80)]
	if strings.HasPrefix(head, "PS ") || len(head) > 2 && head[1] == ':' && head[2] == '\\' {
		if i := strings.IndexByte(head, '>'); i > 0 {
			return indent + i + 1
		}
	}
	// user@host:~$ and [user@host dir]#
	if i := strings.IndexByte(head, '@'); i > 0 && i < 32 && !strings.ContainsAny(head[:i], " /") {
		for k := i; k+1 < len(head); k++ {
			if (head[k] == '$' || head[k] == '#' || head[k] == '%') && head[k+1] == ' ' {
				return indent + k + 2
			}
		}
	}
	return 0
}

// starts reports whether a text begins as a command does.
func starts(text string) bool {
	text = strings.TrimLeft(text, " \t(")
	if text == "" {
		return false
	}
	end := strings.IndexAny(text, " \t\n;|&)")
	if end < 0 {
		end = len(text)
	}
	word := text[:end]
	switch {
	case strings.HasPrefix(word, "./") || strings.HasPrefix(word, "~/") || strings.HasPrefix(word, "$(") || strings.HasPrefix(word, "/"):
		return len(word) > 2
	case strings.HasPrefix(word, "{"):
		return strings.Contains(word, ",") && strings.HasPrefix(word, "{curl,")
	}
	if i := strings.IndexByte(word, '='); i > 0 && upper(word[:i]) {
		return true
	}
	name := commands.ProgramName(word)
	_, known := slices.BinarySearch(programs[:], name)
	return known || host.AgentProgram(name)
}

func upper(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

// looksCommand reports whether a short text is a command: it begins with a known
// program, or something is piped into an interpreter.
func looksCommand(text string) bool {
	return starts(text) || intoInterpreter(text) || nativeWords(text)
}

// intoInterpreter reports whether a text has a pipe into an interpreter.
func intoInterpreter(text string) bool {
	for i := strings.IndexByte(text, '|'); i >= 0; {
		rest := strings.TrimLeft(text[i+1:], " \t&")
		word, _, _ := strings.Cut(rest, " ")
		if word == "sudo" {
			word, _, _ = strings.Cut(strings.TrimLeft(rest[len("sudo"):], " "), " ")
		}
		if name := commands.ProgramName(strings.Trim(word, "`\n\r.;,)\"'")); name != "" && (commands.Interpreter(name) != "" || name == "iex") {
			return true
		}
		next := strings.IndexByte(text[i+1:], '|')
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

// commandLines returns a text of the same length in which only what looks like
// commands is left; "" where nothing does.
func commandLines(text string) string {
	var b []byte
	total, like := 0, 0
	type stretch struct{ from, to int }
	var drop []stretch
	goesOn := false
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:], '\n')
		if end < at {
			end = len(text)
		}
		line := strings.TrimSpace(text[at:end])
		if line != "" {
			total++
			switch {
			case goesOn || strings.HasPrefix(line, "#") || looksCommand(line):
				like++
			default:
				drop = append(drop, stretch{at, end})
			}
		}
		goesOn = strings.HasSuffix(line, "\\") || strings.HasSuffix(line, "|") || strings.HasSuffix(line, "&&")
		at = end + 1
	}
	switch {
	case like == 0:
		return ""
	case 2*like > total:
		return text
	}
	b = []byte(text)
	for _, d := range drop {
		for i := d.from; i < d.to; i++ {
			b[i] = ' '
		}
	}
	return string(b)
}

// dockerLines leaves what RUN, CMD and ENTRYPOINT run, in a text of the same length.
func dockerLines(text string) string {
	return kept(text, func(line string, goesOn bool) int {
		trimmed := strings.TrimLeft(line, " \t")
		if goesOn {
			return 0
		}
		for _, word := range []string{"RUN ", "CMD ", "ENTRYPOINT ", "run "} {
			if strings.HasPrefix(trimmed, word) {
				n := len(line) - len(trimmed) + len(word)
				for strings.HasPrefix(line[n:], "--") {
					flag, _, ok := strings.Cut(line[n:], " ")
					if !ok {
						break
					}
					n += len(flag) + 1
				}
				return n
			}
		}
		return -1
	})
}

// makeLines leaves the recipes of a Makefile, in a text of the same length.
func makeLines(text string) string {
	return kept(text, func(line string, goesOn bool) int {
		switch {
		case goesOn:
			return 0
		case strings.HasPrefix(line, "\t"):
			return len(line) - len(strings.TrimLeft(line, "\t@-+ "))
		}
		return -1
	})
}

// kept blanks what is no command: cut returns how much of the head of a line is none;
// -1 is all of it.
func kept(text string, cut func(line string, goesOn bool) int) string {
	b := []byte(text)
	goesOn := false
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:], '\n')
		if end < at {
			end = len(text)
		}
		line := text[at:end]
		n := cut(line, goesOn)
		goesOn = n >= 0 && strings.HasSuffix(strings.TrimRight(line, "\r "), "\\")
		if n < 0 {
			n = len(line)
		}
		for i := at; i < at+min(n, len(line)); i++ {
			b[i] = ' '
		}
		at = end + 1
	}
	return string(b)
}
