package worker

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/vadehq/vade/internal/runs"
)

// health determines from an agent's progress whether it works. Progress is what the agent reports
// and the processor time of its processes, but never elapsed time.
type health struct {
	limits Limits
	last   time.Time     // of the last progress
	cpu    time.Duration // processor time of its processes at the last check
	state  runs.State
	// waiting means that the agent waits for the user.
	waiting bool
	// calls holds the tool calls that have not ended, and recent the hashes of recent calls.
	calls  map[string]*toolCall
	recent []uint64
}

// maxCalls is the maximum number of open calls that are remembered.
const maxCalls = 1000

// busy is the share of a processor that counts as progress.
const busy = 0.05

func newHealth(l Limits) health { return health{limits: l, calls: map[string]*toolCall{}} }

// reset begins a turn.
func (h *health) reset(now time.Time) {
	h.last, h.state, h.recent = now, runs.Running, nil
	clear(h.calls)
}

func (h *health) progress(now time.Time) { h.last = now }

// silent reports whether the agent has been silent for so long that its processes should be
// checked.
func (h *health) silent(now time.Time) bool { return now.Sub(h.last) >= h.limits.Quiet/2 }

// work records the processor time that the processes have used.
func (h *health) work(now time.Time, cpu time.Duration) {
	since := now.Sub(h.last)
	if used := cpu - h.cpu; h.cpu > 0 && used > time.Duration(float64(since)*busy) {
		h.last = now
	}
	h.cpu = cpu
}

// tool records a tool call or a change to one. changed is false if it should be ignored.
func (h *health) tool(c toolCall, now time.Time) (call *toolCall, changed bool) {
	old := h.calls[c.ID]
	if old == nil {
		if len(h.calls) >= maxCalls {
			clear(h.calls)
		}
		old = &toolCall{ID: c.ID, Status: "pending"}
		h.calls[c.ID] = old
		changed = true
	}
	merge(old, &c)
	if c.Status != "" && c.Status != old.Status {
		old.Status, changed = c.Status, true
	}
	if changed {
		h.progress(now)
	}
	if old.Status == "completed" || old.Status == "failed" {
		h.recent = append(h.recent, old.hash())
		delete(h.calls, c.ID)
	}
	return old, changed
}

// merge applies a change to a call, without its status.
func merge(to, from *toolCall) {
	if from.Title != "" {
		to.Title = from.Title
	}
	if from.ToolKind != "" {
		to.ToolKind = from.ToolKind
	}
	if len(bytes.Trim(from.Input, " {}nul")) > 0 {
		to.Input = from.Input
	}
	if len(from.Locations) > 0 {
		to.Locations = from.Locations
	}
}

// hash returns a hash of a call's tool and arguments.
func (c *toolCall) hash() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%s\x00%s", c.ToolKind, c.Title, c.Input)
	return h.Sum64()
}

// at returns the state at a given time, and the reason for it.
func (h *health) at(now time.Time) (runs.State, string) {
	state, reason := runs.Running, ""
	idle := now.Sub(h.last)
	switch {
	case h.waiting:
		h.last = now
		state = runs.Waiting
	case h.loops():
		state, reason = runs.Looping, "the agent repeats the same calls"
	case idle >= h.limits.Stuck:
		state, reason = runs.Stuck, "no progress for "+idle.Round(100*time.Millisecond).String()
	case idle >= h.limits.Quiet:
		state, reason = runs.Quiet, "no progress for "+idle.Round(100*time.Millisecond).String()
	}
	h.state = state
	return state, reason
}

// loops reports whether the most recent calls repeat one call, or one pair of calls, many times.
func (h *health) loops() bool {
	for period := 1; period <= 2; period++ {
		n := period * h.limits.Repeats
		if len(h.recent) < n {
			continue
		}
		last := h.recent[len(h.recent)-n:]
		if slices.Equal(last[period:], last[:n-period]) {
			return true
		}
	}
	return false
}
