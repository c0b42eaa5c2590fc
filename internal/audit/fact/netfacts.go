package fact

import (
	"strings"
)

// NetFacts are addresses and files that a package names.
type NetFacts struct {
	URLs  []URL
	Paths []Path
	Env   []Env
	Gets  []Get
	// nets is how many regions were gone through.
	nets int
}

// URL is an address.
type URL struct {
	Place
	Standing
	// Text is as it is written, Host in small letters and without user and port.
	Text, Scheme, Host, Port, Route string
	// User is what stands before the host, a name and perhaps a password.
	User string
	// IP: the host is an address in numbers; Private: of a network that is one's own.
	// Odd: it was written as people do not write it; Host has it as they do.
	IP, Private, Odd bool
	// Label is the text of the link that leads there; Image: it is shown, not followed.
	Label string
	Image bool
	// Template: a part of it is filled in by a model or program.
	Template bool
	// Told is what the sentence around tells one to do with something there, What what
	// is secret in it.
	Told Access
	What string
	// region is the index of the region that it stands in, at and end where.
	region, at, end int
}

// Access is what is done with a file.
type Access uint8

// The ways. Named is a path that is only mentioned.
const (
	Named Access = iota
	Reads
	Writes
	Sends
)

// Path is a file or directory that a text or code names, of those that stand for
// something: keys, settings of agents, what runs at a start.
type Path struct {
	Place
	Standing
	Text   string
	Access Access
	// Class is what kind of file it is; "" is an ordinary one.
	Class PathClass
	// Own: it is below the home directory of the user, or of the whole machine.
	Own bool
}

// PathClass is what a path stands for.
type PathClass string

// The classes.
const (
	Credential PathClass = "credential"
	// EnvFile are files of variables beside a program, among them secrets.
	EnvFile PathClass = "env-file"
	// AgentConfig are settings, hooks and permissions of hosts, AgentMemory what they
	// read at each start, AgentHistory their transcripts, AgentSecret their logins,
	// AgentDefinition their skills, commands and agents.
	AgentConfig     PathClass = "agent-config"
	AgentMemory     PathClass = "agent-memory"
	AgentHistory    PathClass = "agent-history"
	AgentSecret     PathClass = "agent-secret"
	AgentDefinition PathClass = "agent-definition"
	// Wallet are keys of money, Browser are stores of browsers.
	Wallet  PathClass = "wallet"
	Browser PathClass = "browser"
	// Startup is what systems and shells run by themselves.
	Startup PathClass = "startup"
	// System is what a system needs.
	System PathClass = "system"
)

// Secret reports whether what is in such files is secret.
func (c PathClass) Secret() bool {
	return c == Credential || c == AgentSecret || c == Wallet || c == Browser
}

// Env is a variable of the environment that is read.
type Env struct {
	Place
	Standing
	// Name is "" where all of them are read.
	Name string
	// Secret: its name says that it is one.
	Secret bool
}

// net takes the addresses, paths and variables from a region.
func (f *Facts) net(r *Region) {
	index := f.nets
	f.nets++
	if r.Text == "" {
		return
	}
	code := r.Medium != Prose && r.Medium != Comment && r.Medium != Frontmatter
	text := r.Text
	if r.Medium == Prose {
		// The spans of code are regions of their own.
		text = withoutSpans(text)
	}
	for _, u := range findURLs(text, code) {
		if len(f.URLs) >= maxFacts {
			f.miss(r.File, MissedTooMany, "more addresses than are judged")
			break
		}
		u.Place = r.At(u.from, u.to)
		quoted := u.Quoted
		u.Standing = r.StandingAt(u.from)
		u.Quoted = u.Quoted || quoted
		if code && r.Medium == Code && remark(text, u.from) {
			u.Medium = CodeComment
		}
		u.region, u.at, u.end = index, u.from, u.to
		if !code {
			u.Label, u.Image = label(r.Text, u.from)
			if Sink(u.Host, u.Route) != "" {
				u.Told, u.What = toldOf(r.Text, u.from)
			}
		}
		f.URLs = append(f.URLs, u.URL)
	}
	f.paths(r, text)
	f.env(r, text)
}

// withoutSpans puts blanks for the code in a text of prose.
func withoutSpans(text string) string {
	i := strings.IndexByte(text, '`')
	if i < 0 {
		return text
	}
	out := []byte(text)
	for i >= 0 && i < len(text) {
		n := run(text[i:])
		end, ok := closer(text, i+n, n)
		if !ok {
			i = next(text, i+n)
			continue
		}
		for k := i + n; k < end; k++ {
			out[k] = ' '
		}
		i = next(text, end+n)
	}
	return string(out)
}

// remark reports whether a place is in a line of code that is a comment.
func remark(text string, at int) bool {
	line := strings.TrimLeft(text[netLineHead(text, at):at], " \t")
	for _, mark := range [...]string{"#", "//", "/*", "* ", "--", ";", "rem ", "REM "} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// netLineHead is where the line of a place begins, or 4 KiB before it.
func netLineHead(text string, at int) int {
	from := max(0, at-4<<10)
	return from + strings.LastIndexByte(text[from:at], '\n') + 1
}

// netLineTail is where the line of a place ends, or 4 KiB behind it.
func netLineTail(text string, at int) int {
	to := min(len(text), at+4<<10)
	if n := strings.IndexByte(text[at:to], '\n'); n >= 0 {
		return at + n
	}
	return to
}

// label returns the text of the link whose address stands at a place.
func label(text string, at int) (string, bool) {
	head := text[max(0, at-400):at]
	head = strings.TrimRight(head, " <")
	if s, ok := strings.CutSuffix(head, "]("); ok {
		return insideBrackets(s)
	}
	if s, ok := strings.CutSuffix(head, "]:"); ok {
		name, _ := insideBrackets(s)
		return name, false
	}
	lower := strings.ToLower(head)
	if i := strings.LastIndexByte(lower, '<'); i >= 0 && !strings.Contains(lower[i:], ">") {
		switch {
		case strings.HasPrefix(lower[i:], "<img") && strings.Contains(lower[i:], "src"):
			return "", true
		case strings.HasPrefix(lower[i:], "<a") && strings.Contains(lower[i:], "href"):
			rest := text[at:min(len(text), at+600)]
			if _, rest, ok := strings.Cut(rest, ">"); ok {
				name, _, _ := strings.Cut(rest, "<")
				return strings.TrimSpace(name), false
			}
		}
	}
	return "", false
}

// insideBrackets returns what stands behind the bracket that is open at the end, and
// whether it is the name of an image.
func insideBrackets(s string) (string, bool) {
	depth := 1
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ']':
			depth++
		case '[':
			if depth--; depth == 0 {
				return strings.TrimSpace(s[i+1:]), i > 0 && s[i-1] == '!'
			}
		}
	}
	return "", false
}
