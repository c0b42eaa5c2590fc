// Package transcript reads what was said and done in a session of an agent, and drafts
// a skill from it, without a model. It runs nothing, opens no file and asks nobody.
//
// A transcript is other people's text. Nothing of it reaches the draft but through
// [cleaner], which takes out what may be a secret, where the machine keeps its files,
// and every mark that a host would heed.
package transcript

import (
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host/claude"
	"github.com/vadehq/vade/internal/host/codex"
)

// Format is a form in which sessions are written down.
type Format string

// The formats: the session files of Claude Code and of Codex, one object of JSON a
// line, and text with "User:", "Assistant:" and "$ command" lines.
const (
	ClaudeCode Format = claude.Session
	Codex      Format = codex.Session
	Plain      Format = "plain"
)

// Formats are the names of all formats.
func Formats() []string { return []string{string(ClaudeCode), string(Codex), string(Plain)} }

// ErrFormat: the lines are of no format that is known.
var ErrFormat = errors.New("it is no transcript of a known format")

// ErrBinary: it is no text.
var ErrBinary = errors.New("it is not text")

// ErrEmpty: there is nothing in it that a skill could be made of.
var ErrEmpty = errors.New("it has neither a message of a person nor anything that was done")

// Options say how a transcript is read.
type Options struct {
	// Name is what diagnostics call it.
	Name string
	// Format is its format; "" finds out.
	Format Format
	// Limits bound what is read; the zero value of each is the default.
	Limits Limits
}

// Limits bound what is read of a transcript.
type Limits struct {
	// Line is the length of the longest line in bytes, 8 MiB where 0: longer ones,
	// as those with pictures, are passed over. Bytes is how much is read, 512 MiB
	// where 0.
	Line, Bytes int64
	// Items is how many messages and calls are kept, 20,000 where 0, and Text how
	// many bytes of them together, 16 MiB where 0.
	Items, Text int
}

func (l Limits) orDefault() Limits {
	if l.Line <= 0 {
		l.Line = 8 << 20
	}
	if l.Bytes <= 0 {
		l.Bytes = 512 << 20
	}
	if l.Items <= 0 {
		l.Items = 20000
	}
	if l.Text <= 0 {
		l.Text = 16 << 20
	}
	return l
}

// The longest texts that are kept of one item, in bytes.
const (
	maxMessage = 4 << 10
	maxCommand = 8 << 10
	maxSaid    = 2 << 10
	maxPaths   = 50
)

// Session is what was read of a transcript. Its texts are as they were written.
type Session struct {
	Format Format
	// Dir is the directory that the session worked in, "" where it does not say.
	Dir string
	// Items are what was said and done, in order.
	Items []Item
	// Lines is how many lines were read.
	Lines int
	// Apart are the lines of sub-agents, Rewound those of branches that the user went
	// back from, Summaries how often the session was summed up. None are among the
	// items.
	Apart, Rewound, Summaries int
	// Diagnostics say what could not be read.
	Diagnostics []diag.Diagnostic
}

// Item is a message of the user or a call of a tool: one of the two is set.
type Item struct {
	Line    int
	Message *Message
	Call    *Call

	// id is that of the line, apart: a sub-agent's.
	id    string
	apart bool
}

// Message is what the user wrote.
type Message struct {
	Text string
	// Interrupts: the user had stopped the agent before, or refused what it was about
	// to do.
	Interrupts bool
}

// Kind is what a call does.
type Kind uint8

// The kinds of calls.
const (
	Other Kind = iota
	Command
	Edit
	Read
	Search
	Fetch
	Server
	Agent
)

// Call is one call of a tool.
type Call struct {
	Kind Kind
	// Tool is its name, as the host writes it.
	Tool string
	// Command is the shell text of a Command, Paths are the files of an Edit or a
	// Read, URL is the address of a Fetch.
	Command string
	Paths   []string
	URL     string
	// ByUser: a person ran it.
	ByUser bool
	// Result is what came of it.
	Result Result
}

// Result is what came of a call. The zero value is one of which nothing is known.
type Result struct {
	Known, Failed bool
	// HasStatus: Status is what the command ended with.
	HasStatus bool
	Status    int
	// Said is the end of what it printed.
	Said string
	// Refused: the user did not let it happen.
	Refused bool
}

// Parse reads a transcript line by line: no more of it is held than the limits allow.
// The error is [ErrFormat], [ErrBinary], that of the reader, or that of the context.
func Parse(ctx context.Context, r io.Reader, o Options) (*Session, error) {
	lines := newLines(ctx, r, o.Limits.orDefault())
	head, err := lines.head()
	if err != nil {
		return nil, err
	}
	if isBinary(head) {
		return nil, ErrBinary
	}
	format := o.Format
	if format == "" {
		if format = detect(head); format == "" {
			return nil, ErrFormat
		}
	}
	s := &state{session: &Session{Format: format}, limits: o.Limits.orDefault(), name: o.Name, calls: map[string]*Call{}, unknown: map[string]*tally{}}
	var read func(line []byte, n int)
	end := func() {}
	switch format {
	case ClaudeCode:
		read = s.claudeLine
	case Codex:
		read = s.codexLine
	case Plain:
		p := &plainReader{state: s}
		read, end = p.line, p.end
	default:
		return nil, ErrFormat
	}
	for lines.next() {
		s.session.Lines = lines.number
		if lines.long {
			s.long.add(lines.number)
			continue
		}
		read(lines.text, lines.number)
	}
	if lines.err != nil {
		return nil, lines.err
	}
	end()
	s.cutOff = lines.cutOff
	if format == Plain && s.session.Items == nil && s.speakers == 0 {
		return nil, ErrFormat
	}
	s.finish(lines.unfinished)
	return s.session, nil
}

// isBinary reports whether the beginning of a file is no text.
func isBinary(head []byte) bool {
	if strings.Contains(string(head), "\x00") {
		return true
	}
	bad := 0
	for b := head; len(b) > 0; {
		r, n := utf8.DecodeRune(b)
		// The last character of what was looked at may be cut.
		if r == utf8.RuneError && n == 1 && len(b) >= utf8.UTFMax {
			bad++
		}
		b = b[n:]
	}
	return bad*10 > len(head)
}
