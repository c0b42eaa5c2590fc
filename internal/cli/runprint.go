package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/worker"
)

// console prints the progress of runs to stderr, and asks the user one question at a time. It
// prints no progress while it waits for an answer.
type console struct {
	to    *terminal.Writer
	quiet bool

	mu      sync.Mutex
	asking  bool
	pending []string

	in  io.Reader
	one sync.Mutex
	// typed receives the lines that the user types. A line answers a question only if the question
	// was on the screen when the line was typed.
	start sync.Once
	typed chan typedLine
}

type typedLine struct {
	text string
	at   time.Time
}

func (a *app) console() *console {
	return &console{to: a.stderr(), quiet: a.json, in: a.world.Stdin, typed: make(chan typedLine, 1)}
}

// event prints an event, preceded by prefix.
func (c *console) event(prefix string, e runs.Event) {
	line := eventLine(e)
	if line == "" || c.quiet || e.Event == "end" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending = append(c.pending, prefix+line); !c.asking {
		c.flush()
	}
}

func (c *console) flush() {
	for _, line := range c.pending {
		c.to.Line(terminal.Dim, "%s", line)
	}
	c.pending = nil
}

// read reads lines until the end of input. It never blocks on an unanswered question, so each
// line's recorded time is accurate.
func (c *console) read() {
	defer close(c.typed)
	for lines := bufio.NewScanner(c.in); lines.Scan(); {
		select {
		case <-c.typed:
		default:
		}
		c.typed <- typedLine{lines.Text(), time.Now()}
	}
}

// ask asks the user a yes-or-no question.
func (c *console) ask(ctx context.Context, question string) (bool, error) {
	c.start.Do(func() { go c.read() })
	c.one.Lock()
	defer c.one.Unlock()
	c.mu.Lock()
	c.asking = true
	fmt.Fprint(c.to, c.to.Paint(terminal.Bold, terminal.EscapeLine(question))+" [y/N] ")
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.asking = false
		c.flush()
	}()
	asked := time.Now()
	for {
		select {
		case <-ctx.Done():
			fmt.Fprintln(c.to)
			return false, ctx.Err()
		case line, ok := <-c.typed:
			if !ok {
				return false, errors.New("input ended")
			}
			if line.at.After(asked) {
				text := strings.ToLower(strings.TrimSpace(line.text))
				return text == "y" || text == "yes", nil
			}
		}
	}
}

// eventLine returns a one-line description of an event, or "" if the event is of no interest to the
// user.
func eventLine(e runs.Event) string {
	reason := ""
	if e.Reason != "" {
		reason = ": " + e.Reason
	}
	switch e.Event {
	case "state", "end":
		return string(e.State) + reason
	case "session":
		return "session " + e.Session + " of " + e.Title
	case "tool":
		return e.Decision + " " + e.Kind + " " + e.Title
	case "permission":
		return e.Decision + " " + e.Kind + " " + e.Title + reason
	case "step":
		return e.Kind + reason
	}
	return ""
}

func (a *app) printRun(r *worker.Report) error {
	if r.Text != "" {
		a.printText(strings.TrimRight(r.Text, "\n") + "\n")
	}
	e := a.stderr()
	for _, loss := range r.Losses {
		e.Label(terminal.Yellow, "vade: warning:", "%s", loss)
	}
	if r.State != runs.Done {
		e.Label(terminal.Red, "vade: "+string(r.State)+":", "%s", r.Reason)
	}
	if w := r.Worktree; w != nil {
		for _, name := range w.Copies {
			e.Label(terminal.Yellow, "vade: warning:",
				"the run changed %s, which will not be merged because git ignores it", name)
		}
		switch {
		case w.Changed:
			e.Label(terminal.Cyan, "vade: hint:",
				"to see what changed, run: vade runs show --diff %s; to merge it, run: vade runs merge %s", r.ID, r.ID)
		case len(w.Copies) > 0:
			e.Label(terminal.Cyan, "vade: hint:",
				"copy what you need from %s; then run: vade runs drop %s", w.Dir, r.ID)
		default:
			e.Label(terminal.Cyan, "vade: hint:",
				"nothing changed; to remove the worktree, run: vade runs drop %s", r.ID)
		}
	}
	return e.Err()
}
