package terminal

import (
	"fmt"
	"sync"
	"time"
)

const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

// Progress is a status line for work that takes longer than a second. It is shown only on a
// terminal, overwritten in place, and erased at the end, so that it never appears in the output.
// Its methods are safe for concurrent use.
type Progress struct {
	w     *Writer
	timer *time.Timer

	mu          sync.Mutex
	label       string
	done, total int
	shown       bool
	ended       bool
	drawn       time.Time
}

// StartProgress returns a status line that appears after one second. w should be standard error. If
// w is not a terminal, nothing is shown.
func (w *Writer) StartProgress(label string) *Progress {
	p := &Progress{w: w, label: EscapeLine(label)}
	if !w.terminal || w.dumb {
		p.ended = true
		return p
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(progressAfter, p.show)
	return p
}

func (p *Progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.shown = true
		p.draw()
	}
}

// Step reports progress. A total of 0 means that the total is unknown.
func (p *Progress) Step(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
	if p.shown && !p.ended && time.Since(p.drawn) >= progressEvery {
		p.draw()
	}
}

// Done erases the line. It must be called before anything else is written, and may be called more
// than once.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.ended = true
	p.timer.Stop()
	if p.shown {
		p.w.Write([]byte("\r\x1b[K"))
	}
}

func (p *Progress) draw() {
	text := p.label
	switch {
	case p.total > 0:
		text += fmt.Sprintf(" %d/%d", p.done, p.total)
	case p.done > 0:
		text += fmt.Sprintf(" %d", p.done)
	}
	p.drawn = time.Now()
	// Leave the last column empty, because some terminals wrap the line when it is written to.
	fmt.Fprintf(p.w, "\r%s\x1b[K", Truncate(text, max(p.w.width-1, 1)))
}
