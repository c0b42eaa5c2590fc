package transcript

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/host"
)

// plainReader reads a transcript that is text: "User:" and "Assistant:" begin what
// somebody says, also as a heading or in bold, and "$ " a command that was run. What
// stands below a command is its output. A command below what the user says is one that
// the user ran, unless it stands in a block of code, which is quoted. The form is our own.
type plainReader struct {
	*state
	// who speaks: "user", "assistant" or "".
	who  string
	said []string
	at   int
	// size is how many bytes of it are kept.
	size int
	// command is the one whose output is read.
	command *Call
	output  []string
	// open: the command goes on in the next line.
	open bool
	// fence is what ends a block of code, shell: it is one of a shell, prompts: a line
	// in it began with "$ ", begun where it began.
	fence          string
	shell, prompts bool
	begun          int
}

// line reads a line.
func (p *plainReader) line(raw []byte, n int) {
	line := strings.TrimRight(strings.ToValidUTF8(string(raw), "\uFFFD"), " \t")
	if p.open {
		p.extend(line)
		return
	}
	text := strings.TrimSpace(line)
	if p.fence != "" && strings.HasPrefix(text, p.fence) && strings.Trim(text, p.fence[:1]) == "" {
		if p.shell && !p.prompts && p.who != "user" {
			p.examples.add(p.begun)
		}
		p.end()
		p.fence = ""
		return
	}
	if p.fence == "" && (strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~")) {
		word := strings.TrimLeft(text, "`~")
		p.fence, p.begun, p.prompts = text[:len(text)-len(word)], n, false
		p.shell = isShell(word)
		return
	}
	if p.fence == "" {
		if who, rest, ok := speaker(text); ok {
			p.end()
			p.speak(who, n)
			p.speakers++
			text = rest
			line = rest
		}
	}
	if command, ok := strings.CutPrefix(text, "$ "); ok && p.who == "user" && p.fence != "" {
		p.quoted.add(n)
	} else if ok {
		p.end()
		p.prompts = true
		if p.who == "user" {
			// What the user says behind it is another message.
			p.theirs.add(n)
			p.speak("user", n)
		}
		p.run(command, n)
		return
	}
	if p.command != nil {
		if p.status(text) {
			if p.who == "user" {
				p.end()
			}
		} else if len(p.output) < 400 {
			p.output = append(p.output, cut(text, 200))
		} else {
			p.output = append(p.output[200:], cut(text, 200))
		}
		if text == "" && p.fence == "" {
			p.end()
		}
		return
	}
	switch p.who {
	case "user":
		if p.size >= maxMessage {
			if text != "" {
				p.beyond.add(n)
			}
			return
		}
		line = cut(line, maxMessage)
		p.said, p.size = append(p.said, line), p.size+len(line)+1
		// It may be the last line.
		p.keep()
	case "assistant":
		if name, ok := touched(text); ok && p.fence == "" {
			p.call(n, "", &Call{Kind: Edit, Tool: "edit", Paths: []string{name}, Result: Result{Known: true}})
		}
	}
}

// extend takes the next line of a command that goes on.
func (p *plainReader) extend(line string) {
	p.command.Command, p.open = continued(p.command.Command + strings.TrimSpace(strings.TrimPrefix(line, "> ")))
	if len(p.command.Command) > maxCommand {
		p.command.Command, p.open = cut(p.command.Command, maxCommand), false
	}
}

