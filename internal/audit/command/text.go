package command

import (
	"html"
	"regexp"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// commandsIn returns what of a region's text are commands, in a text of the same length, and
// their language; "" for none.
func commandsIn(m *machine, r *signal.Region) (text, lang string) {
	switch {
	case r.Medium == signal.CodeSpan:
		text = prompts(r.Text)
		if r.Intent != signal.Executed && (len(text) < 4 || !strings.ContainsAny(text, " |") || !looksCommand(text)) {
			return "", ""
		}
		return text, "sh"
	case r.Intent == signal.Executed && r.Lang == "sh":
		return r.Text, "sh"
	case r.Medium != signal.Fence && r.Medium != signal.Code:
		return proseCommands(r), "sh"
	}
	switch r.Lang {
	case "sh", "ps1", "bat":
		if r.Medium == signal.Code || r.Lang == "bat" {
			return r.Text, r.Lang
		}
		return prompts(r.Text), r.Lang
	case "docker":
		return dockerfile(r.Text), "sh"
	case "make":
		return m.makefile(r.Text), "sh"
	case "", "txt", "diff":
		if text = commandLines(prompts(r.Text)); text != "" {
			return text, "sh"
		}
		return proseCommands(r), "sh"
	case "md", "json", "yaml", "toml", "ini", "html", "xml":
		return proseCommands(r), "sh"
	}
	return "", ""
}

// eachLine calls do with the range of each line of a text, without its newline.
func eachLine(text string, do func(from, to int)) {
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		do(at, end-btoi(text[end-1] == '\n'))
		at = end
	}
}

