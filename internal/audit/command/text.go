package command

import (
	"cmp"
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/host"
)

// commandsIn returns a region's commands and their language. It replaces all other text with spaces
// so that offsets stay valid. The text is empty or blank if the region has no commands.
func commandsIn(m *machine, r *signal.Region) (text, lang string) {
	switch {
	case r.Medium == signal.CodeSpan:
		text = blankPrompts(r.Text)
		if r.Intent == signal.Executed || strings.ContainsAny(text, " |") && looksLikeCommand(text) {
			return text, "sh"
		}
		return "", ""
	case r.Intent == signal.Executed && r.Lang == "sh":
		return r.Text, "sh"
	case r.Medium == signal.Value:
		return "", "" // Unparsed reads values.
	case r.Medium != signal.Fence && r.Medium != signal.Code:
		return proseCommands(r), "sh"
	}
	switch r.Lang {
	case "sh", "ps1", "bat":
		if r.Medium == signal.Code || r.Lang == "bat" {
			return r.Text, r.Lang
		}
		return blankPrompts(r.Text), r.Lang
	case "docker":
		return dockerfile(r.Text), "sh"
	case "make":
		return m.makefile(r.Text), "sh"
	case "", "txt", "diff":
		if text = commandLines(blankPrompts(r.Text)); text != "" {
			return text, "sh"
		}
		return proseCommands(r), "sh"
	case "md", "json", "yaml", "toml", "ini", "html", "xml":
		return proseCommands(r), "sh"
	}
	return "", ""
}

// eachLine calls do with the range of each line in text, excluding its newline.
func eachLine(text string, do func(from, to int)) {
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		do(at, end-btoi(text[end-1] == '\n'))
		at = end
	}
}