func continued(command string) (string, bool) {
	if rest, ok := strings.CutSuffix(command, `\`); ok {
		return strings.TrimRight(rest, " ") + " ", true
	}
	return command, false
}

// run begins a command.
func (p *plainReader) run(command string, n int) {
	c := &Call{Kind: Command, Tool: "shell", ByUser: p.who != "assistant"}
	c.Command, p.open = continued(cut(command, maxCommand))
	p.call(n, "", c)
	p.command = c
}

// end ends the output of a command.
func (p *plainReader) end() {
	c := p.command
	if p.command, p.open = nil, false; c == nil {
		return
	}
	if said := tail(strings.TrimSpace(strings.Join(p.output, "\n")), maxSaid); p.kept+len(said) <= p.limits.Text {
		c.Result.Said = said
		p.kept += len(said)
	}
	p.output = nil
}

// status reads a line that says what a command ended with.
func (p *plainReader) status(text string) bool {
	low := strings.Trim(strings.ToLower(text), "[]() .")
	for _, mark := range []string{"exit code ", "exit code: ", "exit status ", "exit status: ", "exit "} {
		rest, ok := strings.CutPrefix(low, mark)
		if !ok {
			continue
		}
		status, err := strconv.Atoi(rest)
		if err != nil {
			continue
		}
		p.command.Result = Result{Known: true, HasStatus: true, Status: status, Failed: status != 0}
		return true
	}
	return false
}

// speak begins what somebody says.
func (p *plainReader) speak(who string, n int) {
	p.who, p.said, p.at, p.size = who, nil, n, 0
}

// keep keeps what the user says, as far as it goes.
func (p *plainReader) keep() {
	text := cut(strings.TrimSpace(strings.Join(p.said, "\n")), maxMessage)
	if text == "" {
		return
	}
	if k := len(p.session.Items); k > 0 {
		if it := &p.session.Items[k-1]; it.Message != nil && it.Line == p.at {
			if grown := len(text) - len(it.Message.Text); p.kept+grown <= p.limits.Text {
				p.kept += grown
				it.Message.Text = text
			}
			return
		}
	}
	p.message(p.at, text)
}

// speaker reads a line that says who speaks, with what is said on it.
func speaker(text string) (who, rest string, ok bool) {
	if len(text) > 4000 {
		text = cut(text, 4000)
	}
	bare := strings.TrimLeft(text, "# ")
	heading := len(bare) < len(text) && strings.HasPrefix(text, "#")
	bold := strings.HasPrefix(bare, "**")
	bare = strings.TrimPrefix(bare, "**")
	end := 0
	for end < len(bare) && (bare[end]|0x20 >= 'a' && bare[end]|0x20 <= 'z') {
		end++
	}
	switch word := strings.ToLower(bare[:end]); word {
	case "user", "human", "you", "me", "prompt":
		who = "user"
	case "assistant", "agent", "ai", "model", "tool", "system":
		who = "assistant"
	default:
		if !host.IsSpeaker(word) {
			return "", "", false
		}
		who = "assistant"
	}
	rest = bare[end:]
	// A time or a name of a model may stand in brackets.
	if trimmed := strings.TrimLeft(rest, " "); strings.HasPrefix(trimmed, "(") {
		if i := strings.IndexByte(trimmed, ')'); i > 0 && i < 60 {
			rest = trimmed[i+1:]
		}
	}
	if bold {
		if after, found := strings.CutPrefix(rest, ":**"); found {
			return who, strings.TrimSpace(after), true
		}
		if after, found := strings.CutPrefix(rest, "**"); found {
			rest = after
			if rest == "" {
				return who, "", true
			}
		}
	}
	if after, found := strings.CutPrefix(rest, ":"); found {
		return who, strings.TrimSpace(after), true
	}
	if heading && strings.TrimSpace(rest) == "" {
		return who, "", true
	}
	return "", "", false
}

func isShell(word string) bool {
	word, _, _ = strings.Cut(strings.TrimSpace(strings.ToLower(word)), " ")
	switch word {
	case "sh", "bash", "shell", "zsh", "console", "terminal", "shell-session", "sh-session":
		return true
	}
	return false
}

// touched reads a line in which an agent says which file it has changed.
func touched(text string) (string, bool) {
	text = strings.TrimLeft(text, "-* ")
	verb, rest, ok := strings.Cut(text, " ")
	if !ok {
		return "", false
	}
	switch strings.TrimSuffix(strings.ToLower(verb), ":") {
	case "edited", "edit", "wrote", "write", "created", "updated", "update", "deleted":
	default:
		return "", false
	}
	rest = strings.TrimRight(rest, ".:")
	name := strings.Trim(rest, "`\"'")
	if name == "" || len(name) > 300 || strings.ContainsAny(name, " \t*?<>|") || !strings.ContainsAny(name, "./") || !utf8.ValidString(name) {
		return "", false
	}
	return name, true
}
