package transcript

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
)

// tally counts lines of one kind.
type tally struct{ count, first int }

func (t *tally) add(line int) {
	if t.count++; t.first == 0 {
		t.first = line
	}
}

// state is what the readers of all formats keep.
type state struct {
	session *Session
	limits  Limits
	name    string
	// calls are those whose result may come yet, by their identifier.
	calls map[string]*Call
	// kept is how many bytes of text the items have.
	kept int
	// speakers is how many lines of a plain transcript name who speaks.
	speakers int
	// interrupted: the user stopped the agent, and what comes next is why.
	interrupted bool
	// edges say which line each line answers, prompts which of them are messages of the
	// user.
	edges                        []edge
	prompts                      []edge
	broken, long, full, examples tally
	// theirs are commands below what the user says, quoted those in a block of code there.
	// beyond are lines of messages that are longer than what is kept of one.
	theirs, quoted, beyond tally
	unknown                map[string]*tally
	cutOff                 bool
	lastBroken             int
}

// edge is a line with the one that it answers.
type edge struct{ id, parent string }

// maxUnknown is how many kinds of unknown lines are told apart.
const maxUnknown = 30

// unknownKind counts a line of a kind that is not known.
func (s *state) unknownKind(kind string, line int) {
	if len(kind) > 40 || kind == "" || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./ ") != "" {
		kind = "another kind"
	}
	t := s.unknown[kind]
	if t == nil && len(s.unknown) >= maxUnknown {
		kind = "another kind"
		t = s.unknown[kind]
	}
	if t == nil {
		t = &tally{}
		s.unknown[kind] = t
	}
	t.add(line)
}

func (s *state) brokenLine(line int) {
	s.broken.add(line)
	s.lastBroken = line
}

// add keeps an item, unless there is no room for it.
func (s *state) add(it Item) *Item {
	size := 64
	if m := it.Message; m != nil {
		size += len(m.Text)
	}
	if c := it.Call; c != nil {
		size += len(c.Command) + len(c.URL)
		for _, p := range c.Paths {
			size += len(p)
		}
	}
	if len(s.session.Items) >= s.limits.Items || s.kept+size > s.limits.Text {
		s.full.add(it.Line)
		return nil
	}
	s.kept += size
	s.session.Items = append(s.session.Items, it)
	return &s.session.Items[len(s.session.Items)-1]
}

// message keeps a message of the user; the same text twice in a row is one.
func (s *state) message(line int, text string) *Item {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	text = cut(text, maxMessage)
	if n := len(s.session.Items); n > 0 {
		if last := s.session.Items[n-1]; last.Message != nil && last.Message.Text == text {
			return nil
		}
	}
	m := &Message{Text: text, Interrupts: s.interrupted}
	s.interrupted = false
	return s.add(Item{Line: line, Message: m})
}

// call keeps a call of a tool. id may be "".
func (s *state) call(line int, id string, c *Call) *Item {
	if id != "" && s.calls[id] != nil {
		return nil
	}
	c.Command = cut(c.Command, maxCommand)
	if len(c.Paths) > maxPaths {
		c.Paths = c.Paths[:maxPaths]
	}
	for i := range c.Paths {
		c.Paths[i] = cut(c.Paths[i], 1<<10)
	}
	c.URL, c.Tool = cut(c.URL, 1<<10), cut(c.Tool, 200)
	it := s.add(Item{Line: line, Call: c})
	if it != nil && id != "" {
		s.calls[strings.Clone(id)] = c
	}
	return it
}

// result keeps what came of a call.
func (s *state) result(id string, r Result) {
	c := s.calls[id]
	if c == nil {
		return
	}
	if r.Said = tail(r.Said, maxSaid); s.kept+len(r.Said) > s.limits.Text {
		r.Said = ""
	}
	s.kept += len(r.Said)
	if !r.HasStatus && c.Result.HasStatus {
		r.HasStatus, r.Status, r.Failed = true, c.Result.Status, c.Result.Failed
	}
	c.Result = r
	if r.Refused {
		s.interrupted = true
	}
}

