// Package transcript reads coding agents' session files. It drafts a skill from a session's user
// requests, commands and file changes, and counts how often sessions offer and invoke definitions.
// It does not run anything or use a model. A transcript is untrusted. Its text reaches a draft only
// through [redactor], which removes possible secrets and anything that a host expands.
package transcript

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host/claude"
	"github.com/vadehq/vade/internal/host/codex"
	"github.com/vadehq/vade/internal/host/copilotcli"
	"github.com/vadehq/vade/internal/host/gemini"
	"github.com/vadehq/vade/internal/host/opencode"
)

// format is a transcript format. To support another host, write a reader and add it to [formats].
type format struct {
	name string
	// claims reports whether a line with these JSON keys is in this format. It
	// is nil for the plain-text format.
	claims func(keys map[string]json.RawMessage) bool
	// reader returns a function that reads one line, numbered from 1, into a session.
	reader func(s *session) func(line []byte, n int)
	// marks lists strings, at least one of which occurs in every line that offers or invokes a
	// definition. [Count] skips all other lines except the first few.
	marks []string
	// database calls each for every session in a database that was modified at or after the time
	// since. [Count] uses it instead of reader.
	database func(ctx context.Context, db, wal io.ReaderAt, since time.Time, each func(*session)) error
}

var formats = []format{
	{claude.Session, claimsClaude, func(s *session) func([]byte, int) { return s.claudeLine }, claudeMarks, nil},
	{codex.Session, claimsCodex, func(s *session) func([]byte, int) { return s.codexLine }, codexMarks, nil},
	{gemini.Session, claimsGemini, func(s *session) func([]byte, int) { return s.geminiLine }, geminiMarks, nil},
	{copilotcli.Session, claimsCopilot, func(s *session) func([]byte, int) { return s.copilotLine }, copilotMarks, nil},
	{opencode.Session, claimsOpencode, func(s *session) func([]byte, int) { return s.opencodeExport }, nil, opencodeDatabase},
	{"plain", nil, func(s *session) func([]byte, int) { return (&plainReader{session: s}).line }, nil, nil},
}

// Formats returns the names of the supported transcript formats.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Errors returned by [Skillify].
var (
	ErrFormat = errors.New("unknown transcript format")
	ErrEmpty  = errors.New("the transcript has neither a user message nor a command")
)

// Limits on how much of a transcript is read and kept. Sizes are in bytes.
const (
	maxBytes   = 512 << 20
	maxLine    = 8 << 20 // longer lines, such as lines with images, are skipped
	maxText    = 16 << 20
	maxMessage = 4 << 10
	maxCommand = 8 << 10
	maxPaths   = 50
	maxNames   = 10_000 // in a listing
	maxUses    = 1 << 20
	headSize   = 1 << 20 // the number of bytes examined to detect the format
	// maxDocument limits the size of a file that is one JSON document spanning several lines.
	maxDocument = 64 << 20
)

// session holds a transcript's content, before redaction.
type session struct {
	format string
	// dir is the session's working directory, or "" if unknown.
	dir   string
	items []item
	notes []note

	// calls maps IDs to tool calls, because results refer to their calls by ID.
	calls map[string]*call
	kept  int
	// lineage records which earlier line each line continues.
	lineage []link
	// unfinished is set while reading a last line that does not end with a newline.
	unfinished bool

	// uses lists the definitions that the session offers to its model or invokes.
	uses []use
	// at is the time at which the current line was written.
	at time.Time
	// main is set once a line that does not belong to a sub-agent has been read.
	main bool
	// dirHash is the hexadecimal SHA-256 hash of dir if the host records only that hash.
	dirHash string
}

// use records that a definition was offered or invoked.
type use struct {
	Used
	offered bool
	// id identifies an invocation in all copies of a session.
	id string
	at time.Time
}

// item is a user message or a tool call.
type item struct {
	line    int
	message string
	call    *call

	id    string // line ID, used to recognize rewound turns
	apart bool   // from a sub-agent
}

// call is one tool call: a shell command, a file edit, or a call to another tool.
type call struct {
	tool    string
	command string
	paths   []string
	// byUser is set for a command that the user ran.
	byUser  bool
	outcome outcome
}

