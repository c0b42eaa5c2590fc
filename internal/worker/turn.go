package worker

import (
	"context"
	"errors"
	"time"

	"github.com/vadehq/vade/internal/runs"
)

// nudgeText is sent to an agent whose turn was stopped because it made no progress.
const nudgeText = "The last turn was stopped because it made no progress. Check what has already been done, " +
	"then try a different approach, or explain what is blocking you."

// converse sends the messages and supervises the turn. If the turn makes no progress, converse
// cancels it and asks the agent once to try a different approach.
func (s *session) converse(ctx context.Context, messages []string) ending {
	nudged := false
	for {
		end, problem := s.turn(ctx, messages)
		if problem == "" {
			return end
		}
		// The turn was stopped. Tell the agent once and, if that does not help, continue in a new
		// process.
		if nudged || end.state != runs.Cancelled {
			return ending{state: runs.Failed, reason: problem, retry: retryLoad, idle: true}
		}
		nudged, messages = true, []string{nudgeText}
		s.o.Journal.Add(runs.Event{Event: "step", Kind: "nudge", Reason: problem})
	}
}

// turn sends a prompt and waits for the turn to end. If the agent was stuck or looping, turn
// cancels the turn and returns the problem. In that case, end.state is Cancelled if the agent
// stopped when asked to.
func (s *session) turn(ctx context.Context, messages []string) (end ending, problem string) {
	params := promptParams{SessionID: s.id}
	for _, m := range messages {
		params.Prompt = append(params.Prompt, textBlock{"text", m})
	}
	s.mu.Lock()
	s.text.Reset()
	s.health.reset(time.Now())
	s.mu.Unlock()
	s.state(runs.Running, "")
	type answer struct {
		result promptResult
		err    error
	}
	turn, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	answered := make(chan answer, 1)
	go func() {
		r, err := request[promptResult](turn, s, "session/prompt", params)
		answered <- answer{r, err}
	}()
	tick := s.o.Limits.ticker()
	defer tick.Stop()
	done := ctx.Done()
	var give <-chan time.Time
	for {
		select {
		case a := <-answered:
			if a.result.Usage != nil {
				s.usage = a.result.Usage
			}
			if problem != "" && (a.err == nil || !errors.Is(a.err, errGone)) {
				return ending{state: runs.Cancelled}, problem
			}
			return s.ended(ctx, a.result, a.err), ""
		case <-done:
			done = nil
			problem = ""
			give = s.cancel()
		case <-give:
			return s.explain(ctx, context.DeadlineExceeded), problem
		case now := <-tick.C:
			if give != nil {
				continue
			}
			state, reason := s.check(now)
			if state == runs.Stuck || state == runs.Looping {
				problem = reason
				give = s.cancel()
			}
		}
	}
}

// cancel asks the agent to end the turn, and returns a channel that signals when to give up.
func (s *session) cancel() <-chan time.Time {
	s.o.Guard.refuseAll()
	s.o.Journal.Add(runs.Event{Event: "step", Kind: "cancel"})
	go func() {
		id := map[string]string{"sessionId": s.id}
		_ = s.conn.SendNotification(context.Background(), "session/cancel", id)
	}()
	return time.After(s.o.Limits.Cancel)
}

// check updates the state from the agent's progress, and returns it with the reason.
func (s *session) check(now time.Time) (runs.State, string) {
	s.mu.Lock()
	state, reason, changed := s.health.check(now, s.o.ID, s.o.Guard.asking())
	s.mu.Unlock()
	if changed {
		s.state(state, reason)
	}
	return state, reason
}