func fillSpaces(b []byte, from, to int) {
	for i := from; i < to; i++ {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
}

// blankMatches replaces each match of a pattern with spaces.
func blankMatches(text string, pattern *regexp.Regexp) string {
	b := []byte(text)
	for _, at := range pattern.FindAllStringIndex(text, -1) {
		fillSpaces(b, at[0], at[1])
	}
	return string(b)
}

// blankPrompts replaces the prompts at the start of lines with spaces. If any line has a prompt,
// lines without one are treated as output unless they look like a command.
func blankPrompts(text string) string {
	prompt, found, inCommand := regex("prompt"), false, false
	eachLine(text, func(from, to int) {
		// A redirection at the start of a continuation line is not a prompt.
		found = found || !inCommand && prompt.MatchString(text[from:to])
		inCommand = isContinued(text[from:to])
	})
	if !found {
		return text
	}
	return keepLines(text, func(line string) int {
		if at := prompt.FindStringIndex(strings.TrimRight(line, " \r")); at != nil {
			return at[1]
		}
		return btoi(strings.ContainsAny(line, "|&;$`=<>(") || looksLikeCommand(line)) - 1
	})
}

// isContinued reports whether a command continues on the next line.
func isContinued(line string) bool {
	line = strings.TrimRight(line, "\r ")
	return line != "" && strings.IndexByte("\\|`", line[len(line)-1]) >= 0 || strings.HasSuffix(line, "&&")
}

// looksLikeCommand reports whether short text looks like a command: it starts with a known program,
// pipes something into an interpreter, or contains a PowerShell word.
func looksLikeCommand(text string) bool {
	word := strings.TrimLeft(text, " \t\r\n\f(")
	if end := strings.IndexAny(word, " \t\r\n\f;|&)"); end >= 0 {
		word = word[:end]
	}
	if word != "" {
		plain := word
		if strings.ContainsAny(word, `\'"`) {
			plain = strings.NewReplacer(`\`, "", "'", "", `"`, "").Replace(word)
		}
		name := programName(plain)
		unversioned := strings.TrimRight(name, "0123456789.")
		if programs()[name] != nil || programs()[unversioned] != nil || effects()[name] != nil ||
			regex("pathWord").MatchString(word) || host.AgentProgram(name) {
			return true
		}
	}
	for _, found := range regex("piped").FindAllStringSubmatch(text, -1) {
		if p := programs()[programName(found[1])]; p != nil && p.effect == "code" {
			return true
		}
	}
	return hasWindowsWord(text)
}

// hasWindowsWord reports whether text contains a PowerShell word.
func hasWindowsWord(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc([]string{
		"iex", "invoke-", "downloadstring", "downloadfile", "-mppreference", "scheduledtask", "frombase64string",
		"sockets.tcpclient", "new-object",
	}, func(word string) bool { return strings.Contains(lower, word) })
}

// keepLines replaces everything but commands with spaces. prefixLen returns the length of the text
// before the command in a line, or -1 if the line has no command. Lines that continue a command are
// kept in full.
func keepLines(text string, prefixLen func(line string) int) string {
	goesOn := false
	b := []byte(text)
	eachLine(text, func(from, to int) {
		line := text[from:to]
		if n := prefixLen(line); n >= 0 {
			fillSpaces(b, from, from+n)
			goesOn = isContinued(line)
		} else if goesOn {
			goesOn = isContinued(line)
		} else {
			fillSpaces(b, from, to)
		}
	})
	return string(b)
}

// commandLines keeps the lines that look like commands, or all lines if most of them do. It returns
// "" if no line looks like a command.
func commandLines(text string) string {
	commands, all := 0, 0
	kept := keepLines(text, func(line string) int {
		line = strings.TrimSpace(line)
		all += btoi(line != "")
		if strings.HasPrefix(line, "#") || looksLikeCommand(line) {
			return 0
		}
		return -1
	})
	eachLine(kept, func(from, to int) { commands += btoi(strings.TrimSpace(kept[from:to]) != "") })
	if commands > all-commands {
		return text
	}
	return strings.TrimRight(kept, " \n")
}

// dockerfile keeps a Dockerfile's commands and variable assignments.
func dockerfile(text string) string {
	text = regex("list").ReplaceAllStringFunc(text, func(list string) string {
		return strings.NewReplacer("[", " ", "]", " ", `",`, `" `).Replace(list)
	})
	return keepLines(text, func(line string) int {
		if at := regex("instruction").FindStringIndex(line); at != nil {
			return at[1]
		}
		return -1
	})
}

// makefile keeps a Makefile's recipes and calls of the shell function, converts its variables to
// shell syntax, and records their values.
func (m *machine) makefile(text string) string {
	for _, found := range regex("makeValue").FindAllStringSubmatch(text, -1) {
		m.assignVar(found[1], literal(strings.TrimSpace(found[2])))
	}
	const call = "$(      "
	text = strings.ReplaceAll(regex("makeName").ReplaceAllString(text, "${$1}"), "$(shell ", call)
	text = regex("makeDollar").ReplaceAllString(text, " $1$$")
	return keepLines(text, func(line string) int {
		// The first command of a rule can be on the same line as the rule's targets.
		if at := regex("makeRule").FindStringIndex(line); at != nil {
			return at[1]
		}
		if !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "    ") {
			// Omit the dollar sign. What remains is a subshell, whose output is not run as a
			// command.
			at := strings.Index(line, call)
			return at + btoi(at >= 0)
		}
		return len(line) - len(strings.TrimLeft(line, "\t@-+ "))
	})
}

// prosePatterns is keyed by the programs that are recognized in prose. For each program, it lists
// patterns, at least one of which must match the text after the program's name.
var prosePatterns = sync.OnceValue(func() map[string][]*regexp.Regexp {
	table := map[string][]*regexp.Regexp{}
	add := func(after *regexp.Regexp, programs string) {
		for name := range strings.FieldsSeq(programs) {
			table[name] = append(table[name], after)
		}
	}
	add(regex("afterClient"), "curl wget iwr irm invoke-webrequest invoke-restmethod mshta certutil bitsadmin iex "+
		"invoke-expression ncat nc")
	add(regex("afterInterpreter"), "bash sh zsh powershell pwsh python python3 perl ruby osascript node base64 rm cmd "+
		"sudo eval")
	add(regex("afterSudo"), "sudo")
	add(regex("afterPrinter"), "echo printf cat env tar find")
	add(regex("afterReader"), "printenv export set history security gpg op gh aws kubectl zip grep sqlite3 pbpaste")
	return table
})

// proseCommandStart returns the offset of the first command in a line of prose, or -1 if there is
// none. If a directory precedes the program's name, the command starts at the directory.
func proseCommandStart(line string) int {
	last := ""
	isWord := func(c byte) bool { return c == '-' || c == '_' || isLetter(c) || c >= '0' && c <= '9' }
	for at, end := 0, 0; at < len(line); at = end + 1 {
		for end = at; end < len(line) && isWord(line[end]); {
			end++
		}
		start := commandStart(line, at)
		follows := func(after *regexp.Regexp) bool { return after.MatchString(line[end:]) }
		word := strings.ToLower(line[at:end])
		if start >= 0 && slices.ContainsFunc(prosePatterns()[word], follows) {
			return start
		}
		asked := last == "run" || last == "execute"
		if start >= 0 && asked && looksLikeCommand(line[start:]) && regex("shellSyntax").MatchString(line[end:]) {
			return start
		}
		last = cmp.Or(word, last)
	}
	return -1
}

// commandStart returns the start of the word at an offset in prose. If a directory precedes the
// word, the directory is included. commandStart returns -1 if the word is part of a longer one.
func commandStart(line string, at int) int {
	start := at
	if at > 0 && (line[at-1] == '/' || line[at-1] == '\\') {
		start = strings.LastIndexFunc(line[:at], func(r rune) bool {
			return r >= utf8.RuneSelf || !isLetter(byte(r)) && strings.IndexByte("0123456789_./\\-", byte(r)) < 0
		}) + 1
	}
	if start == 0 || strings.IndexByte(" \t\n\f\r\"'(*:=>{[,/`", line[start-1]) >= 0 {
		return start
	}
	// The text before the first slash is part of another word.
	if slash := strings.IndexByte(line[start:at], '/'); slash >= 0 {
		return start + slash + 1
	}
	return -1
}

// proseCommands keeps the commands in text that is not code. A command starts with a known program
// and shell-like arguments, and extends to the end of the sentence. If there is nothing else on the
// line, the command extends to the end of the line.
func proseCommands(r *signal.Region) string {
	text := r.Text
	if !strings.ContainsAny(text, "-|$(>=&") && !strings.Contains(text, "http") {
		return "" // no shell-like arguments
	}
	if strings.ContainsAny(text, "<&") {
		text = regex("markup").ReplaceAllStringFunc(text, func(tag string) string {
			return "\n" + strings.Repeat(" ", len(tag)-1)
		})
		text = regex("entity").ReplaceAllStringFunc(text, func(s string) string {
			if c := html.UnescapeString(s); len(c) == 1 {
				return c + strings.Repeat(" ", len(s)-1)
			}
			return s
		})
	}
	if r.Medium == signal.Prose {
		// A code span is a region of its own.
		text = blankMatches(text, regex("span"))
	} else {
		text = strings.ReplaceAll(text, "`", "\n")
	}
	b := []byte(text)
	at := 0
	eachLine(text, func(from, to int) {
		line := text[from:to]
		start, command := commandOffset(line), ""
		if len(line) > 8<<10 {
			return
		} else if start >= 0 && looksLikeCommand(line[start:]) && regex("wholeCommand").MatchString(line[start:]) {
			if command = line[start:]; start > 0 && strings.IndexByte(`"'`, line[start-1]) >= 0 {
				command = strings.TrimSuffix(command, line[start-1:start])
			}
		} else if start = proseCommandStart(line); start >= 0 {
			command = trimProse(line[start:])
		}
		if start < 0 {
			return
		}
		start += from
		end := start + len(command)
		fillSpaces(b, at, start)
		at = end
	})
	fillSpaces(b, at, len(b))
	return string(b)
}

// trimProse cuts off a command in prose at the point where the sentence continues: at a period or
// "and" outside quotes, or after an interpreter at the end of a pipeline.
func trimProse(text string) string {
	for _, end := range [...]string{". ", " and "} {
		if i := strings.Index(text, end); i > 0 && strings.Count(text[:i], "'")%2+strings.Count(text[:i], `"`)%2 == 0 {
			text = text[:i]
		}
	}
	if found := regex("interpreted").FindStringSubmatch(text); found != nil {
		text = found[1]
	}
	for more := true; more && text != ""; {
		switch c := text[len(text)-1]; c {
		case ')':
			more = strings.Count(text, ")") > strings.Count(text, "(")
		case '"', '\'':
			more = strings.Count(text, string(c))%2 == 1
		default:
			more = strings.IndexByte(" .,;:!*_]}", c) >= 0
		}
		if more {
			text = text[:len(text)-1]
		}
	}
	return text
}