// outcome describes how a call ended. status is nil if the exit code is unknown.
type outcome struct {
	status          *int
	failed, refused bool
}

func exited(status int) outcome { return outcome{status: &status, failed: status != 0} }

// link records that the line with this ID continues another line.
type link struct {
	id, parent string
	prompt     bool
}

// note records a kind of omitted content, the number of affected lines, and the first such line.
type note struct {
	code         diag.Code
	what         string
	count, first int
}

// parse reads a transcript line by line. It detects the format if name is "".
func parse(ctx context.Context, in io.Reader, name string) (*session, error) {
	t, head, err := openText(in, headSize)
	if err != nil {
		return nil, err
	}
	detected := name == ""
	if detected {
		name = detect(head)
	}
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	if i < 0 {
		return nil, ErrFormat
	}
	s := &session{format: name, calls: map[string]*call{}}
	if err := s.lines(ctx, t, formats[i].reader(s)); err != nil {
		return nil, err
	}
	if detected && formats[i].claims == nil && len(s.items) == 0 {
		return nil, ErrFormat
	}
	s.leaveOut()
	return s, nil
}

// text is a transcript that is read line by line.
type text struct {
	*bufio.Reader
	file  *io.LimitedReader
	limit int
}

// openText prepares a transcript for reading, and returns its first bytes. It converts a JSON
// object that spans multiple lines to one line.
func openText(in io.Reader, bufferSize int) (t text, head []byte, err error) {
	t = text{file: &io.LimitedReader{R: in, N: maxBytes}, limit: maxLine}
	t.Reader = bufio.NewReaderSize(t.file, bufferSize)
	if head, err = t.Peek(bufferSize); err != nil && err != io.EOF {
		return t, nil, err
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		head = head[3:]
		_, _ = t.Discard(3)
	}
	if first, _, more := bytes.Cut(head, []byte("\n")); !more || string(bytes.TrimSpace(first)) != "{" {
		return t, head, nil
	}
	data, err := io.ReadAll(io.LimitReader(t, maxDocument))
	if err != nil {
		return t, nil, err
	}
	var line bytes.Buffer
	if json.Compact(&line, data) != nil {
		return t, nil, ErrFormat
	}
	t.Reader, t.limit = bufio.NewReaderSize(&line, bufferSize), maxDocument
	return t, line.Bytes(), nil
}

// lines calls read for each line, without its line break, and records what it skips.
func (s *session) lines(ctx context.Context, t text, read func(line []byte, n int)) error {
	for n := 1; !s.unfinished; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, long, err := readLine(t.Reader, t.limit)
		if err != nil && err != io.EOF {
			return err
		}
		s.unfinished = err == io.EOF
		if long {
			s.note(n, diag.TranscriptLimit, "lines longer than %d MiB", maxLine>>20)
		} else {
			read(bytes.TrimRight(line, "\r\n"), n)
		}
	}
	if t.file.N <= 0 {
		s.note(0, diag.TranscriptLimit, "everything after the first %d MiB", maxBytes>>20)
	}
	return nil
}

// readLine reads a line including its newline. The result is valid until the next read. For the
// last line, readLine also returns io.EOF. If the line is longer than limit, readLine returns an
// empty line and sets long.
func readLine(r *bufio.Reader, limit int) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case len(line)+len(part) > limit:
			line, long = nil, true
		case long:
		case line == nil && err != bufio.ErrBufferFull:
			return part, false, err
		default:
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, long, err
		}
	}
}

// detect returns the format of the transcript that begins with head, or "".
func detect(head []byte) string {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		var keys map[string]json.RawMessage
		if json.Unmarshal(line, &keys) != nil && line[0] != '{' {
			return "plain"
		}
		for _, f := range formats {
			if f.claims != nil && f.claims(keys) {
				return f.name
			}
		}
	}
	return ""
}

// decode unmarshals a line of JSON and records invalid lines. It reports
// whether the line has content to process.
func (s *session) decode(line []byte, n int, v any) bool {
	if len(bytes.TrimSpace(line)) == 0 {
		return false
	}
	if json.Unmarshal(line, v) != nil {
		s.broken(n)
		return false
	}
	return true
}

