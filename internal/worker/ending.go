package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"github.com/vadehq/vade/internal/runs"
)

// retry describes what to do after a process has ended.
type retry int

const (
	noRetry retry = iota
	// retryStart starts the task over, because the agent has not done anything yet.
	retryStart
	// retryLoad continues the session in a new process.
	retryLoad
)

// ending describes how a process ended.
type ending struct {
	state  runs.State
	reason string
	retry  retry
	pause  time.Duration
	// idle reports whether the agent was stopped because it made no progress.
	idle bool
}

func failed(format string, args ...any) ending {
	return ending{state: runs.Failed, reason: fmt.Sprintf(format, args...)}
}

// byUser is the reason given for a run that the user canceled.
const byUser = "by the user"

// errGone is returned if the program closed the connection.
var errGone = errors.New("the agent ended")

// lateError is the error for an agent that did not open a session in time.
type lateError struct{ limit time.Duration }

func (e *lateError) Error() string {
	return "the agent did not open a session within " + e.limit.String()
}

// ended returns the ending for a turn, given the agent's response or an error.
func (s *session) ended(ctx context.Context, r promptResult, err error) ending {
	if err != nil || ctx.Err() != nil {
		return s.explain(ctx, err)
	}
	switch r.StopReason {
	case "end_turn":
		return ending{state: runs.Done}
	case "cancelled":
		return failed("the agent canceled the turn")
	case "refusal":
		return failed("the model refused to answer")
	case "max_tokens", "max_turn_requests":
		return failed("the agent reached its limit (%s)", r.StopReason)
	}
	return failed("the agent ended the turn with an unknown stop reason (%q)", shorten(r.StopReason))
}

// explain returns the ending for an error. ctx is the run's context.
func (s *session) explain(ctx context.Context, err error) ending {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTimeout):
		return failed("%v", cause)
	case cause != nil:
		return ending{state: runs.Cancelled, reason: byUser}
	}
	if late, ok := errors.AsType[*lateError](err); ok {
		return failed("%v", late)
	}
	if errors.Is(err, errGone) {
		return s.gone()
	}
	var remote *acp.RequestError
	if !errors.As(err, &remote) {
		return failed("%s", shorten(err.Error()))
	}
	text := remote.Message
	if data, err := json.Marshal(remote.Data); err == nil && remote.Data != nil {
		text += " " + string(data)
	}
	switch {
	case remote.Code == authRequired:
		return failed("the agent requires a login: %s", s.login())
	case containsAny(fmt.Sprint(remote.Code, text), "429", "rate limit", "rate_limit", "529", "overloaded"):
		end := failed("the model service is overloaded or limiting requests: %s", shorten(remote.Message))
		end.retry, end.pause = retryLoad, s.o.Limits.Cancel
		return end
	case containsAny(text, "ENOSPC", "no space left"):
		return failed("the disk is full: %s", shorten(remote.Message))
	}
	return failed("the agent reported error %d: %s", remote.Code, shorten(text))
}

const authRequired = -32000

func containsAny(text string, words ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(words, func(w string) bool {
		return strings.Contains(text, strings.ToLower(w))
	})
}

func (s *session) login() string {
	if s.o.Launch.Login != "" {
		return s.o.Launch.Login
	}
	return "log in with the agent's CLI"
}

// gone returns the ending for a program that closed its output.
func (s *session) gone() ending {
	how := "it closed its output or sent more data than Vade can read"
	select {
	case <-s.proc.Exited():
		how = "exit code 0"
		if err := s.proc.Err(); err != nil {
			how = err.Error()
		}
	case <-time.After(time.Second):
	}
	if last := s.errors.line(); last != "" {
		how += "; it printed: " + last
	}
	return ending{state: runs.Failed, reason: "the agent ended unexpectedly (" + how + ")", retry: retryLoad}
}
