package transcript

import (
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/lazyregexp"

	"github.com/vadehq/vade/internal/host"
)

// plainReader reads a plain-text transcript. A line that starts with "User:" or "Assistant:", which
// may be a heading or bold, begins a message. A line that starts with "$ " is a command that ran,
// and the lines after it, up to a blank line, are its output. This is Vade's own format.
type plainReader struct {
	*session
	user bool
	// said is the user's current message, and at is the line where it begins.
	said string
	at   int
	// command is the command whose output is being read. open is set if the command continues on
	// the next line.
	command *call
	open    bool
	fenced  bool
}

var (
	speakerLine = lazyregexp.New(`^(#*) *(\*\*)?([A-Za-z]+)(?:\*\*)?` + // ## **User**
		`(?: *\([^)]{0,60}\))?(?:\*\*)?(:?)(?:\*\*)? *(.*)$`) // (10:00): text
	statusLine = lazyregexp.New(`(?i)^[\[(]?exit (?:code|status)?:? ?(-?\d+)[\])]?\.?$`)
	editedLine = lazyregexp.New("(?i)^[-* ]*(?:edit|edited|wrote|write|created|updated?|deleted):? [`\"']?" +
		"([^ `\"'*?<>|]*[./][^ `\"'*?<>|]*?)[`\"']?[.:]?$")
)

func (p *plainReader) line(raw []byte, n int) {
	text := strings.TrimSpace(strings.ToValidUTF8(string(raw), "\uFFFD"))
	if p.open {
		p.extend(strings.TrimPrefix(text, "> "))
		return
	}
	if strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") {
		p.fenced, p.command = !p.fenced, nil
		return
	}
	if !p.fenced {
		if user, rest, ok := speaker(text); ok {
			p.user, p.said, p.at, p.command = user, "", n, nil
			text = rest
		}
	}
	// In a code block from the user, a command is quoted text and did not run.
	if command, ok := strings.CutPrefix(text, "$ "); ok && !(p.user && p.fenced) {
		p.command = &call{tool: "shell", byUser: p.user}
		p.extend(command)
		p.call(n, "", p.command)
		// Text from the user after the command is a separate message.
		p.said, p.at = "", n+1
		return
	}
	m := statusLine().FindStringSubmatch(text)
	switch {
	case p.command != nil && m != nil:
		if status, err := strconv.Atoi(m[1]); err == nil {
			p.command.outcome = exited(status)
		}
		if p.user {
			p.command = nil
		}
	case p.command != nil:
		if text == "" && !p.fenced {
			p.command = nil
		}
	case p.user:
		p.say(text)
	case !p.fenced:
		if m := editedLine().FindStringSubmatch(text); m != nil {
			p.call(n, "", &call{tool: "edit", paths: []string{m[1]}})
		}
	}
}

// extend adds a line to the command, which continues if the line ends with a backslash.
func (p *plainReader) extend(text string) {
	text, p.open = strings.CutSuffix(text, `\`)
	p.command.command = cut(p.command.command+text, maxCommand)
	p.open = p.open && len(p.command.command) < maxCommand
}

// say adds a line to the user's message.
func (p *plainReader) say(text string) {
	switch {
	case p.said == "":
		if p.message(p.at, text) {
			p.said = text
		}
		return
	case len(p.said) >= maxMessage:
		return
	}
	p.said = cut(p.said+"\n"+text, maxMessage)
	last := &p.items[len(p.items)-1]
	p.kept += len(p.said) - len(last.message)
	last.message = strings.TrimSpace(p.said)
}

// speaker parses a line that names the speaker. It reports whether the speaker is the user, and
// returns the rest of the line.
func speaker(text string) (user bool, rest string, ok bool) {
	m := speakerLine().FindStringSubmatch(text)
	if m == nil || m[4] == "" && (m[5] != "" || m[1]+m[2] == "") {
		return false, "", false
	}
	switch word := strings.ToLower(m[3]); word {
	case "user", "human", "you", "me", "prompt":
		return true, m[5], true
	case "assistant", "agent", "ai", "model", "tool", "system":
		return false, m[5], true
	default:
		return false, m[5], host.IsSpeaker(word)
	}
}