// blank puts spaces in the place of a range.
func blank(b []byte, from, to int) {
	for i := from; i < to; i++ {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
}

// blanked is a text with spaces in the place of what matches.
func blanked(text string, pattern *regexp.Regexp) string {
	b := []byte(text)
	for _, at := range pattern.FindAllStringIndex(text, -1) {
		blank(b, at[0], at[1])
	}
	return string(b)
}

var prompt = lazyregexp.New(`(?m)^[ \t]*(?:[$>%❯➜] |PS> ?|PS [^>\n]{0,80}>|[A-Z]:\\[^>\n]{0,80}>|\[?[\w.-]{1,32}@[^\n$#%]{0,60}[$#%] )`)

// prompts blanks the prompts at the start of lines. If some lines have one, lines of others
// that do not begin with a known program are output.
func prompts(text string) string {
	if !strings.ContainsAny(text, "$>%#❯➜") || !prompt().MatchString(text) {
		return text
	}
	b := []byte(blanked(text, prompt()))
	goesOn := true
	eachLine(text, func(from, to int) {
		line := strings.TrimRight(text[from:to], " \r")
		has := prompt().MatchString(line)
		if !goesOn && !has && !strings.ContainsAny(line, "|&;$`=<>(") && !looksCommand(line) {
			blank(b, from, to)
		}
		goesOn = continued(line) || strings.Contains(line, "<<") || goesOn && !has && strings.TrimSpace(string(b[from:to])) != ""
	})
	return string(b)
}

// continued reports whether a command goes on in the next line.
func continued(line string) bool {
	line = strings.TrimRight(line, "\r ")
	return strings.HasSuffix(line, "\\") || strings.HasSuffix(line, "|") || strings.HasSuffix(line, "&&") || strings.HasSuffix(line, "`")
}

var (
	// firstWord is the first word of a command; path and assignment are what it may begin with.
	firstWord = lazyregexp.New(`^[\s(]*([^\s;|&)]+)`)
	pathWord  = lazyregexp.New(`^(?:\.?/|~/|\$\().|^[A-Z0-9_]+=|^\{(?:curl|wget),`)
	// piped is a pipe into a program.
	piped = lazyregexp.New("\\|\\s*(?:sudo\\s+)?([^\\s|&`.;,)\"']+)")
)

// looksCommand reports whether a short text is a command: it begins with a known program, or
// something is piped into an interpreter.
func looksCommand(text string) bool {
	if found := firstWord().FindStringSubmatch(text); found != nil {
		word := found[1]
		name := programName(strings.NewReplacer(`\`, "", "'", "", `"`, "").Replace(word))
		isKnown := programs()[name] != nil || programs()[strings.TrimRight(name, "0123456789.")] != nil || len(effects()[name]) > 0
		if isKnown || pathWord().MatchString(word) || host.AgentProgram(name) {
			return true
		}
	}
	for _, found := range piped().FindAllStringSubmatch(text, -1) {
		if p := programs()[programName(found[1])]; p != nil && p.does == "code" {
			return true
		}
	}
	return windowsWord().MatchString(text)
}

// commandLines keeps the lines of a text that look like commands, or all if most do; "" if none
// does.
func commandLines(text string) string {
	total, like, goesOn := 0, 0, false
	b := []byte(text)
	eachLine(text, func(from, to int) {
		line := strings.TrimSpace(text[from:to])
		if line == "" {
			return
		}
		total++
		if goesOn || strings.HasPrefix(line, "#") || looksCommand(line) {
			like++
		} else {
			blank(b, from, to)
		}
		goesOn = continued(line)
	})
	if 2*like > total {
		return text
	}
	return strings.TrimRight(string(b), " \n")
}

var (
	// instruction is one of a Dockerfile that runs something or sets a variable, list its words as JSON.
	instruction = lazyregexp.New(`(?i)^\s*(?:ONBUILD\s+)?(?:RUN|CMD|ENTRYPOINT|SHELL|HEALTHCHECK|ENV|ARG)\s+(?:--\S+\s+)*`)
	list        = lazyregexp.New(`^\[\s*".*\]\s*$`)
	makeName    = lazyregexp.New(`\$\(([A-Za-z_]\w*)\)`)
	makeValue   = lazyregexp.New(`(?m)^(?:export )?([A-Za-z_]\w*)\s*[:?+]*=\s*([^\n$]+)$`)
)

// dockerfile keeps what the instructions of a Dockerfile run, and the variables that they set.
func dockerfile(text string) string {
	goesOn := false
	b := []byte(text)
	eachLine(text, func(from, to int) {
		line := text[from:to]
		at := instruction().FindStringIndex(line)
		if at != nil {
			blank(b, from, from+at[1])
			if list().MatchString(line[at[1]:]) {
				copy(b[from+at[1]:], strings.NewReplacer("[", " ", "]", " ", `",`, `" `).Replace(line[at[1]:]))
			}
		} else if !goesOn {
			blank(b, from, to)
		}
		goesOn = (at != nil || goesOn) && continued(line)
	})
	return string(b)
}

// makefile keeps the recipes of a Makefile, with its variables written as those of a shell, and
// notes their values.
func (m *machine) makefile(text string) string {
	for _, found := range makeValue().FindAllStringSubmatch(text, -1) {
		m.assignVar(found[1], literal(strings.TrimSpace(found[2])))
	}
	text = strings.NewReplacer("$$", " $", "$(shell ", "$(      ").Replace(makeName().ReplaceAllString(text, "${$1}"))
	goesOn := false
	b := []byte(text)
	eachLine(text, func(from, to int) {
		line := text[from:to]
		if !goesOn && !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "    ") {
			blank(b, from, to)
			return
		}
		blank(b, from, to-len(strings.TrimLeft(line, "\t@-+ ")))
		goesOn = continued(line)
	})
	return string(b)
}

var (
	// told is the beginning of a command in prose: a program and what only follows one.
	told = lazyregexp.New(`(?i)(?:^|[\s"'(*:=>{\[,/` + "`" + `])((?:[\w./\\-]*[/\\])?(?:` +
		`(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|mshta|certutil|bitsadmin|iex|invoke-expression|ncat|nc)(?:\.exe)?` +
		`\s*(?:\s-|\shttp|\s\\?["']http|\(|\s\(|\s["']?\$)` +
		`|(?:bash|sh|zsh|powershell|pwsh|python3?|perl|ruby|osascript|node|base64|rm|cmd|sudo|eval)(?:\.exe)?\s+(?:-|<|\\?["']?\$\(|/c\s)` +
		`|sudo\s+(?:curl|wget|bash|sh|rm|python3?|chmod|tee|apt|apt-get|npm|pip3?)\s` +
		`|(?:echo|printf|cat|env|tar|find)\b[^|\n]{0,400}(?:\|\s*\w|&&)))`)
	// markup is an HTML tag that shows text, or a character written as an entity.
	markup = lazyregexp.New(`(?i)</?(?:pre|code|kbd|samp|tt|p|div|span|[uo]?li?|t[dhr]|table|br|b|strong|i|em|a|summary|details|` +
		`blockquote|center|font|h[1-6]|su[bp]|mark|small|u|section|article)\b[^<>]{0,400}>`)
	entity = lazyregexp.New(`&#?\w{1,8};`)
	// span is a code span of Markdown.
	span = lazyregexp.New("``[^`]+``|`[^`]+`")
	// interpreted is a pipe into an interpreter at the end of a sentence.
	interpreted = lazyregexp.New(`\|\s*(?:sudo\s+)?(?:[\w/.-]*/)?(?:ba|z|da|k)?sh(?:\s+-\S+)*` +
		`|\|\s*(?:sudo\s+)?(?:python3?|iex|node|perl|ruby|pwsh)(?:\s+-\S*)*`)
)

// telling are parts of words without one of which no command is taken from prose.
const telling = "url|get|base64|/dev/tcp|owershell|iex|IEX|iwr|irm|nvoke-|rm -|sh|ertutil|ython|osascript|itsadmin|eval|nc |sudo"

func tellsCommand(text string) bool {
	for part := range strings.SplitSeq(telling, "|") {
		if strings.Contains(text, part) {
			return strings.ContainsAny(text, "-|$(") || strings.Contains(text, "http")
		}
	}
	return false
}

// proseCommands keeps the commands in the lines of a text that is not code: from the first program
// that is given arguments as in a shell to the end of the sentence.
func proseCommands(r *signal.Region) string {
	text := r.Text
	if !tellsCommand(text) {
		return ""
	}
	if strings.ContainsAny(text, "<&") {
		text = markup().ReplaceAllStringFunc(text, func(tag string) string { return "\n" + strings.Repeat(" ", len(tag)-1) })
		text = entity().ReplaceAllStringFunc(text, func(s string) string {
			if c := html.UnescapeString(s); len(c) == 1 {
				return c + strings.Repeat(" ", len(s)-1)
			}
			return s
		})
	}
	if r.Medium == signal.Prose {
		// Code spans are regions of their own.
		text = blanked(text, span())
	} else {
		text = strings.ReplaceAll(text, "`", "\n")
	}
	b := []byte(text)
	at := 0
	eachLine(text, func(from, to int) {
		line := text[from:to]
		if len(line) > 8<<10 || !tellsCommand(line) {
			return
		}
		found := told().FindStringSubmatchIndex(line)
		if found == nil {
			return
		}
		start := from + found[2]
		end := start + len(untilProse(text[start:to]))
		blank(b, at, start)
		at = end
		if r.Lang == "json" {
			unquoted := strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\/`, "/").Replace(text[start:end])
			copy(b[start:], unquoted)
			blank(b, start+len(unquoted), end)
		}
	})
	blank(b, at, len(b))
	return string(b)
}

// untilProse cuts a command in a line of prose where the sentence goes on: after an interpreter at
// the end of a pipe, and at a full stop.
func untilProse(text string) string {
	if i := strings.Index(text, ". "); i > 0 {
		text = text[:i]
	}
	if list := interpreted().FindAllStringIndex(text, -1); list != nil && !strings.Contains(text[list[len(list)-1][1]:], "|") {
		text = text[:list[len(list)-1][1]]
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