// broken records a line that cannot be read.
func (s *session) broken(n int) {
	if s.unfinished {
		s.note(n, diag.TranscriptPart, "an incomplete last line, as in a session that is still running")
		return
	}
	s.note(n, diag.TranscriptLine, "lines that are not JSON objects in the %s format", s.format)
}

// note counts a line from which something was omitted. Line 0 means the whole file.
func (s *session) note(line int, code diag.Code, what string, args ...any) {
	what = fmt.Sprintf(what, args...)
	for i := range s.notes {
		if s.notes[i].what == what {
			s.notes[i].count++
			return
		}
	}
	s.notes = append(s.notes, note{code, what, 1, line})
}

// add keeps an item if the size limit permits.
func (s *session) add(it item, size int) bool {
	if s.kept += size + 64; s.kept > maxText {
		s.note(it.line, diag.TranscriptLimit, "items after the first %d MiB of text", maxText>>20)
		return false
	}
	s.items = append(s.items, it)
	return true
}

// time sets the current line's time from text in RFC 3339 format.
func (s *session) time(text string) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		s.at = at
	}
}

// offers records that the session's model was shown a listing with the given definitions.
func (s *session) offers(agents bool, names ...string) {
	for _, name := range names[:min(len(names), maxNames)] {
		s.uses = append(s.uses, use{Used: Used{Agent: agents, Name: cut(name, 200)}, offered: true, at: s.at})
	}
}

// invokes records an invocation. name may have a leading slash and may be followed by arguments.
func (s *session) invokes(agent bool, name, id string) {
	name, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(name), "/"), " ")
	if name != "" && len(s.uses) < maxUses {
		s.uses = append(s.uses, use{Used: Used{Agent: agent, Name: cut(name, 200)}, id: strings.Clone(cut(id, 200)), at: s.at})
	}
}

// message keeps a user message and reports whether it did. It drops consecutive duplicates, because
// some hosts write each message twice.
func (s *session) message(line int, text string) bool {
	text = cut(strings.TrimSpace(text), maxMessage)
	if n := len(s.items); text == "" || n > 0 && s.items[n-1].message == text {
		return false
	}
	return s.add(item{line: line, message: text}, len(text))
}

// call keeps a tool call. It ignores nil and a call whose ID is already known. The ID may be empty.
func (s *session) call(line int, id string, c *call) {
	if c == nil || s.calls[id] != nil {
		return
	}
	c.tool, c.command = cut(c.tool, 200), cut(c.command, maxCommand)
	size := len(c.tool) + len(c.command)
	c.paths = c.paths[:min(len(c.paths), maxPaths)]
	for i, p := range c.paths {
		c.paths[i] = cut(p, 1<<10)
		size += len(c.paths[i])
	}
	if s.add(item{line: line, call: c}, size) && id != "" {
		s.calls[strings.Clone(id)] = c
	}
}

// result records how a call ended. An earlier result with an exit code is not replaced by a result
// without one.
func (s *session) result(id string, o outcome) {
	if c := s.calls[id]; c != nil && (o.status != nil || c.outcome.status == nil) {
		c.outcome = o
	}
}

// leaveOut removes items from turns that the user rewound. It also removes items from sub-agents,
// unless the session itself belongs to a sub-agent. In a file whose lines form a tree, a prompt was
// rewound if a later prompt has the same parent, and so was everything below it.
func (s *session) leaveOut() {
	latest, gone := map[string]string{}, map[string]bool{}
	for _, l := range s.lineage {
		if l.prompt {
			latest[l.parent] = l.id
		}
	}
	for _, l := range s.lineage {
		if gone[l.parent] || l.prompt && latest[l.parent] != l.id {
			gone[l.id] = true
		}
	}
	own := slices.ContainsFunc(s.items, func(it item) bool { return !it.apart })
	s.items = slices.DeleteFunc(s.items, func(it item) bool {
		switch {
		case own && it.apart:
			s.note(it.line, diag.TranscriptPart, "sub-agent messages and calls")
			return true
		case it.id != "" && gone[it.id]:
			s.note(it.line, diag.TranscriptPart, "messages and calls that the user rewound")
			return true
		}
		return false
	})
}

// cut returns at most the first n bytes of s.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.Clone(s[:n])
}
