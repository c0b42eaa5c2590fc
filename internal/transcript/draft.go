package transcript

import (
	"path"
	"slices"
	"strings"
)

// DraftOptions say how a draft is made.
type DraftOptions struct {
	// Name is the name of the skill: small letters, digits and single hyphens. ""
	// makes one of the first message.
	Name string
	// NoQuotes leaves the user's words out.
	NoQuotes bool
	// KeepFailures makes steps of commands that failed, too, where another one of the
	// same program worked right after them.
	KeepFailures bool
}

// Draft is a skill made of a session. All of its texts are fit to be shown: see
// [cleaner].
type Draft struct {
	Name        string
	Description string
	// Goal is the first message, in short; "" without one or without quotes.
	Goal string
	// Arguments are guessed: what varied between repetitions, and what the first
	// messages name and the commands use.
	Arguments []Argument
	// Allowed are rules for tools, each no wider than what ran.
	Allowed []string
	// Withheld are the commands and tools that ran and have no rule, with why.
	Withheld []Withheld
	Steps    []Step
	// Corrections are messages that steer, Requests the others behind the first.
	Corrections, Requests []Quote
	// Dead are commands that failed and that nothing of their program followed.
	Dead []Run
	// Files are those that were changed.
	Files []string
	// Tools is how often each tool was called.
	Tools []Count
	// Cut is how many steps and files are left out for want of room.
	CutSteps, CutFiles int
	// Hidden is how often something was taken out that may be a secret.
	Hidden int
}

// Argument is a value that is another one each time.
type Argument struct {
	Name string   `json:"name"`
	Seen []string `json:"seen"`
	// Why says what it was guessed from.
	Why string `json:"why"`

	raw []string
}

// Withheld is something that ran and is not allowed in advance.
type Withheld struct {
	What string `json:"what"`
	Why  string `json:"why"`
	// Confirm: a person is asked before it is done.
	Confirm bool `json:"confirm"`
}

// Quote is a message of the user, in short.
type Quote struct {
	// Line is where it stands in the transcript.
	Line int    `json:"line"`
	Text string `json:"text"`
	// Before is the number of the step that it came before, 0 for the end.
	Before int `json:"before,omitempty"`
}

// Run is one command as it is shown.
type Run struct {
	Line    int    `json:"line"`
	Command string `json:"command"`
	// Status is what it ended with, nil where that is not known.
	Status *int `json:"status,omitempty"`
	Failed bool `json:"failed,omitempty"`
	// Said is a line of its output that tells that it worked.
	Said string `json:"said,omitempty"`
}

