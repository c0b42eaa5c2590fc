package fact

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/shell"
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
	name := shell.ProgramName(word)
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
		if name := shell.ProgramName(strings.Trim(word, "`\n\r.;,)\"'")); name != "" && (shell.Interpreter(name) != "" || name == "iex") {
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

// shellProse takes complete command lines from a text that is no code.
func (f *Facts) shellProse(r *Region) {
	if !tellsCommand(r.Text) {
		return
	}
	text := outsideSpans(r.Text)
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
		name := shell.ProgramName(line[i:end])
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
		name := shell.ProgramName(w)
		end += at + len(w)
		if shell.Interpreter(strings.Trim(name, ",.;")) != "" && (k+1 == len(words) || !strings.HasPrefix(words[k+1], "-")) {
			return strings.TrimRight(text[:end], ",.;")
		}
	}
	return text
}

// shellValue takes commands from the strings of configuration and data.
func (f *Facts) shellValue(r *Region) {
	switch r.Lang {
	case "json":
		f.jsonCommands(r)
	case "yaml", "toml", "ini", "", "txt", "md":
		if r.Lang == "yaml" {
			f.yamlCommands(r)
		}
		f.shellProse(r)
	}
}

// jsonCommands takes commands from the strings of JSON.
func (f *Facts) jsonCommands(r *Region) {
	text := r.Text
	if !tellsCommand(text) && !strings.Contains(text, `"command"`) && !strings.Contains(text, `"scripts"`) && !strings.Contains(text, "install\"") {
		return
	}
	key := ""
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		end := i + 1
		for end < len(text) && text[end] != '"' && text[end] != '\n' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(text) || text[end] != '"' {
			i = min(end, len(text))
			continue
		}
		raw := text[i : end+1]
		rest := strings.TrimLeft(text[end+1:min(len(text), end+32)], " \t\r\n")
		if strings.HasPrefix(rest, ":") {
			key = raw[1 : len(raw)-1]
		} else {
			f.jsonString(r, key, raw, i)
		}
		i = end
	}
}

func (f *Facts) jsonString(r *Region, key, raw string, at int) {
	if len(raw) < 6 || len(raw) > 64<<10 || !strings.Contains(raw, " ") {
		return
	}
	text := raw[1 : len(raw)-1]
	same := !strings.Contains(raw, `\`)
	if !same && json.Unmarshal([]byte(raw), &text) != nil {
		return
	}
	if !commandKey(key) {
		if !tellsCommand(text) {
			return
		}
		n := starter(text)
		if n < 0 {
			return
		}
		text, same = untilProse(text[n:]), false
	} else if !looksCommand(text) {
		return
	}
	place := r.At(at+1, at+len(raw)-1)
	s := r.Standing
	s.Lang = "sh"
	f.survey(text, s, func(a, b int) Place {
		if same {
			return r.At(at+1+a, at+1+b)
		}
		return place
	})
}

// commandKey reports whether a field has a command as its value.
func commandKey(key string) bool {
	switch strings.ToLower(key) {
	case "command", "cmd", "run", "script", "shell", "exec", "install", "preinstall", "postinstall", "prepare", "prepublish", "start", "build", "test", "bash", "entrypoint", "before_script", "after_script", "args":
		return true
	}
	return false
}

// yamlCommands takes the commands from the fields of YAML that have some: run:,
// script:, command:, on their line or in a block below.
func (f *Facts) yamlCommands(r *Region) {
	text := r.Text
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:], '\n')
		if end < at {
			end = len(text)
		}
		line := text[at:end]
		trimmed := strings.TrimLeft(line, " -")
		key, value, ok := strings.Cut(trimmed, ":")
		next := end + 1
		if ok && commandKey(key) {
			value = strings.TrimSpace(value)
			indent := len(line) - len(trimmed)
			switch {
			case strings.HasPrefix(value, "|") || strings.HasPrefix(value, ">"):
				stop := blockEnd(text, next, indent)
				from := min(next, len(text))
				s := r.Standing
				s.Lang = "sh"
				f.survey(text[from:stop], s, func(a, b int) Place { return r.At(from+a, from+b) })
				next = max(next, stop)
			case looksCommand(strings.Trim(value, `"'`)):
				from := at + strings.Index(line, value)
				s := r.Standing
				s.Lang = "sh"
				if len(value) > 1 && (value[0] == '"' || value[0] == '\'') {
					value = strings.Trim(value, value[:1])
					from++
				}
				f.survey(value, s, func(a, b int) Place { return r.At(from+a, from+b) })
			}
		}
		at = next
	}
}

// blockEnd returns where a block of YAML ends whose key is indented so far.
func blockEnd(text string, at, indent int) int {
	for at < len(text) {
		end := at + strings.IndexByte(text[at:], '\n')
		if end < at {
			end = len(text)
		}
		line := text[at:end]
		if strings.TrimSpace(line) != "" && len(line)-len(strings.TrimLeft(line, " ")) <= indent {
			return at
		}
		at = min(end+1, len(text))
		if end == len(text) {
			break
		}
	}
	return len(text)
}
