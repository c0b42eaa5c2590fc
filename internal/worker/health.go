package worker

import (
	"bytes"
	"hash/fnv"
	"io"
	"slices"
	"time"

	"github.com/vadehq/vade/internal/runs"
)

// health determines whether an agent is making progress. The agent's messages, new tool calls,
// changes to their status, and CPU time used by the agent's processes count as progress.
type health struct {
	limits Limits
	last   time.Time // time of the last progress
	state  runs.State
	// cpu is the CPU time that the agent's processes had used at the last check; checked is the
	// time of that check.
	cpu     time.Duration
	checked time.Time
	// waiting is set while the agent waits for the user.
	waiting bool
	// calls holds the tool calls that have not ended. recent holds the hashes of finished calls,
	// and edits the hashes of the file changes in them.
	calls         map[string]*toolCall
	recent, edits []uint64
}

// maxCalls is the maximum number of open calls to remember.
const maxCalls = 1000

// busy is the CPU utilization, as a fraction of one processor, that counts as progress.
const busy = 0.05

func newHealth(l Limits) health { return health{limits: l, calls: map[string]*toolCall{}} }

// reset prepares for a new turn.
func (h *health) reset(now time.Time) {
	h.last, h.state, h.recent, h.edits = now, runs.Running, nil, nil
	clear(h.calls)
}

func (h *health) progress(now time.Time) { h.last = now }

// silent reports whether the agent has been silent for so long that its processes should be
// checked.
func (h *health) silent(now time.Time) bool { return now.Sub(h.last) >= h.limits.Quiet/2 }

// work records the CPU time that the processes have used so far. If they were busy since the last
// check, that counts as progress.
func (h *health) work(now time.Time, cpu time.Duration) {
	since := now.Sub(h.checked)
	if used := cpu - h.cpu; h.cpu > 0 && used > time.Duration(float64(since)*busy) {
		h.last = now
	}
	h.cpu, h.checked = cpu, now
}

// tool records a new tool call or an update to one. changed reports whether the call is new or its
// status has changed.
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
		for _, c := range old.changes() {
			h.edits = append(h.edits, hash(c.Path, c.Text))
		}
		delete(h.calls, c.ID)
	}
	return old, changed
}

// merge applies an update to a call, except for the status.
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
	if len(from.changes()) > 0 {
		to.Content = from.Content
	}
	if len(from.Locations) > 0 {
		to.Locations = from.Locations
	}
}

func (c *toolCall) hash() uint64 { return hash(c.ToolKind, c.Title, string(c.Input)) }

func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = io.WriteString(h, p+"\x00")
	}
	return h.Sum64()
}

// check returns the state at the time now, and the reason for it. If the agent
// has been silent, check measures the CPU time of the run's processes. changed
// reports whether the state has changed since the last check.
func (h *health) check(now time.Time, id string, waiting bool) (
	state runs.State, reason string, changed bool,
) {
	if h.silent(now) {
		h.work(now, cpuTime(id))
	}
	h.waiting = waiting
	before := h.state
	state, reason = h.at(now)
	return state, reason, state != before
}

// at returns the state at time now, and the reason for it.
func (h *health) at(now time.Time) (runs.State, string) {
	state, reason := runs.Running, ""
	idle := now.Sub(h.last)
	switch {
	case h.waiting:
		h.last = now
		state = runs.Waiting
	case h.loops(h.recent):
		state, reason = runs.Looping, "the agent is repeating the same calls"
	case h.loops(h.edits):
		state, reason = runs.Looping, "the agent is repeating the same changes"
	case idle >= h.limits.Stuck:
		state, reason = runs.Stuck, "no progress for "+idle.Round(100*time.Millisecond).String()
	case idle >= h.limits.Quiet:
		state, reason = runs.Quiet, "no progress for "+idle.Round(100*time.Millisecond).String()
	}
	h.state = state
	return state, reason
}

// loops reports whether a list ends with the same hash, or the same pair of hashes, repeated
// Limits.Repeats times.
func (h *health) loops(recent []uint64) bool {
	for period := 1; period <= 2; period++ {
		n := period * h.limits.Repeats
		if len(recent) < n {
			continue
		}
		last := recent[len(recent)-n:]
		if slices.Equal(last[period:], last[:n-period]) {
			return true
		}
	}
	return false
}