// Step is one step of the skill.
type Step struct {
	// Kind is "command", "edit", "read", "search", "fetch", "server", "agent" or
	// "repeat".
	Kind string `json:"kind"`
	// What it is about: the program, the files, the address.
	What []string `json:"what,omitempty"`
	Runs []Run    `json:"runs,omitempty"`
	// Tried are commands of the same program that failed right before.
	Tried []Run `json:"tried,omitempty"`
	// Times is how often it was done, in all turns where a sequence of steps was
	// repeated.
	Times int `json:"times"`
	// From and To are the steps that are repeated.
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`
	// Criterion says how it is known that the step is done, "" where that is not known.
	Criterion string `json:"criterion,omitempty"`
	// Confirm says why a person is asked first.
	Confirm string `json:"confirm,omitempty"`
	// ByUser: the user did it.
	ByUser bool `json:"byUser,omitempty"`
	Line   int  `json:"line"`

	shape string
	// last is the line of what was done last.
	last int
	// turns is how often the sequence was done that the step is one of, 0 for none;
	// mended: it ended badly in one turn and well in a later one.
	turns  int
	mended bool
	// failed: it ended badly the last time; answered: a tool gave a result.
	failed, answered bool
}

// Count is how often something was used.
type Count struct {
	Name  string `json:"name"`
	Times int    `json:"times"`
}

// The sizes of a draft.
const (
	maxSteps       = 30
	maxShownRuns   = 4
	maxRules       = 30
	maxCorrections = 12
	maxRequests    = 8
	maxShownFiles  = 40
	maxArguments   = 5
	maxWithheld    = 25
	maxFiles       = 2000
	quoteLength    = 140
	commandLength  = 200
)

// NewDraft makes a draft of a session. The same session gives the same draft. The error
// is [ErrEmpty] where there is nothing to make one of.
func NewDraft(s *Session, o DraftOptions) (*Draft, error) {
	d := &drafter{session: s, options: o, clean: &cleaner{dir: s.Dir}, draft: &Draft{}, parsed: map[*Call][]judged{}}
	d.clean.learnAll(s.Items)
	d.collect()
	if len(d.acts) == 0 && len(d.messages) == 0 {
		return nil, ErrEmpty
	}
	d.failures()
	d.fold()
	d.repeats()
	d.number()
	d.guess()
	d.judgeAll()
	d.quotes()
	d.title()
	d.draft.Hidden = d.clean.hidden
	return d.draft, nil
}

// act is one call that may become a step, or a part of one.
type act struct {
	line  int
	call  *Call
	shape string
	parts []judged
	risk  string
	run   Run
	what  []string
	tried []Run
	gone  bool
}

type drafter struct {
	session  *Session
	options  DraftOptions
	clean    *cleaner
	draft    *Draft
	acts     []*act
	messages []Item
	files    []string
	// parsed is what the commands consist of.
	parsed map[*Call][]judged
	// fetched are the last names of the files that were fetched from elsewhere.
	fetched map[string]bool
}

// collect takes the calls and the messages of a session.
func (d *drafter) collect() {
	d.fetched = fetchedFiles(d.session.Items)
	tools := map[string]int{}
	for _, it := range d.session.Items {
		if it.Message != nil {
			d.messages = append(d.messages, it)
			continue
		}
		c := it.Call
		if name := d.clean.path(c.Tool); name != "" && !c.ByUser {
			tools[name]++
		}
		if c.Result.Refused || c.Kind == Other || c.Kind == Command && strings.TrimSpace(c.Command) == "" {
			continue
		}
		a := &act{line: it.Line, call: c}
		switch c.Kind {
		case Command:
			d.command(a)
		case Edit, Read:
			for _, p := range c.Paths {
				a.what = append(a.what, d.clean.path(p))
			}
			if a.shape = "read"; c.Kind == Edit {
				a.shape = "edit"
				d.touch(c, a.what)
			}
		case Fetch:
			a.what = []string{d.clean.path(c.URL)}
			a.shape = "fetch"
		case Server:
			a.what = []string{d.clean.path(c.Tool)}
			a.shape = "server " + c.Tool
		case Agent:
			a.shape = "agent"
		case Search:
			a.shape = "search"
		}
		d.acts = append(d.acts, a)
	}
	for name, n := range tools {
		d.draft.Tools = append(d.draft.Tools, Count{name, n})
	}
	slices.SortFunc(d.draft.Tools, func(a, b Count) int {
		if a.Times != b.Times {
			return b.Times - a.Times
		}
		return strings.Compare(a.Name, b.Name)
	})
	if len(d.draft.Tools) > 40 {
		d.draft.Tools = d.draft.Tools[:40]
	}
}

// touch keeps the files that a call has changed, unless it failed.
func (d *drafter) touch(c *Call, files []string) {
	if c.Result.Failed {
		return
	}
	for _, f := range files {
		if f != "" && len(d.files) < maxFiles && !slices.Contains(d.files, f) {
			d.files = append(d.files, f)
		}
	}
}

// command reads a command.
func (d *drafter) command(a *act) {
	c := a.call
	a.run = Run{Line: a.line, Command: d.clean.command(c.Command, commandLength), Failed: c.Result.Failed}
	for _, here := range []string{"cd . && ", "cd . ; "} {
		a.run.Command = strings.TrimPrefix(a.run.Command, here)
	}
	if c.Result.HasStatus {
		status := c.Result.Status
		a.run.Status = &status
	}
	if !c.Result.Failed {
		a.run.Said = d.said(c.Result.Said)
	}
	parts, writes, ok := ran(c.Command)
	for i := range parts {
		if p := &parts[i]; p.risk == "" && !p.reads && slices.ContainsFunc(p.words, func(w string) bool { return d.fetched[path.Base(w)] }) && !fetches(parts[i:i+1]) {
			p.risk, p.rule = riskUnknown, ""
		}
	}
	d.parsed[c] = parts
	if !ok {
		words := plainWords(tokens(c.Command))
		if len(words) == 0 {
			words = []string{"?"}
		}
		a.shape = d.clean.command(shapeOf(words[:1]), 40)
		if a.risk = risk(words); a.risk == "" && mentionsDanger(words) {
			a.risk = riskDeletes
		}
		return
	}
	a.parts = parts
	var shapes []string
	for _, p := range parts {
		if a.risk == "" {
			a.risk = p.risk
		}
		if !isGlue(p.words[0]) && !slices.Contains(shapes, p.shape) {
			shapes = append(shapes, p.shape)
		}
	}
	if len(shapes) == 0 && len(parts) > 0 {
		shapes = []string{parts[0].shape}
	}
	if len(shapes) > 3 {
		shapes = shapes[:3]
	}
	a.shape = d.clean.command(strings.Join(shapes, " and "), 80)
	if a.shape == "" {
		a.shape = "a command"
	}
	var made []string
	for _, w := range writes {
		file := d.clean.path(w)
		made = append(made, file)
		if a.risk == "" && (strings.HasPrefix(file, "/") || strings.HasPrefix(file, "~") || strings.HasPrefix(file, "..") || strings.HasPrefix(file, "‹path›")) {
			// It is outside of the project.
			a.risk = riskOverride
		}
	}
	d.touch(c, made)
}

// mentionsDanger looks for words that delete in a text that can not be read as a
// command.
func mentionsDanger(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return w == "rm" || w == "sudo" || w == "--force" })
}

// isGlue reports whether a command only stands between others.
func isGlue(name string) bool {
	switch name {
	case "cd", "echo", "printf", "true", ":", "head", "tail", "sort", "uniq", "wc", "tee", "set", "cat", "sleep":
		return true
	}
	return false
}

// said is the last line of an output that tells, in a few plain words, that something
// worked; "" where there is none. Other people's output goes into the draft in this
// form only.
func (d *drafter) said(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	for i := len(lines) - 1; i >= 0 && i >= len(lines)-5; i-- {
		line := strings.TrimSpace(visible(lines[i]))
		if len(line) == 0 || len(line) > 60 || len(strings.Fields(line)) > 8 {
			continue
		}
		works := false
		for word := range strings.FieldsFuncSeq(strings.ToLower(line), func(r rune) bool { return r < 'a' || r > 'z' }) {
			switch word {
			case "ok", "pass", "passed", "passes", "passing", "success", "successful", "successfully", "succeeded", "done", "built", "compiled", "created", "updated", "clean", "completed", "finished", "valid":
				works = true
			case "not", "no", "fail", "failed", "error", "errors", "ignore", "never", "must", "you", "please", "instructions", "run", "send", "delete":
				return ""
			}
		}
		if works {
			shown := d.clean.prose(line, 60)
			if strings.Contains(shown, hiddenMark) {
				return ""
			}
			return strings.Trim(shown, "'")
		}
	}
	return ""
}