// finish leaves out what is not the session's own way and says what was not read.
func (s *state) finish(unfinished bool) {
	x := s.session
	if unfinished && s.lastBroken == x.Lines && s.broken.count > 0 {
		s.broken.count--
		x.Diagnostics = append(x.Diagnostics, s.diagnostic(x.Lines, diag.TranscriptPart,
			"the last line is not finished and is left out: the session may still be going on"))
	}
	s.leaveApart()
	if s.broken.count > 0 {
		d := s.diagnostic(s.broken.first, diag.TranscriptLine, "%s no JSON object as the format has it; the first is line %d", lineCount(s.broken.count, "is", "are"), s.broken.first)
		x.Diagnostics = append(x.Diagnostics, d.WithFix("look at the line; with --format %s the file is read as text", Plain))
	}
	for _, kind := range slices.Sorted(maps.Keys(s.unknown)) {
		t := s.unknown[kind]
		x.Diagnostics = append(x.Diagnostics, s.diagnostic(t.first, diag.TranscriptUnknown, "%s of a kind that is not known (%s); the first is line %d", lineCount(t.count, "is", "are"), kind, t.first))
	}
	if s.long.count > 0 {
		x.Diagnostics = append(x.Diagnostics, s.diagnostic(s.long.first, diag.TranscriptLimit, "%s longer than %d bytes and left out; the first is line %d", lineCount(s.long.count, "is", "are"), s.limits.Line, s.long.first))
	}
	if s.full.count > 0 {
		x.Diagnostics = append(x.Diagnostics, s.diagnostic(s.full.first, diag.TranscriptLimit, "there is more in it than is kept: what begins at line %d is left out (%d messages and calls)", s.full.first, s.full.count))
	}
	if s.cutOff {
		x.Diagnostics = append(x.Diagnostics, s.diagnostic(0, diag.TranscriptLimit, "only its first %d bytes are read", s.limits.Bytes))
	}
	if s.examples.count > 0 {
		x.Diagnostics = append(x.Diagnostics, s.diagnostic(s.examples.first, diag.TranscriptPart,
			"%s of shell code without a line that begins with a dollar sign: whether it ran is not known, and it is left out", number(s.examples.count, "block", "blocks")))
	}
	if s.beyond.count > 0 {
		x.Diagnostics = append(x.Diagnostics, s.diagnostic(s.beyond.first, diag.TranscriptPart,
			"only the first %d bytes of a message are read: %s behind them and left out; the first is line %d", maxMessage, lineCount(s.beyond.count, "is", "are"), s.beyond.first))
	}
	if s.theirs.count > 0 {
		x.Diagnostics = append(x.Diagnostics, s.diagnostic(s.theirs.first, diag.TranscriptPart,
			"%s below what the user says, and %s taken for what the user ran, the lines up to a blank one for its output, and no rule allows it", lineCount(s.theirs.count, "with a command stands", "with commands stand"), isAre(s.theirs.count)).
			WithFix("if the agent ran it, write \"Assistant:\" before it"))
	}
	if s.quoted.count > 0 {
		x.Diagnostics = append(x.Diagnostics, s.diagnostic(s.quoted.first, diag.TranscriptPart,
			"%s in a block of code of the user, and %s taken for words", lineCount(s.quoted.count, "with a command stands", "with commands stand"), isAre(s.quoted.count)))
	}
	if x.Apart > 0 {
		x.Diagnostics = append(x.Diagnostics, s.diagnostic(0, diag.TranscriptPart, "%s to sub-agents and %s left out", lineCount(x.Apart, "belongs", "belong"), isAre(x.Apart)))
	}
	if x.Rewound > 0 {
		x.Diagnostics = append(x.Diagnostics, s.diagnostic(0, diag.TranscriptPart, "%s what the user went back from and %s left out", number(x.Rewound, "message or call is", "messages and calls are"), isAre(x.Rewound)))
	}
	if x.Summaries > 0 {
		x.Diagnostics = append(x.Diagnostics, s.diagnostic(0, diag.TranscriptPart, "the session was summed up %s: a summary is nobody's message and is left out", number(x.Summaries, "time", "times")))
	}
}

func (s *state) diagnostic(line int, code diag.Code, format string, args ...any) diag.Diagnostic {
	d := diag.For(s.name, code, format, args...)
	d.Line = line
	if line > 0 {
		d.Column = 1
	}
	return d
}

// leaveApart takes out the lines of sub-agents, unless there are no others, and the
// branches that were given up.
func (s *state) leaveApart() {
	x := s.session
	own := slices.ContainsFunc(x.Items, func(it Item) bool { return !it.apart })
	if own {
		before := len(x.Items)
		x.Items = slices.DeleteFunc(x.Items, func(it Item) bool { return it.apart })
		x.Apart = max(x.Apart, before-len(x.Items))
	} else {
		x.Apart = 0
	}
	gone := abandoned(s.edges, s.prompts)
	if len(gone) == 0 {
		return
	}
	before := len(x.Items)
	x.Items = slices.DeleteFunc(x.Items, func(it Item) bool { return it.id != "" && gone[it.id] })
	x.Rewound += before - len(x.Items)
}

// link notes which line a line answers.
func (s *state) link(id, parent string, prompt bool) {
	if id == "" || parent == "" || len(s.edges) >= 10*s.limits.Items || len(id) > 100 || len(parent) > 100 {
		return
	}
	e := edge{id, parent}
	s.edges = append(s.edges, e)
	if prompt {
		s.prompts = append(s.prompts, e)
	}
}

// abandoned are the lines below messages from which the user went back: another message
// was written later in answer to the same line (inferred from how lines name the one
// that they answer). What the last line goes back to stays, and what names itself in a
// circle ends.
func abandoned(edges, prompts []edge) map[string]bool {
	last := map[string]string{}
	for _, e := range prompts {
		last[e.parent] = e.id
	}
	var queue []string
	for _, e := range prompts {
		if last[e.parent] != e.id {
			queue = append(queue, e.id)
		}
	}
	if len(queue) == 0 {
		return nil
	}
	children := map[string][]string{}
	for _, e := range edges {
		children[e.parent] = append(children[e.parent], e.id)
	}
	parents := map[string]string{}
	for _, e := range edges {
		parents[e.id] = e.parent
	}
	alive := map[string]bool{}
	for id := edges[len(edges)-1].id; id != "" && !alive[id]; id = parents[id] {
		alive[id] = true
	}
	gone := map[string]bool{}
	for len(queue) > 0 {
		id := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if gone[id] || alive[id] {
			continue
		}
		gone[id] = true
		queue = append(queue, children[id]...)
	}
	return gone
}

// cut is the beginning of a text, of at most n bytes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.Clone(s[:n])
}

// tail is the end of a text, of at most n bytes.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at := len(s) - n
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return strings.Clone(s[at:])
}
